"""The operator's erase: what a text has reached, and the tombstones that take its place. Only the tables' owner may run it.

`$2` of most statements is the list of what goes, as JSON: `memory_id`; `since`, from when on its contents go ("-infinity": all of
them); `whole`, true where the statement itself goes with everything that it was said in, false where only what was made out of
another one's text goes. '[erased]' is the tombstone.
"""

from __future__ import annotations

from typing import Final

TOMBSTONE = "[erased]"

BEGIN: Final = "SELECT set_config('helixir.erase', 'on', true), set_config('lock_timeout', '60s', true)"
# Transactions that hold somebody's user lock: each of them may have read a shared text before it was erased.
OTHERS_AT_WORK: Final = """
SELECT DISTINCT virtualtransaction FROM pg_locks
WHERE locktype = 'advisory' AND pid <> pg_backend_pid() AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""

# What is there.
MEMORIES: Final = """
SELECT memory_id, user_id, kind, status, shared, erased_at FROM memories WHERE tenant_id = $1 AND memory_id = ANY($2) ORDER BY memory_id
"""
OF_USER: Final = """
SELECT memory_id FROM memories WHERE tenant_id = $1 AND user_id = $2 AND kind IN ('atom', 'raw_input') ORDER BY memory_id
"""
USER_KNOWN: Final = """
SELECT EXISTS (SELECT FROM memories WHERE tenant_id = $1 AND user_id = $2)
  OR EXISTS (SELECT FROM writes WHERE tenant_id = $1 AND user_id = $2)
"""

# How a text spreads. Each statement answers memories that go along: memory_id, since (null: always), whole, cause.
SAME_TEXT: Final = """
WITH g AS (
  SELECT * FROM jsonb_to_recordset($2::jsonb) AS g(memory_id uuid, since timestamptz, whole boolean)
), said AS (
  SELECT DISTINCT a.user_id, lower(rtrim(regexp_replace(btrim(normalize(r.content)), '\\s+', ' ', 'g'), '. 。')) AS words
  FROM g JOIN memories a ON a.tenant_id = $1 AND a.memory_id = g.memory_id AND a.kind = 'atom'
  JOIN revisions r ON r.tenant_id = $1 AND r.memory_id = g.memory_id AND r.at >= g.since
  WHERE r.content <> '[erased]'
)
SELECT DISTINCT m.memory_id, NULL::timestamptz AS since, true AS whole, 'says the same' AS cause
FROM said JOIN memories m ON m.tenant_id = $1 AND m.user_id = said.user_id AND m.kind = 'atom'
JOIN revisions r ON r.tenant_id = $1 AND r.memory_id = m.memory_id
WHERE lower(rtrim(regexp_replace(btrim(normalize(r.content)), '\\s+', ' ', 'g'), '. 。')) = said.words
  AND m.memory_id NOT IN (SELECT memory_id FROM g)
