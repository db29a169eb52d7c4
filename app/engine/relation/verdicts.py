"""What the engine makes of one pair: the model's relation, held against the guards, the dates and the words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from app.charter.model import Operation
from app.engine import local as rules
from app.engine.frames import Statement
from app.engine.relation import guards
from app.engine.relation.guards import Difference
from app.engine.relation.model import Relation

REPEATED: Final = 0.85
"""A repeat is dropped only from this share on, and only where no guard speaks against it."""

EITHER_WAY: Final = 0.70
"""The share that the pair must have when it is read the other way round, too."""

REPEATED_DELICATE: Final = 0.97
"""The share that a repeat needs where a word turns or bounds one of the statements: there the model errs most."""

SAME_WORDS: Final = 0.90
"""The share that suffices where both statements have the same words that carry meaning, in whatever order."""

UNLIKE: Final = 0.5
"""From this share of "new" on two statements are said to be of two matters."""

CLEARLY_UNLIKE: Final = 0.7
"""From this share on nothing is asked, whatever the words look like."""

SILENT_CHANGE: Final = 0.90
"""A stored statement is replaced without a question only from this share on, and only where the new one reports a change."""

ASKS: Final = 69
"""The highest confidence of what the engine would not do without asking (charter, C5)."""

_SAME_WORDS, _UNSURE = 99, 60


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
    if relation.truncated and pair.old.words != pair.fresh.words:
        return add(relation.new, "The two statements are too long to be compared to their end, so both are kept.")
    difference = guards.difference_between(pair.stored, pair.new)
    repeat = _repeating(pair, relation, difference)
    if repeat is not None:
        return repeat
    differs = relation.change + relation.conflict
    if pair.begins_earlier:
        return add(max(relation.new, differs), "The new statement is about an earlier time than the stored one, so both are kept.")
    if guards.about_others(pair.stored, pair.new):
        return add(max(relation.new, differs), "The two statements are about different people, so both are kept.")
    if relation.new >= UNLIKE:
        return _unlike(pair, relation)
    return _differing(pair, relation, differs) if differs >= relation.duplicate + relation.detail else _agreeing(pair, relation, difference)


def _repeating(pair: Pair, relation: Relation, difference: Difference | None) -> Finding | None:
    """The finding where nothing is lost when the new statement is not stored; None where something might be."""
    if pair.old.words == pair.fresh.words:
        return Finding(Operation.NOOP, _SAME_WORDS, 2.0, "The new statement has the same words in the same order as the stored one.")
    if difference is not None or not _same_time(pair):
        return None
    needed = REPEATED_DELICATE if guards.is_delicate(pair.stored, pair.new) else REPEATED
    if relation.duplicate >= needed and relation.either_way >= EITHER_WAY:
        reasoning = "The new statement says in other words what the stored one says."
        return Finding(Operation.NOOP, _percent(relation.duplicate), 1 + relation.duplicate, reasoning)
    share = relation.duplicate + relation.detail
    if share >= SAME_WORDS and _same_content(pair):
        return Finding(Operation.NOOP, _percent(share), 1 + share, "The new statement has all the words of the stored one and no others.")
    return None


def _unlike(pair: Pair, relation: Relation) -> Finding:
    """The model sees two matters. Where it is not sure and the words show the same frame with another value, it is asked about."""
    if relation.new < CLEARLY_UNLIKE:
        found = rules.compare(pair.old, pair.fresh)
        if found.operation in {Operation.CONTRADICT, Operation.SUPERSEDE}:
            return Finding(found.operation, min(ASKS, found.confidence), 0.5, found.reasoning)
    return add(relation.new, "The new statement neither repeats nor contradicts the stored one.")


def _agreeing(pair: Pair, relation: Relation, difference: Difference | None) -> Finding:
    """Nothing speaks against the stored statement: a detail of it, something overlooked, or perhaps a repeat."""
    alike = relation.detail + relation.duplicate
    if _may_merge(pair, difference):
        return Finding(Operation.UPDATE, _percent(alike), alike, "The new statement says all that the stored one says, and more.")
    if _is_overlooked(pair, difference):
        return Finding(Operation.CONTRADICT, _UNSURE, 0.5, f"The two statements say nearly the same but differ in {difference}.")
    return add(relation.new, "The new statement is too much like the stored one to be clearly new, and not enough to be a sure repeat.")


def _is_overlooked(pair: Pair, difference: Difference | None) -> bool:
    """True when the difference, as the words show it, leaves no room for both statements."""
    match difference:
        case Difference.NUMBER:
            return guards.swaps_numbers(pair.stored, pair.new)
        case Difference.NEGATION:
            return guards.is_denied(pair.stored, pair.new)
        case Difference.NAME:
            return guards.swaps_names(pair.stored, pair.new)
        case Difference.ORDER:
            return guards.is_reordered(pair.stored, pair.new)
        case _:
            return difference in {Difference.OPPOSITE, Difference.KIND}


def _differing(pair: Pair, relation: Relation, differs: float) -> Finding:
    undated = relation.conflict >= relation.change and not _is_later(pair)
    if undated or (pair.old.year is not None and pair.old.year == pair.fresh.year):
        reasoning = "The new statement and the stored one cannot both be true now, and nothing says that something changed."
        return Finding(Operation.CONTRADICT, _percent(differs), differs, reasoning)
    if _reports_change(pair) and relation.change >= SILENT_CHANGE and guards.kin_of(pair.stored) == guards.kin_of(pair.new):
        reasoning = "The new statement reports that what the stored one says has changed."
        return Finding(Operation.SUPERSEDE, _percent(relation.change), differs, reasoning)
    reasoning = "The new statement seems to report a later state of what the stored one says, but does not say so for certain."
    return Finding(Operation.SUPERSEDE, min(ASKS, _percent(relation.change)), differs, reasoning)


def _reports_change(pair: Pair) -> bool:
    """True when the new text says by its words or its date that something is no longer as it was."""
    return pair.fresh.cue or pair.fresh.ending or _is_later(pair)


def _is_later(pair: Pair) -> bool:
    return pair.old.year is not None and pair.fresh.year is not None and pair.fresh.year > pair.old.year


def _may_merge(pair: Pair, difference: Difference | None) -> bool:
    """True when the new text can stand in the place of the stored one without the loss of a word."""
    added = guards.negations_in(pair.new) != guards.negations_in(pair.stored)
    hedged = not pair.fresh.hedges <= pair.old.hedges
    turned = difference in {Difference.OPPOSITE, Difference.ORDER, Difference.KIN, Difference.WISH, Difference.KIND}
    return guards.carries(pair.new, pair.stored) and not added and not hedged and not turned and not pair.fresh.cue


def _same_content(pair: Pair) -> bool:
    return guards.carries(pair.new, pair.stored) and guards.carries(pair.stored, pair.new)


def _same_time(pair: Pair) -> bool:
    return pair.new_from is None or pair.new_from == pair.stored_from


def _percent(share: float) -> int:
    return min(99, max(1, round(100 * share)))
