"""Fills a template: the subject with its verb forms, the slots, the article before a vowel."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Final

_VERB = re.compile(r"<(\w+)>")
_ARTICLE = re.compile(r"\b([Aa]) (?=[aeiouAEIOU])(?!uk|uni|Uni|one|us[ei]|eu)")
_IRREGULAR: Final = {
    "am": "is",
    "have": "has",
    "do": "does",
    "go": "goes",
    "grew": "grew",
}
_HISS = ("ch", "sh", "ss", "x", "o")
_LATER_PLURAL: Final = (("they does", "they do"), ("they is", "they are"), ("they has", "they have"))
_CONTRACTIONS: Final = (
    ("do not", "don't"), ("does not", "doesn't"), ("I am ", "I'm "), (" is not", " isn't"), ("cannot", "can't"),
    ("I have been", "I've been"), ("I have never", "I've never"), ("was not", "wasn't"), ("should not", "shouldn't"),
    ("are not", "aren't"), ("we are ", "we're "), ("did not", "didn't"), ("has not", "hasn't"), ("there is ", "there's "),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Subject:
    """Who a statement is about."""

    name: str
    later: str
    pronoun: str

    @property
    def first(self) -> bool:
        """True for "I"."""
        return self.name == "I"

    @property
    def owner(self) -> str:
        """Its possessive."""
        return "my" if self.first else self.name + "'s"

    @property
    def object(self) -> str:
        """Its form after a verb."""
        return "me" if self.first else self.name


SPEAKER: Final = Subject("I", "my", "I")
USER: Final = Subject("The user", "their", "they")


def fill(template: str, subject: Subject = SPEAKER, **slots: str) -> str:
    """The sentence, with a capital first letter and no full stop."""
    text = _VERB.sub(lambda found: found[1] if subject.first else _third_person(found[1]), template)
    text = text.replace("{M}self", "myself" if subject.first else {"he": "himself", "she": "herself"}.get(subject.pronoun, "themselves"))
    inner = lambda word: word if word == "I" or not word.startswith(("My ", "The ")) else word[:1].lower() + word[1:]
    for sign, word in (("S", subject.name), ("O", subject.owner), ("M", subject.object)):
        text = text.replace("{" + sign + "}", word, 1) if text.startswith("{" + sign) else text
        text = text.replace("{" + sign + "}", inner(word))
    text = text.replace("{P}", subject.later).replace("{s}", subject.pronoun)
    for name, value in slots.items():
        text = text.replace("{" + name + "}", value)
    for wrong, right in _LATER_PLURAL:
        text = text.replace(wrong, right)
    text = _ARTICLE.sub(r"\1n ", text).replace("the the ", "the ").replace("The the ", "The ")
    return re.sub(r"\b[Tt]he (Redis|Node|Norvik|Arbor|Brightwell|Castello|Quantor)", r"\1", capital(text))


def capital(text: str) -> str:
    """The text with its first letter capital."""
    return text[:1].upper() + text[1:]


def _third_person(verb: str) -> str:
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ies"
    return _IRREGULAR.get(verb) or verb + ("es" if verb.endswith(_HISS) else "s")


def styled(text: str, choice: random.Random, openings: list[str]) -> str:
    """The sentence as people leave it: with an opening, a full stop or none, contracted, in lower case."""
    if choice.random() < 0.07:
        first = text.split(maxsplit=1)[0]
        keep = first in {"I", "I'm"} or (first[0].isupper() and first not in {"The", "My", "Our", "We", "There", "It", "A", "An", "No"})
        text = f"{choice.choice(openings)} {text if keep else text[:1].lower() + text[1:]}"
    if choice.random() < 0.35:
        for whole, short in _CONTRACTIONS:
            text = text.replace(whole, short)
    chance = choice.random()
    text += "." if chance < 0.35 else "!" if chance < 0.37 else ""
    return text.lower() if choice.random() < 0.04 else text