"""
# A supersession by a merge: the successor's text was made out of the target's.
MERGED: Final = """
SELECT d.memory_id, min(d.at) AS since, false AS whole, 'a merge with it' AS cause
FROM jsonb_to_recordset($2::jsonb) AS g(memory_id uuid, since timestamptz, whole boolean)
JOIN decisions d ON d.tenant_id = $1 AND d.target_memory_id = g.memory_id AND d.at >= g.since
WHERE d.outcome = 'superseded' AND d.memory_id <> d.target_memory_id AND d.verdict ->> 'merged_content' IS NOT NULL
GROUP BY d.memory_id
"""
# An agent's edit that was not carried out stands as a memory of its own.
EDITED: Final = """
SELECT d.memory_id, min(d.at) AS since, false AS whole, 'an edit of it' AS cause
FROM jsonb_to_recordset($2::jsonb) AS g(memory_id uuid, since timestamptz, whole boolean)
JOIN decisions d ON d.tenant_id = $1 AND d.target_memory_id = g.memory_id AND d.at >= g.since
JOIN writes w ON w.tenant_id = $1 AND w.write_id = d.write_id AND w.kind = 'edit'
WHERE d.memory_id <> d.target_memory_id GROUP BY d.memory_id
"""
# What an answer wrote was made out of both sides: the pending merge, or the human's own wording.
ANSWERED: Final = """
WITH g AS (
  SELECT * FROM jsonb_to_recordset($2::jsonb) AS g(memory_id uuid, since timestamptz, whole boolean)
), touched AS (
  SELECT c.contradiction_id, g.since FROM g JOIN contradictions c ON c.tenant_id = $1 AND c.new_memory_id = g.memory_id
  UNION
  SELECT c.contradiction_id, g.since FROM g JOIN contradictions c ON c.tenant_id = $1 AND c.existing_memory_id = g.memory_id
  UNION
  SELECT e.contradiction_id, g.since FROM g JOIN contradiction_events e
    ON e.tenant_id = $1 AND e.event = 'moved' AND e.detail ->> 'from' = g.memory_id::text
)
SELECT r.memory_id, min(r.at) AS since, false AS whole, 'an answer about it' AS cause
FROM touched t JOIN revisions r ON r.tenant_id = $1 AND r.contradiction_id = t.contradiction_id AND r.at >= t.since
JOIN memories m ON m.tenant_id = $1 AND m.memory_id = r.memory_id AND m.kind = 'atom'
GROUP BY r.memory_id
"""
# A message that goes as a whole takes its statements along, and the merges that were made out of them.
OF_MESSAGE: Final = """
WITH raw AS (
  SELECT m.memory_id FROM jsonb_to_recordset($2::jsonb) AS g(memory_id uuid, since timestamptz, whole boolean)
  JOIN memories m ON m.tenant_id = $1 AND m.memory_id = g.memory_id AND m.kind = 'raw_input' WHERE g.whole
)
SELECT m.memory_id, NULL::timestamptz AS since, true AS whole, 'stands in the message' AS cause
FROM raw JOIN memories m ON m.tenant_id = $1 AND m.raw_input_id = raw.memory_id
UNION ALL
SELECT r.memory_id, min(r.at), false, 'a merge with it'
FROM raw JOIN writes w ON w.tenant_id = $1 AND w.raw_input_id = raw.memory_id
JOIN decisions d ON d.tenant_id = $1 AND d.write_id = w.write_id
JOIN revisions r ON r.tenant_id = $1 AND r.decision_id = d.decision_id AND r.memory_id = d.memory_id
GROUP BY r.memory_id
"""
SPREADS: Final = (SAME_TEXT, MERGED, EDITED, ANSWERED, OF_MESSAGE)

# Where the text stands.
REVISIONS: Final = """
SELECT r.memory_id, r.revision, r.content
FROM jsonb_to_recordset($2::jsonb) AS g(memory_id uuid, since timestamptz, whole boolean)
JOIN revisions r ON r.tenant_id = $1 AND r.memory_id = g.memory_id AND r.at >= g.since ORDER BY r.memory_id, r.revision
"""
# Decisions whose incoming text goes: how a statement came, its repeats, an edit; $3 a user all of whose texts go, or null.
DECISIONS: Final = """
WITH g AS (
  SELECT * FROM jsonb_to_recordset($2::jsonb) AS g(memory_id uuid, since timestamptz, whole boolean)
), found AS (
  SELECT d.decision_id, d.write_id, d.position, d.content FROM g JOIN decisions d ON d.tenant_id = $1 AND d.memory_id = g.memory_id
  WHERE g.whole OR (d.at >= g.since AND d.outcome IN ('deduplicated', 'previously_withdrawn'))
    OR EXISTS (SELECT FROM revisions r WHERE r.tenant_id = $1 AND r.memory_id = g.memory_id AND r.at >= g.since AND r.content = d.content)
  UNION
  SELECT d.decision_id, d.write_id, d.position, d.content FROM g JOIN writes w ON w.tenant_id = $1 AND w.raw_input_id = g.memory_id
  JOIN decisions d ON d.tenant_id = $1 AND d.write_id = w.write_id WHERE g.whole
  UNION
  SELECT d.decision_id, d.write_id, d.position, d.content FROM decisions d WHERE d.tenant_id = $1 AND d.user_id = $3::text
)
SELECT f.decision_id, f.write_id, f.position, f.content, w.kind, w.raw_input_id
FROM found f LEFT JOIN writes w ON w.tenant_id = $1 AND w.write_id = f.write_id ORDER BY f.decision_id
"""
RAW_INPUTS: Final = """
SELECT DISTINCT m.raw_input_id FROM jsonb_to_recordset($2::jsonb) AS g(memory_id uuid, since timestamptz, whole boolean)
JOIN memories m ON m.tenant_id = $1 AND m.memory_id = g.memory_id WHERE g.whole AND m.raw_input_id IS NOT NULL
"""
# Other statements of the raw inputs $2 that stay ($3 goes).
SHARERS: Final = """
WITH raw AS (
  SELECT memory_id FROM memories WHERE tenant_id = $1 AND memory_id = ANY($2) AND erased_at IS NULL
)
SELECT raw.memory_id AS raw_input_id, m.memory_id FROM raw JOIN memories m ON m.tenant_id = $1 AND m.raw_input_id = raw.memory_id
WHERE m.erased_at IS NULL AND m.memory_id <> ALL($3)
UNION
SELECT raw.memory_id, m.memory_id FROM raw JOIN writes w ON w.tenant_id = $1 AND w.raw_input_id = raw.memory_id
JOIN decisions d ON d.tenant_id = $1 AND d.write_id = w.write_id
JOIN memories m ON m.tenant_id = $1 AND m.memory_id = d.memory_id
WHERE m.erased_at IS NULL AND m.memory_id <> ALL($3) ORDER BY 1, 2
"""
# Decisions that saw the text: as a candidate or target, or by being in the write, and so in the engine's call, of one that did.
# $3 decisions that did, $4 the users who could see it, null for everybody.
SEEN: Final = """
WITH g AS (
  SELECT * FROM jsonb_to_recordset($2::jsonb) AS g(memory_id uuid, since timestamptz, whole boolean)
), shown AS MATERIALIZED (
  SELECT d.decision_id, d.at, (c ->> 'memory_id')::uuid AS memory_id
  FROM decisions d CROSS JOIN LATERAL jsonb_array_elements(d.candidates) AS c
  WHERE d.tenant_id = $1 AND ($4::text[] IS NULL OR d.user_id = ANY($4))
), seen AS (
  SELECT s.decision_id FROM shown s JOIN g ON g.memory_id = s.memory_id AND s.at >= g.since
  UNION
  SELECT d.decision_id FROM g JOIN decisions d ON d.tenant_id = $1 AND d.target_memory_id = g.memory_id AND d.at >= g.since
  UNION
  SELECT d.decision_id FROM g JOIN decisions d ON d.tenant_id = $1 AND d.memory_id = g.memory_id AND d.at >= g.since
  UNION
  SELECT unnest($3::uuid[])
), beside AS (
  SELECT d.write_id FROM seen JOIN decisions d ON d.tenant_id = $1 AND d.decision_id = seen.decision_id WHERE d.write_id IS NOT NULL
)
SELECT d.decision_id, d.tier = 'engine' AS by_engine FROM seen JOIN decisions d ON d.tenant_id = $1 AND d.decision_id = seen.decision_id
UNION
SELECT d.decision_id, d.tier = 'engine' FROM beside JOIN decisions d ON d.tenant_id = $1 AND d.write_id = beside.write_id
"""
DISPUTES: Final = """
WITH g AS (
  SELECT * FROM jsonb_to_recordset($2::jsonb) AS g(memory_id uuid, since timestamptz, whole boolean)
), touched AS (
  SELECT c.contradiction_id, g.since FROM g JOIN contradictions c ON c.tenant_id = $1 AND c.new_memory_id = g.memory_id
  UNION
  SELECT c.contradiction_id, g.since FROM g JOIN contradictions c ON c.tenant_id = $1 AND c.existing_memory_id = g.memory_id
  UNION
  SELECT e.contradiction_id, g.since FROM g JOIN contradiction_events e
    ON e.tenant_id = $1 AND e.event = 'moved' AND e.detail ->> 'from' = g.memory_id::text
)
SELECT DISTINCT c.contradiction_id, c.new_user_id, c.existing_user_id, c.learned #>> '{rule,id}' AS rule_id
FROM touched t JOIN contradictions c ON c.tenant_id = $1 AND c.contradiction_id = t.contradiction_id
WHERE c.resolved_at IS NULL OR c.resolved_at >= t.since ORDER BY c.contradiction_id
"""
# Disputes whose pending delete keeps the engine's reason, which an answer repeats in the history.
DELETES: Final = """
SELECT contradiction_id FROM contradictions WHERE tenant_id = $1 AND decision_id = ANY($2) AND pending_operation = 'DELETE'
"""
AROUND: Final = """
SELECT type, from_memory_id, to_memory_id, to_memory_id = ANY($2) AS inward FROM edges
WHERE tenant_id = $1 AND type IN ('SUPERSEDES', 'SAME_AS') AND ended_at IS NULL
  AND (from_memory_id = ANY($2)) <> (to_memory_id = ANY($2)) ORDER BY at, edge_id
