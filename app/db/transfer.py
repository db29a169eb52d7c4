"""Everything of one tenant, table by table in the order of the foreign keys: as lines of JSON, and back.

A row is the table's own as JSON without its tenant. Only the tables' owner may run this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Table:
    """One table of an export: `select` gives a tenant's rows as JSON texts, `insert` takes lines of an export."""

    name: str
    select: str
    insert: str


BEGIN: Final = "SELECT set_config('TimeZone', 'UTC', true), set_config('lock_timeout', '60s', true)"
# A write of the tenant waits until the import ends: each takes a key-share lock of this row.
LOCK_TENANT: Final = "SELECT tenant_id FROM tenants WHERE name = $1 FOR UPDATE"
CHARTER_VERSIONS: Final = "SELECT version, sha256 FROM charter_versions ORDER BY version"
SEEDS: Final = """
SELECT memory_id, metadata ->> 'article' AS article, metadata ->> 'version' AS version FROM memories WHERE tenant_id = $1 AND kind = 'seed'
"""
# Seeds, the tenant's own keys and the news of the charter do not count.
IN_USE: Final = """
SELECT EXISTS (SELECT FROM memories WHERE tenant_id = $1 AND kind <> 'seed') OR EXISTS (SELECT FROM writes WHERE tenant_id = $1)
  OR EXISTS (SELECT FROM charter_acts WHERE tenant_id = $1) OR EXISTS (SELECT FROM decisions WHERE tenant_id = $1)
  OR EXISTS (SELECT FROM rule_proposals WHERE tenant_id = $1)
  OR EXISTS (SELECT FROM audit WHERE tenant_id = $1 AND act NOT IN ('create_key', 'revoke_key', 'rotate_key'))
"""
COLUMNS: Final = """
SELECT table_name::text, array_agg(column_name::text) AS names FROM information_schema.columns
WHERE table_schema = 'public' AND table_name = ANY($1) AND column_name <> 'tenant_id' GROUP BY table_name
"""
# What is left to check of foreign keys and guards is checked now, and not when the transaction ends.
CHECK_ALL: Final = "SET CONSTRAINTS ALL IMMEDIATE"
COUNTS: Final = """
SELECT jsonb_build_object(
  'api_keys', (SELECT count(*) FROM api_keys WHERE tenant_id = $1),
  'charter_acts', (SELECT count(*) FROM charter_acts WHERE tenant_id = $1),
  'writes', (SELECT count(*) FROM writes WHERE tenant_id = $1),
  'memories', (SELECT count(*) FROM memories WHERE tenant_id = $1),
  'revisions', (SELECT count(*) FROM revisions WHERE tenant_id = $1),
  'embeddings', (SELECT count(*) FROM embeddings WHERE tenant_id = $1),
  'undecided_facts', (SELECT count(*) FROM undecided_facts WHERE tenant_id = $1),
  'edges', (SELECT count(*) FROM edges WHERE tenant_id = $1),
  'contradictions', (SELECT count(*) FROM contradictions WHERE tenant_id = $1),
  'contradiction_events', (SELECT count(*) FROM contradiction_events WHERE tenant_id = $1),
  'decisions', (SELECT count(*) FROM decisions WHERE tenant_id = $1),
  'memory_events', (SELECT count(*) FROM memory_events WHERE tenant_id = $1),
  'precedents', (SELECT count(*) FROM precedents WHERE tenant_id = $1),
  'rule_proposals', (SELECT count(*) FROM rule_proposals WHERE tenant_id = $1),
  'rules', (SELECT count(*) FROM rules WHERE tenant_id = $1),
  'rule_uses', (SELECT count(*) FROM rule_uses WHERE tenant_id = $1),
  'audit', (SELECT count(*) FROM audit WHERE tenant_id = $1),
  'outbox', (SELECT count(*) FROM outbox WHERE tenant_id = $1)
)
"""

