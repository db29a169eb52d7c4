"""Acts on one memory: an edit, and the owner's finalising."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import asyncpg

from app.charter.constitution import touching_refusal
from app.charter.dispute import may_finalise
from app.charter.model import Kind, Source
from app.db import audit, memories
from app.db.memories import Memory
from app.db.transaction import NOW, lock_users, repeat_on_conflict, transaction
from app.errors import ConflictError, ForbiddenError
from app.services.access import require_owner, writable
from app.services.changes import Act, mark_final, revise
from app.services.edits import edit_as_verdict, require_editable
from app.services.govern import read_state
from app.services.parts import Parts
from app.services.replay import act_once, answer_once
from app.services.requests import EditRequest, Once, Principal, Role
from app.services.resolve import require_unsaid
from app.services.views import MemoryView, WriteView


@dataclass(frozen=True, slots=True)
class Opened:
    """One memory under its user's lock."""

    act: Act
    memory: Memory


async def edit(parts: Parts, principal: Principal, request: EditRequest) -> MemoryView | WriteView:
    """Change a memory's content.

    An owner's edit is a human's act and runs (save C2 and C4); an agent's is an UPDATE verdict at confidence 100 and takes
    the charter's way: the memory when it ran, else the write that asks. Raises `NotFoundError`, `ForbiddenError`,
    `StaleRevisionError`, `ConflictError` (`not_active`, `same_text`).
    """
    memory = await look(parts, principal, request.memory_id)
    if principal.role is not Role.OWNER:
        return await edit_as_verdict(parts, principal, memory, request)

    async def attempt(vector: Sequence[float]) -> MemoryView:
        async with act_once(parts, principal, request.once, memory.id) as connection:
            opened = await open_(parts, connection, principal, memory)
            require_editable(opened.memory, request.revision, final_too=False)
            await require_unsaid(opened.act, memory.user_id, request.content, memory.memory_type, {memory.id})
            await audit_act(opened, "edit", request.reason)
            await revise(opened.act, opened.memory, request.content, vector, "edited", request.reason, Source.USER)
            return await reread(opened)

    async def act() -> MemoryView:
        require_editable(memory, request.revision, final_too=False)
        vector = (await parts.embedder.embed([request.content]))[0]
        async with parts.turns.slot(principal.tenant_id, memory.user_id):
            return await repeat_on_conflict(lambda: attempt(vector))

    return await answer_once(parts, principal, request.once, act, lambda memory_id: look(parts, principal, memory_id))


async def finalize(parts: Parts, principal: Principal, memory_id: UUID, reason: str, once: Once | None = None) -> MemoryView:
    """An owner marks an active, undisputed atom final (C2 protects it from then on). Already final: nothing changes."""
    require_owner(principal)
    memory = await look(parts, principal, memory_id)

    async def attempt() -> MemoryView:
        async with act_once(parts, principal, once, memory.id) as connection:
            opened = await open_(parts, connection, principal, memory)
            require_atom(opened.memory)
            if opened.memory.immutable:
                return opened.memory
            disputed = bool(opened.memory.open_contradictions)
            if not may_finalise(opened.memory.kind, opened.memory.status, disputed=disputed):
                raise ConflictError("only an active, undisputed memory can be final", code="disputed" if disputed else "not_active")
            await audit_act(opened, "finalize", reason)
            await mark_final(opened.act, opened.memory, final=True, reason=reason)
            return await reread(opened)

    return await in_slot(parts, principal, memory, attempt, once)


async def unfinalize(parts: Parts, principal: Principal, memory_id: UUID, reason: str, once: Once | None = None) -> MemoryView:
    """An owner opens a final atom again; disputes on it are asked again. Not final: nothing changes."""
    require_owner(principal)
    memory = await look(parts, principal, memory_id)

    async def attempt() -> MemoryView:
        async with act_once(parts, principal, once, memory.id) as connection:
            opened = await open_(parts, connection, principal, memory)
            require_atom(opened.memory)
            if not opened.memory.immutable:
                return opened.memory
            await audit_act(opened, "unfinalize", reason)
            await mark_final(opened.act, opened.memory, final=False, reason=reason)
            return await reread(opened)

    return await in_slot(parts, principal, memory, attempt, once)


async def look(parts: Parts, principal: Principal, memory_id: UUID) -> Memory:
    """The memory for an act on it. Raises `NotFoundError` and `ForbiddenError`."""
    async with transaction(parts.pool, principal.tenant_id, readonly=True) as connection:
        return writable(principal, await memories.get(connection, principal.tenant_id, memory_id))


async def in_slot(
    parts: Parts, principal: Principal, memory: Memory, attempt: Callable[[], Awaitable[MemoryView]], once: Once | None
) -> MemoryView:
    """Run one act in the commit slot of the memory's user; a repeat of it is answered with the memory as it is now."""

    async def act() -> MemoryView:
        async with parts.turns.slot(principal.tenant_id, memory.user_id):
            return await repeat_on_conflict(attempt)

    return await answer_once(parts, principal, once, act, lambda memory_id: look(parts, principal, memory_id))


async def open_(parts: Parts, connection: asyncpg.Connection, principal: Principal, memory: Memory) -> Opened:
    """Lock the memory's user and read the memory as it is now."""
    await lock_users(connection, principal.tenant_id, memory.user_id)
    state = await read_state(connection, principal.tenant_id)
    at: datetime = await connection.fetchval(NOW)
    act = Act(connection, principal.tenant_id, principal.key_id, at, state.version, parts.embedder.model)
    return Opened(act, writable(principal, await memories.get(connection, principal.tenant_id, memory.id)))


async def reread(opened: Opened) -> Memory:
    """The memory after the act."""
    memory = await memories.get(opened.act.connection, opened.act.tenant_id, opened.memory.id)
    if memory is None:
        raise AssertionError
    return memory


async def audit_act(opened: Opened, act: str, reason: str, superseded: UUID | None = None) -> None:
    """The audit row of an owner's act; the database's guard of C3 looks for it in the same transaction."""
    detail = {"superseded": [str(superseded)]} if superseded else {}
    subject = str(opened.memory.id)
    await audit.insert(opened.act.connection, opened.act.tenant_id, act, subject, actor=opened.act.actor, reason=reason, detail=detail)


def require_atom(memory: Memory) -> None:
    """Seeds, rules and episodes are final for ever, raw inputs sacred. Raises `ForbiddenError` (C2, C4)."""
    if memory.kind is not Kind.ATOM:
        raise refused(memory)


def refused(memory: Memory) -> ForbiddenError:
    """The refusal of an act on this memory, with the article behind it."""
    articles = touching_refusal(memory.kind, immutable=True)
    return ForbiddenError("the constitution forbids it", code="charter_refusal", articles=tuple(articles))
