"""Undecided facts: kept, marked, and due to be decided again with growing delays."""

from __future__ import annotations

from typing import Final

INSERT: Final = """
INSERT INTO undecided_facts (tenant_id, memory_id, since, next_attempt_at)
VALUES ($1, $2, $3, clock_timestamp() + make_interval(secs => $4))
"""
CLAIM: Final = "SELECT * FROM claim_undecided($1, $2)"
# $3: seconds until it is tried again.
POSTPONE: Final = """
UPDATE undecided_facts SET running_until = '-infinity', next_attempt_at = clock_timestamp() + make_interval(secs => $3)
WHERE tenant_id = $1 AND memory_id = $2 AND decided_at IS NULL
"""
# These are still worked on. One that is just being committed is locked, and nobody claims it meanwhile.
RENEW: Final = """
UPDATE undecided_facts SET running_until = clock_timestamp() + make_interval(secs => $3)
WHERE tenant_id = $1 AND memory_id IN (
  SELECT memory_id FROM undecided_facts
  WHERE tenant_id = $1 AND memory_id = ANY($2) AND decided_at IS NULL AND running_until > clock_timestamp() FOR UPDATE SKIP LOCKED)
"""
# Whoever worked on these gave up: anybody may, at once.
GIVE_BACK: Final = """
UPDATE undecided_facts SET running_until = '-infinity' WHERE tenant_id = $1 AND memory_id = ANY($2) AND decided_at IS NULL
"""
DECIDED: Final = "UPDATE undecided_facts SET decided_at = $3 WHERE tenant_id = $1 AND memory_id = $2 AND decided_at IS NULL"
ATTEMPTS: Final = "SELECT attempts FROM undecided_facts WHERE tenant_id = $1 AND memory_id = $2"
