"""Deciding an undecided fact again: the same charter, a late verdict, and the memory that is stored already."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from uuid import UUID

import asyncpg

from app.db import decisions, memories, revisions
from app.db import undecided as undecided_facts
from app.db.memories import Memory
from app.db.transaction import lock_users, repeat_on_conflict, transaction
from app.services.access import writable
from app.services.drafts import Draft, Work
from app.services.finish import delay_after
from app.services.parts import Parts
from app.services.propose import Costs, Plan, propose
from app.services.remember import TRIES
from app.services.replay import act_once, answer_once, claim
from app.services.requests import Once, Principal
from app.services.settle import OvertakenError, settle, users_named
from app.services.views import MemoryView

Claiming = Callable[[asyncpg.Connection], Awaitable[None]]


async def decide_now(parts: Parts, principal: Principal, memory_id: UUID, once: Once | None = None) -> MemoryView:
    """Decide one undecided memory now; a decided one is answered as it is. Raises `NotFoundError`, `ForbiddenError`.

    The key of `once` is claimed in the transaction that keeps the decision, or puts it off.
    """
    memory = await _look(parts, principal, memory_id)

    async def act() -> MemoryView:
        if memory.undecided:
            claiming = partial(claim, principal=principal, wanted=once, subject=memory_id)
            await reconsider(parts, principal.tenant_id, memory_id, 0, claiming)
            return await _look(parts, principal, memory_id)
        async with act_once(parts, principal, once, memory_id) as connection:
            return writable(principal, await memories.get(connection, principal.tenant_id, memory_id))

    return await answer_once(parts, principal, once, act, lambda subject: _look(parts, principal, subject))


async def _look(parts: Parts, principal: Principal, memory_id: UUID) -> Memory:
    async with transaction(parts.pool, principal.tenant_id, readonly=True) as connection:
        return writable(principal, await memories.get(connection, principal.tenant_id, memory_id))


async def _nothing(_connection: asyncpg.Connection) -> None:
    """The worker's own tries come without a key."""


async def reconsider(parts: Parts, tenant_id: UUID, memory_id: UUID, attempts: int, claiming: Claiming = _nothing) -> bool:
    """Ask the engine once more about an undecided memory; False when it stays undecided and was postponed.

    `claiming` runs first in the transaction that keeps what came of it.
    """
    for attempt in range(1, TRIES + 1):
        work = await _work_of(parts, tenant_id, memory_id)
        if work is None:
            break
        plans: dict[int, Plan] = {}
        costs = Costs()
        await propose(parts, work, plans, costs)
        if plans and all(plan.verdict is None for plan in plans.values()):
            break
        if await _commit(parts, work, plans, costs, claiming, last=attempt == TRIES):
            claiming = _nothing
            break
    async with transaction(parts.pool, tenant_id) as connection:
        await claiming(connection)
        memory = await memories.get(connection, tenant_id, memory_id)
        if memory is None or not memory.undecided:
            return True
        delay = delay_after(attempts, parts.settings.intake.retry_seconds)
        await connection.execute(undecided_facts.POSTPONE, tenant_id, memory_id, delay)
    return False


async def _commit(parts: Parts, work: Work, plans: dict[int, Plan], costs: Costs, claiming: Claiming, *, last: bool) -> bool:
    async def attempt() -> bool:
        work.made.clear()
        try:
            async with transaction(parts.pool, work.tenant_id) as connection:
                await claiming(connection)
                await lock_users(connection, work.tenant_id, work.user_id, *users_named(plans))
                if await _still_undecided(connection, work):
                    await settle(parts, connection, work, plans, costs, last=last)
        except OvertakenError:
            return False
        work.count_made()
        return True

    async with parts.turns.slot(work.tenant_id, work.user_id):
        return await repeat_on_conflict(attempt)


async def _still_undecided(connection: asyncpg.Connection, work: Work) -> bool:
    seen = work.reconsidered
    if seen is None:
        return False
    memory = await memories.get(connection, work.tenant_id, seen.id)
    return memory is not None and memory.undecided and (memory.revision, memory.status) == (seen.revision, seen.status)


async def _work_of(parts: Parts, tenant_id: UUID, memory_id: UUID) -> Work | None:
    """The memory as a write of one fact; None when it is decided by now, or superseded or withdrawn."""
    async with transaction(parts.pool, tenant_id) as connection:
        memory = await memories.get(connection, tenant_id, memory_id)
        if memory is None or not memory.undecided:
            return None
        vector = await connection.fetchval(revisions.VECTOR, tenant_id, memory_id, memory.revision, parts.embedder.model)
        place = await connection.fetchrow(decisions.PLACE, tenant_id, memory_id)
    floats = (await parts.embedder.embed([memory.content]))[0] if vector is None else vector.to_list()
    return _work(tenant_id, memory, floats, 0 if place is None else place["position"])


def _work(tenant_id: UUID, memory: Memory, vector: list[float], position: int) -> Work:
    draft = Draft(
        position=position,
        memory_id=memory.id,
        content=memory.content,
        memory_type=memory.memory_type,
        source=memory.source,
        shared=memory.shared,
        valid_from=memory.valid_from,
        agent_id=memory.agent_id,
        session_id=memory.session_id,
        metadata=memory.metadata,
        vector=vector,
    )
    return Work(
        tenant_id=tenant_id,
        user_id=memory.user_id,
        actor=memory.created_by or memory.id,
        accepted_at=memory.created_at,
        drafts=[draft],
        write_id=memory.write_id,
        raw_input_id=memory.raw_input_id,
        late=True,
        reconsidered=memory,
    )
