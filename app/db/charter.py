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
