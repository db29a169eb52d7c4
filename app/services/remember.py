"""A write, from the body to the answer: keep it, split it, embed it, ask the engine, rule and commit."""

from __future__ import annotations

from datetime import datetime
from time import perf_counter
from uuid import UUID

import asyncpg

from app.db import decisions, writes
from app.db import turns as turns_sql
from app.db.ids import new_id
from app.db.outbox import EventType, announce
from app.db.transaction import NOW, rehearsal, repeat_on_conflict, transaction
from app.engine.cues import type_by_cue
from app.errors import TooManyRequestsError, UnavailableError
from app.services.access import require_writer
from app.services.drafts import Draft, Work
from app.services.intake import Accepted, accept, get_write, postpone, replay
from app.services.leases import Kind
from app.services.limits import MOST_ATOMS
from app.services.parts import Parts
from app.services.propose import Costs, Plan, propose
from app.services.requests import FactRequest, Principal, WriteRequest
from app.services.settle import OvertakenError, settle
from app.services.views import WriteView
from app.services.write_view import as_dry_run, compose

TRIES = 3
"""Tries of a write that holds its user's turn, before facts whose candidates keep changing are undecided."""


async def remember(parts: Parts, principal: Principal, request: WriteRequest) -> WriteView:
    """Store what a request says, under the charter.

    Raises `ForbiddenError` for a key that may not write for the user, `InvalidInputError` and `ConflictError` for a
    misused Idempotency-Key, `TooManyRequestsError` past the limits of the user or the key. With the embedder or extractor
    out of reach the answer is `accepted`: the write is safe.
    """
    require_writer(principal, request.user_id)
    with parts.limits.waiting_write(principal.tenant_id, request.user_id):
        if request.dry_run:
            return await _rehearsed(parts, principal, request)
        return await _remember(parts, principal, request)


async def _remember(parts: Parts, principal: Principal, request: WriteRequest) -> WriteView:
    write_id = new_id()
    with parts.leases.held(Kind.WRITE, principal.tenant_id, write_id):
        accepted = await _accepted(parts, principal, request, write_id)
        if accepted.repeated:
            return await replay(parts, principal, accepted, request.language)
        return await _serve(parts, principal, request, accepted)


async def _serve(parts: Parts, principal: Principal, request: WriteRequest, accepted: Accepted) -> WriteView:
    """Finish an accepted write at once, if that can be."""
    if request.respond_async:
        await postpone(parts, principal.tenant_id, accepted.write_id, "respond-async", 0.0)
        parts.turns.wake.set()
        return await get_write(parts, principal, accepted.write_id, request.language)
    try:
        await decide(parts, await prepare(parts, principal, request, accepted))
    except UnavailableError as fault:
        await postpone(parts, principal.tenant_id, accepted.write_id, fault.code, parts.settings.intake.retry_seconds)
    return await get_write(parts, principal, accepted.write_id, request.language)


async def prepare(parts: Parts, principal: Principal, request: WriteRequest, accepted: Accepted, *, late: bool = False) -> Work:
    """Split and embed the write's facts. Raises `UnavailableError` when a model is out of reach."""
    timings: dict[str, float] = {}
    facts = await _facts(parts, request, accepted.accepted_at, timings)
    started = perf_counter()
    vectors = await parts.embedder.embed([fact.content for fact in facts]) if facts else []
    timings["embed"] = round((perf_counter() - started) * 1000, 1)
    drafts = [
        Draft(
            position=position,
            memory_id=new_id(),
            content=fact.content,
            memory_type=fact.memory_type or type_by_cue(fact.content),
            source=fact.source or request.source,
            shared=request.shared if fact.shared is None else fact.shared,
            valid_from=fact.valid_from,
            agent_id=fact.agent_id or request.agent_id,
            session_id=fact.session_id or request.session_id,
            metadata=request.metadata if fact.metadata is None else fact.metadata,
            vector=vector,
        )
        for position, (fact, vector) in enumerate(zip(facts, vectors, strict=True))
    ]
    return Work(
        tenant_id=principal.tenant_id,
        user_id=request.user_id,
        actor=principal.key_id,
        accepted_at=accepted.accepted_at,
        drafts=drafts,
        write_id=accepted.write_id,
        raw_input_id=accepted.raw_input_id,
        late=late,
        timings=timings,
    )


async def _facts(parts: Parts, request: WriteRequest, accepted_at: datetime, timings: dict[str, float]) -> list[FactRequest]:
    if request.message is None:
        return list(request.facts)
    started = perf_counter()
    atoms = await parts.extractor.extract(request.message, accepted_at)
    timings["extract"] = round((perf_counter() - started) * 1000, 1)
    return [FactRequest(atom.content, atom.memory_type, atom.valid_from) for atom in atoms]


