"""Keys and tenants. The service finds a key only through the function `authenticate`; the operator's role makes them."""

from __future__ import annotations

from typing import Final

AUTHENTICATE: Final = "SELECT * FROM authenticate($1)"
INSERT_TENANT: Final = """
INSERT INTO tenants (tenant_id, name) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING
"""
TENANT_BY_NAME: Final = "SELECT tenant_id FROM tenants WHERE name = $1"
INSERT_KEY: Final = """
INSERT INTO api_keys (tenant_id, key_id, role, secret_hash, prefix, can_answer, user_ids, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
"""
# Noted at most once a minute, and not at all while another transaction notes it.
NOTE_USE: Final = "SELECT note_key_use($1, $2)"
# $2: one key by its id; or, with $3, those that begin so; or all.
LIST: Final = """
SELECT key_id, prefix, role, can_answer, user_ids, created_at, expires_at, revoked_at, last_used_at FROM api_keys
WHERE tenant_id = $1 AND ($2::uuid IS NULL OR key_id = $2) AND ($3::text IS NULL OR prefix = $3)
ORDER BY created_at, key_id
"""
REVOKE: Final = """
UPDATE api_keys SET revoked_at = clock_timestamp() WHERE tenant_id = $1 AND key_id = $2 AND revoked_at IS NULL RETURNING key_id
"""
# $3: hours until it ends; an end that is nearer stays.
END_LATER: Final = """
UPDATE api_keys SET expires_at = least(expires_at, clock_timestamp() + make_interval(hours => $3)) WHERE tenant_id = $1 AND key_id = $2
"""
