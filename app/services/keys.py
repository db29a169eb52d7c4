"""Keys: 256 random bits, shown once, stored as their SHA-256."""

from __future__ import annotations

import re
import secrets
from datetime import datetime
from hashlib import sha256
from uuid import UUID

import asyncpg
import structlog

from app.charter.model import SYSTEM_USER
from app.db import audit
from app.db import keys as sql
from app.db.ids import new_id
from app.db.pool import prepare_connection
from app.db.transaction import BROKEN, acquired, domain_errors
from app.errors import InvalidInputError, UnauthenticatedError
from app.services.parts import Parts
from app.services.requests import Principal, Role
from app.services.seeds import plant_seeds

_log = structlog.get_logger("helixir.keys")
_PREFIX = "hx_"
_KEY = re.compile(r"hx_[A-Za-z0-9_-]{43}")


async def authenticate(parts: Parts, token: str) -> Principal:
    """The principal behind a key, whose request counts.

    Raises `UnauthenticatedError` for one that is unknown, expired or revoked, `TooManyRequestsError` past its rate.
    """
    if not _KEY.fullmatch(token):
        raise UnauthenticatedError("this key is not known")
    with domain_errors():
        async with acquired(parts.pool) as connection:
            row = await connection.fetchrow(sql.AUTHENTICATE, sha256(token.encode()).digest())
            if row is not None and parts.key_uses.due(row["key_id"]):
                await _note_use(connection, row["tenant_id"], row["key_id"])
    if row is None:
        raise UnauthenticatedError("this key is not known")
    principal = Principal(
        tenant_id=row["tenant_id"],
        tenant=row["tenant"],
        key_id=row["key_id"],
        role=Role(row["role"]),
        user_ids=None if row["user_ids"] is None else frozenset(row["user_ids"]),
        can_answer=row["can_answer"],
        expires_at=row["expires_at"],
    )
    parts.limits.count_request(principal)
    return principal


async def _note_use(connection: asyncpg.Connection, tenant_id: UUID, key_id: UUID) -> None:
    """Note when the key was used last. What goes wrong with that is nothing that a request fails for."""
    try:
        await connection.execute(sql.NOTE_USE, tenant_id, key_id)
    except (asyncpg.PostgresError, *BROKEN) as fault:
        _log.warning("use of a key not noted", error=type(fault).__name__)


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
    await prepare_connection(connection)
    async with connection.transaction():
        await connection.execute(sql.INSERT_TENANT, new_id(), tenant)
        tenant_id = await connection.fetchval(sql.TENANT_BY_NAME, tenant)
        key_id, key = await store_key(
            connection, tenant_id, role=role, can_answer=can_answer and role != Role.AUDITOR, user_ids=user_ids, expires_at=expires_at
        )
        detail = {"role": role, "prefix": key[:8], "bound": bool(user_ids)}
        await audit.insert(connection, tenant_id, "create_key", str(key_id), actor=None, detail=detail)
        await plant_seeds(connection)
    return key


async def store_key(
    connection: asyncpg.Connection,
    tenant_id: UUID,
    *,
    role: str,
    can_answer: bool,
    user_ids: list[str] | None,
    expires_at: datetime | None,
) -> tuple[UUID, str]:
    """Store a new key as its hash and its first characters. Returns its id and the key."""
    key_id, key = new_id(), _PREFIX + secrets.token_urlsafe(32)
    await connection.execute(
        sql.INSERT_KEY,
        tenant_id,
        key_id,
        role,
        sha256(key.encode()).digest(),
        key[:8],
        can_answer,
        sorted(set(user_ids)) if user_ids else None,
        expires_at,
    )
    return key_id, key


def _check(tenant: str, role: str, user_ids: list[str] | None) -> None:
    if role not in {one.value for one in Role}:
        raise InvalidInputError("role is one of owner, agent, auditor")
    if not 1 <= len(tenant) <= 200 or "\x00" in tenant:
        raise InvalidInputError("a tenant's name has 1 to 200 characters")
    for user_id in user_ids or ():
        if not 1 <= len(user_id) <= 256 or "\x00" in user_id or user_id == SYSTEM_USER:
            raise InvalidInputError("a user id has 1 to 256 characters and is not `helixir`")
