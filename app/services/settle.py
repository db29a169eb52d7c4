"""The transaction of a write: lock the user, look again, rule on every fact in order, carry it out, commit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from time import perf_counter
from typing import Any
from uuid import UUID

import asyncpg

from app.charter.defaults import same_text
from app.charter.model import Charter, Mode, Operation, Outcome, Ruling, Status, Tier, Verdict
from app.charter.policy import rule_on
from app.db import contradictions, decisions, memories
from app.db import rules as rules_sql
from app.db.decisions import Decision
from app.db.ids import new_id
from app.db.memories import Memory
from app.db.transaction import NOW, lock_users
from app.services.changes import Act
from app.services.drafts import Work, incoming_of, target_of
from app.services.enact import Case, Effect, enact, operation_shown
from app.services.govern import CharterState, read_state, thresholds_view
from app.services.parts import Parts
from app.services.propose import Costs, Plan
from app.services.rulebook import live_rules
from app.services.survey import Surroundings, survey

UNDECIDED = "UNDECIDED"


class OvertakenError(Exception):
    """The candidates of some facts changed since the engine saw them: the transaction ends and the engine is asked again."""


@dataclass(slots=True)
class _Session:
    """What one settling transaction knows and has done so far. `landed`: where each fact of this write is now."""

    parts: Parts
    connection: asyncpg.Connection
    work: Work
    state: CharterState
    charter: Charter
    at: datetime
    costs: Costs
    landed: dict[UUID, UUID]
    touched: set[UUID]


async def settle(
    parts: Parts, connection: asyncpg.Connection, work: Work, plans: Mapping[int, Plan], costs: Costs, *, last: bool
) -> CharterState:
    """Decide and carry out every fact of a write, inside the caller's transaction, under the user's lock.

    Raises `OvertakenError` when candidates changed (the transaction rolls back, the engine is asked again); on the `last`
    try such facts are undecided instead.
    """
    started = perf_counter()
    await lock_users(connection, work.tenant_id, work.user_id, *users_named(plans))
    at: datetime = await connection.fetchval(NOW)
    state = await read_state(connection, work.tenant_id)
    found = await survey(connection, work, parts.embedder.model, parts.thresholds)
    stale = frozenset(one.draft.position for one in found if _overtaken(one, plans))
    if stale and not last:
        raise OvertakenError
    charter = state.in_force(parts.thresholds, await live_rules(connection, work.tenant_id, work.user_id))
    if work.reconsidered is not None and work.reconsidered.status is Status.ACTIVE:
        charter = replace(charter, mode=Mode.DEFER)  # it is recalled already: approval leaves what waits as it is
    session = _Session(parts, connection, work, state, charter, at, costs, {}, set())
    for one in found:
        await _decide(session, one, plans.get(one.draft.position), overtaken=one.draft.position in stale)
    work.timings["settle"] = round((perf_counter() - started) * 1000, 1)
    return state


def users_named(plans: Mapping[int, Plan]) -> set[str]:
    """The users whose memories the verdicts are about: another user's shared memory must not change under a contradiction."""
    named = [(plan.verdict.target, plan.shown) for plan in plans.values() if plan.verdict is not None]
    return {met.target.user_id for target, shown in named for met in shown if met.target.memory_id == target}


def _overtaken(one: Surroundings, plans: Mapping[int, Plan]) -> bool:
    if one.verdict is not None or one.withdrawn is not None:
        return False
    plan = plans.get(one.draft.position)
    return plan is None or not plan.fits(one)


async def _decide(session: _Session, one: Surroundings, plan: Plan | None, *, overtaken: bool) -> None:
    if one.withdrawn is not None:
        repeat = Verdict(Operation.NOOP, one.withdrawn.memory_id, 100, "withdrawn by an answer that stands", tier=Tier.EXACT)
        await _record(session, one, repeat, None, Effect(one.withdrawn.memory_id, one.withdrawn.contradiction_id), new_id())
        return
    verdict, fault = one.verdict, None
    if verdict is None:
        verdict = plan.verdict if plan and not overtaken else None
        fault = "the candidates kept changing" if overtaken else (plan.fault if plan else None)
    ruling, target, verdict = await _rule(session, one, verdict, fault)
    decision_id = new_id()
    act = Act(
        session.connection,
        session.work.tenant_id,
        session.work.actor,
        session.at,
        session.state.version,
        session.parts.embedder.model,
        decision_id,
    )
    merged = plan.merged_vector if plan else None
    delay = session.parts.settings.intake.retry_seconds
    effect = await enact(act, Case(session.work, one.draft, verdict, ruling, target, session.charter.mode, merged, delay))
    session.landed[one.draft.memory_id] = effect.memory_id
    session.touched |= {effect.memory_id} if ruling.outcome is not Outcome.DEDUPLICATED else set()
    session.touched |= {target.id} if target and ruling.outcome in {Outcome.SUPERSEDED, Outcome.UPDATED} else set()
    await _record(session, one, verdict, ruling, effect, decision_id, target)


