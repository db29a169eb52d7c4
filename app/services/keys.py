"""Keys: 256 random bits, shown once, stored as their SHA-256."""

from __future__ import annotations

import re
import secrets
from datetime import datetime
from hashlib import sha256

import asyncpg

from app.charter.model import SYSTEM_USER
from app.db import keys as sql
from app.db.ids import new_id
from app.db.transaction import acquired, domain_errors
from app.errors import InvalidInputError, UnauthenticatedError
from app.services.parts import Parts
from app.services.requests import Principal, Role
from app.services.seeds import plant_seeds

_PREFIX = "hx_"
_KEY = re.compile(r"hx_[A-Za-z0-9_-]{43}")


async def authenticate(parts: Parts, token: str) -> Principal:
    """The principal behind a key. Raises `UnauthenticatedError` for one that is unknown, expired or revoked."""
    if not _KEY.fullmatch(token):
        raise UnauthenticatedError("this key is not known")
    with domain_errors():
        async with acquired(parts.pool) as connection:
            row = await connection.fetchrow(sql.AUTHENTICATE, sha256(token.encode()).digest())
    if row is None:
        raise UnauthenticatedError("this key is not known")
    return Principal(
        tenant_id=row["tenant_id"],
        tenant=row["tenant"],
        key_id=row["key_id"],
        role=Role(row["role"]),
        user_ids=None if row["user_ids"] is None else frozenset(row["user_ids"]),
        can_answer=row["can_answer"],
        expires_at=row["expires_at"],
    )


async def create_key(
    connection: asyncpg.Connection,
    *,
    tenant: str,
    role: str,
    user_ids: list[str] | None,
    can_answer: bool,
    expires_at: datetime | None,
) -> str:
    """Make a key, and its tenant if that is new, as the operator's database role. Returns the key, which is shown only now.

    Raises `InvalidInputError` for an unknown role, an empty or overlong tenant or user, or a user that is reserved.
    """
    _check(tenant, role, user_ids)
    key = _PREFIX + secrets.token_urlsafe(32)
    async with connection.transaction():
        await connection.execute(sql.INSERT_TENANT, new_id(), tenant)
        tenant_id = await connection.fetchval(sql.TENANT_BY_NAME, tenant)
        await connection.execute(
            sql.INSERT_KEY,
            tenant_id,
            new_id(),
            role,
            sha256(key.encode()).digest(),
            key[:8],
            can_answer and role != Role.AUDITOR,
            sorted(set(user_ids)) if user_ids else None,
            expires_at,
        )
        await plant_seeds(connection)
    return key


def _check(tenant: str, role: str, user_ids: list[str] | None) -> None:
    if role not in {one.value for one in Role}:
        raise InvalidInputError("role is one of owner, agent, auditor")
    if not 1 <= len(tenant) <= 200 or "\x00" in tenant:
        raise InvalidInputError("a tenant's name has 1 to 200 characters")
    for user_id in user_ids or ():
        if not 1 <= len(user_id) <= 256 or "\x00" in user_id or user_id == SYSTEM_USER:
            raise InvalidInputError("a user id has 1 to 256 characters and is not `helixir`")
