"""A statement as the local engine sees it: who it is about, what relation it states, with what value."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.charter.wording import fold, is_negation, is_number, tokens
from app.engine import lexicon

# "As of May 2019, …" dates a statement; the date is no part of what it says or of whom.
_DATED = re.compile(r"^(?:as of|in|since) (?:[a-z]+ )?(\d{4}), ")
_NAME = re.compile(r"(?<=[\w,] )[A-Z]\w+")
_WRITTEN = re.compile(r"[\w']+")
_WHEN = re.compile(r"\b(?:(?:last|this) (?:week|month|year|spring|summer|autumn|winter)|yesterday|today|\w+ \w+ ago)\b")

_CONTRACTIONS = (
    (re.compile(r"\b(?:can't|cannot)\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\bi'm\b"), "i am"),
    (re.compile(r"\b(we|you|they)'re\b"), r"\1 are"),
    (re.compile(r"\b(i|we|you|they)'ve\b"), r"\1 have"),
    (re.compile(r"\b(he|she|it|that|there|what|who)'s\b"), r"\1 is"),
    (re.compile(r"(?<=\w)'s\b"), ""),
    # "No longer" and "used to" deny the present and report a change: one word each, unlike any that is written.
    (re.compile(r"\bno longer\b"), "nolonger"),
    (re.compile(r"(?<!is )(?<!am )(?<!are )(?<!was )(?<!get )\bused to (?=\w)"), "usedto "),
)


@dataclass(frozen=True, slots=True)
class Statement:
    """`words`: all that carries meaning, in order. `lemmas`: the same without negations, fillers and cues, for frames.

    `text` is the whole, with case and white space folded.
    `verb` is the place of the first known verb in `lemmas`, None where there is none. `names` are
    the words with a capital inside the text; `year` is that of "As of 1966, …".
    """

    text: str
    words: tuple[str, ...]
    lemmas: tuple[str, ...]
    negative: bool
    hedges: frozenset[str]
    cue: bool
    ending: bool
    english: bool
    relation: str
    verb: int | None
    names: frozenset[str]
    year: int | None = None

    @property
    def subject(self) -> tuple[str, ...]:
        """What stands before the verb."""
        return self.lemmas[: self.verb] if self.verb is not None else ()

    @property
    def value(self) -> tuple[str, ...]:
        """What stands after the verb."""
        return self.lemmas[self.verb + 1 :] if self.verb is not None else ()

    @property
    def first_person(self) -> bool:
        """True when it means somebody else in another user's mouth."""
        return any(word in lexicon.FIRST_PERSON for word in self.words)


def read_statement(text: str) -> Statement:
    """The frame of a text. Without English in it only `words` and `negative` are worth anything."""
    plain = fold(text, keep_case=False).replace("’", "'")
    for pattern, replacement in _CONTRACTIONS:
        plain = pattern.sub(replacement, plain)
    words = _words(plain)
    dated = _DATED.match(plain)
    stated = _WHEN.sub("", plain[dated.end() if dated else 0 :])
    kept = [word for word in _words(stated) if not _is_negative(word) and word not in lexicon.FILLERS]
    verb = next((place for place, word in enumerate(kept) if place and word in lexicon.RELATIONS), None)
    return Statement(
        text=plain,
        words=words,
        lemmas=tuple(lexicon.CHANGES.get(word) or lexicon.LEMMAS.get(word) or _singular(word) for word in kept),
        negative=sum(_is_negative(word) for word in words) % 2 == 1,
        hedges=frozenset(words) & lexicon.HEDGES,
        cue=any(word in lexicon.CUES for word in words) or "these days" in plain,
        ending=any(word in lexicon.ENDINGS for word in words),
        english=_is_english(text, plain),
        relation=lexicon.RELATIONS[kept[verb]] if verb is not None else "",
        verb=verb,
        names=frozenset(_singular(name.casefold()) for name in _NAME.findall(text)),
        year=int(dated.group(1)) if dated else None,
    )


def _words(plain: str) -> tuple[str, ...]:
    return tuple(lexicon.SAME.get(word, lexicon.NUMBER_WORDS.get(word, word)) for word in tokens(plain) if word not in lexicon.ARTICLES)


def _is_english(text: str, plain: str) -> bool:
    """Latin letters, and at least two function words of English to each of another language; one, where a letter has an accent."""
    latin = all(ord(character) < 0x250 for character in plain if character.isalpha())
    english = sum(word in lexicon.ENGLISH for word in tokens(plain))
    if not english:
        return plain.isascii() and not any(word in lexicon.FOREIGN for word in tokens(plain))
    return latin and english >= 2 * _foreign_words(text)


def _foreign_words(text: str) -> int:
    """How many function words of other languages a text has. A name brings its own along: "The language of Le Figaro is French"."""
    written = _WRITTEN.findall(text)
    foreign = [word.casefold() in lexicon.FOREIGN for word in written]
    return sum(found and not _is_in_name(written, foreign, place) for place, found in enumerate(foreign))


def _is_in_name(written: list[str], foreign: list[bool], place: int) -> bool:
    """True for a word with a capital inside a text, and for small words between two others that have one."""
    if written[place][0].isupper():
        return place > 0
    before = next((written[left] for left in range(place - 1, -1, -1) if not foreign[left] or written[left][0].isupper()), "")
    after = next((written[right] for right in range(place + 1, len(written)) if not foreign[right] or written[right][0].isupper()), "")
    return before[:1].isupper() and after[:1].isupper()


def _is_negative(word: str) -> bool:
    return word in lexicon.NEGATIONS or is_negation(word)


def _singular(word: str) -> str:
    plural = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if plural and not is_number(word) else word


@dataclass(frozen=True, slots=True)
class Difference:
    """Two sequences without what they share at both ends."""

    start: int
    old: tuple[str, ...]
    new: tuple[str, ...]


def difference(old: tuple[str, ...], new: tuple[str, ...]) -> Difference:
    """The middles of two sequences in which they differ, and where those begin."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    tail = 0
    while tail < min(len(old), len(new)) - start and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return Difference(start, old[start : len(old) - tail], new[start : len(new) - tail])


def contains_in_order(long: tuple[str, ...], short: tuple[str, ...]) -> bool:
    """True when `short` is what remains of `long` after leaving words out."""
    rest = iter(long)
    return all(word in rest for word in short)


def base_form(word: str) -> str:
    """A word without the end of a past tense: enough to see that "recommended" and "did not recommend" are one verb."""
    if len(word) > 5 and word.endswith("ed"):
        return word[:-2]
    return word[:-1] if len(word) > 4 and word.endswith("e") else word
