"""Writes: each accepted body, whole, before any model is called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import asyncpg


@dataclass(frozen=True, slots=True)
class Write:
    """One row of `writes`. `status`: running (its request is still being served), accepted, completed, set_aside (by the operator)."""

    id: UUID
    key_id: UUID
    user_id: str
    kind: str
    body: Mapping[str, Any]
    status: str
    raw_input_id: UUID | None
    accepted_at: datetime
    running_until: datetime


INSERT: Final = """
INSERT INTO writes (tenant_id, write_id, key_id, user_id, kind, body, status, raw_input_id, accepted_at, running_until, next_attempt_at)
VALUES ($1, $2, $3, $4, $5, $6, 'running', $7, $8::timestamptz, $8::timestamptz + make_interval(secs => $9), $8::timestamptz)
"""
GET: Final = "SELECT * FROM writes WHERE tenant_id = $1 AND write_id = $2"
COMPLETE: Final = """
UPDATE writes SET status = 'completed', finished_at = $3
WHERE tenant_id = $1 AND write_id = $2 AND status IN ('running', 'accepted') RETURNING write_id
"""
# $4: seconds until it is tried again.
ACCEPT: Final = """
UPDATE writes SET status = 'accepted', last_fault = $3, running_until = clock_timestamp(),
  next_attempt_at = clock_timestamp() + make_interval(secs => $4)
WHERE tenant_id = $1 AND write_id = $2 AND status IN ('running', 'accepted')
"""
CLAIM: Final = "SELECT * FROM claim_writes($1, $2)"
# These are still worked on. One that is just being committed is locked, and nobody claims it meanwhile.
RENEW: Final = """
UPDATE writes SET running_until = clock_timestamp() + make_interval(secs => $3)
WHERE tenant_id = $1 AND write_id IN (
  SELECT write_id FROM writes
  WHERE tenant_id = $1 AND write_id = ANY($2) AND status <> 'completed' AND running_until > clock_timestamp() FOR UPDATE SKIP LOCKED)
"""
# Whoever worked on these gave up: anybody may, at once.
GIVE_BACK: Final = """
UPDATE writes SET status = 'accepted', running_until = clock_timestamp(), next_attempt_at = least(next_attempt_at, clock_timestamp())
WHERE tenant_id = $1 AND write_id = ANY($2) AND status IN ('running', 'accepted')
"""
# $2: users that the key is bound to, null for all.
LIST: Final = """
SELECT * FROM writes WHERE tenant_id = $1 AND ($2::text[] IS NULL OR user_id = ANY($2)) AND ($3::text[] IS NULL OR status = ANY($3))
  AND ($4::text IS NULL OR user_id = $4) AND ($5::uuid IS NULL OR write_id < $5)
ORDER BY write_id DESC LIMIT $6
"""

GET_FOR_UPDATE: Final = "SELECT status, attempts, last_fault FROM writes WHERE tenant_id = $1 AND write_id = $2 FOR UPDATE"
# The operator's.
SET_ASIDE: Final = """
UPDATE writes SET status = 'set_aside', running_until = clock_timestamp()
WHERE tenant_id = $1 AND write_id = $2 AND status IN ('running', 'accepted') RETURNING write_id
"""
TAKE_UP: Final = """
UPDATE writes SET status = 'accepted', attempts = 0, next_attempt_at = clock_timestamp()
WHERE tenant_id = $1 AND write_id = $2 AND status = 'set_aside' RETURNING write_id
"""
LIST_WAITING: Final = """
SELECT write_id, user_id, kind, status, accepted_at, attempts, next_attempt_at, last_fault FROM writes
WHERE tenant_id = $1 AND status = ANY($2) ORDER BY write_id
"""


def write_of(row: asyncpg.Record) -> Write:
    """A row as a write."""
    return Write(
        id=row["write_id"],
        key_id=row["key_id"],
        user_id=row["user_id"],
        kind=row["kind"],
        body=row["body"],
        status=row["status"],
        raw_input_id=row["raw_input_id"],
        accepted_at=row["accepted_at"],
        running_until=row["running_until"],
    )