"""

# The tombstones. Each changes only what is not one yet, so that the count of changed rows tells what there was.
ERASE_REVISIONS: Final = """
UPDATE revisions r SET content = '[erased]' FROM unnest($2::uuid[], $3::integer[]) AS g(memory_id, revision)
WHERE r.tenant_id = $1 AND r.memory_id = g.memory_id AND r.revision = g.revision AND r.content <> '[erased]'
"""
ERASE_VECTORS: Final = "SELECT erase_vectors($1, $2, $3)"
ERASE_MEMORIES: Final = """
UPDATE memories SET content = '[erased]', metadata = '{}', agent_id = NULL, session_id = NULL, undecided = false,
  folded = CASE WHEN kind = 'atom' THEN sha256(convert_to(memory_id::text, 'UTF8')) END,
  status = CASE WHEN status IN ('active', 'held') AND kind = 'atom' THEN 'withdrawn' ELSE status END,
  valid_to = CASE WHEN status IN ('active', 'held') AND kind = 'atom' THEN $3 ELSE valid_to END,
  erased_at = coalesce(erased_at, $3)
WHERE tenant_id = $1 AND memory_id = ANY($2) AND (erased_at IS NULL OR content <> '[erased]')
"""
# $2 the decisions, $3 those whose incoming text goes, $4 what goes, $5 the very texts.
ERASE_DECISIONS: Final = """
WITH g AS MATERIALIZED (
  SELECT * FROM jsonb_to_recordset($4::jsonb) AS g(memory_id uuid, since timestamptz, whole boolean)
), late AS MATERIALIZED (
  SELECT * FROM g WHERE since > '-infinity'
), n AS (
  SELECT d.decision_id,
    CASE WHEN d.decision_id = ANY($3) THEN '[erased]' ELSE d.content END AS content,
    (SELECT coalesce(jsonb_agg(CASE
        WHEN c.value ->> 'content' = ANY($5)
          OR (c.value ->> 'memory_id')::uuid IN (SELECT memory_id FROM g WHERE since = '-infinity')
          OR EXISTS (SELECT FROM late WHERE late.memory_id = (c.value ->> 'memory_id')::uuid AND d.at >= late.since)
        THEN c.value || '{"content": "[erased]"}' ELSE c.value END ORDER BY c.ordinality), '[]')
     FROM jsonb_array_elements(d.candidates) WITH ORDINALITY AS c) AS candidates,
    d.verdict
      || CASE WHEN d.tier = 'engine' AND d.verdict ->> 'reasoning' <> '' THEN '{"reasoning": "[erased]"}'::jsonb ELSE '{}' END
      || CASE WHEN d.verdict ->> 'merged_content' IS NOT NULL AND (d.decision_id = ANY($3)
                OR d.target_memory_id IN (SELECT memory_id FROM g WHERE since = '-infinity')
                OR d.memory_id IN (SELECT memory_id FROM g WHERE since = '-infinity')
                OR EXISTS (SELECT FROM late WHERE late.memory_id IN (d.target_memory_id, d.memory_id) AND d.at >= late.since))
         THEN '{"merged_content": "[erased]"}'::jsonb ELSE '{}' END AS verdict,
    d.ruling || CASE WHEN d.tier = 'engine' AND d.ruling ->> 'reason' <> '' THEN '{"reason": "[erased]"}'::jsonb ELSE '{}' END AS ruling
  FROM decisions d WHERE d.tenant_id = $1 AND d.decision_id = ANY($2)
)
UPDATE decisions d SET content = n.content, candidates = n.candidates, verdict = n.verdict, ruling = n.ruling FROM n
WHERE d.tenant_id = $1 AND d.decision_id = n.decision_id
  AND (d.content, d.candidates, d.verdict, d.ruling) IS DISTINCT FROM (n.content, n.candidates, n.verdict, n.ruling)
