"""The registered constitutions and the owners' acts on them."""

from __future__ import annotations

from typing import Final

CURRENT_VERSION: Final = "SELECT version, sha256, constitution FROM charter_versions ORDER BY version DESC LIMIT 1"
# The latest act of the tenant on the current version; none: the charter is a draft.
STATE: Final = """
SELECT v.version, v.sha256, a.act, a.actor, a.at FROM (SELECT version, sha256 FROM charter_versions ORDER BY version DESC LIMIT 1) v
LEFT JOIN LATERAL (
  SELECT act, actor, at FROM charter_acts WHERE tenant_id = $1 AND version = v.version ORDER BY at DESC, act_id DESC LIMIT 1
) a ON true
"""
TEXT: Final = "SELECT constitution FROM charter_versions WHERE version = $1"
VERSIONS: Final = """
SELECT version, sha256, registered_at FROM charter_versions WHERE $1::int IS NULL OR version < $1 ORDER BY version DESC LIMIT $2
"""
ACTS: Final = """
SELECT version, act, actor, at, reason FROM charter_acts WHERE tenant_id = $1 AND version = ANY($2) ORDER BY at, act_id
"""
# Two owners' acts at once come one after the other.
LOCK_TENANT: Final = "SELECT pg_advisory_xact_lock(hashtextextended($1, 11))"
INSERT_ACT: Final = """
INSERT INTO charter_acts (tenant_id, act_id, version, act, sha256, actor, reason, at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
"""
WAITING: Final = """
SELECT count(*) AS open, count(*) FILTER (WHERE strategy = 'charter_held') AS held
FROM contradictions WHERE tenant_id = $1 AND status = 'open'
"""
WITHOUT_SEEDS: Final = """
SELECT t.tenant_id FROM tenants t WHERE NOT EXISTS (
  SELECT FROM memories m WHERE m.tenant_id = t.tenant_id AND m.kind = 'seed' AND m.metadata ->> 'version' = $1)
"""
