"""Intake: a write is safe in the database, whole, before any model is called; its key makes a repeat harmless."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg

from app.charter.model import Kind, MemoryType, Status
from app.db import writes
from app.db.ids import new_id
from app.db.memories import NewMemory
from app.db.rows import required
from app.db.transaction import NOW, transaction
from app.errors import NotFoundError
from app.services.access import acts_for, bound_to
from app.services.changes import Act, store
from app.services.cursors import after, page_of
from app.services.govern import read_state
from app.services.parts import Parts
from app.services.replay import RepeatedError, claim, once, still_running
from app.services.requests import Once, PageRequest, Principal, WriteRequest
from app.services.views import Page, WriteView
from app.services.write_view import view_of


@dataclass(frozen=True, slots=True)
class Accepted:
    """A write that is safe. `repeated`: it was brought before, with the same key and the same body."""

    write_id: UUID
    accepted_at: datetime
    raw_input_id: UUID | None
    repeated: bool = False


async def accept(parts: Parts, principal: Principal, request: WriteRequest, write_id: UUID, disputes: int) -> Accepted:
    """Keep the write under this id, with its raw input, in one transaction. It may open so many `disputes`.

    Raises `InvalidInputError` (`idempotency_mismatch`) when its key came with another body, a retryable
    `StillRunningError` when the first request with that key is still being served, and `TooManyRequestsError`
    (`too_many_disputes`) when there is no room for its disputes.
    """
    kind = "message" if request.message is not None else "facts"
    wanted = once(request.idempotency_key, "POST /memories", request.body)
    try:
        async with transaction(parts.pool, principal.tenant_id) as connection:
            stock = await parts.limits.take_stock(connection, principal, disputes)
            kept = await keep(
                connection,
                principal,
                request.user_id,
                kind,
                request.body,
                wanted,
                write_id,
                parts.settings.intake.lease_seconds,
                request.message,
            )
            parts.limits.require_room(stock, disputes)
            if kept.raw_input_id is not None:
                await _store_raw_input(parts, connection, principal, request, kept)
    except RepeatedError as repeated:
        return await _kept_before(parts, principal, repeated.subject)
    return kept


async def keep(
    connection: asyncpg.Connection,
    principal: Principal,
    user_id: str,
    kind: str,
    body: Mapping[str, Any],
    wanted: Once | None,
    write_id: UUID,
    lease_seconds: float,
    message: str | None = None,
) -> Accepted:
    """Insert the write row, as being worked on for so long. Raises as `app.services.replay.claim`."""
    at: datetime = await connection.fetchval(NOW)
    raw_input_id = new_id() if message is not None else None
    await claim(connection, principal, wanted, write_id)
    await connection.execute(
        writes.INSERT,
        principal.tenant_id,
        write_id,
        principal.key_id,
        user_id,
        kind,
        dict(body),
        raw_input_id,
        at,
        lease_seconds,
    )
    return Accepted(write_id, at, raw_input_id)


async def _kept_before(parts: Parts, principal: Principal, write_id: UUID) -> Accepted:
    async with transaction(parts.pool, principal.tenant_id, readonly=True) as connection:
        write = writes.write_of(required(await connection.fetchrow(writes.GET, principal.tenant_id, write_id)))
    return Accepted(write.id, write.accepted_at, write.raw_input_id, repeated=True)


async def _store_raw_input(
    parts: Parts, connection: asyncpg.Connection, principal: Principal, request: WriteRequest, kept: Accepted
) -> None:
    state = await read_state(connection, principal.tenant_id)
    act = Act(connection, principal.tenant_id, principal.key_id, kept.accepted_at, state.version, parts.embedder.model)
    if kept.raw_input_id is None or request.message is None:
        raise AssertionError
    raw = NewMemory(
        memory_id=kept.raw_input_id,
        user_id=request.user_id,
        kind=Kind.RAW_INPUT,
        memory_type=MemoryType.FACT,
        content=request.message,
        status=Status.ACTIVE,
        source=request.source,
        at=kept.accepted_at,
        charter_version=state.version,
        immutable=True,
        shared=request.shared,
        metadata=request.metadata,
        agent_id=request.agent_id,
        session_id=request.session_id,
        created_by=principal.key_id,
        write_id=kept.write_id,
    )
    await store(act, raw, None, "stored", "a message as it came")


async def postpone(parts: Parts, tenant_id: UUID, write_id: UUID, fault: str, seconds: float) -> None:
    """Say honestly that the write is accepted and not finished; it is tried again after so many seconds."""
    async with transaction(parts.pool, tenant_id) as connection:
        await connection.execute(writes.ACCEPT, tenant_id, write_id, fault, seconds)


async def get_write(parts: Parts, principal: Principal, write_id: UUID, language: str) -> WriteView:
    """The write in its current state. Raises `NotFoundError` for one that the key may not see."""
    async with transaction(parts.pool, principal.tenant_id, readonly=True) as connection:
        row = await connection.fetchrow(writes.GET, principal.tenant_id, write_id)
        if row is None or not acts_for(principal, row["user_id"]):
            raise NotFoundError("there is no such write, or this key may not see it")
        return await view_of(connection, principal.tenant_id, writes.write_of(row), language)


async def replay(parts: Parts, principal: Principal, accepted: Accepted, language: str) -> WriteView:
    """The answer to a repeat: the first write in its current state, or a retryable 409 while it is still running."""
    async with transaction(parts.pool, principal.tenant_id, readonly=True) as connection:
        write = writes.write_of(required(await connection.fetchrow(writes.GET, principal.tenant_id, accepted.write_id)))
        now: datetime = await connection.fetchval(NOW)
        if write.status == "running" and write.running_until > now:
            raise still_running()
        return await view_of(connection, principal.tenant_id, write, language, replayed=True)


async def list_writes(
    parts: Parts, principal: Principal, status: str | None, user_id: str | None, page: PageRequest, language: str
) -> Page[WriteView]:
    """Writes, newest first, of the users that the key may see; `status` is accepted, completed or set_aside."""
    stored = None if status is None else ["running", "accepted"] if status == "accepted" else [status]
    async with transaction(parts.pool, principal.tenant_id, readonly=True) as connection:
        rows = await connection.fetch(
            writes.LIST, principal.tenant_id, bound_to(principal), stored, user_id, after(page.cursor), page.limit + 1
        )
        views = [await view_of(connection, principal.tenant_id, writes.write_of(row), language) for row in rows]
    return page_of(views, page.limit, _id_of)


def _id_of(view: WriteView) -> UUID:
    if view.write_id is None:
        raise AssertionError
    return view.write_id