"""
# A pending merge out of the text, in a dispute that goes on between others: what is left to ask is which of the two stands.
REPLACE_PENDING: Final = """
UPDATE contradictions SET pending_operation = 'CONTRADICT', pending_content = NULL, version = version + 1
WHERE tenant_id = $1 AND contradiction_id = ANY($2) AND status = 'open' AND pending_content IS NOT NULL RETURNING contradiction_id, version
"""
# $2 the disputes about it, $3 the decisions of the engine that saw it.
ERASE_DISPUTES: Final = """
WITH n AS (
  SELECT c.contradiction_id, c.contradiction_id = ANY($2) AS about,
    (SELECT jsonb_object_agg(key, '[erased]'::text) FROM jsonb_each(c.contexts)) AS contexts
  FROM contradictions c WHERE c.tenant_id = $1 AND (c.contradiction_id = ANY($2) OR c.decision_id = ANY($3))
), m AS (
  SELECT c.contradiction_id,
    CASE WHEN c.pending_reason <> '' THEN '[erased]' ELSE '' END AS pending_reason,
    CASE WHEN n.about AND c.pending_content IS NOT NULL THEN '[erased]' ELSE c.pending_content END AS pending_content,
    CASE WHEN n.about AND c.answer_content IS NOT NULL THEN '[erased]' ELSE c.answer_content END AS answer_content,
    CASE WHEN n.about AND c.note IS NOT NULL THEN '[erased]' ELSE c.note END AS note,
    CASE WHEN n.about THEN n.contexts ELSE c.contexts END AS contexts
  FROM n JOIN contradictions c ON c.tenant_id = $1 AND c.contradiction_id = n.contradiction_id
)
UPDATE contradictions c SET pending_reason = m.pending_reason, pending_content = m.pending_content, answer_content = m.answer_content,
  note = m.note, contexts = m.contexts
