"""A ruling becomes rows: what each outcome stores, changes and opens. Called inside the transaction that ruled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never
from uuid import UUID

from app.charter.model import Kind, Mode, Operation, Outcome, Resolution, Ruling, Status, Strategy, Verdict
from app.db import contradictions, memories
from app.db import undecided as undecided_facts
from app.db.contradictions import NewContradiction
from app.db.edges import EdgeType
from app.db.ids import new_id
from app.db.memories import Memory, NewMemory
from app.db.outbox import EventType, announce
from app.services.changes import Act, activate, hear_again, link, note, revise, store, supersede, withdraw
from app.services.drafts import Draft, Work


@dataclass(frozen=True, slots=True)
class Case:
    """One fact with its verdict, the ruling on it and the memory that the ruling is about."""

    work: Work
    draft: Draft
    verdict: Verdict
    ruling: Ruling
    target: Memory | None
    mode: Mode
    merged_vector: Sequence[float] | None = None
    retry_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Effect:
    """Where the fact is now, and the dispute that was opened about it."""

    memory_id: UUID
    contradiction_id: UUID | None = None


async def enact(act: Act, case: Case) -> Effect:  # noqa: PLR0911 - one return an outcome reads best
    """Carry out one ruling. The act's decision id stands on every row that it makes."""
    outcome = case.ruling.outcome
    match outcome:
        case Outcome.STORED | Outcome.DEFERRED | Outcome.HELD | Outcome.WITHDRAWN:
            return await _keep_beside(act, case)
        case Outcome.UNDECIDED:
            await _keep_undecided(act, case)
            return Effect(case.draft.memory_id)
        case Outcome.LINKED:
            await _store(act, case, Status.ACTIVE)
            await link(act, EdgeType.SAME_AS, case.draft.memory_id, _target(case).id, case.ruling.reason)
            return Effect(case.draft.memory_id)
        case Outcome.DEDUPLICATED if case.work.reconsidered is not None:
            return await _find_said(act, case, case.work.reconsidered)
        case Outcome.DEDUPLICATED:
            detail = {"write_id": str(case.work.write_id) if case.work.write_id else None}
            await hear_again(act, _target(case), case.draft.source, detail)
            return Effect(_target(case).id)
        case Outcome.UPDATED:
            return await _update(act, case)
        case Outcome.SUPERSEDED:
            return await _supersede(act, case)
        case Outcome.PREVIOUSLY_WITHDRAWN:
            raise AssertionError
        case _:
            assert_never(outcome)


def _target(case: Case) -> Memory:
    if case.target is None:
        raise AssertionError
    return case.target


async def _keep_undecided(act: Act, case: Case) -> None:
    """Kept, marked, listed, and due to be decided again; a fact that is undecided once more only stays so."""
    if case.work.reconsidered is not None:
        return
    await _store(act, case, Status.HELD if case.mode is Mode.BLOCK else Status.ACTIVE, undecided=True)
    await act.connection.execute(undecided_facts.INSERT, act.tenant_id, case.draft.memory_id, act.at, case.retry_seconds)
    payload = {"memory_id": str(case.draft.memory_id)}
    await announce(act.connection, act.tenant_id, EventType.WRITE_UNDECIDED, act.at, user_id=case.work.user_id, payload=payload)


async def _find_said(act: Act, case: Case, memory: Memory) -> Effect:
    """A late NOOP: a SAME_AS edge to the twin; a held one is then withdrawn, for its twin stands."""
    await link(act, EdgeType.SAME_AS, memory.id, _target(case).id, case.ruling.reason)
    if memory.status is Status.HELD:
        await withdraw(act, memory, "the same is said already")
    await _mark_decided(act, case, memory, memory.status)
    return Effect(memory.id)


async def _mark_decided(act: Act, case: Case, memory: Memory, status: Status) -> None:
    """The memory that was undecided has its verdict now: it gets the status that the ruling gives a new one."""
    await act.connection.execute(undecided_facts.DECIDED, act.tenant_id, memory.id, act.at)
    if memory.status is Status.HELD and status is Status.ACTIVE:
        await activate(act, memory, case.ruling.reason)
    elif memory.status is not status and status is Status.WITHDRAWN:
        await withdraw(act, memory, case.ruling.reason)
    else:
        await act.connection.execute(memories.SET_DECIDED, act.tenant_id, memory.id)
    await note(act, memory.id, "decided", case.ruling.reason or None)


async def _store(act: Act, case: Case, status: Status, *, undecided: bool = False) -> None:
    if case.work.reconsidered is not None:
        await _mark_decided(act, case, case.work.reconsidered, status)
        return
    draft, ruling = case.draft, case.ruling
    merged = ruling.content is not None and ruling.outcome is Outcome.SUPERSEDED
    new = NewMemory(
        memory_id=draft.memory_id,
        user_id=case.work.user_id,
        kind=Kind.ATOM,
        memory_type=draft.memory_type,
        content=ruling.content if merged and ruling.content is not None else draft.content,
        status=status,
        source=draft.source,
        at=case.work.accepted_at if case.work.late else act.at,
        charter_version=act.charter_version,
        shared=draft.shared,
        valid_from=draft.valid_from,
        undecided=undecided,
        metadata=draft.metadata,
        agent_id=draft.agent_id,
        session_id=draft.session_id,
        created_by=act.actor,
        write_id=case.work.write_id,
        raw_input_id=case.work.raw_input_id,
    )
    vector = case.merged_vector if merged and case.merged_vector is not None else draft.vector
    event = {Status.HELD: "held", Status.WITHDRAWN: "withdrawn"}.get(status, "undecided" if undecided else "stored")
    await store(act, new, vector, event, ruling.reason or None)


