"""The engine's part of a write: one call for all facts of the gray zone, outside any transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from uuid import UUID

from app.charter.model import Operation, Verdict
from app.db.transaction import transaction
from app.engine.answers import clean, is_storable
from app.engine.port import Candidate, Judgements, NoVerdict, Proposal, Question
from app.errors import EmbedderUnavailableError
from app.metrics import count_engine
from app.services.drafts import Work
from app.services.parts import Parts
from app.services.survey import Meeting, Surroundings, survey
from app.tracing.spans import span


@dataclass(frozen=True, slots=True)
class Plan:
    """What the engine said about one fact, and about what: the verdict counts only while that is unchanged.

    `merged_vector` belongs to the merge of an UPDATE. `fault` says why there is no verdict.
    """

    prints: frozenset[tuple[object, ...]]
    reached: frozenset[UUID]
    shown: Sequence[Meeting]
    verdict: Verdict | None
    fault: str | None
    merged_vector: Sequence[float] | None = None

    def fits(self, now: Surroundings) -> bool:
        """False when a shown candidate changed or a new one reached the gate since."""
        rows = {one.row.fingerprint for one in now.reached if one.row}
        return self.prints <= rows and {one.target.memory_id for one in now.reached} <= self.reached


@dataclass(slots=True)
class Costs:
    """What the engine was asked for one write."""

    calls: int = 0
    prompt_characters: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    retries: int = 0
    prompt_sha256: str | None = None
    seconds: float = 0.0

    def add(self, judgements: Judgements) -> None:
        """Count one more batch."""
        self.calls += judgements.calls
        self.prompt_characters += judgements.prompt_characters
        self.prompt_tokens += judgements.prompt_tokens
        self.completion_tokens += judgements.completion_tokens
        self.retries += judgements.retries
        self.prompt_sha256 = judgements.prompt_sha256 or self.prompt_sha256


async def propose(parts: Parts, work: Work, plans: dict[int, Plan], costs: Costs) -> None:
    """Ask the engine about the facts of the gray zone whose plan is missing or no longer fits; fills `plans`."""
    started = perf_counter()
    async with transaction(parts.pool, work.tenant_id, readonly=True) as connection:
        found = await survey(connection, work, parts.embedder.model, parts.thresholds)
    _count(work, "read", started)
    gray = [one for one in found if one.verdict is None and one.withdrawn is None]
    open_ = [one for one in gray if one.draft.position not in plans or not plans[one.draft.position].fits(one)]
    if not open_:
        return
    started = perf_counter()
    refs = [_refs(one.shown) for one in open_]
    judgements = await _judge(parts, [_question(one, ref, work) for one, ref in zip(open_, refs, strict=True)], costs)
    _count(work, "engine", started)
    costs.add(judgements)
    for one, ref, answer in zip(open_, refs, judgements.answers, strict=True):
        plans[one.draft.position] = _plan(one, ref, answer)
    await _embed_merges(parts, work, plans)


async def _judge(parts: Parts, questions: Sequence[Question], costs: Costs) -> Judgements:
    """What the engine says within what is left of the write's time for it; what it does not is no verdict."""
    started = perf_counter()
    answered = Judgements(())
    try:
        with span("engine", model=parts.engine.name, facts=len(questions)) as noted:
            async with asyncio.timeout(max(0.0, parts.settings.engine.seconds_for_a_write - costs.seconds)):
                answered = await parts.engine.decide(questions)
            noted.note(calls=answered.calls, prompt_tokens=answered.prompt_tokens, completion_tokens=answered.completion_tokens)
    except TimeoutError:
        answered = Judgements(tuple(NoVerdict("the write's time for the engine is used up") for _ in questions))
    finally:
        seconds = perf_counter() - started
        costs.seconds += seconds
        faults = sum(isinstance(one, NoVerdict) for one in answered.answers)
        count_engine(answered.calls, faults, seconds)
    return answered


def _count(work: Work, name: str, started: float) -> None:
    work.timings[name] = round(work.timings.get(name, 0.0) + (perf_counter() - started) * 1000, 1)


def _refs(shown: Sequence[Meeting]) -> dict[str, Meeting]:
    refs: dict[str, Meeting] = {}
    stored = 0
    for one in shown:
        if one.row is None:
            refs[f"n{one.position}"] = one
        else:
            stored += 1
            refs[f"c{stored}"] = one
    return refs


def _question(one: Surroundings, refs: Mapping[str, Meeting], work: Work) -> Question:
    draft = one.draft
    return Question(
        i=draft.position,
        content=draft.content,
        memory_type=draft.memory_type,
        accepted_at=work.accepted_at,
        valid_from=draft.valid_from,
        source=draft.source,
        candidates=tuple(
            Candidate(
                ref=ref,
                content=met.target.content,
                memory_type=met.target.memory_type,
                owner="self" if met.target.user_id == work.user_id else "other",
                similarity=met.similarity,
                recorded_at=met.target.recorded_at,
                valid_from=met.target.valid_from,
                immutable=met.target.immutable,
            )
            for ref, met in refs.items()
        ),
    )


def _plan(one: Surroundings, refs: Mapping[str, Meeting], answer: Proposal | NoVerdict) -> Plan:
    prints = frozenset(met.row.fingerprint for met in refs.values() if met.row)
    reached = frozenset(met.target.memory_id for met in one.reached)
    shown = list(refs.values())
    if isinstance(answer, NoVerdict):
        return Plan(prints, reached, shown, None, answer.fault)
    target = refs.get(answer.target) if answer.target is not None else None
    if answer.target is not None and target is None:
        return Plan(prints, reached, shown, None, "the engine named a candidate that was not shown")
    merged = answer.merged_content if answer.operation == Operation.UPDATE else None
    if merged is not None and not is_storable(merged):
        return Plan(prints, reached, shown, None, "the engine's merge is no text of 1 to 8000 characters")
    verdict = Verdict(
        operation=answer.operation if clean(answer.operation) == answer.operation else "unreadable",
        target=target.target.memory_id if target else None,
        confidence=answer.confidence,
        reasoning=clean(answer.reasoning),
        merged_content=merged,
        new_type=answer.new_type,
        target_type=answer.target_type,
    )
    return Plan(prints, reached, shown, verdict, None)


async def _embed_merges(parts: Parts, work: Work, plans: dict[int, Plan]) -> None:
    """Merges get their vectors now, since no model is called inside a transaction; without one there is no verdict."""
    waiting = [position for position, plan in plans.items() if plan.verdict and plan.verdict.merged_content and plan.merged_vector is None]
    if not waiting:
        return
    texts = [str(plan.verdict.merged_content) for plan in (plans[position] for position in waiting) if plan.verdict]
    started = perf_counter()
    try:
        vectors = await parts.embedder.embed(texts)
    except EmbedderUnavailableError:
        for position in waiting:
            plan = plans[position]
            plans[position] = Plan(plan.prints, plan.reached, plan.shown, None, "the merge could not be embedded")
        return
    _count(work, "embed", started)
    for position, vector in zip(waiting, vectors, strict=True):
        plan = plans[position]
        plans[position] = Plan(plan.prints, plan.reached, plan.shown, plan.verdict, None, vector)
