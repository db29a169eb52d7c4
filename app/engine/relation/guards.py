"""What a likeness may not overlook: numbers, negation, antonyms, wishes, kinds, kin, names, the order of words.

A guard knows nothing about what a text means. It only says that two texts differ in something that a model may have
overlooked: then a statement is never dropped as a duplicate.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from enum import StrEnum
from typing import Final

from app.charter.wording import agree, is_negation, is_number, tokens
from app.engine import lexicon
from app.engine.relation.antonyms import are_opposites
from app.engine.relation.kinds import are_of_one_kind


class Difference(StrEnum):
    """In what two texts differ, the weightiest first."""

    NUMBER = "numbers or units"
    NEGATION = "a negation"
    OPPOSITE = "a word and its opposite"
    WISH = "whether it is so or only wished for"
    KIND = "two things of one kind"
    NAME = "names"
    KIN = "whom they are about"
    ORDER = "the order of their words"


_UNITS: Final = (
    "% percent",
    "eur euro euros €",
    "usd dollar dollars $",
    "gbp pound pounds £",
    "km kilometre kilometres kilometer kilometers",
    "m metre metres meter meters",
    "cm centimetre centimetres centimeter centimeters",
    "mile miles",
    "kg kilo kilos kilogram kilograms",
    "g gram grams",
    "mg milligram milligrams",
    "l litre litres liter liters",
    "sqm m²",
    "ms millisecond milliseconds",
    "s sec secs second seconds",
    "min mins minute minutes",
    "h hr hrs hour hours",
    "day days",
    "week weeks",
    "month months",
    "year years",
    "kb kilobyte kilobytes",
    "mb megabyte megabytes",
    "gb gigabyte gigabytes",
    "tb terabyte terabytes",
    "° °c degree degrees celsius",
)
_SAME_UNIT: Final = {unit: units.split()[0] for units in _UNITS for unit in units.split()}
_BEFORE: Final = frozenset({"€", "$", "£", "eur", "usd", "gbp"})
_MORE_NUMBERS: Final = (
    {word: str(number) for number, word in enumerate("thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(), 13)}
    | {word: str(10 * number) for number, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
    | {word: str(number) for number, word in enumerate("third fourth fifth sixth seventh eighth ninth tenth".split(), 3)}
    | {"first": "1", "hundred": "100", "thousand": "1000", "single": "1", "half": "0.5", "twins": "2", "double": "2", "both": "2"}
)
# "One" is a pronoun as often as a number, and says little as either.
_NUMBERS: Final = {word: number for word, number in (lexicon.NUMBER_WORDS | _MORE_NUMBERS).items() if word != "one"}
_KINDRED: Final = (
    "wife",
    "husband",
    "brother brothers",
    "sister sisters",
    "mother mum mom",
    "father dad",
    "parents",
    "son sons",
    "daughter daughters",
    "grandmother grandma",
    "grandfather grandpa",
    "uncle",
    "aunt",
    "cousin",
    "nephew",
    "niece",
    "boss manager",
    "colleague coworker teammate",
    "neighbour neighbor",
    "flatmate roommate",
    "friend",
    "landlord",
    "girlfriend",
    "boyfriend",
    "partner",
    "client customer",
)
_KIN: Final = {word: group for group, words in enumerate(_KINDRED) for word in words.split()}
_STICKS: Final = re.compile(r"(?<=\d)(?=[a-z°%€$£])|(?<=[€$£])(?=\d)", re.IGNORECASE)
_CLOCK: Final = re.compile(r"\b(\d{1,2})(?::(\d{2}))?\s?([ap])\.?m\b\.?", re.IGNORECASE)
_ORDINAL: Final = re.compile(r"\b(\d+)(?:st|nd|rd|th)\b", re.IGNORECASE)
_VERSION: Final = re.compile(r"\bv(?=\d)", re.IGNORECASE)
_THOUSANDS: Final = re.compile(r"(?<=\d),(?=\d{3}\b)")
_SQUARE: Final = re.compile(r"\bsquare (?:metre|meter)s?\b", re.IGNORECASE)
_ZERO_MINUTES: Final = re.compile(r"\b(\d{1,2}):00\b")
_NAME: Final = re.compile(r"(?<=[\w,;:'’\")] )[A-Z]\w+")
_CAPITAL: Final = re.compile(r"\b[A-Z]\w+")
_QUOTED: Final = re.compile(r"[\"“«`]([^\"”»`]+)[\"”»`]")
_NOT_NAMES: Final = frozenset({"i", "i'm", "i've", "i'll", "i'd", "eur", "usd", "gbp"})
_HIDDEN_NEGATIONS: Final = frozenset(
    "no not never none nobody nothing neither nor without cannot hardly rarely seldom barely scarcely "
    " few unable fails failed refuses refused lacks lack unlike except instead".split()
)
_BOUNDS: Final = frozenset(
    "only all every apart alone aside besides enough too insufficient inadequate sufficient most least both either".split()
)
"""Words that say how far a statement goes: with or without one of them it is another."""

_DIRECTED: Final = frozenset(
    "over report reports reported lend lends lent borrow borrows borrowed buy buys bought sell sells sold teach teaches taught "
    "learned learnt give gives gave got get gets receive receives received owe owes owed "
    "follow follows followed precede precedes preceded succeed succeeds succeeded inherit inherits inherited import imports "
    "imported export exports exported beat beats lost win wins won pay pays paid send sends sent bring brings brought "
    "subcontractor supplier customer client manager boss mentor tutor trains coach coaches older younger taller before after".split()
)
"""Words of which it matters who does it to whom."""

_WISH: Final = re.compile(
    r"\b(?:(?:want(?:s|ed)?|wish(?:es)?|would like|going|trying|ready) to|hop(?:e|es|ing)|plan(?:s|ned|ning)|intends?|aim(?:s|ing)|"
    r"goal|dreams?|consider(?:s|ing)?|thinking|might|looking for|seeking)\b",
    re.IGNORECASE,
)
_TURNERS: Final = frozenset("by of from to with is are was were has have".split())
_LIGHT: Final = lexicon.ARTICLES | lexicon.WEIGHTLESS | lexicon.PREPOSITIONS | lexicon.FILLERS | frozenset("user you your s".split())


def difference_between(stored: str, new: str) -> Difference | None:
    """The weightiest difference that speaks against a duplicate, or None."""
    if agree(stored, new):
        return None
    checks = (
        (Difference.NUMBER, numbers_of(stored) != numbers_of(new)),
        (Difference.OPPOSITE, has_opposites(stored, new)),
        (Difference.NEGATION, is_turned(stored, new)),
        (Difference.WISH, _is_wished(stored) is not _is_wished(new)),
        (Difference.KIND, _any_pair(are_of_one_kind, stored, new)),
        (Difference.NAME, names_only_in(stored, new) != names_only_in(new, stored)),
        (Difference.KIN, kin_of(stored) != kin_of(new)),
        (Difference.ORDER, _in_another_order(stored, new)),
    )
    return next((difference for difference, differs in checks if differs), None)


def swaps_numbers(stored: str, new: str) -> bool:
    """Each has a number that the other lacks: no mere detail, and none left out."""
    one, other = numbers_of(stored), numbers_of(new)
    return bool(one - other) and bool(other - one)


def is_denied(stored: str, new: str) -> bool:
    """One is negated and the other is not, and besides they say the same, as far as their words tell."""
    one, other = content_of(stored), content_of(new)
    return is_turned(stored, new) and (one <= other or other <= one)


def swaps_names(stored: str, new: str) -> bool:
    """Each has a name that the other lacks."""
    return bool(names_only_in(stored, new)) and bool(names_only_in(new, stored))


def numbers_of(text: str) -> Counter[tuple[str, str]]:
    """Each number with its unit, as far as one is known, however it is written; a word for a number counts as one."""
    words = _plain_numbers(text)
    found: Counter[tuple[str, str]] = Counter()
    for place, word in enumerate(words):
        if not is_number(word):
            continue
        around = [*words[place + 1 : place + 2], *(word for word in words[max(0, place - 1) : place] if word in _BEFORE)]
        unit = next((_SAME_UNIT[near] for near in around if near in _SAME_UNIT), "")
        found[word.rstrip("."), unit] += 1
    return found


def _plain_numbers(text: str) -> list[str]:
    plain = _SQUARE.sub("sqm", _THOUSANDS.sub("", text))
    plain = _CLOCK.sub(_as_24_hours, plain)
    plain = _ZERO_MINUTES.sub(lambda found: f"{int(found[1])}", plain)
    plain = _STICKS.sub(" ", _ORDINAL.sub(r"\1", _VERSION.sub("", plain)))
    return [_NUMBERS.get(word, word) for word in tokens(plain)]


def _as_24_hours(found: re.Match[str]) -> str:
    hour = int(found[1]) % 12 + (12 if found[3].lower() == "p" else 0)
    return f"{hour}:{found[2]}" if found[2] and found[2] != "00" else str(hour)


def has_opposites(stored: str, new: str) -> bool:
    """One text has a word, the other its opposite, and both or neither are negated."""
    return _opposites(stored, new) and negations_in(stored) % 2 == negations_in(new) % 2


def _opposites(stored: str, new: str) -> bool:
    old, other = set(tokens(stored)), set(tokens(new))
    return any(are_opposites(one, another) for one in old - other for another in other - old)


def is_turned(stored: str, new: str) -> bool:
    """One is negated and the other is not, and they speak of much the same: "not" between unlike words says little."""
    if negations_in(stored) % 2 == negations_in(new) % 2:
        return False
    words = content_of(stored), content_of(new)
    shared = words[0] & words[1]
    return not _opposites(stored, new) and 3 * len(shared) >= 2 * max(1, *map(len, words))


def is_delicate(stored: str, new: str) -> bool:
    """True when a word in either text turns it around, says how far it goes, or has somebody do something to somebody."""
    words = {*tokens(stored), *tokens(new)}
    if words & _DIRECTED and _common_participants(stored, new) > 1:
        return True
    return bool(words & _BOUNDS) or negations_in(stored) + negations_in(new) > 0


def _common_participants(stored: str, new: str) -> int:
    """How many names both texts have, and the speaker where both speak of themselves."""
    mine, theirs = set(tokens(stored)), set(tokens(new))
    names = {name.casefold() for text in (stored, new) for name in _CAPITAL.findall(text)} - _LIGHT - _NOT_NAMES
    speaker = bool(lexicon.FIRST_PERSON & mine) and bool(lexicon.FIRST_PERSON & theirs)
    return len({name for name in names if name in mine and name in theirs}) + speaker


def _is_wished(text: str) -> bool:
    return _WISH.search(text) is not None


def _any_pair(holds: Callable[[str, str], bool], text: str, other: str) -> bool:
    """True when it holds for a word that is only in the first text and one that is only in the other."""
    mine, theirs = set(tokens(text)), set(tokens(other))
    stems, their_stems = {stem(word) for word in mine}, {stem(word) for word in theirs}
    only = [word for word in mine if stem(word) not in their_stems and word not in _LIGHT]
    only_there = [word for word in theirs if stem(word) not in stems and word not in _LIGHT]
    return any(holds(one, another) for one in only for another in only_there)


def negations_in(text: str) -> int:
    """How many words of a text turn it around."""
    return sum(word in _HIDDEN_NEGATIONS or is_negation(word) for word in tokens(text))


def content_of(text: str) -> set[str]:
    """The beginnings of the words that carry what a text says."""
    return {stem(word) for word in tokens(text) if word not in _LIGHT and word not in _HIDDEN_NEGATIONS and not word.endswith("n't")}


def stem(word: str) -> str:
    """A word without its commonest endings: enough to see that "works" and "working" are one."""
    for end in ("ing", "ed", "es", "s", "e"):
        if len(word) - len(end) > 2 and word.endswith(end):
            return word[: -len(end)]
    return word


def names_only_in(text: str, other: str) -> frozenset[str]:
    """Quoted names, and words with a capital inside the text that the other has nowhere, in any case."""
    there = set(tokens(other))
    inner = {name.casefold() for name in _NAME.findall(text)} - _NOT_NAMES
    quoted = {" ".join(tokens(quote)) for quote in _QUOTED.findall(text)}
    missing = {name for name in inner if name not in there and not any(part in there for part in tokens(name))}
    return frozenset(missing | {quote for quote in quoted if quote not in " ".join(tokens(other))})


def kin_of(text: str) -> frozenset[int]:
    """The relatives and acquaintances that a text names."""
    words = {word.removesuffix("'s") for word in tokens(text)}
    return frozenset(_KIN[word] for word in words if word in _KIN)


def about_others(stored: str, new: str) -> bool:
    """True when each text names relatives or acquaintances, and none of them is in both."""
    one, other = kin_of(stored), kin_of(new)
    return bool(one and other) and not one & other


def _in_another_order(stored: str, new: str) -> bool:
    """The same words in another order, or the same names the other way round, with no word that turns them back.

    "X is Y" may be turned around, and "by", "of" and the like say the same from the other side.
    """
    words = _without_articles(stored), _without_articles(new)
    counted = Counter(words[0]), Counter(words[1])
    if counted[0] == counted[1]:
        return is_reordered(stored, new)
    names = {name.casefold() for text in (stored, new) for name in _NAME.findall(text)} - _NOT_NAMES
    order = [[word for word in side if word in names] for side in words]
    return (
        order[0] != order[1]
        and sorted(order[0]) == sorted(order[1])
        and not _TURNERS & {*(counted[0] - counted[1]), *(counted[1] - counted[0])}
    )


def is_reordered(stored: str, new: str) -> bool:
    """Exactly the same words in another order, which an "is" does not explain."""
    one, other = _without_articles(stored), _without_articles(new)
    return one != other and Counter(one) == Counter(other) and not {"is", "are", "was", "were"} & set(one)


def _without_articles(text: str) -> list[str]:
    return [word for word in tokens(text) if word not in lexicon.ARTICLES]


def carries(new: str, stored: str) -> bool:
    """True when the new text has every content word and number of the stored one: put in its place, it loses nothing."""
    mine = set(tokens(new))
    return all(word in mine or word in _LIGHT for word in tokens(stored)) and not numbers_of(stored) - numbers_of(new)
