"""The answer to a write, derived from its decisions and disputes: the same at once, on a repeat, and when asked later."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

import asyncpg

from app.charter.model import DisputeStatus, Mode, Outcome
from app.db import contradictions, decisions, memories
from app.db.contradictions import Contradiction
from app.db.decisions import Decision
from app.db.memories import Memory
from app.db.writes import Write
from app.services.clarify import clarification
from app.services.govern import read_state
from app.services.precedents import answers_of
from app.services.views import ResultView, RuleAnswerView, WriteView


async def view_of(connection: asyncpg.Connection, tenant_id: UUID, write: Write, language: str, *, replayed: bool = False) -> WriteView:
    """A stored write in its current state; `accepted` while its work still goes on, `set_aside` when the operator said so."""
    rows = await connection.fetch(decisions.OF_WRITE, tenant_id, write.id)
    made = list({row["position"]: decisions.decision_of(row) for row in rows}.values())  # a later decision counts
    return await compose(
        connection,
        tenant_id,
        made,
        language,
        write_id=write.id,
        raw_input_id=write.raw_input_id,
        status=write.status if write.status in {"completed", "set_aside"} else "accepted",
        replayed=replayed,
    )


async def compose(
    connection: asyncpg.Connection,
    tenant_id: UUID,
    made: Sequence[Decision],
    language: str,
    *,
    write_id: UUID | None,
    raw_input_id: UUID | None,
    status: str,
    replayed: bool = False,
) -> WriteView:
    """The write body of the contract, from the decisions that it made."""
    state = await read_state(connection, tenant_id)
    disputes = await _disputes(connection, tenant_id, made)
    sides = await memories.get_many(connection, tenant_id, _ids_of(disputes))
    answers = await answers_of(connection, tenant_id, [one.new_user_id for one in disputes]) if disputes else {}
    asked = [
        clarification(one, sides[one.new_memory_id], sides[one.existing_memory_id], language, answers)
        for one in disputes
        if one.status is DisputeStatus.OPEN
    ]
    by_rule = [_by_rule(one, sides) for one in disputes if one.rule_id is not None]
    waits = status != "completed" or any(_waits(one) for one in made)
    return WriteView(
        write_id=write_id,
        status=status,
        raw_input_id=raw_input_id,
        charter=state.stamp,
        results=[_result(one) for one in made],
        needs_clarification=asked,
        resolved_by_rule=by_rule,
        http_status=202 if waits else 201,
        replayed=replayed,
    )


def _waits(decision: Decision) -> bool:
    """True when the fact is held: asked about, or undecided, under an approved charter."""
    undecided = decision.outcome is Outcome.UNDECIDED and decision.mode is Mode.BLOCK
    return undecided or decision.outcome is Outcome.HELD


async def _disputes(connection: asyncpg.Connection, tenant_id: UUID, made: Sequence[Decision]) -> list[Contradiction]:
    """Those that the write opened, and those that are open about a fact that it repeated."""
    opened = await contradictions.fetch(connection, contradictions.OF_DECISIONS, tenant_id, [one.id for one in made])
    repeated = [one.memory_id for one in made if one.outcome is Outcome.DEDUPLICATED]
    again = await contradictions.fetch(connection, contradictions.OPEN_ON_MANY, tenant_id, repeated) if repeated else []
    return list({one.id: one for one in (*opened, *again)}.values())


def _ids_of(disputes: Sequence[Contradiction]) -> list[UUID]:
    return [memory_id for one in disputes for memory_id in (one.new_memory_id, one.existing_memory_id)]


def _by_rule(dispute: Contradiction, sides: Mapping[UUID, Memory]) -> RuleAnswerView:
    if dispute.rule_id is None or dispute.resolution is None:
        raise AssertionError
    return RuleAnswerView(
        rule_id=dispute.rule_id,
        contradiction_id=dispute.id,
        resolution=dispute.resolution,
        new_memory_id=dispute.new_memory_id,
        new_content=sides[dispute.new_memory_id].content,
        existing_memory_id=dispute.existing_memory_id,
        existing_content=sides[dispute.existing_memory_id].content,
    )


def _result(decision: Decision) -> ResultView:
    withdrawn = decision.outcome is Outcome.PREVIOUSLY_WITHDRAWN
    contradiction = decision.ruling.get("contradiction_id") if withdrawn else None
    return ResultView(
        content=decision.content,
        memory_type=decision.memory_type,
        operation=decision.operation,
        outcome=decision.outcome,
        tier=decision.tier,
        memory_id=decision.memory_id,
        target_memory_id=decision.target_memory_id,
        similarity=decision.similarity,
        confidence=decision.confidence,
        decision_id=decision.id,
        contradiction_id=UUID(contradiction) if contradiction else None,
    )


def as_dry_run(view: WriteView, made: Collection[UUID]) -> WriteView:
    """A dry run's answer: what would be made has no id, for nothing was stored. `made`: the ids of the drafts."""
    results = [
        replace(
            one,
            memory_id=None if one.memory_id in made else one.memory_id,
            target_memory_id=None if one.target_memory_id in made else one.target_memory_id,
            decision_id=None,
        )
        for one in view.results
    ]
    asked = [
        replace(one, contradiction_id=None, new_memory_id=None) if one.new_memory_id in made else one for one in view.needs_clarification
    ]
    return replace(view, results=results, needs_clarification=asked, http_status=200)