async def decide(parts: Parts, work: Work) -> None:
    """Decide and commit a write: at first beside others, then, once overtaken, holding the user's turn."""
    plans: dict[int, Plan] = {}
    costs = Costs()
    if not await _turn_taken(parts, work):
        await propose(parts, work, plans, costs)
        if await _commit(parts, work, plans, costs, last=False):
            return
    async with parts.turns.turn(parts.pool, work.tenant_id, work.user_id):
        for attempt in range(1, TRIES + 1):
            await propose(parts, work, plans, costs)
            if await _commit(parts, work, plans, costs, last=attempt == TRIES):
                return


async def _turn_taken(parts: Parts, work: Work) -> bool:
    """True when another write holds or awaits the user's turn, here or in another process: then queue, do not overtake."""
    if parts.turns.contended(work.tenant_id, work.user_id):
        return True
    async with transaction(parts.pool, work.tenant_id, readonly=True) as connection:
        taken: bool = await connection.fetchval(turns_sql.TAKEN, work.tenant_id, work.user_id, parts.turns.holder)
    return taken


async def _commit(parts: Parts, work: Work, plans: dict[int, Plan], costs: Costs, *, last: bool) -> bool:
    """One try to commit; False when candidates changed since the engine saw them, and nothing was stored."""

    async def attempt() -> bool:
        work.made.clear()
        try:
            async with transaction(parts.pool, work.tenant_id) as connection:
                done = await connection.fetchval(NOW)
                if work.write_id is not None and not await connection.fetchval(writes.COMPLETE, work.tenant_id, work.write_id, done):
                    return True  # another process finished it
                await settle(parts, connection, work, plans, costs, last=last)
                if work.write_id is not None:
                    await _announce(connection, work, done)
        except OvertakenError:
            return False
        work.count_made()
        return True

    async with parts.turns.slot(work.tenant_id, work.user_id):
        return await repeat_on_conflict(attempt)


async def _announce(connection: asyncpg.Connection, work: Work, at: datetime) -> None:
    payload = {"write_id": str(work.write_id)}
    await announce(connection, work.tenant_id, EventType.WRITE_COMPLETED, at, user_id=work.user_id, payload=payload)


async def _accepted(parts: Parts, principal: Principal, request: WriteRequest, write_id: UUID) -> Accepted:
    """The write, safe, or the one that came before with its key.

    Once it is accepted it is never refused. So where there is no room for a dispute about each of its facts it is rehearsed
    first. Raises `TooManyRequestsError` (`too_many_disputes`); nothing was stored then.
    """

    async def with_room_for(disputes: int) -> Accepted:
        return await repeat_on_conflict(lambda: accept(parts, principal, request, write_id, disputes))

    try:
        return await with_room_for(len(request.facts) or MOST_ATOMS)
    except TooManyRequestsError:
        return await with_room_for(await _disputes_of(parts, principal, request))


async def _disputes_of(parts: Parts, principal: Principal, request: WriteRequest) -> int:
    """How many disputes the write would open; none while a model is away, for then it is accepted and asks later."""
    try:
        return _opened(await _dry_run(parts, principal, request))
    except UnavailableError:
        return 0


def _opened(view: WriteView) -> int:
    return sum(1 for asked in view.needs_clarification if asked.contradiction_id is None)


async def _rehearsed(parts: Parts, principal: Principal, request: WriteRequest) -> WriteView:
    """What would happen. Raises `TooManyRequestsError` when it would open more disputes than the key may have open."""
    async with transaction(parts.pool, principal.tenant_id, readonly=True) as connection:
        stock = await parts.limits.take_stock(connection, principal, len(request.facts) or MOST_ATOMS)
    view = await _dry_run(parts, principal, request)
    parts.limits.require_room(stock, _opened(view))
    return view


async def _dry_run(parts: Parts, principal: Principal, request: WriteRequest) -> WriteView:
    """What would happen: the whole way of a write, in a transaction that is rolled back.

    Raises `UnavailableError` when a model is out of reach, for nothing is kept that could be finished later.
    """
    async with transaction(parts.pool, principal.tenant_id, readonly=True) as connection:
        now: datetime = await connection.fetchval(NOW)
    work = await prepare(parts, principal, request, Accepted(new_id(), now, None))
    plans: dict[int, Plan] = {}
    costs = Costs()
    await propose(parts, work, plans, costs)
    made: set[UUID] = {draft.memory_id for draft in work.drafts}
    async with parts.turns.slot(work.tenant_id, work.user_id), rehearsal(parts.pool, work.tenant_id) as connection:
        await settle(parts, connection, work, plans, costs, last=True)
        rows = await connection.fetch(decisions.OF_WRITE, work.tenant_id, work.write_id)
        view = await compose(
            connection,
            work.tenant_id,
            [decisions.decision_of(row) for row in rows],
            request.language,
            write_id=None,
            raw_input_id=None,
            status="completed",
        )
    return as_dry_run(view, made)
