"""Memories as they are read: one, a list, and one's whole history."""

from __future__ import annotations

from uuid import UUID

from app.charter.model import Kind, Status
from app.db import events, memories, revisions
from app.db.transaction import transaction
from app.services.access import bound_to, readable
from app.services.cursors import after, page_of
from app.services.parts import Parts
from app.services.requests import MemoryFilter, PageRequest, Principal
from app.services.views import EventView, HistoryView, LinkView, MemoryView, Page, RevisionView

SYSTEM = "helixir"


async def get_memory(parts: Parts, principal: Principal, memory_id: UUID) -> MemoryView:
    """One memory. Raises `NotFoundError` where the key may not see it."""
    async with transaction(parts.pool, principal.tenant_id, readonly=True) as connection:
        return readable(principal, await memories.get(connection, principal.tenant_id, memory_id))


async def list_memories(parts: Parts, principal: Principal, wanted: MemoryFilter, page: PageRequest) -> Page[MemoryView]:
    """Memories, newest first: active atoms unless asked otherwise; undecided ones active and held."""
    arguments = (
        principal.tenant_id,
        wanted.user_id,
        bound_to(principal),
        wanted.kind or Kind.ATOM,
        _statuses(wanted),
        wanted.memory_type,
        wanted.undecided,
        wanted.agent_id,
        wanted.session_id,
        wanted.source,
        after(page.cursor),
        page.limit + 1,
        wanted.valid_at,
    )
    async with transaction(parts.pool, principal.tenant_id, readonly=True) as connection:
        if wanted.as_of is None:
            rows = await connection.fetch(memories.LIST, *arguments)
        else:
            rows = await connection.fetch(memories.LIST_AS_OF, *arguments, wanted.as_of)
    return page_of([memories.memory_of(row) for row in rows], page.limit, lambda memory: memory.id)


def _statuses(wanted: MemoryFilter) -> list[Status]:
    if wanted.status is not None:
        return [wanted.status]
    if wanted.undecided:
        return [Status.ACTIVE, Status.HELD]
    # What was superseded was true until then, so an instant of valid time finds it too.
    return [Status.ACTIVE] if wanted.valid_at is None else [Status.ACTIVE, Status.SUPERSEDED]


async def get_history(parts: Parts, principal: Principal, memory_id: UUID) -> HistoryView:
    """All that happened to a memory, its revisions, and the supersession chain from first to current."""
    tenant_id = principal.tenant_id
    async with transaction(parts.pool, tenant_id, readonly=True) as connection:
        memory = readable(principal, await memories.get(connection, tenant_id, memory_id))
        happened = await connection.fetch(events.LIST, tenant_id, memory.id)
        written = await connection.fetch(revisions.LIST, tenant_id, memory.id)
        chain = await connection.fetch(memories.CHAIN, tenant_id, memory.id)
    return HistoryView(
        memory_id=memory.id,
        events=[
            EventView(
                at=row["at"],
                event=row["event"],
                actor=_actor(row["actor"]),
                reason=row["reason"],
                decision_id=row["decision_id"],
                contradiction_id=row["contradiction_id"] or _named(row["detail"].get("contradiction_id")),
            )
            for row in happened
        ],
        revisions=[RevisionView(row["revision"], row["content"], row["at"], _actor(row["actor"]), row["reason"]) for row in written],
        chain=[LinkView(row["memory_id"], row["content"], Status(row["status"])) for row in chain],
    )


def _actor(key_id: UUID | None) -> str:
    """Who did it: the key, or the system itself."""
    return SYSTEM if key_id is None else str(key_id)


def _named(value: str | None) -> UUID | None:
    return None if value is None else UUID(value)
