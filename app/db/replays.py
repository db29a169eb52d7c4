"""Idempotency keys: which request came with one, and what it was about. No text: an answer is composed again."""

from __future__ import annotations

from typing import Final

# Held until the transaction ends: while it is, the first request with the key is still running.
TRY_LOCK: Final = "SELECT pg_try_advisory_xact_lock(hashtextextended($1::uuid::text || ':' || $2::uuid::text || ':' || $3::text, 11))"
# An Idempotency-Key counts for 24 hours; then it may be used again.
CLAIM: Final = """
INSERT INTO replays (tenant_id, key_id, idempotency_key, fingerprint, subject, at) VALUES ($1, $2, $3, $4, $5, clock_timestamp())
ON CONFLICT (tenant_id, key_id, idempotency_key)
DO UPDATE SET fingerprint = excluded.fingerprint, subject = excluded.subject, at = excluded.at
WHERE replays.at < clock_timestamp() - interval '24 hours'
RETURNING subject
"""
GET: Final = """
SELECT fingerprint, subject FROM replays
WHERE tenant_id = $1 AND key_id = $2 AND idempotency_key = $3 AND at >= clock_timestamp() - interval '24 hours'
"""
# Deletes, over all tenants, what no longer counts, at most so many rows; a function of the tables' owner, for the service deletes nothing.
FORGET: Final = "SELECT forget_replays($1)"