async def _rule(session: _Session, one: Surroundings, verdict: Verdict | None, fault: str | None) -> tuple[Ruling, Memory | None, Verdict]:
    """The ruling on one verdict with its target as it is now, in this transaction."""
    verdict = await _said_meanwhile(session, one) or verdict
    if verdict is None:
        return Ruling(Outcome.UNDECIDED, None, reason="no usable verdict", fault=fault), None, Verdict(UNDECIDED, confidence=None)
    target, verdict = await _now(session, verdict)
    accepted_at = session.work.accepted_at if session.work.late else session.at
    incoming = incoming_of(one.draft, session.work, accepted_at)
    seen = None if target is None else target_of(target, sibling=target.id in session.touched)
    ruling = rule_on(verdict, incoming, seen, session.charter)
    if ruling.content is not None and await _said_elsewhere(session, one, ruling.content, target):
        ruling = Ruling(Outcome.UNDECIDED, None, reason="no usable verdict", fault="the merge says what another memory says")
    if ruling.conflict_type is not None and target is not None and await _asked_already(session, target):
        ruling = Ruling(Outcome.STORED, Operation.ADD, reason="somebody is asked about this pair already")
    return ruling, target, verdict


async def _asked_already(session: _Session, target: Memory) -> bool:
    """True when a fact that is decided late was met by the target meanwhile: one open dispute joins a pair, and it is that one."""
    memory = session.work.reconsidered
    if memory is None:
        return False
    pair = (session.work.tenant_id, memory.id, target.id)
    return await session.connection.fetchrow(contradictions.OPEN_BETWEEN, *pair) is not None


async def _now(session: _Session, verdict: Verdict) -> tuple[Memory | None, Verdict]:
    """The verdict's target as it is now.

    A target that an earlier fact of this write superseded is met as its successor, a fact of the same write; a verdict
    of equality is then news about it (the same write says two things), which is kept as a contradiction.
    """
    if verdict.target is None:
        return None, verdict
    target_id = session.landed.get(verdict.target, verdict.target)
    target = await memories.get(session.connection, session.work.tenant_id, target_id)
    if target is not None and target.superseded_by in session.touched and target.status is Status.SUPERSEDED:
        target = await memories.get(session.connection, session.work.tenant_id, target.superseded_by)
        if target is not None:
            operation = Operation.CONTRADICT if verdict.operation == Operation.NOOP else verdict.operation
            return target, replace(verdict, target=target.id, operation=operation, tier=Tier.ENGINE)
    return target, replace(verdict, target=target_id)


async def _said_meanwhile(session: _Session, one: Surroundings) -> Verdict | None:
    """A repeat, where an earlier fact of this write came to say this very text, as a merge does; else None."""
    if not session.touched:
        return None
    folded = memories.folded(one.draft.content, one.draft.memory_type)
    rows = await session.connection.fetch(memories.SAME_TEXT, session.work.tenant_id, session.work.user_id, [folded])
    incoming = incoming_of(one.draft, session.work, session.at)
    said = [row["memory_id"] for row in rows if same_text(incoming, target_of(memories.memory_of(row)))]
    twin = next((memory_id for memory_id in said if memory_id in session.touched), None)
    return None if twin is None else Verdict(Operation.NOOP, twin, 100, "the same text", tier=Tier.EXACT)


async def _said_elsewhere(session: _Session, one: Surroundings, content: str, target: Memory | None) -> bool:
    """True when a merge equals another current memory of the user: it would be stored twice."""
    if target is None:
        return False
    kinds = {target.memory_type, one.draft.memory_type}
    folded = [memories.folded(content, kind) for kind in kinds]
    rows = await session.connection.fetch(memories.SAME_TEXT, session.work.tenant_id, session.work.user_id, folded)
    return any(row["memory_id"] != target.id for row in rows)