FROM m WHERE c.tenant_id = $1 AND c.contradiction_id = m.contradiction_id
  AND (c.pending_reason, c.pending_content, c.answer_content, c.note, c.contexts)
    IS DISTINCT FROM (m.pending_reason, m.pending_content, m.answer_content, m.note, m.contexts)
"""
# Reasons. $2 what goes, $3 the decisions of the engine that saw it, $4 the disputes about it.
ERASE_REVISION_REASONS: Final = """
WITH hit AS (
  SELECT r.memory_id, r.revision FROM jsonb_to_recordset($2::jsonb) AS g(memory_id uuid, since timestamptz, whole boolean)
  JOIN revisions r ON r.tenant_id = $1 AND r.memory_id = g.memory_id AND r.at >= g.since
  UNION
  SELECT memory_id, revision FROM revisions WHERE tenant_id = $1 AND (decision_id = ANY($3) OR contradiction_id = ANY($4))
)
UPDATE revisions r SET reason = '[erased]' FROM hit
WHERE r.tenant_id = $1 AND r.memory_id = hit.memory_id AND r.revision = hit.revision AND r.reason <> '[erased]'
"""
ERASE_EDGE_REASONS: Final = """
WITH g AS (
  SELECT * FROM jsonb_to_recordset($2::jsonb) AS g(memory_id uuid, since timestamptz, whole boolean)
), hit AS (
  SELECT e.edge_id FROM g JOIN edges e ON e.tenant_id = $1 AND e.from_memory_id = g.memory_id AND e.at >= g.since
  UNION
  SELECT e.edge_id FROM g JOIN edges e ON e.tenant_id = $1 AND e.to_memory_id = g.memory_id AND e.at >= g.since
  UNION
  SELECT edge_id FROM edges WHERE tenant_id = $1 AND (decision_id = ANY($3) OR contradiction_id = ANY($4))
)
UPDATE edges e SET reason = '[erased]' FROM hit WHERE e.tenant_id = $1 AND e.edge_id = hit.edge_id AND e.reason <> '[erased]'
"""
ERASE_EVENT_REASONS: Final = """
WITH g AS (
  SELECT * FROM jsonb_to_recordset($2::jsonb) AS g(memory_id uuid, since timestamptz, whole boolean)
), hit AS (
  SELECT e.event_id FROM g JOIN memory_events e ON e.tenant_id = $1 AND e.memory_id = g.memory_id AND e.at >= g.since
  UNION
  SELECT e.event_id FROM g JOIN memory_events e ON e.tenant_id = $1 AND e.detail ->> 'superseded_by' = g.memory_id::text
    AND e.at >= g.since
  UNION
  SELECT event_id FROM memory_events WHERE tenant_id = $1 AND (decision_id = ANY($3) OR contradiction_id = ANY($4))
)
UPDATE memory_events e SET reason = '[erased]' FROM hit
WHERE e.tenant_id = $1 AND e.event_id = hit.event_id AND e.reason <> '[erased]' AND e.event <> 'erased'
"""
ERASE_AUDIT_REASONS: Final = """
UPDATE audit SET reason = '[erased]' WHERE tenant_id = $1 AND reason <> '[erased]' AND act <> 'erase'
  AND (subject = ANY($2::text[]) OR detail -> 'superseded' ?| $2)
