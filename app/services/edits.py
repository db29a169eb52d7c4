"""An agent's edit: an UPDATE verdict at confidence 100 that takes the charter's way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

import asyncpg

from app.charter.constitution import touching_refusal
from app.charter.model import Kind, Operation, Outcome, Source, Status, Verdict
from app.charter.policy import rule_on
from app.db import decisions, memories, writes
from app.db.decisions import Decision
from app.db.ids import new_id
from app.db.memories import Memory
from app.db.transaction import NOW, lock_users, repeat_on_conflict, transaction
from app.errors import ConflictError, ForbiddenError, NotFoundError, StaleRevisionError
from app.services.changes import Act
from app.services.drafts import Draft, Work, incoming_of, target_of
from app.services.enact import Case, enact
from app.services.govern import read_state, thresholds_view
from app.services.intake import Accepted, get_write, keep
from app.services.parts import Parts
from app.services.replay import answer_once
from app.services.requests import EditRequest, Principal
from app.services.resolve import require_unsaid
from app.services.settle import ruling_view, verdict_view
from app.services.views import MemoryView, WriteView


async def edit_as_verdict(parts: Parts, principal: Principal, memory: Memory, request: EditRequest) -> MemoryView | WriteView:
    """The edited memory when the edit ran; the write with its question when it was deferred or held.

    Raises `ConflictError` (`not_active`, `same_text`), `StaleRevisionError`, `ForbiddenError` (C2, C4: no atom), and
    `InvalidInputError` (`idempotency_mismatch`).
    """
    body = {**request.body, "memory_id": str(memory.id), "revision": request.revision}

    async def attempt(vector: Sequence[float]) -> UUID:
        async with transaction(parts.pool, principal.tenant_id) as connection:
            await lock_users(connection, principal.tenant_id, memory.user_id)
            stock = await parts.limits.take_stock(connection, principal, 1)
            lease = parts.settings.intake.lease_seconds
            kept = await keep(connection, principal, memory.user_id, "edit", body, request.once, new_id(), lease)
            present = require_editable(await memories.get(connection, principal.tenant_id, memory.id), request.revision)
            work = _work(principal, memory, request, kept, vector)
            asked = await _rule_and_enact(parts, connection, work, present)
            parts.limits.require_room(stock, int(asked))
            await connection.execute(writes.COMPLETE, principal.tenant_id, kept.write_id, await connection.fetchval(NOW))
        work.count_made()
        return kept.write_id

    async def act() -> MemoryView | WriteView:
        with parts.limits.waiting_write(principal.tenant_id, memory.user_id):
            vector = (await parts.embedder.embed([request.content]))[0]
            async with parts.turns.slot(principal.tenant_id, memory.user_id):
                write_id = await repeat_on_conflict(lambda: attempt(vector))
        return await answer(write_id)

    async def answer(write_id: UUID) -> MemoryView | WriteView:
        return await _answer(parts, principal, memory, write_id, request.language)

    return await answer_once(parts, principal, request.once, act, answer)


async def _answer(parts: Parts, principal: Principal, memory: Memory, write_id: UUID, language: str) -> MemoryView | WriteView:
    view = await get_write(parts, principal, write_id, language)
    if all(result.outcome is not Outcome.UPDATED for result in view.results):
        return replace(view, http_status=202)
    async with transaction(parts.pool, principal.tenant_id, readonly=True) as connection:
        edited = await memories.get(connection, principal.tenant_id, memory.id)
    if edited is None:
        raise AssertionError
    return edited


def require_editable(memory: Memory | None, revision: int, *, final_too: bool = True) -> Memory:
    """The memory when it can be edited: a current atom, at the revision that `If-Match` names.

    `final_too`: a final one is let through (an agent's edit of it becomes a question), else it is refused by C2.
    """
    if memory is None:
        raise NotFoundError("there is no such memory, or this key may not see it")
    if memory.kind is not Kind.ATOM or (memory.immutable and not final_too):
        articles = touching_refusal(memory.kind, immutable=True)
        raise ForbiddenError("the constitution forbids it", code="charter_refusal", articles=tuple(articles))
    if memory.status is not Status.ACTIVE:
        raise ConflictError("this memory is not current", code="not_active")
    if memory.revision != revision:
        raise StaleRevisionError("If-Match names another revision than the present one", extra={"revision": memory.revision})
    return memory


def _work(principal: Principal, memory: Memory, request: EditRequest, kept: Accepted, vector: Sequence[float]) -> Work:
    draft = Draft(
        position=0,
        memory_id=new_id(),
        content=request.content,
        memory_type=memory.memory_type,
        source=Source.AGENT,
        shared=memory.shared,
        valid_from=None,
        agent_id=memory.agent_id,
        session_id=memory.session_id,
        metadata=memory.metadata,
        vector=vector,
    )
    return Work(principal.tenant_id, memory.user_id, principal.key_id, kept.accepted_at, [draft], kept.write_id, reason=request.reason)


async def _rule_and_enact(parts: Parts, connection: asyncpg.Connection, work: Work, present: Memory) -> bool:
    """Carry out what the charter rules; True when it opened a dispute."""
    draft = work.drafts[0]
    verdict = Verdict(Operation.UPDATE, present.id, 100, work.reason, draft.content, edit=True)
    state = await read_state(connection, work.tenant_id)
    charter = state.in_force(parts.thresholds)
    at: datetime = await connection.fetchval(NOW)
    ruling = rule_on(verdict, incoming_of(draft, work, at), target_of(present), charter)
    runs = ruling.outcome is Outcome.UPDATED
    decision_id = new_id()
    act = Act(connection, work.tenant_id, work.actor, at, state.version, parts.embedder.model, decision_id)
    await require_unsaid(act, work.user_id, draft.content, draft.memory_type, {present.id} if runs else set())
    effect = await enact(act, Case(work, draft, verdict, ruling, present, charter.mode, draft.vector))
    decision = Decision(
        id=decision_id,
        write_id=work.write_id,
        position=0,
        user_id=work.user_id,
        memory_id=effect.memory_id,
        target_memory_id=present.id,
        content=draft.content,
        memory_type=draft.memory_type,
        tier=verdict.tier,
        operation=verdict.operation,
        outcome=ruling.outcome,
        similarity=None,
        confidence=100,
        candidates=[],
        verdict=verdict_view(verdict),
        ruling=ruling_view(ruling, effect),
        articles=ruling.articles,
        rules=ruling.rules,
        thresholds=thresholds_view(parts.thresholds),
        engine={"name": "edit", "calls": 0},
        embedder=parts.embedder.model,
        charter_version=state.version,
        mode=charter.mode,
        created_at=at,
        timings={},
    )
    await decisions.insert(connection, work.tenant_id, decision)
    work.made.append(decision)
    return not runs