async def _record(
    session: _Session,
    one: Surroundings,
    verdict: Verdict,
    ruling: Ruling | None,
    effect: Effect,
    decision_id: UUID,
    target: Memory | None = None,
) -> None:
    """The decision row: everything that led to it. A previously withdrawn fact has no ruling: the answer stands."""
    parts, draft, tier = session.parts, one.draft, verdict.tier
    shown = one.shown if tier is Tier.ENGINE else one.meetings[:3]
    decision = Decision(
        id=decision_id,
        write_id=session.work.write_id,
        position=draft.position,
        user_id=session.work.user_id,
        memory_id=effect.memory_id,
        target_memory_id=target.id if target else None,
        content=draft.content,
        memory_type=draft.memory_type,
        tier=tier,
        operation=_operation(verdict),
        outcome=ruling.outcome if ruling else Outcome.PREVIOUSLY_WITHDRAWN,
        similarity=None if one.best is None else round(one.best, 6),
        confidence=verdict.confidence if type(verdict.confidence) is int and 0 <= verdict.confidence <= 100 else None,
        candidates=[_candidate(met.target.memory_id, met.target.content, met.similarity) for met in shown],
        verdict=verdict_view(verdict),
        ruling=ruling_view(ruling, effect),
        articles=ruling.articles if ruling else (),
        rules=ruling.rules if ruling else (),
        thresholds=thresholds_view(parts.thresholds),
        engine=_engine_view(session, tier),
        embedder=parts.embedder.model,
        charter_version=session.state.version,
        mode=session.charter.mode,
        created_at=session.at,
        timings=dict(session.work.timings),
    )
    await decisions.insert(session.connection, session.work.tenant_id, decision)
    session.work.made.append(decision)
    for rule_id in decision.rules:
        await session.connection.execute(rules_sql.INSERT_USE, session.work.tenant_id, rule_id, decision_id)


def _operation(verdict: Verdict) -> str:
    return UNDECIDED if verdict.operation == UNDECIDED else operation_shown(verdict)


def _candidate(memory_id: UUID, content: str, similarity: float) -> dict[str, Any]:
    return {"memory_id": str(memory_id), "content": content, "similarity": round(similarity, 6)}


def verdict_view(verdict: Verdict) -> dict[str, Any]:
    """A verdict as decisions record it; empty where there was none."""
    if verdict.operation == UNDECIDED:
        return {}
    return {
        "operation": str(verdict.operation),
        "target": str(verdict.target) if verdict.target else None,
        "confidence": verdict.confidence if type(verdict.confidence) is int else repr(verdict.confidence),
        "reasoning": verdict.reasoning,
        "merged_content": verdict.merged_content,
        "new_type": verdict.new_type,
        "target_type": verdict.target_type,
    }


def ruling_view(ruling: Ruling | None, effect: Effect) -> dict[str, Any]:
    """A ruling as decisions record it, with the dispute that it opened."""
    contradiction = str(effect.contradiction_id) if effect.contradiction_id else None
    if ruling is None:
        return {"operation": None, "outcome": Outcome.PREVIOUSLY_WITHDRAWN, "conflict_type": None, "contradiction_id": contradiction}
    return {
        "operation": ruling.operation,
        "outcome": ruling.outcome,
        "conflict_type": ruling.conflict_type,
        "strategy": ruling.strategy,
        "pending_operation": ruling.pending_operation,
        "resolution": ruling.resolution,
        "contradiction_id": contradiction,
        "reason": ruling.reason,
        "fault": ruling.fault,
    }


def _engine_view(session: _Session, tier: Tier) -> dict[str, Any]:
    if tier is not Tier.ENGINE:
        return {"name": None, "calls": 0}
    costs = session.costs
    return {
        "name": session.parts.engine.name,
        "calls": costs.calls,
        "prompt_characters": costs.prompt_characters,
        "prompt_tokens": costs.prompt_tokens,
        "completion_tokens": costs.completion_tokens,
        "retries": costs.retries,
        "prompt_sha256": costs.prompt_sha256,
    }
