"""The operator's keys: listed, revoked, rotated, each act with its audit row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import asyncpg

from app.db import audit
from app.db import keys as sql
from app.errors import ConflictError, InvalidInputError, NotFoundError
from app.services.keys import store_key
from app.services.operator.tenants import tenant_named

PREFIX_LENGTH = 8
"""Characters of a key that are kept to know it by."""


@dataclass(frozen=True, slots=True)
class KeyView:
    """A key as the operator sees it: everything but the key."""

    key_id: UUID
    prefix: str
    role: str
    can_answer: bool
    user_ids: list[str] | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None

    def state(self, now: datetime) -> str:
        """`live`, `expired` or `revoked`."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "live"


async def list_keys(connection: asyncpg.Connection, tenant: str) -> list[KeyView]:
    """The tenant's keys, oldest first. Raises `NotFoundError`."""
    tenant_id = await tenant_named(connection, tenant)
    return [KeyView(**dict(row)) for row in await connection.fetch(sql.LIST, tenant_id, None, None)]


async def revoke_key(connection: asyncpg.Connection, tenant: str, named: str, reason: str | None) -> KeyView:
    """End a key with the next request. `named` is its id, or its first 8 characters where they name one key only.

    Raises `NotFoundError`, `InvalidInputError` (they name several), `ConflictError` (`key_ended`).
    """
    tenant_id = await tenant_named(connection, tenant)
    async with connection.transaction():
        key = await _live_key(connection, tenant_id, named)
        if await connection.fetchval(sql.REVOKE, tenant_id, key.key_id) is None:
            raise _ended(key)
        await _tell(connection, tenant_id, "revoke_key", key.key_id, reason, {"prefix": key.prefix, "role": key.role})
    return key


async def rotate_key(connection: asyncpg.Connection, tenant: str, named: str, grace_hours: int, reason: str | None) -> str:
    """Make a key with the same rights and the same end; the old one ends now, or after `grace_hours`. Returns the new key.

    Raises as `revoke_key`.
    """
    tenant_id = await tenant_named(connection, tenant)
    async with connection.transaction():
        old = await _live_key(connection, tenant_id, named)
        made, key = await store_key(
            connection, tenant_id, role=old.role, can_answer=old.can_answer, user_ids=old.user_ids, expires_at=old.expires_at
        )
        if grace_hours:
            await connection.execute(sql.END_LATER, tenant_id, old.key_id, grace_hours)
        elif await connection.fetchval(sql.REVOKE, tenant_id, old.key_id) is None:
            raise _ended(old)
        detail = {"role": old.role, "prefix": old.prefix, "replaced_by": str(made), "grace_hours": grace_hours}
        await _tell(connection, tenant_id, "rotate_key", old.key_id, reason, detail)
    return key


async def _live_key(connection: asyncpg.Connection, tenant_id: UUID, named: str) -> KeyView:
    key_id, prefix = _parsed(named)
    found = [KeyView(**dict(row)) for row in await connection.fetch(sql.LIST, tenant_id, key_id, prefix)]
    live = [key for key in found if key.state(datetime.now(UTC)) == "live"]
    if not found:
        raise NotFoundError("this tenant has no such key")
    if len(live) > 1:
        raise InvalidInputError("several keys begin so; name one by its id: " + ", ".join(str(key.key_id) for key in live))
    if not live:
        raise _ended(found[0])
    return live[0]


def _parsed(named: str) -> tuple[UUID | None, str | None]:
    try:
        return UUID(named), None
    except ValueError:
        pass
    if len(named) != PREFIX_LENGTH:
        raise InvalidInputError(f"a key is named by its id or by its first {PREFIX_LENGTH} characters, never by the whole key")
    return None, named


def _ended(key: KeyView) -> ConflictError:
    return ConflictError(f"the key {key.key_id} is {key.state(datetime.now(UTC))} already", code="key_ended")


async def _tell(
    connection: asyncpg.Connection, tenant_id: UUID, act: str, key_id: UUID, reason: str | None, detail: Mapping[str, Any]
) -> None:
    await audit.insert(connection, tenant_id, act, str(key_id), actor=None, reason=reason, detail=detail)