"""
# The hash of a request can be guessed like its text. $2: what was acted on; $3: messages; $4: all writes of this user, if one is named.
ERASE_FINGERPRINTS: Final = """
UPDATE replays SET fingerprint = sha256(uuid_send(gen_random_uuid()))
WHERE tenant_id = $1 AND (subject = ANY($2) OR subject IN (
  SELECT write_id FROM writes WHERE tenant_id = $1 AND (raw_input_id = ANY($3) OR user_id = $4)))
"""
# The bodies of writes. Unfinished ones end here.
ERASE_MESSAGES: Final = """
UPDATE writes SET body = body - '{metadata,agent_id,session_id}'::text[] || '{"message": "[erased]"}',
  last_fault = CASE WHEN status = 'completed' THEN last_fault ELSE 'erased' END, finished_at = coalesce(finished_at, $3),
  status = 'completed'
WHERE tenant_id = $1 AND raw_input_id = ANY($2) AND body ->> 'message' <> '[erased]'
"""
ERASE_EDITS: Final = """
UPDATE writes SET body = body || '{"content": "[erased]", "reason": "[erased]"}'
WHERE tenant_id = $1 AND write_id = ANY($2) AND kind = 'edit' AND body ->> 'content' <> '[erased]'
"""
# $2 the writes, $3 the places of the facts that go, row by row; the rest of a body goes with its last fact.
ERASE_FACTS: Final = """
WITH g AS (
  SELECT write_id, array_agg(place) AS places FROM unnest($2::uuid[], $3::integer[]) AS g(write_id, place) GROUP BY write_id
), n AS (
  SELECT w.write_id, w.body, (
    SELECT jsonb_agg(CASE WHEN f.ordinality - 1 = ANY(g.places) THEN '{"content": "[erased]"}' ELSE f.value END ORDER BY f.ordinality)
    FROM jsonb_array_elements(w.body -> 'facts') WITH ORDINALITY AS f) AS facts
  FROM g JOIN writes w ON w.tenant_id = $1 AND w.write_id = g.write_id AND w.kind = 'facts'
)
UPDATE writes w SET body = CASE
  WHEN EXISTS (SELECT FROM jsonb_array_elements(n.facts) AS f WHERE f ->> 'content' <> '[erased]') THEN n.body
  ELSE n.body - '{metadata,agent_id,session_id}'::text[] END || jsonb_build_object('facts', n.facts)
FROM n WHERE w.tenant_id = $1 AND w.write_id = n.write_id AND w.body -> 'facts' IS DISTINCT FROM n.facts
"""
# Nothing is left to decide about it.
END_UNDECIDED: Final = """
UPDATE undecided_facts SET decided_at = $3 WHERE tenant_id = $1 AND memory_id = ANY($2) AND decided_at IS NULL
"""
# What a user sent that was not decided yet: nothing of it is worked on any more.
ERASE_UNDECIDED_FACTS: Final = """
UPDATE writes SET body = body - '{metadata,agent_id,session_id}'::text[] || '{"facts": []}',
  last_fault = 'erased', finished_at = $3, status = 'completed'
WHERE tenant_id = $1 AND user_id = $2 AND kind = 'facts' AND status <> 'completed'
"""
