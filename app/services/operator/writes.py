"""The operator's word on accepted writes: one that can never be finished is set aside, with a reason, and may be taken up again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

import asyncpg

from app.db import audit
from app.db import writes as sql
from app.errors import ConflictError, NotFoundError
from app.services.operator.tenants import tenant_named

Waiting = Literal["accepted", "set_aside"]


@dataclass(frozen=True, slots=True)
class WaitingWrite:
    """A write that is not finished, as the operator sees it: everything but what it says."""

    write_id: UUID
    user_id: str
    kind: str
    status: str
    accepted_at: datetime
    attempts: int
    next_attempt_at: datetime
    last_fault: str | None


async def list_waiting(connection: asyncpg.Connection, tenant: str, status: Waiting | None) -> list[WaitingWrite]:
    """The tenant's unfinished writes, oldest first; of one status, or of both. Raises `NotFoundError`."""
    tenant_id = await tenant_named(connection, tenant)
    wanted = {"accepted": ["running", "accepted"], "set_aside": ["set_aside"], None: ["running", "accepted", "set_aside"]}[status]
    return [WaitingWrite(**dict(row)) for row in await connection.fetch(sql.LIST_WAITING, tenant_id, wanted)]


async def set_aside(connection: asyncpg.Connection, tenant: str, write_id: UUID, reason: str) -> None:
    """Let no worker try it any more. Raises `NotFoundError`, `ConflictError` (`not_accepted`)."""
    await _tell(connection, tenant, write_id, sql.SET_ASIDE, "set_aside_write", reason)


async def take_up(connection: asyncpg.Connection, tenant: str, write_id: UUID, reason: str) -> None:
    """Let it be tried again, at once and as if for the first time. Raises `NotFoundError`, `ConflictError` (`not_set_aside`)."""
    await _tell(connection, tenant, write_id, sql.TAKE_UP, "take_up_write", reason)


async def _tell(connection: asyncpg.Connection, tenant: str, write_id: UUID, statement: str, act: str, reason: str) -> None:
    tenant_id = await tenant_named(connection, tenant)
    async with connection.transaction():
        row = await connection.fetchrow(sql.GET_FOR_UPDATE, tenant_id, write_id)
        if row is None:
            raise NotFoundError(f"this tenant has no write {write_id}")
        if await connection.fetchval(statement, tenant_id, write_id) is None:
            code = "not_accepted" if act == "set_aside_write" else "not_set_aside"
            raise ConflictError(f"the write is {row['status'].replace('_', ' ')}", code=code)
        detail = {"attempts": row["attempts"], "last_fault": row["last_fault"]}
        await audit.insert(connection, tenant_id, act, str(write_id), actor=None, reason=reason, detail=detail)
