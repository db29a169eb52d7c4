"""An owner takes a memory out of recall, or brings one back: both acts, with history."""

from __future__ import annotations

from uuid import UUID

from app.charter.model import Status
from app.db import edges, memories
from app.db.memories import Memory
from app.errors import ConflictError
from app.services.access import require_owner
from app.services.acts import Opened, audit_act, in_slot, look, open_, refused, require_atom, reread
from app.services.changes import note, supersede
from app.services.changes import withdraw as take_out
from app.services.parts import Parts
from app.services.replay import act_once
from app.services.requests import Once, Principal
from app.services.resolve import require_unsaid
from app.services.views import MemoryView

_LONGEST_CHAIN = 1000


async def withdraw(parts: Parts, principal: Principal, memory_id: UUID, reason: str, once: Once | None = None) -> MemoryView:
    """An owner takes a current or held memory out of recall; its open disputes are moot. Withdrawn already: nothing changes.

    Raises `ForbiddenError` (C2: final; C4: raw input) and `ConflictError` (`not_active`) for a superseded one.
    """
    require_owner(principal)
    memory = await look(parts, principal, memory_id)

    async def attempt() -> MemoryView:
        async with act_once(parts, principal, once, memory.id) as connection:
            opened = await open_(parts, connection, principal, memory)
            require_atom(opened.memory)
            if opened.memory.immutable:
                raise refused(opened.memory)
            if opened.memory.status is Status.WITHDRAWN:
                return opened.memory
            if opened.memory.status is Status.SUPERSEDED:
                raise ConflictError("this memory is superseded and not recalled anyway", code="not_active")
            await audit_act(opened, "withdraw", reason)
            await take_out(opened.act, opened.memory, reason)
            return await reread(opened)

    return await in_slot(parts, principal, memory, attempt, once)


async def restore(parts: Parts, principal: Principal, memory_id: UUID, reason: str, once: Once | None = None) -> MemoryView:
    """An owner makes a superseded or withdrawn memory current again; what took its place is superseded by it.

    Raises `ForbiddenError` (C2: its successor is final), `ConflictError` (`already_active`, `same_text`, `erased`).
    """
    require_owner(principal)
    memory = await look(parts, principal, memory_id)

    async def attempt() -> MemoryView:
        async with act_once(parts, principal, once, memory.id) as connection:
            opened = await open_(parts, connection, principal, memory)
            require_atom(opened.memory)
            if opened.memory.status in {Status.ACTIVE, Status.HELD}:
                raise ConflictError("this memory is not superseded or withdrawn", code="already_active")
            return await _bring_back(opened, reason)

    return await in_slot(parts, principal, memory, attempt, once)


async def _bring_back(opened: Opened, reason: str) -> MemoryView:
    """The old edge ends and the opposite one is added, from the memory to the end of the chain that took its place."""
    act, memory = opened.act, opened.memory
    successor = await _current_successor(opened)
    if successor is not None and successor.immutable:
        raise refused(successor)
    await require_unsaid(act, memory.user_id, memory.content, memory.memory_type, {successor.id} if successor else set())
    await audit_act(opened, "restore", reason, successor.id if successor else None)
    await act.connection.execute(edges.END_SUPERSESSION, act.tenant_id, memory.id, act.at)
    if successor is not None:
        await supersede(act, successor, memory.id, reason)
    await act.connection.execute(memories.REOPEN, act.tenant_id, memory.id)
    await note(act, memory.id, "restored", reason)
    return await reread(opened)


async def _current_successor(opened: Opened) -> Memory | None:
    """The current memory at the end of the chain that took this one's place; None when that end is not current."""
    seen = opened.memory
    for _ in range(_LONGEST_CHAIN):
        if seen.superseded_by is None:
            break
        following = await memories.get(opened.act.connection, opened.act.tenant_id, seen.superseded_by)
        if following is None:
            break
        seen = following
    return seen if seen.id != opened.memory.id and seen.status is Status.ACTIVE else None
