"""Whose turn it is to write for a user, across processes: a lease, never a held connection."""

from __future__ import annotations

from typing import Final

TAKE: Final = """
INSERT INTO user_turns (tenant_id, user_id, holder, expires_at)
VALUES ($1, $2, $3, clock_timestamp() + make_interval(secs => $4))
ON CONFLICT (tenant_id, user_id) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
WHERE user_turns.expires_at <= clock_timestamp() OR user_turns.holder = excluded.holder
RETURNING holder
"""
RELEASE: Final = "UPDATE user_turns SET expires_at = '-infinity' WHERE tenant_id = $1 AND user_id = $2 AND holder = $3"
TAKEN: Final = """
SELECT EXISTS (SELECT FROM user_turns WHERE tenant_id = $1 AND user_id = $2 AND holder <> $3 AND expires_at > clock_timestamp())
"""