# A key comes as who it was, so that its acts have a name: no secret goes out, and none comes in.
SELECT_KEYS: Final = """
SELECT jsonb_build_object('key_id', key_id, 'role', role, 'prefix', prefix, 'created_at', created_at)::text
FROM api_keys WHERE tenant_id = $1 ORDER BY key_id
"""
INSERT_KEYS: Final = """
INSERT INTO api_keys (tenant_id, key_id, role, secret_hash, prefix, can_answer, created_at, revoked_at)
SELECT $1, k.key_id, k.role, sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), k.prefix, false, k.created_at,
  clock_timestamp()
FROM unnest($2::text[]) WITH ORDINALITY AS l(line, place),
  LATERAL jsonb_to_record(l.line::jsonb -> 'row') AS k(key_id uuid, role text, prefix text, created_at timestamptz)
ORDER BY l.place
"""
KEY_COLUMNS: Final = frozenset({"key_id", "role", "prefix", "created_at"})
SELECT_CHARTER_ACTS: Final = """
SELECT (to_jsonb(t) - 'tenant_id')::text FROM charter_acts t WHERE tenant_id = $1 ORDER BY act_id
"""
INSERT_CHARTER_ACTS: Final = """
INSERT INTO charter_acts SELECT p.* FROM unnest($2::text[]) WITH ORDINALITY AS l(line, place),
  LATERAL jsonb_populate_record(NULL::charter_acts, l.line::jsonb -> 'row' || jsonb_build_object('tenant_id', $1::uuid)) AS p
ORDER BY l.place
"""
SELECT_WRITES: Final = """
SELECT (to_jsonb(t) - 'tenant_id')::text FROM writes t WHERE tenant_id = $1 ORDER BY write_id
"""
INSERT_WRITES: Final = """
INSERT INTO writes SELECT p.* FROM unnest($2::text[]) WITH ORDINALITY AS l(line, place),
  LATERAL jsonb_populate_record(NULL::writes, l.line::jsonb -> 'row' || jsonb_build_object('tenant_id', $1::uuid)) AS p
ORDER BY l.place
"""
SELECT_MEMORIES: Final = """
SELECT (to_jsonb(t) - 'tenant_id')::text FROM memories t WHERE tenant_id = $1 ORDER BY (raw_input_id IS NOT NULL), memory_id
"""
INSERT_MEMORIES: Final = """
INSERT INTO memories SELECT p.* FROM unnest($2::text[]) WITH ORDINALITY AS l(line, place),
  LATERAL jsonb_populate_record(NULL::memories, l.line::jsonb -> 'row' || jsonb_build_object('tenant_id', $1::uuid)) AS p
ORDER BY l.place
"""
SELECT_REVISIONS: Final = """
SELECT (to_jsonb(t) - 'tenant_id')::text FROM revisions t WHERE tenant_id = $1 ORDER BY memory_id, revision
"""
INSERT_REVISIONS: Final = """
INSERT INTO revisions SELECT p.* FROM unnest($2::text[]) WITH ORDINALITY AS l(line, place),
  LATERAL jsonb_populate_record(NULL::revisions, l.line::jsonb -> 'row' || jsonb_build_object('tenant_id', $1::uuid)) AS p
ORDER BY l.place
"""
SELECT_EMBEDDINGS: Final = """
SELECT (to_jsonb(t) - 'tenant_id' || jsonb_build_object('embedding', t.embedding::text::jsonb))::text
FROM embeddings t WHERE tenant_id = $1 ORDER BY memory_id, revision, model
"""
INSERT_EMBEDDINGS: Final = """
INSERT INTO embeddings SELECT p.* FROM unnest($2::text[]) WITH ORDINALITY AS l(line, place),
  LATERAL jsonb_populate_record(NULL::embeddings, l.line::jsonb -> 'row' || jsonb_build_object('tenant_id', $1::uuid)) AS p
ORDER BY l.place
"""
SELECT_UNDECIDED_FACTS: Final = """
SELECT (to_jsonb(t) - 'tenant_id')::text FROM undecided_facts t WHERE tenant_id = $1 ORDER BY memory_id
"""
INSERT_UNDECIDED_FACTS: Final = """
INSERT INTO undecided_facts SELECT p.* FROM unnest($2::text[]) WITH ORDINALITY AS l(line, place),
  LATERAL jsonb_populate_record(NULL::undecided_facts, l.line::jsonb -> 'row' || jsonb_build_object('tenant_id', $1::uuid)) AS p
ORDER BY l.place
"""
SELECT_EDGES: Final = """
SELECT (to_jsonb(t) - 'tenant_id')::text FROM edges t WHERE tenant_id = $1 ORDER BY edge_id
"""
INSERT_EDGES: Final = """
INSERT INTO edges SELECT p.* FROM unnest($2::text[]) WITH ORDINALITY AS l(line, place),
  LATERAL jsonb_populate_record(NULL::edges, l.line::jsonb -> 'row' || jsonb_build_object('tenant_id', $1::uuid)) AS p
ORDER BY l.place
"""
SELECT_CONTRADICTIONS: Final = """
SELECT (to_jsonb(t) - 'tenant_id')::text FROM contradictions t WHERE tenant_id = $1 ORDER BY contradiction_id
"""
INSERT_CONTRADICTIONS: Final = """
INSERT INTO contradictions SELECT p.* FROM unnest($2::text[]) WITH ORDINALITY AS l(line, place),
  LATERAL jsonb_populate_record(NULL::contradictions, l.line::jsonb -> 'row' || jsonb_build_object('tenant_id', $1::uuid)) AS p
ORDER BY l.place
"""
SELECT_CONTRADICTION_EVENTS: Final = """
SELECT (to_jsonb(t) - 'tenant_id')::text FROM contradiction_events t WHERE tenant_id = $1 ORDER BY event_id
"""
INSERT_CONTRADICTION_EVENTS: Final = """
INSERT INTO contradiction_events SELECT p.* FROM unnest($2::text[]) WITH ORDINALITY AS l(line, place),
  LATERAL jsonb_populate_record(NULL::contradiction_events, l.line::jsonb -> 'row' || jsonb_build_object('tenant_id', $1::uuid)) AS p
ORDER BY l.place
"""
SELECT_DECISIONS: Final = """
SELECT (to_jsonb(t) - 'tenant_id')::text FROM decisions t WHERE tenant_id = $1 ORDER BY decision_id
"""
INSERT_DECISIONS: Final = """
INSERT INTO decisions SELECT p.* FROM unnest($2::text[]) WITH ORDINALITY AS l(line, place),
  LATERAL jsonb_populate_record(NULL::decisions, l.line::jsonb -> 'row' || jsonb_build_object('tenant_id', $1::uuid)) AS p
ORDER BY l.place
"""
SELECT_MEMORY_EVENTS: Final = """
SELECT (to_jsonb(t) - 'tenant_id')::text FROM memory_events t WHERE tenant_id = $1 ORDER BY event_id
"""
INSERT_MEMORY_EVENTS: Final = """
INSERT INTO memory_events SELECT p.* FROM unnest($2::text[]) WITH ORDINALITY AS l(line, place),
  LATERAL jsonb_populate_record(NULL::memory_events, l.line::jsonb -> 'row' || jsonb_build_object('tenant_id', $1::uuid)) AS p
ORDER BY l.place
"""
SELECT_PRECEDENTS: Final = """
SELECT (to_jsonb(t) - 'tenant_id')::text FROM precedents t WHERE tenant_id = $1 ORDER BY episode_id
"""
INSERT_PRECEDENTS: Final = """
INSERT INTO precedents SELECT p.* FROM unnest($2::text[]) WITH ORDINALITY AS l(line, place),
  LATERAL jsonb_populate_record(NULL::precedents, l.line::jsonb -> 'row' || jsonb_build_object('tenant_id', $1::uuid)) AS p
ORDER BY l.place
"""
SELECT_RULE_PROPOSALS: Final = """
SELECT (to_jsonb(t) - 'tenant_id')::text FROM rule_proposals t WHERE tenant_id = $1 ORDER BY proposal_id
"""
INSERT_RULE_PROPOSALS: Final = """
INSERT INTO rule_proposals SELECT p.* FROM unnest($2::text[]) WITH ORDINALITY AS l(line, place),
  LATERAL jsonb_populate_record(NULL::rule_proposals, l.line::jsonb -> 'row' || jsonb_build_object('tenant_id', $1::uuid)) AS p
ORDER BY l.place
"""
SELECT_RULES: Final = """
SELECT (to_jsonb(t) - 'tenant_id')::text FROM rules t WHERE tenant_id = $1 ORDER BY rule_id
"""
INSERT_RULES: Final = """
INSERT INTO rules SELECT p.* FROM unnest($2::text[]) WITH ORDINALITY AS l(line, place),
  LATERAL jsonb_populate_record(NULL::rules, l.line::jsonb -> 'row' || jsonb_build_object('tenant_id', $1::uuid)) AS p
ORDER BY l.place
"""
SELECT_AUDIT: Final = """
SELECT (to_jsonb(t) - 'tenant_id')::text FROM audit t WHERE tenant_id = $1 ORDER BY audit_id
"""
INSERT_AUDIT: Final = """
INSERT INTO audit SELECT p.* FROM unnest($2::text[]) WITH ORDINALITY AS l(line, place),
  LATERAL jsonb_populate_record(NULL::audit, l.line::jsonb -> 'row' || jsonb_build_object('tenant_id', $1::uuid)) AS p
ORDER BY l.place
"""
SELECT_RULE_USES: Final = """
SELECT (to_jsonb(t) - 'tenant_id')::text FROM rule_uses t WHERE tenant_id = $1 ORDER BY rule_id, decision_id
"""
INSERT_RULE_USES: Final = """
INSERT INTO rule_uses SELECT p.* FROM unnest($2::text[]) WITH ORDINALITY AS l(line, place),
  LATERAL jsonb_populate_record(NULL::rule_uses, l.line::jsonb -> 'row' || jsonb_build_object('tenant_id', $1::uuid)) AS p
ORDER BY l.place
"""
SELECT_OUTBOX: Final = """
SELECT (to_jsonb(t) - 'tenant_id')::text FROM outbox t WHERE tenant_id = $1 ORDER BY event_id
"""
INSERT_OUTBOX: Final = """
INSERT INTO outbox SELECT p.* FROM unnest($2::text[]) WITH ORDINALITY AS l(line, place),
  LATERAL jsonb_populate_record(NULL::outbox, l.line::jsonb -> 'row' || jsonb_build_object('tenant_id', $1::uuid)) AS p
ORDER BY l.place
"""

