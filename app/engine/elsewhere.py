"""Rules for texts that are not English: nothing is known about their grammar, so nothing is changed without a question.

What they find is worth asking about; a repeat they see only in the same words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

from app.charter.model import Operation
from app.charter.wording import is_number
from app.engine import elsewhere_words as words
from app.engine.findings import ASK, DOUBT, TOLD, Found
from app.engine.frames import Statement, difference

_LONGEST_SWAP: Final = 2
_LEAST_SHARED: Final = 3
_SHORTEST_STEM: Final = 3
_LONGEST_ENDING: Final = 3


def compare_elsewhere(old: Statement, new: Statement) -> Found | None:
    """What the first rule that understands the pair makes of it; None where none does. Proposes nothing above `TOLD`."""
    if _people(old) != _people(new):
        return None
    return next((found for rule in _RULES if (found := rule(old, new)) is not None), None)


def _denied(old: Statement, new: Statement) -> Found | None:
    """The same topics with and without a negation."""
    if old.negative == new.negative:
        return None
    topics = _topics(old), _topics(new)
    short, long = sorted(topics, key=len)
    same = old.lemmas == new.lemmas
    within = bool(short) and len(long) <= 2 * len(short) and all(_among(word, long) for word in short)
    if not same and not within:
        return None
    return Found(Operation.CONTRADICT, TOLD, "One of the two statements denies the other.")


def _hated(old: Statement, new: Statement) -> Found | None:
    """What one likes and the other hates."""
    feelings = _feeling(old), _feeling(new)
    if None in feelings or feelings[0] == feelings[1] or not _share_a_topic(old, new):
        return None
    return Found(Operation.CONTRADICT, TOLD, "One statement says that something is liked, the other that it is not.")


def _feeling(statement: Statement) -> bool | None:
    """True for liking, false for hating or not liking, None where neither is said."""
    if words.HATES.search(statement.text):
        return False
    return not statement.negative if words.LIKES.search(statement.text) else None


def _changed_number(old: Statement, new: Statement) -> Found | None:
    """The same statement with other numbers, in digits or words; what is counted may have another ending."""
    one, other = _counted(old), _counted(new)
    if old.negative != new.negative or len(one) != len(other):
        return None
    changed = [pair for pair in zip(one, other, strict=True) if not _alike(*pair)]
    if not changed or not all(is_number(left) and is_number(right) for left, right in changed):
        return None
    return Found(Operation.SUPERSEDE, ASK, "The same statement with another number.")


def _turned(old: Statement, new: Statement) -> Found | None:
    """The new statement reports that what the stored one says is over, or has come to pass."""
    for change in words.CHANGES:
        if not change.before.search(old.text) or change.after.search(old.text) or not change.after.search(new.text):
            continue
        if not change.shared or _share_a_topic(old, new):
            return Found(Operation.SUPERSEDE, DOUBT, "The new statement seems to report that what the stored one says has changed.")
    return None


def _other_word(old: Statement, new: Statement) -> Found | None:
    """The same words but one, in the second half: the question is worth asking."""
    gap = difference(old.lemmas, new.lemmas)
    longest = max(len(old.lemmas), len(new.lemmas))
    swapped = max(len(gap.old), len(gap.new))
    if old.negative != new.negative or not gap.old or not gap.new or swapped > _LONGEST_SWAP or longest - swapped < _LEAST_SHARED:
        return None
    at_the_end = gap.start + len(gap.new) == len(new.lemmas)
    if 2 * gap.start < longest - 1 or (at_the_end and words.MANY.intersection(old.lemmas)):
        return None
    return Found(Operation.CONTRADICT, DOUBT, "The same words but one: the two may not hold at once.")


_RULES: Final[tuple[Callable[[Statement, Statement], Found | None], ...]] = (_hated, _denied, _changed_number, _turned, _other_word)


def _people(statement: Statement) -> frozenset[str]:
    return frozenset(words.ACQUAINTANCES.findall(statement.text))


def _counted(statement: Statement) -> list[str]:
    """The words with numbers as digits; "лет" and "года" are one word."""
    plain = [words.NUMBERS.get(word, words.SAME.get(word, word)) for word in statement.words]
    return [word for word in plain if word not in words.LIGHT]


def _topics(statement: Statement) -> list[str]:
    return [word for word in statement.lemmas if word not in words.LIGHT]


def _share_a_topic(old: Statement, new: Statement) -> bool:
    """A word or a number in common, or two Chinese characters in a row; one character alone says too little."""
    one, other = _topics(old), _topics(new)
    if any(len(word) > 1 or is_number(word) for word in one if _among(word, other)):
        return True
    return any(both in set(pairwise(other)) for both in pairwise(one) if all(len(word) == 1 and word.isalpha() for word in both))


def _among(word: str, others: Sequence[str]) -> bool:
    return any(_alike(word, other) for other in others)


def _alike(one: str, other: str) -> bool:
    """Equal, or the same beginning with endings of at most three letters, as words that are declined have."""
    if one == other:
        return True
    if is_number(one) or is_number(other) or abs(len(one) - len(other)) > _LONGEST_ENDING:
        return False
    shared = next((place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), min(len(one), len(other)))
    return shared >= max(_SHORTEST_STEM, min(len(one), len(other)) - 2)
