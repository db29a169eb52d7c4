"""An answer to one dispute: bound to one edge and one version, in one transaction, with one winner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, assert_never
from uuid import UUID

import asyncpg

from app.charter.dispute import Refusal, Step, refusal, step_for
from app.charter.model import DisputeStatus, Kind, MemoryType, Operation, Resolution, Source, Status
from app.db import contradictions, memories
from app.db.contradictions import Contradiction
from app.db.ids import new_id
from app.db.memories import Memory, NewMemory
from app.db.outbox import EventType, announce
from app.db.rows import required
from app.db.transaction import NOW, lock_users, repeat_on_conflict, transaction
from app.errors import ConflictError, ForbiddenError, InvalidInputError, NotFoundError
from app.services.access import require_answerer, require_owner
from app.services.changes import Act, note, revise, store, supersede, withdraw
from app.services.clarify import clarification, side_of
from app.services.disputes import readable_dispute, whole
from app.services.episodes import record_episode
from app.services.govern import read_state
from app.services.held import activate_if_kept
from app.services.learn import Learned, learn
from app.services.parts import Parts
from app.services.precedents import answers_of
from app.services.replay import act_once, answer_once
from app.services.requests import AnswerRequest, Once, Principal
from app.services.rulebook import require_scope
from app.services.views import EffectsView, ResolveView

_REFUSED = {
    "raw_input": "a raw input is never modified or superseded",
    "immutable": "a final memory is never overwritten",
    "other_user": "another user's memory can be confirmed or coexist, never rewritten",
}


@dataclass(frozen=True, slots=True)
class _Answering:
    """One answer in its transaction."""

    act: Act
    dispute: Contradiction
    new: Memory
    existing: Memory
    answer: AnswerRequest
    vector: Sequence[float] | None


async def resolve(
    parts: Parts, principal: Principal, contradiction_id: UUID, answer: AnswerRequest, once: Once | None = None
) -> ResolveView:
    """Carry out a human's answer (charter section 5).

    Raises `NotFoundError`, `ForbiddenError` (the key may not answer; C2 or C4 forbid it; another user's memory), and
    `ConflictError`: `dispute_changed` for an answer to an older version, `already_resolved` for a contrary one,
    `dispute_moot`, `same_text`. A repeat of the same answer changes nothing and gives the same result.
    """
    _check(answer)
    dispute = await _look(parts, principal, contradiction_id)
    if answer.always:
        _require_lawgiver(principal, dispute, answer)

    async def again(subject: UUID) -> ResolveView:
        async with transaction(parts.pool, principal.tenant_id, readonly=True) as connection:
            row = await connection.fetchrow(contradictions.GET, principal.tenant_id, subject)
            return await _result(connection, principal, readable_dispute(principal, row), answer.language)

    return await answer_once(parts, principal, once, lambda: _act(parts, principal, dispute, answer, once), again)


async def _act(parts: Parts, principal: Principal, dispute: Contradiction, answer: AnswerRequest, once: Once | None) -> ResolveView:
    text = _text_to_embed(dispute, answer)
    vector = (await parts.embedder.embed([text]))[0] if text is not None else None
    users = (dispute.new_user_id, dispute.existing_user_id)

    async def attempt() -> ResolveView:
        async with act_once(parts, principal, once, dispute.id) as connection:
            await lock_users(connection, principal.tenant_id, *users)
            return await _answer(parts, connection, principal, dispute.id, answer, text, vector)

    async with parts.turns.slot(principal.tenant_id, *users):
        return await repeat_on_conflict(attempt)


def _check(answer: AnswerRequest) -> None:
    if (answer.resolution is Resolution.AMEND) != (answer.content is not None):
        raise InvalidInputError("content is given exactly with the resolution amend")
    if answer.contexts is not None and answer.resolution is not Resolution.COEXIST:
        raise InvalidInputError("contexts are given only with the resolution coexist")
    if answer.always and answer.resolution is Resolution.AMEND:
        raise InvalidInputError("an amended wording is no rule; answer without `always`")


def _require_lawgiver(principal: Principal, dispute: Contradiction, answer: AnswerRequest) -> None:
    """Only an owner makes a rule; from another key the dispute stays open."""
    require_owner(principal)
    require_scope(principal, answer.scope, dispute.new_user_id)


async def _look(parts: Parts, principal: Principal, contradiction_id: UUID) -> Contradiction:
    async with transaction(parts.pool, principal.tenant_id, readonly=True) as connection:
        row = await connection.fetchrow(contradictions.GET, principal.tenant_id, contradiction_id)
    dispute = readable_dispute(principal, row)
    require_answerer(principal, dispute)
    return dispute


def _text_to_embed(dispute: Contradiction, answer: AnswerRequest) -> str | None:
    """The text that the answer will store, which needs its vector before the transaction begins."""
    if dispute.status is not DisputeStatus.OPEN:
        return None
    if answer.resolution is Resolution.AMEND:
        return answer.content
    return dispute.pending_content if answer.resolution is Resolution.RETRACT else None


async def _answer(
    parts: Parts,
    connection: asyncpg.Connection,
    principal: Principal,
    contradiction_id: UUID,
    answer: AnswerRequest,
    text: str | None,
    vector: Sequence[float] | None,
) -> ResolveView:
    row = await connection.fetchrow(contradictions.GET_FOR_UPDATE, principal.tenant_id, contradiction_id)
    dispute = readable_dispute(principal, row)
    if dispute.status is DisputeStatus.RESOLVED and _same_answer(dispute, answer):
        return await _result(connection, principal, dispute, answer.language)
    sides = await memories.get_many(connection, principal.tenant_id, [dispute.new_memory_id, dispute.existing_memory_id])
    new, existing = sides.get(dispute.new_memory_id), sides.get(dispute.existing_memory_id)
    if new is None or existing is None:
        raise NotFoundError("a side of this contradiction is gone")
    await _require_current(connection, principal, dispute, answer, new, existing)
    refused = refusal(answer.resolution, side_of(new), side_of(existing))
    if refused is not None:
        raise _forbidden(refused)
    if text != _text_to_embed(dispute, answer):
        raise await _changed(connection, principal, dispute, new, existing, answer.language)
    state = await read_state(connection, principal.tenant_id)
    at: datetime = await connection.fetchval(NOW)
    act = Act(connection, principal.tenant_id, principal.key_id, at, state.version, parts.embedder.model, settling=dispute.id)
    answering = _Answering(act, dispute, new, existing, answer, vector)
    activated = await activate_if_kept(parts, act, dispute, new, answer.resolution)
    effects = await _carry_out(answering)
    episode_id = await record_episode(act, dispute, new, existing, answer.resolution)
    learned = await learn(parts, principal, act, dispute, new, existing, answer, episode_id)
    await _close(act, dispute, answer, replace(effects, activated=[*activated, *act.followed.activated]), episode_id, learned)
    closed = required(await connection.fetchrow(contradictions.GET, principal.tenant_id, contradiction_id))
    return await _result(connection, principal, contradictions.contradiction_of(closed), answer.language)


def _same_answer(dispute: Contradiction, answer: AnswerRequest) -> bool:
    contexts = dict(dispute.contexts) if dispute.contexts else None
    said = dict(answer.contexts) if answer.contexts else None
    return (dispute.resolution, dispute.answer_content, contexts) == (answer.resolution, answer.content, said)


async def _require_current(
    connection: asyncpg.Connection,
    principal: Principal,
    dispute: Contradiction,
    answer: AnswerRequest,
    new: Memory,
    existing: Memory,
) -> None:
    """Only an open dispute, in the very version that the human saw, can be answered."""
    if dispute.status is DisputeStatus.OPEN:
        if answer.version != dispute.version and (answer.version is not None or dispute.version > 1):
            raise await _changed(connection, principal, dispute, new, existing, answer.language)
        return
    record = await whole(connection, principal, dispute, answer.language)
    if dispute.status is DisputeStatus.MOOT:
        raise ConflictError("this contradiction is moot", code="dispute_moot", extra={"contradiction": record})
    raise ConflictError("this contradiction was answered otherwise", code="already_resolved", extra={"contradiction": record})


async def _changed(
    connection: asyncpg.Connection, principal: Principal, dispute: Contradiction, new: Memory, existing: Memory, language: str
) -> ConflictError:
    """The new clarification goes with the refusal, so that the human can be asked again."""
    answers = await answers_of(connection, principal.tenant_id, [dispute.new_user_id])
    shown = clarification(dispute, new, existing, language, answers)
    return ConflictError(
        "the contradiction changed since it was asked about; read it again and answer its present version",
        code="dispute_changed",
        extra={"contradiction": shown},
    )


def _forbidden(refused: Refusal) -> ForbiddenError:
    return ForbiddenError(
        _REFUSED[refused.code],
        code="charter_refusal" if refused.articles else refused.code,
        articles=tuple(refused.articles),
    )


async def _carry_out(answering: _Answering) -> EffectsView:
    step = step_for(answering.answer.resolution, answering.dispute.pending_operation)
    match step:
        case Step.REVISE_EXISTING:
            return await _revise_existing(answering)
        case Step.SUPERSEDE_EXISTING:
            return await _supersede_existing(answering)
        case Step.WITHDRAW_NEW:
            await withdraw(answering.act, answering.new, _reason(answering))
            await note(answering.act, answering.existing.id, "confirmed", _reason(answering))
            return EffectsView(withdrawn=[answering.new.id])
        case Step.KEEP_BOTH:
            for memory in (answering.new, answering.existing):
                await note(answering.act, memory.id, "coexists", _reason(answering))
            return EffectsView()
        case Step.SUPERSEDE_BOTH:
            return await _supersede_both(answering)
        case _:
            assert_never(step)


def _reason(answering: _Answering) -> str:
    """Why, as the history keeps it: the human's note, else the answer itself, and a delete intent in its own words."""
    dispute, answer = answering.dispute, answering.answer
    said = answer.note or f"answered {answer.resolution}"
    return f"{said} ({dispute.pending_reason})" if dispute.pending_operation is Operation.DELETE else said


async def _revise_existing(answering: _Answering) -> EffectsView:
    """The pending UPDATE runs: the stored one gets its new revision, and the new memory is superseded by it."""
    act, new, existing = answering.act, answering.new, answering.existing
    content, vector = answering.dispute.pending_content, answering.vector
    if content is None or vector is None:
        raise AssertionError
    await supersede(act, new, existing.id, _reason(answering))
    await require_unsaid(act, new.user_id, content, existing.memory_type, {existing.id})
    source = max(new.source, existing.source, key=lambda source: source.strength)
    await revise(act, existing, content, vector, "updated", _reason(answering), source)
    return EffectsView(updated=[existing.id], superseded=[new.id])


async def _supersede_existing(answering: _Answering) -> EffectsView:
    """SUPERSEDE, DELETE, CONTRADICT: the new memory takes the stored one's place (with the merge, where one was pending)."""
    act, new, existing = answering.act, answering.new, answering.existing
    content, vector = answering.dispute.pending_content, answering.vector
    await supersede(act, existing, new.id, _reason(answering), new.valid_from)
    if content is None or vector is None or content == new.content:
        return EffectsView(superseded=[existing.id])
    await require_unsaid(act, new.user_id, content, new.memory_type, {new.id})
    await revise(act, new, content, vector, "updated", _reason(answering), new.source)
    return EffectsView(superseded=[existing.id], updated=[new.id])


async def _supersede_both(answering: _Answering) -> EffectsView:
    """The human's own wording takes the place of both sides."""
    act, new, existing, answer = answering.act, answering.new, answering.existing, answering.answer
    if answer.content is None or answering.vector is None:
        raise AssertionError
    memory_type = existing.memory_type if existing.memory_type.protected else new.memory_type
    await require_unsaid(act, new.user_id, answer.content, memory_type, {new.id, existing.id})
    amended = NewMemory(
        memory_id=new_id(),
        user_id=new.user_id,
        kind=Kind.ATOM,
        memory_type=memory_type,
        content=answer.content,
        status=Status.ACTIVE,
        source=Source.USER,
        at=act.at,
        charter_version=act.charter_version,
        shared=new.shared and existing.shared,
        metadata=new.metadata,
        agent_id=new.agent_id,
        session_id=new.session_id,
        created_by=act.actor,
    )
    await _give_way(act, (new, existing))
    await store(act, amended, answering.vector, "stored", _reason(answering))
    for old in (new, existing):
        await supersede(act, old, amended.memory_id, _reason(answering))
    return EffectsView(created=[amended.memory_id], superseded=[new.id, existing.id])


async def _give_way(act: Act, sides: Sequence[Memory]) -> None:
    """The sides leave the index of current texts first, so that the wording may equal one of them."""
    for side in sides:
        await act.connection.execute(memories.SET_STATUS, act.tenant_id, side.id, Status.SUPERSEDED, act.at)


async def require_unsaid(act: Act, user_id: str, content: str, memory_type: MemoryType, but: set[UUID]) -> None:
    """Raises `ConflictError` (`same_text`, with the id) when another current memory of the user already says that."""
    folded = memories.folded(content, memory_type)
    rows = await act.connection.fetch(memories.SAME_TEXT, act.tenant_id, user_id, [folded])
    for row in rows:
        if row["memory_id"] not in but and row["memory_type"] == memory_type:
            raise ConflictError(
                "a current memory of this user already says that",
                code="same_text",
                extra={"memory_id": str(row["memory_id"])},
            )


async def _close(act: Act, dispute: Contradiction, answer: AnswerRequest, effects: EffectsView, episode_id: UUID, learned: Learned) -> None:
    recorded = {
        "superseded": _ids(effects.superseded),
        "updated": _ids(effects.updated),
        "withdrawn": _ids(effects.withdrawn),
        "created": _ids(effects.created),
        "activated": _ids(effects.activated),
        "moved": _ids(act.followed.moved),
        "moot": _ids(act.followed.moot),
    }
    await act.connection.execute(
        contradictions.RESOLVE,
        act.tenant_id,
        dispute.id,
        answer.resolution,
        answer.content,
        dict(answer.contexts) if answer.contexts else None,
        answer.note,
        answer.answered_by,
        act.actor,
        act.at,
        recorded,
        episode_id,
        None,
        {"rule": learned.rule, "rule_refused": learned.refused, "rule_proposal": learned.proposal},
    )
    payload = {"contradiction_id": str(dispute.id), "resolution": answer.resolution}
    await announce(act.connection, act.tenant_id, EventType.CONTRADICTION_RESOLVED, act.at, user_id=dispute.new_user_id, payload=payload)
    await contradictions.insert_event(act.connection, act.tenant_id, dispute.id, act.at, "resolved", dispute.version, actor=act.actor)


def _ids(found: Sequence[UUID]) -> list[str]:
    return [str(one) for one in found]


async def _result(connection: asyncpg.Connection, principal: Principal, dispute: Contradiction, language: str) -> ResolveView:
    recorded: Mapping[str, Any] = dispute.effects or {}
    effects = EffectsView(**{kind: [UUID(one) for one in ids] for kind, ids in recorded.items()})
    record = await whole(connection, principal, dispute, language)
    learned = dispute.learned or {}
    return ResolveView(record, effects, dispute.episode_id, learned.get("rule"), learned.get("rule_refused"), learned.get("rule_proposal"))
