"""What the engine makes of one pair: the model's relation, held against the guards, the dates and the words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from app.charter.model import Operation
from app.engine.frames import Statement
from app.engine.relation import guards
from app.engine.relation.guards import Difference
from app.engine.relation.model import Relation

REPEATED: Final = 0.97
"""A repeat is dropped only from this share on, and only where no guard speaks against it."""

DIFFERS: Final = 0.5
"""From this share on two statements are said not to hold at once."""

SILENT_CHANGE: Final = 0.90
"""A stored statement is replaced without a question only from this share on, and only where the new one reports a change."""

ASKS: Final = 69
"""The highest confidence of what the engine would not do without asking (charter, C5)."""

_SAME_WORDS, _UNSURE = 99, 60
_OVERLOOKED: Final = frozenset({Difference.NUMBER, Difference.NEGATION, Difference.OPPOSITE})


@dataclass(frozen=True, slots=True)
class Finding:
    """What one pair asks for. `strength` orders the findings of one question; `confidence` is what is proposed."""

    operation: Operation
    confidence: int
    strength: float
    reasoning: str


@dataclass(frozen=True, slots=True)
class Pair:
    """Both sides of one question as they are compared."""

    stored: str
    new: str
    old: Statement
    fresh: Statement
    stored_from: datetime | None
    new_from: datetime | None

    @property
    def begins_earlier(self) -> bool:
        """True when the new statement is of an earlier time than the stored one, by its metadata or by its words."""
        if self.new_from is not None and self.stored_from is not None and self.new_from < self.stored_from:
            return True
        return self.old.year is not None and self.fresh.year is not None and self.fresh.year < self.old.year


def add(share: float, reasoning: str) -> Finding:
    """Keep the new statement beside the stored one."""
    return Finding(Operation.ADD, _percent(share), 0.0, reasoning)


def judge(pair: Pair, relation: Relation) -> Finding:
    """The finding for a pair of English statements."""
    if pair.old.words == pair.fresh.words:
        return Finding(Operation.NOOP, _SAME_WORDS, 2.0, "The new statement has the same words in the same order as the stored one.")
    if relation.truncated:
        return add(relation.new, "The two statements are too long to be compared to their end, so both are kept.")
    difference = guards.difference_between(pair.stored, pair.new)
    if relation.duplicate >= REPEATED and difference is None and _same_time(pair):
        reasoning = "The new statement says in other words what the stored one says."
        return Finding(Operation.NOOP, _percent(relation.duplicate), 1 + relation.duplicate, reasoning)
    differs = relation.change + relation.conflict
    if pair.begins_earlier:
        return add(max(relation.new, differs), "The new statement is about an earlier time than the stored one, so both are kept.")
    return _differing(pair, relation, differs) if differs >= DIFFERS else _agreeing(pair, relation, difference)


def _agreeing(pair: Pair, relation: Relation, difference: Difference | None) -> Finding:
    """Nothing speaks against the stored statement: a detail of it, something overlooked, or something else altogether."""
    alike = relation.detail + relation.duplicate
    if alike >= DIFFERS and _may_merge(pair, difference):
        return Finding(Operation.UPDATE, _percent(alike), alike, "The new statement says all that the stored one says, and more.")
    if alike >= DIFFERS and difference in _OVERLOOKED:
        return Finding(Operation.CONTRADICT, _UNSURE, 0.5, f"The two statements say nearly the same but differ in {difference}.")
    return add(relation.new, "The new statement neither repeats nor contradicts the stored one.")


def _differing(pair: Pair, relation: Relation, differs: float) -> Finding:
    if relation.conflict >= relation.change:
        reasoning = "The new statement and the stored one cannot both be true now, and nothing says that something changed."
        return Finding(Operation.CONTRADICT, _percent(differs), differs, reasoning)
    if _reports_change(pair) and relation.change >= SILENT_CHANGE and guards.kin_of(pair.stored) == guards.kin_of(pair.new):
        reasoning = "The new statement reports that what the stored one says has changed."
        return Finding(Operation.SUPERSEDE, _percent(relation.change), differs, reasoning)
    reasoning = "The new statement seems to report a later state of what the stored one says, but does not say so for certain."
    return Finding(Operation.SUPERSEDE, min(ASKS, _percent(relation.change)), differs, reasoning)


def _reports_change(pair: Pair) -> bool:
    """True when the new text says by its words or its date that something is no longer as it was."""
    later = pair.old.year is not None and pair.fresh.year is not None and pair.fresh.year > pair.old.year
    return pair.fresh.cue or pair.fresh.ending or later


def _may_merge(pair: Pair, difference: Difference | None) -> bool:
    """True when the new text can stand in the place of the stored one without the loss of a word."""
    added = guards.negations_in(pair.new) != guards.negations_in(pair.stored)
    hedged = not pair.fresh.hedges <= pair.old.hedges
    turned = difference in {Difference.OPPOSITE, Difference.ORDER, Difference.KIN}
    return guards.carries(pair.new, pair.stored) and not added and not hedged and not turned and not pair.fresh.cue


def _same_time(pair: Pair) -> bool:
    return pair.new_from is None or pair.new_from == pair.stored_from


def _percent(share: float) -> int:
    return min(99, max(1, round(100 * share)))
