"""What an outcome says, and what it is worth. Pure.

A label is one of duplicate, new, conflict, update; an outcome that was left open is `undecided`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

DUPLICATE, NEW, CONFLICT, UPDATE, UNDECIDED = "duplicate", "new", "conflict", "update", "undecided"
CHANGES = frozenset({CONFLICT, UPDATE})
_PENDING = {"CONTRADICT": CONFLICT, "CROSS_CONTRADICT": CONFLICT, "UPDATE": UPDATE, "SUPERSEDE": UPDATE, "DELETE": UPDATE}
_SAID_BEFORE = frozenset({"deduplicated", "linked", "previously_withdrawn"})


@dataclass(frozen=True, slots=True)
class Mark:
    """One judged pair: what was right, what the service said, whether it asked, and what that took."""

    file: str
    source: str
    label: str
    lenient: frozenset[str]
    said: str
    asked: bool
    tier: str
    calls: int
    prompt_characters: int
    seconds: float

    def fits(self, *, strict: bool) -> bool:
        """Whether the label is right."""
        return self.said == self.label if strict else self.said in self.lenient

    def lost_silently(self, *, strict: bool) -> bool:
        """A change answered by a silent NOOP, or a conflict or a new fact that silently rewrote the stored one."""
        if self.asked or self.fits(strict=strict):
            return False
        return (self.said == DUPLICATE and self.label in CHANGES) or (self.said == UPDATE and self.label in {CONFLICT, NEW})

    def new_dropped(self) -> bool:
        """A new fact answered by a silent NOOP."""
        return self.label == NEW and self.said == DUPLICATE and not self.asked

    def missed(self, *, strict: bool) -> bool:
        """A change stored beside the old fact with nobody told."""
        return self.label in CHANGES and self.said == NEW and not self.asked and not self.fits(strict=strict)

    def false_alarm(self) -> bool:
        """A question about a duplicate or a compatible new fact."""
        return self.asked and self.label in {DUPLICATE, NEW}


def said(result: Mapping[str, Any], *, asked: bool) -> str:
    """The label that one part of a write's answer stands for."""
    outcome = result["outcome"]
    if outcome in _SAID_BEFORE:
        return DUPLICATE
    if outcome in {"updated", "superseded"}:
        return UPDATE
    if outcome == UNDECIDED:
        return UNDECIDED
    if outcome in {"deferred", "held"}:
        return _PENDING.get(result["operation"], CONFLICT)
    return CONFLICT if asked else NEW


def figures(marks: Sequence[Mark]) -> dict[str, Any]:
    """All that is reported of some marks; rates are in [0, 1], None where nothing was there to count."""
    changes = [mark for mark in marks if mark.label in CHANGES]
    rest = [mark for mark in marks if mark.label not in CHANGES]
    asked = [mark for mark in marks if mark.asked]
    conflicts = [mark for mark in marks if mark.label == CONFLICT]
    return {
        "pairs": len(marks),
        "strict": _by_rule(marks, changes, strict=True),
        "lenient": _by_rule(marks, changes, strict=False),
        "new_dropped": _count(marks, Mark.new_dropped),
        "false_alarms": _count(rest, Mark.false_alarm),
        "false_alarm_rate": _rate(rest, Mark.false_alarm),
        "undecided": _count(marks, lambda mark: mark.said == UNDECIDED),
        "clarification_precision": _rate(asked, lambda mark: mark.label in CHANGES),
        "clarification_recall": _rate(conflicts, lambda mark: mark.asked),
        "engine_share": _rate(marks, lambda mark: mark.tier == "engine"),
        "engine_calls_per_fact": _mean(mark.calls for mark in marks),
        "prompt_characters_per_fact": _mean(mark.prompt_characters for mark in marks),
        "latency_ms": {f"p{share}": percentile([1000 * mark.seconds for mark in marks], share) for share in (50, 90, 99)},
        "confusion": _confusion(marks),
    }


def _by_rule(marks: Sequence[Mark], changes: Sequence[Mark], *, strict: bool) -> dict[str, Any]:
    return {
        "silent_loss": _count(marks, lambda mark: mark.lost_silently(strict=strict)),
        "missed": _count(changes, lambda mark: mark.missed(strict=strict)),
        "missed_rate": _rate(changes, lambda mark: mark.missed(strict=strict)),
        "accuracy": _rate(marks, lambda mark: mark.fits(strict=strict)),
    }


def _confusion(marks: Iterable[Mark]) -> dict[str, dict[str, int]]:
    table: dict[str, dict[str, int]] = {}
    for mark in marks:
        row = table.setdefault(mark.label, {})
        row[mark.said] = row.get(mark.said, 0) + 1
    return table


def percentile(values: Sequence[float], share: int) -> float | None:
    """The value that `share` percent of them do not exceed (nearest rank)."""
    ordered = sorted(values)
    return round(ordered[max(0, -(-len(ordered) * share // 100) - 1)], 1) if ordered else None


def _count(marks: Iterable[Mark], holds: Callable[[Mark], bool]) -> int:
    return sum(holds(mark) for mark in marks)


def _rate(marks: Sequence[Mark], holds: Callable[[Mark], bool]) -> float | None:
    return round(_count(marks, holds) / len(marks), 4) if marks else None


def _mean(values: Iterable[int]) -> float | None:
    counted = list(values)
    return round(sum(counted) / len(counted), 2) if counted else None
