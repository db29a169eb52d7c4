"""Whether a statement that a model took out of a message stands in it: its numbers, its negations and most of its words.

A model may put in the name that a pronoun stands for, and inflect; it may not add, conclude or turn round. What the check
refuses is only left out as a memory of its own: the message is kept whole.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import zip_longest

from app.charter.wording import is_negation, is_number, tokens

SHARE = 0.6
"""How many of its content words a statement must have from the message."""

_FOUND = 0.7
"""Two words are forms of one when they begin alike over this share of the longer."""

_BEGINNING = 3
_MOST_ALIKE = 100  # words of one beginning that are compared: hostile messages have thousands

_CLAUSE = re.compile(
    r"(?:[.,:](?!\d)|[!?;\n。！？；，、…])+|\b(?:but|and|while|although|because|aber|und|sondern|weil|pero|sino|y|porque|но|а|и|хотя)\b|但是?|而且?|不过",
    re.IGNORECASE,
)

# Words in which 不, 没, 无, 非 and 别 deny nothing.
_NO_NEGATION = re.compile("非常|特别|分别|别的|别人|告别|差别|区别|级别|不错|不仅|不但|不同|不过|无论|差不多|没关系|忙不过来")

_NUMBER_WORDS = {
    word: str(number)
    for number, words in enumerate(
        (
            "zero null cero ноль 零",
            "one eins eine ein uno una один одна 一",
            "two zwei dos два две 二 两",
            "three drei tres три 三",
            "four vier cuatro четыре 四",
            "five fünf cinco пять 五",
            "six sechs seis шесть 六",
            "seven sieben siete семь 七",
            "eight acht ocho восемь 八",
            "nine neun nueve девять 九",
            "ten zehn diez десять 十",
        )
    )
    for word in words.split()
}

# Words that say nothing by themselves: articles, pronouns, auxiliaries, prepositions, and verbs as light as "live" in
# "lives in Lisbon" for "moved to Lisbon".
_LIGHT = frozenset(
    "a an the i me my mine myself we us our ours you your he him his she her hers it its they them their theirs user "
    "and or but also too as that this these those which who there here so because since than then now currently still just "
    "in on at of for from to with by about into is are was were be been being am has have had having do does did "
    "will would can could shall should may might must s m re ve ll d "
    "live lives lived living get gets got go goes went make makes made take takes took use uses used name named called "
    "und oder der die das den dem ein eine einen einem einer ich mein meine meinen wir er sie es in im am zu von mit für auf "
    "ist bin sind war hat habe haben hatte lebt lebe wohnt wohne "
    "y o el la los las un una de del en con por para que mi mis yo su sus es soy está estoy son fue ha he vive vivo "
    "и а в на с у к по для это я мой моя моё мои мы он она они его её их есть был была живёт живет живу "
    "我 的 了 是 在 有 他 她 它 们 和 也 住".split()
)


class Message:
    """A message, read once, against which statements are held."""

    def __init__(self, text: str) -> None:
        self._denies: list[bool] = []
        self._places: defaultdict[str, set[int]] = defaultdict(set)
        for number, clause in enumerate(clause for clause in _CLAUSE.split(text) if clause.strip()):
            words = _words(clause)
            self._denies.append(any(map(is_negation, words)))
            for word in words:
                self._places[word].add(number)
        self._alike: defaultdict[str, list[str]] = defaultdict(list)
        self._numbers: defaultdict[str, list[str]] = defaultdict(list)
        for word in sorted(self._places):
            self._alike[word[:_BEGINNING]].append(word)
            if is_number(word) or word in _NUMBER_WORDS:
                self._numbers[_NUMBER_WORDS.get(word) or _number(word)].append(word)

    def carries(self, statement: str) -> bool:
        """True when the message says the statement."""
        words = _words(statement)
        if not self._has_numbers(words):
            return False
        content = list(dict.fromkeys(_content(words) or words))
        found = [self._forms(word) for word in content]
        if not content or sum(map(bool, found)) < SHARE * len(content):
            return False
        return self._turns_as(statement, found)

    def _has_numbers(self, words: Sequence[str]) -> bool:
        """Every number is said, and so is the word behind it: its unit."""
        for word, after in zip_longest(words, words[1:]):
            if not word or not is_number(word):
                continue
            unit = after and after not in _LIGHT and not is_number(after)
            if _number(word) not in self._numbers or (unit and not self._forms(after)):
                return False
        return True

    def _forms(self, word: str) -> list[str]:
        """The forms of a word that the message has."""
        if is_number(word):
            return self._numbers.get(_number(word), [])
        alike = self._alike.get(word[:_BEGINNING], [])[:_MOST_ALIKE]
        forms = [other for other in alike if other != word and _is_form_of(word, other)]
        return [word, *forms] if word in self._places else forms

    def _turns_as(self, statement: str, found: Sequence[Sequence[str]]) -> bool:
        """The statement denies exactly when one of the clauses denies that have most of its words."""
        denies = any(map(is_negation, _words(statement)))
        scores: Counter[int] = Counter()
        for forms in found:
            scores.update(set().union(*(self._places.get(form, ()) for form in forms)))
        best = max(scores.values(), default=0)
        return any(self._denies[clause] == denies for clause, score in scores.items() if score == best)


def _words(text: str) -> list[str]:
    """The words of a text, with full-width digits and compounds that deny nothing made plain."""
    return list(tokens(_NO_NEGATION.sub(" ", unicodedata.normalize("NFKC", text))))


def _content(words: Sequence[str]) -> list[str]:
    return [word for word in words if word not in _LIGHT and not is_negation(word) and any(map(str.isalnum, word))]


def _number(word: str) -> str:
    """A number without separators of thousands and leading zeros."""
    plain = re.sub(r"[.,](?=\d{3}(?:\D|$))", "", word)
    return plain.lstrip("0") or "0"


def _is_form_of(one: str, other: str) -> bool:
    """Two forms of one word: they begin alike and are about as long."""
    short, long = sorted((_stem(one), _stem(other)), key=len)
    if len(short) < _BEGINNING:
        return short == long
    alike = next((n for n, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return alike >= _BEGINNING and alike >= _FOUND * len(long)


def _stem(word: str) -> str:
    """A word without the commonest English endings; other languages are left to the shared beginning."""
    for ending in ("'s", "ing", "ied", "ies", "ed", "es", "s", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