TABLES: Final = (
    Table("api_keys", SELECT_KEYS, INSERT_KEYS),
    Table("charter_acts", SELECT_CHARTER_ACTS, INSERT_CHARTER_ACTS),
    Table("writes", SELECT_WRITES, INSERT_WRITES),
    Table("memories", SELECT_MEMORIES, INSERT_MEMORIES),
    Table("revisions", SELECT_REVISIONS, INSERT_REVISIONS),
    Table("embeddings", SELECT_EMBEDDINGS, INSERT_EMBEDDINGS),
    Table("undecided_facts", SELECT_UNDECIDED_FACTS, INSERT_UNDECIDED_FACTS),
    Table("edges", SELECT_EDGES, INSERT_EDGES),
    Table("contradictions", SELECT_CONTRADICTIONS, INSERT_CONTRADICTIONS),
    Table("contradiction_events", SELECT_CONTRADICTION_EVENTS, INSERT_CONTRADICTION_EVENTS),
    Table("decisions", SELECT_DECISIONS, INSERT_DECISIONS),
    Table("memory_events", SELECT_MEMORY_EVENTS, INSERT_MEMORY_EVENTS),
    Table("precedents", SELECT_PRECEDENTS, INSERT_PRECEDENTS),
    Table("rule_proposals", SELECT_RULE_PROPOSALS, INSERT_RULE_PROPOSALS),
    Table("rules", SELECT_RULES, INSERT_RULES),
    Table("rule_uses", SELECT_RULE_USES, INSERT_RULE_USES),
    Table("audit", SELECT_AUDIT, INSERT_AUDIT),
    Table("outbox", SELECT_OUTBOX, INSERT_OUTBOX),
)
NOT_EXPORTED: Final = frozenset({"tenants", "user_turns", "replays"})
"""The tenant's own row, which the import makes, leases of running processes, and the Idempotency-Keys of keys that do not come along."""
