"""The graph around a memory: typed edges, live and ended, and disputes as CONTRADICTS edges."""

from __future__ import annotations

from typing import Final

# All edges that touch one of the memories; the depth is walked by asking again.
EDGES: Final = """
SELECT edge_id, type, from_memory_id, to_memory_id, CASE WHEN ended_at IS NULL THEN 'live' ELSE 'ended' END AS status FROM edges
WHERE tenant_id = $1 AND (from_memory_id = ANY($2) OR to_memory_id = ANY($2))
UNION ALL
SELECT contradiction_id, 'CONTRADICTS', new_memory_id, existing_memory_id, status FROM contradictions
WHERE tenant_id = $1 AND (new_memory_id = ANY($2) OR existing_memory_id = ANY($2))
ORDER BY edge_id LIMIT $3
"""
