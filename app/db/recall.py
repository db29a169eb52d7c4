"""Recall: nearest neighbours of a query among a user's memories."""

from __future__ import annotations

from typing import Final

# $3 the model, $4 the query's vector, $5 statuses, $6 types or null, $7 users that the key is bound to or null, $8 whether
# other users' shared memories come along, $9 how many, $10 an instant of valid time, $11 and $12 when validity began.
NEAREST: Final = """
SELECT r.*, n.similarity FROM (
  SELECT m.memory_id, 1 - (e.embedding <=> $4) AS similarity
  FROM memories m JOIN embeddings e
    ON e.tenant_id = m.tenant_id AND e.memory_id = m.memory_id AND e.revision = m.revision AND e.model = $3
  WHERE m.tenant_id = $1 AND m.kind = 'atom' AND m.status = ANY($5) AND ($6::text[] IS NULL OR m.memory_type = ANY($6))
    AND (m.user_id = $2 OR ($8 AND m.shared)) AND ($7::text[] IS NULL OR m.user_id = ANY($7) OR m.shared)
    AND ($10::timestamptz IS NULL OR (coalesce(m.valid_from, m.created_at) <= $10 AND (m.valid_to IS NULL OR m.valid_to > $10)))
    AND ($11::timestamptz IS NULL OR coalesce(m.valid_from, m.created_at) >= $11)
    AND ($12::timestamptz IS NULL OR coalesce(m.valid_from, m.created_at) <= $12)
  ORDER BY e.embedding <=> $4, m.memory_id LIMIT $9
) n JOIN memory_records r ON r.tenant_id = $1 AND r.memory_id = n.memory_id
ORDER BY n.similarity DESC, r.memory_id
"""
# The same, as it was recorded at the instant $13.
NEAREST_AS_OF: Final = """
SELECT m.*, 1 - (e.embedding <=> $4) AS similarity
FROM memory_records_at($1, $13) m JOIN embeddings e
  ON e.tenant_id = m.tenant_id AND e.memory_id = m.memory_id AND e.revision = m.revision AND e.model = $3
WHERE m.kind = 'atom' AND m.status = ANY($5) AND ($6::text[] IS NULL OR m.memory_type = ANY($6))
  AND (m.user_id = $2 OR ($8 AND m.shared)) AND ($7::text[] IS NULL OR m.user_id = ANY($7) OR m.shared)
  AND ($10::timestamptz IS NULL OR (coalesce(m.valid_from, m.created_at) <= $10 AND (m.valid_to IS NULL OR m.valid_to > $10)))
  AND ($11::timestamptz IS NULL OR coalesce(m.valid_from, m.created_at) >= $11)
  AND ($12::timestamptz IS NULL OR coalesce(m.valid_from, m.created_at) <= $12)
ORDER BY e.embedding <=> $4, m.memory_id LIMIT $9
"""
