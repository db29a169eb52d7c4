"""Rules for texts that are not English: nothing is known about their grammar, so nothing is changed without a question.

What they find is a contradiction, which changes nothing, or a change under the confidence from which one is made alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from app.charter.model import Operation
from app.charter.wording import is_negation, is_number
from app.engine import elsewhere_words as words
from app.engine.findings import ASK, DOUBT, TOLD, Found
from app.engine.frames import Statement, difference

_LONGEST_TEXT: Final = 400
"""Characters: beyond them two texts are no single statements, and comparing each word with each takes its time."""

# How much two statements must share, in topics of the shorter one, and how long what they exchange may be, in words or Chinese characters.
_LIKE_ENOUGH: Final = 0.5
_LIKE_ENOUGH_BESIDE_NUMBERS: Final = 0.4
_LONGEST_VALUE: Final = 2
_LONGEST_CHINESE_VALUE: Final = 4
_LEAST_SHARED: Final = 3
# What makes two words one, in letters.
_SHORTEST_STEM: Final = 3
_LONGEST_ENDING: Final = 3
_SHORTEST_PART: Final = 4
_SHORT_WORD: Final = 5


@dataclass(frozen=True, slots=True)
class _Side:
    """One statement as it is compared here. `topics`: its words of weight, without numbers; `numbers`: those, in digits."""

    statement: Statement
    topics: tuple[str, ...]
    numbers: Counter[str]
    negative: bool
    people: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Both:
    """Two sides, the topics that they share (as the old side has them), those that only one has, and how much alike they are.

    `alike`: which share of the shorter side's topics the other has, too; from 0 to 1.
    """

    old: _Side
    new: _Side
    shared: tuple[str, ...]
    only_old: tuple[str, ...]
    only_new: tuple[str, ...]
    alike: float


def compare_elsewhere(old: Statement, new: Statement) -> Found | None:
    """What the first rule that understands the pair makes of it; None where none does. Proposes nothing above `TOLD`."""
    if max(len(old.text), len(new.text)) > _LONGEST_TEXT:
        return None
    sides = _read(old), _read(new)
    if sides[0].people != sides[1].people and not sides[0].people & sides[1].people:
        return None
    both = _compared(*sides)
    return next((found for rule in _RULES if (found := rule(both)) is not None), None)


def _read(statement: Statement) -> _Side:
    plain = [words.NUMBERS.get(word, words.SAME.get(word, word)) for word in statement.words if not is_negation(word)]
    weighty = [word for word in plain if word not in words.LIGHT]
    return _Side(
        statement,
        tuple(word for word in weighty if not is_number(word)),
        Counter(word for word in weighty if is_number(word)),
        # Two negations in one sentence are still one in most of these languages: "ne … pas", "no … nada", "никогда не".
        any(is_negation(word) for word in statement.words) or words.LACKS.search(statement.text) is not None,
        frozenset(place for place, person in enumerate(words.PEOPLE) if person.search(statement.text)),
    )


def _compared(old: _Side, new: _Side) -> _Both:
    shared = tuple(word for word in old.topics if _among(word, new.topics))
    only_new = tuple(word for word in new.topics if not _among(word, old.topics))
    shorter = min(((len(shared), len(old.topics)), (len(new.topics) - len(only_new), len(new.topics))), key=lambda side: side[1])
    only_old = tuple(word for word in old.topics if word not in shared)
    return _Both(old, new, shared, only_old, only_new, shorter[0] / max(1, shorter[1]))


def _hated(both: _Both) -> Found | None:
    """What one likes and the other hates."""
    feelings = _feeling(both.old), _feeling(both.new)
    if None in feelings or feelings[0] == feelings[1] or not _share_a_topic(tuple(filter(_is_no_feeling, both.shared))):
        return None
    return Found(Operation.CONTRADICT, _sureness(both), "One statement says that something is liked, the other that it is not.")


def _feeling(side: _Side) -> bool | None:
    """True for liking, false for hating or not liking, None where neither is said."""
    if words.HATES.search(side.statement.text):
        return False
    return not side.negative if words.LIKES.search(side.statement.text) else None


def _denied(both: _Both) -> Found | None:
    """The same with and without a negation: one side has no topic of its own, or both end in the same one."""
    if both.old.negative == both.new.negative or both.alike < _LIKE_ENOUGH:
        return None
    within = bool(both.shared) and not (both.only_old and both.only_new)
    same_end = len(both.shared) > 1 and _alike(both.old.topics[-1], both.new.topics[-1])
    if not (within or same_end):
        return None
    return Found(Operation.CONTRADICT, _sureness(both), "One of the two statements denies the other.")


def _sureness(both: _Both) -> int:
    """What a negation reaches is not known, so only two statements of the same words are surely opposed."""
    return ASK if both.only_old or both.only_new else TOLD


def _turned(both: _Both) -> Found | None:
    """The new statement reports that what the stored one says is over, or has come to pass."""
    old, new = both.old.statement.text, both.new.statement.text
    # "No" is "in the" in Portuguese, so it alone denies no change.
    denied = any(is_negation(word) and word != "no" for word in both.new.statement.words)
    for change in words.CHANGES:
        if not change.before.search(old) or change.after.search(old) or not change.after.search(new):
            continue
        if denied and not change.denies:
            continue
        if not change.shared or _share_a_topic(both.shared):
            return Found(Operation.SUPERSEDE, DOUBT, "The new statement seems to report that what the stored one says has changed.")
    return None


def _changed_number(both: _Both) -> Found | None:
    """Much the same statement with other numbers, in digits or words."""
    one, other = both.old.numbers, both.new.numbers
    # "Eighty and one" has one number less than "eighty and seven", since "one" is an article as often.
    besides = both.only_old or both.only_new
    differ = (one - other and other - one) if besides else (one and other and one != other)
    if not differ or both.alike < _LIKE_ENOUGH_BESIDE_NUMBERS or both.old.negative != both.new.negative:
        return None
    return Found(Operation.SUPERSEDE, ASK, "Much the same statement with another number.")


def _other_value(both: _Both) -> Found | None:
    """Much the same words, and something else in the second half, where a value stands: the question is worth asking."""
    longest = _LONGEST_CHINESE_VALUE if _is_chinese(both.only_old) else _LONGEST_VALUE
    if both.old.negative != both.new.negative or both.alike < _LIKE_ENOUGH:
        return None
    if not 0 < len(both.only_old) <= longest or not 0 < len(both.only_new) <= longest:
        return None
    in_common = Counter(both.old.statement.lemmas) & Counter(both.new.statement.lemmas)
    if len(both.shared) < 2 and in_common.total() < _LEAST_SHARED:
        return None
    if not _is_exchanged(both) or (both.old.topics[-1] in both.only_old and words.MANY.intersection(both.old.statement.lemmas)):
        return None
    return Found(Operation.CONTRADICT, DOUBT, "Much the same words with another value: the two may not hold at once.")


_RULES: Final[tuple[Callable[[_Both], Found | None], ...]] = (_hated, _denied, _turned, _changed_number, _other_value)


def _is_exchanged(both: _Both) -> bool:
    """True when what differs stands at the end of a side, or in the place of the other's; what comes before says of whom it is said."""
    gap = difference(both.old.topics, both.new.topics)
    in_place = (len(gap.old), len(gap.new)) == (len(both.only_old), len(both.only_new)) and _in_second_half(both.old.topics, both.only_old)
    return in_place or any(
        side.topics[-1] in own and _in_second_half(side.topics, own) for side, own in ((both.old, both.only_old), (both.new, both.only_new))
    )


