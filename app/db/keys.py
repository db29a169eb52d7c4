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
