"""What every maker of rows draws from: subjects, values and wordings, by one source of chance."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from training import numbers
from training.corpus import Frame, Row, read_lists, read_subjects
from training.labels import LABELS
from training.material import Material
from training.wordings import SPEAKER, USER, Subject, fill, styled

_FEMALE: Final = frozenset("Amara Carla Elif Farah Hana Keiko Marta Nadia Priya Rosa Tara Vera Wanda Zoe Imani".split())
_OPENERS: Final = frozenset(
    "The My Our We There It A An No Nobody All Every Both Neither Most Few Hardly Please Always Never Do Make".split()
)


class Draws:
    """The material, the lists, and the rows so far."""

    def __init__(self, seed: int, given: Material) -> None:
        self.choice = random.Random(seed)  # noqa: S311 - rows, no secrets
        self.frames = list(given.frames)
        self.pairs, self.cues, self.choices = given.pairs, given.cues, given.choices
        self.chatter = read_lists("chatter.txt", "|")
        self.values = read_lists("values.txt", ",") | read_lists("values_facts.txt", ",")
        self.lists = read_lists("lists.txt", "|")
        kin = [Subject(*entry) for entry in read_subjects()]
        named = [Subject(name, *(("her", "she") if name in _FEMALE else ("his", "he"))) for name in self.values["name"]]
        self.kin, self.named = kin, named
        self.liked = [value for name in ("food", "drink", "hobby", "genre", "media", "thing") for value in self.values[name]]
        self.rows: list[Row] = []

    def subject(self) -> Subject:
        """I, the user, somebody named, or a relation of the speaker."""
        chance = self.choice.random()
        if chance < 0.36:
            return SPEAKER
        if chance < 0.54:
            return USER
        return self.choice.choice(self.named if chance < 0.74 else self.kin)

    def other_subject(self, subject: Subject) -> Subject:
        """Somebody else; most often of the same sort, where telling them apart is hardest."""
        while True:
            near = self.named if subject in self.named else self.kin
            other = self.choice.choice(near) if self.choice.random() < 0.6 else self.subject()
            same = other.name == subject.name or {other, subject} == {SPEAKER, USER}
            nested = other.name.lower() in subject.name.lower() or subject.name.split()[-1] == other.name.split()[-1]
            if not same and not (nested and self.choice.random() < 0.5):
                return other

    def same_subject(self, subject: Subject) -> Subject:
        """The same person, at times seen from the other side."""
        if self.choice.random() < 0.2:
            return {SPEAKER: USER, USER: SPEAKER}.get(subject, subject)
        return subject

    def add(self, label: str, kind: str, stored: str, new: str, frame: str, soft: dict[str, float] | None = None) -> None:
        """One row, styled."""
        openings = self.lists["openings"]
        old, other = styled(stored, self.choice, openings), styled(new, self.choice, openings)
        if stored.lower() == new.lower() and label != "duplicate":
            return
        shares = soft or {label: 1.0}
        self.rows.append(Row(old, other, tuple(shares.get(name, 0.0) for name in LABELS), kind, frame))

    def one(self, texts: Sequence[str]) -> str:
        """One of them."""
        return self.choice.choice(texts)

    def maybe(self, chance: float) -> bool:
        """True as often as that."""
        return self.choice.random() < chance

    def two_values(self, frame: Frame) -> tuple[list[str], list[str]]:
        """The forms of two values of a slot."""
        if frame.kind == "number":
            first = numbers.draw(frame.slot, self.choice)
            return first, numbers.draw_other(frame.slot, first, self.choice)
        if frame.kind == "plain":
            return [""], [""]
        one, other = self.choice.sample(self.values[frame.slot], 2)
        return [one], [other]

    def statement(self, avoid: Frame | None = None, subject: Subject | None = None) -> str:
        """Any statement of another frame."""
        frame = self.choice.choice([frame for frame in self.frames if frame is not avoid])
        value, _ = self.two_values(frame)
        thing = self.one(frame["@"]) if frame["@"] else ""
        return fill(self.one(frame["="]), subject or self.subject(), V=self.one(value), X=thing)

    def lowered(self, text: str) -> str:
        """The text as it goes on after an opening: its first letter small, unless it is a name or "I"."""
        first = text.split(maxsplit=1)[0].split("'", maxsplit=1)[0]
        common = first in _OPENERS
        return text[:1].lower() + text[1:] if common else text

    def one_of(self, entries: Sequence[tuple[str, list[str]]]) -> tuple[str, list[str]]:
        """One of them."""
        return self.choice.choice(entries)

    def either(self, pair: tuple[str, str]) -> tuple[str, str]:
        """The pair, or its sides exchanged."""
        return pair if self.maybe(0.5) else (pair[1], pair[0])
