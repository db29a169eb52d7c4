"""Ordered facts of one subject: is each change noticed, and can the past be asked for?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.deciding.marks import CONFLICT, DUPLICATE, NEW, UPDATE, said
from bench.deciding.rows import Chain, Question
from bench.deciding.service import Service, Written

_SHARED = frozenset({"deduplicated", "updated"})  # the memory carries more than the event
TOLD, REPLACED, MISSED, LOST, KEPT, ALARM = "asked", "replaced", "missed", "lost", "kept", "false alarm"


@dataclass(frozen=True, slots=True)
class Step:
    """What became of one event: `changes` says whether it was to change an earlier one."""

    changes: bool
    end: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A question about an instant.

    `there`: the event that answers was among the memories of that instant. `alone`: and no other state of the same
    thing passed for current, undisputed. `by_valid_time`: the same listing by `valid_at` holds it.
    """

    there: bool
    alone: bool
    by_valid_time: bool


@dataclass(frozen=True, slots=True)
class Walk:
    """One sequence, walked through."""

    source: str
    steps: tuple[Step, ...]
    answers: tuple[Answer, ...]


async def walk(service: Service, user: str, chain: Chain) -> Walk:
    """Write the events in order, each since its own date, then ask."""
    written = [await service.write(user, event.text, _instant(event.at)) for event in chain.events]
    steps = tuple(_step(one, changes=event.replaces is not None) for one, event in zip(written[1:], chain.events[1:], strict=True))
    answers = [await _answer(service, user, chain, written, question) for question in chain.questions]
    return Walk(chain.source, steps, tuple(answers))


def _step(written: Written, *, changes: bool) -> Step:
    asked = bool(written.questions)
    label = said(written.result, asked=asked)
    if changes:
        ends = {DUPLICATE: LOST, NEW: MISSED, UPDATE: REPLACED, CONFLICT: TOLD}
        return Step(changes, TOLD if asked else ends.get(label, MISSED))
    if asked:
        return Step(changes, ALARM)
    return Step(changes, LOST if label in {UPDATE, DUPLICATE} else KEPT)


async def _answer(service: Service, user: str, chain: Chain, written: Sequence[Written], question: Question) -> Answer:
    """The instant is just before the next event came in, or now."""
    last = question.after == len(chain.events) - 1
    when: dict[str, str] = {} if last else {"as_of": written[question.after].at}
    current = {memory["id"]: memory for memory in await service.memories(user, **when)}
    wanted = written[question.answer].result["memory_id"]
    others = {written[place].result["memory_id"] for place in _states(chain, question)} - {wanted}
    stale = [one for one in others if one in current and not _disputed(current[one], current.get(wanted))]
    then = await service.memories(user, valid_at=_instant(chain.events[question.answer].at))
    there = wanted in current and _says(current[wanted], chain, written, question)
    return Answer(there, there and not stale, wanted in {memory["id"] for memory in then})


def _says(memory: dict[str, Any], chain: Chain, written: Sequence[Written], question: Question) -> bool:
    """A memory that was made for the event has its text at that instant, whatever became of it later."""
    return written[question.answer].result["outcome"] in _SHARED or memory["content"] == chain.events[question.answer].text


def _states(chain: Chain, question: Question) -> set[int]:
    """The places of the events that are states of the thing asked about: the answer, and what is linked to it by changes."""
    found = {question.answer}
    while True:
        more = {place for place, event in enumerate(chain.events) if event.replaces in found}
        more |= {event.replaces for place in found if (event := chain.events[place]).replaces is not None}
        if more <= found:
            return {place for place in found if place <= question.after}
        found |= more


def _disputed(one: dict[str, Any], wanted: dict[str, Any] | None) -> bool:
    return bool(one["open_contradictions"]) and (wanted is None or bool(wanted["open_contradictions"]))


def _instant(day: str) -> str:
    """A date, a month or a year as the first instant of it; a minute as it stands."""
    date, _, time = day.partition("T")
    padded = f"{date}-01-01"[:10] if len(date) <= 7 else date
    return f"{padded}T{time or '00:00'}:00Z"


def chain_figures(walks: Sequence[Walk]) -> dict[str, Any]:
    """What is reported of some sequences; rates in [0, 1], None where there was nothing to count."""
    changes = [step.end for one in walks for step in one.steps if step.changes]
    rest = [step.end for one in walks for step in one.steps if not step.changes]
    answers = [answer for one in walks for answer in one.answers]
    return {
        "sequences": len(walks),
        "changes": len(changes),
        "silent_loss": changes.count(LOST) + rest.count(LOST),
        "replaced": _share(changes, REPLACED),
        "asked": _share(changes, TOLD),
        "missed_rate": _share(changes, MISSED),
        "other_facts": len(rest),
        "false_alarm_rate": _share(rest, ALARM),
        "questions": len(answers),
        "there": _rate(answer.there for answer in answers),
        "alone": _rate(answer.alone for answer in answers),
        "by_valid_time": _rate(answer.by_valid_time for answer in answers),
    }


def _share(ends: Sequence[str], end: str) -> float | None:
    return _rate(one == end for one in ends)


def _rate(held: Iterable[bool]) -> float | None:
    counted = list(held)
    return round(sum(counted) / len(counted), 4) if counted else None