def _in_second_half(topics: Sequence[str], own: Sequence[str]) -> bool:
    return 2 * topics.index(own[0]) >= len(topics) - 1


def _is_no_feeling(word: str) -> bool:
    feelings_and_people = (words.LIKES, words.HATES, *words.PEOPLE)
    return word not in words.FEELING and not any(pattern.search(word) for pattern in feelings_and_people)


def _share_a_topic(shared: Sequence[str]) -> bool:
    """A word in common, or two Chinese characters; one of those alone says too little."""
    return len(shared) > 1 or any(len(word) > 1 for word in shared)


def _is_chinese(topics: Sequence[str]) -> bool:
    return all(len(word) == 1 for word in topics)


def _among(word: str, others: Sequence[str]) -> bool:
    return any(_alike(word, other) for other in others)


def _alike(one: str, other: str) -> bool:
    """Equal, or the same beginning with endings of at most three letters, as words that are declined have; or the end of a compound."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    if len(short) >= _SHORTEST_PART and (long.startswith(short) or long.endswith(short)):
        return True
    if len(long) - len(short) > _LONGEST_ENDING:
        return False
    shared = next((place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), len(short))
    return shared >= max(_SHORTEST_STEM, len(short) - (1 if len(short) <= _SHORT_WORD else 2))