async def _keep_beside(act: Act, case: Case) -> Effect:
    """The new memory is stored beside what it meets; where the ruling asks, a dispute joins the two."""
    ruling = case.ruling
    status = {Outcome.HELD: Status.HELD, Outcome.WITHDRAWN: Status.WITHDRAWN}.get(ruling.outcome, Status.ACTIVE)
    await _store(act, case, status)
    if ruling.conflict_type is None:
        return Effect(case.draft.memory_id)
    return Effect(case.draft.memory_id, await _open(act, case))


async def _open(act: Act, case: Case) -> UUID:
    ruling, target = case.ruling, _target(case)
    if ruling.conflict_type is None or ruling.strategy is None or ruling.pending_operation is None:
        raise AssertionError
    contradiction_id = new_id()
    await contradictions.insert(
        act.connection,
        act.tenant_id,
        NewContradiction(
            contradiction_id=contradiction_id,
            strategy=ruling.strategy,
            conflict_type=ruling.conflict_type,
            articles=ruling.articles,
            pending_operation=ruling.pending_operation,
            pending_content=ruling.pending_content,
            pending_reason=ruling.reason,
            confidence=case.verdict.confidence if isinstance(case.verdict.confidence, int) else 0,
            new_memory_id=case.draft.memory_id,
            existing_memory_id=target.id,
            new_user_id=case.work.user_id,
            existing_user_id=target.user_id,
            decision_id=act.decision_id,
            at=act.at,
            created_by=act.actor,
        ),
    )
    event = EventType.CLARIFICATION_OPENED if ruling.asks else EventType.CONTRADICTION_RESOLVED
    payload = {"contradiction_id": str(contradiction_id), "conflict_type": ruling.conflict_type}
    for memory_id in (case.draft.memory_id, target.id):
        await note(act, memory_id, "disputed", ruling.reason or None, payload)
    await announce(act.connection, act.tenant_id, event, act.at, user_id=case.work.user_id, payload=payload)
    if ruling.resolution is not None:
        await _resolve_by_rule(act, case, contradiction_id, ruling.resolution)
    return contradiction_id


async def _resolve_by_rule(act: Act, case: Case, contradiction_id: UUID, resolution: Resolution) -> None:
    """A learned rule answered: the dispute stands in the records as resolved by it."""
    effects = {"withdrawn": [str(case.draft.memory_id)]} if resolution is Resolution.CONFIRM else {}
    if resolution is Resolution.RETRACT:
        effects = {"superseded": [str(_target(case).id)]}
    await act.connection.execute(
        contradictions.RESOLVE,
        act.tenant_id,
        contradiction_id,
        resolution,
        None,
        None,
        None,
        None,
        None,
        act.at,
        effects,
        None,
        case.ruling.rules[0],
        None,
    )
    await contradictions.insert_event(
        act.connection,
        act.tenant_id,
        contradiction_id,
        act.at,
        "resolved",
        1,
        actor=None,
        detail={"rule_id": str(case.ruling.rules[0])},
    )


async def _update(act: Act, case: Case) -> Effect:
    target, merged = _target(case), case.ruling.content
    if merged is None or case.merged_vector is None:
        raise AssertionError
    await revise(act, target, merged, case.merged_vector, "updated", case.ruling.reason, case.draft.source)
    return Effect(target.id)


async def _supersede(act: Act, case: Case) -> Effect:
    """The new memory takes the target's place; the target stays, whole, in the history."""
    target = _target(case)
    if case.ruling.strategy is Strategy.FLAGGED:
        await _store(act, case, Status.ACTIVE)
        contradiction_id = await _open(act, case)
        await supersede(act, target, case.draft.memory_id, case.ruling.reason, case.draft.valid_from)
        return Effect(case.draft.memory_id, contradiction_id)
    await supersede_first(act, case, target)
    return Effect(case.draft.memory_id)


async def supersede_first(act: Act, case: Case, target: Memory) -> None:
    """Store the new memory and supersede the target by it.

    A text that comes back equals none that is current (the exact tier would have caught it), so storing it first is safe.
    """
    await _store(act, case, Status.ACTIVE)
    await supersede(act, target, case.draft.memory_id, case.ruling.reason, case.draft.valid_from)


def operation_shown(verdict: Verdict) -> str:
    """The engine's or the tier's verdict, as results show it."""
    return str(verdict.operation) if verdict.operation in Operation.__members__.values() else "UNKNOWN"
