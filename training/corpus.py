"""Rows, and the readers of the text files that they are made from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from training.labels import LABELS

FOLDER: Final = Path(__file__).parent / "data"

_HEAD = re.compile(r"\[(?P<topic>[^:\]]+)(?:: (?P<kind>one|many|number) (?P<slot>\w+))?\]")


@dataclass(frozen=True, slots=True)
class Row:
    """One pair. `target` are the shares of the labels (most often all in one); `kind` says how it was made, `frame` of what."""

    stored: str
    new: str
    target: tuple[float, ...]
    kind: str
    frame: str

    @property
    def label(self) -> str:
        """The label with the largest share."""
        return LABELS[self.target.index(max(self.target))]


@dataclass(slots=True)
class Frame:
    """One way of saying one thing, and what may be said beside it. `kind`: one, many, number or plain."""

    name: str
    kind: str
    slot: str
    lines: dict[str, list[str]] = field(default_factory=dict)

    def __getitem__(self, sign: str) -> list[str]:
        return self.lines.get(sign, [])

    @property
    def personal(self) -> bool:
        """True when it is about a subject that may be swapped."""
        return any("{S}" in text or "{O}" in text or "{M}" in text for text in self["="])


@dataclass(frozen=True, slots=True)
class HandPair:
    """One pair written by hand."""

    name: str
    label: str
    stored: str
    new: str

    @property
    def personal(self) -> bool:
        """True when both sides are about a subject that may be swapped."""
        return all(re.search(r"\{[SOM]\}", text) for text in (self.stored, self.new))


def read_pairs(name: str) -> list[HandPair]:
    """The pairs of a file of this folder."""
    found = (line.split("|") for line in _lines(name))
    return [HandPair(f"{name}/{place}", *(part.strip() for part in parts)) for place, parts in enumerate(found)]


def read_frames(name: str) -> list[Frame]:
    """The frames of a file of this folder, named by file and place."""
    frames: list[Frame] = []
    for line in _lines(name):
        head = _HEAD.fullmatch(line)
        if head:
            frames.append(Frame(f"{name}/{len(frames)}/{head['topic']}", head["kind"] or "plain", head["slot"] or ""))
            continue
        sign, text = line[0], line[1:].strip()
        frames[-1].lines.setdefault(sign, []).extend(part.strip() for part in text.split(", " if sign == "@" else "|"))
    return frames


def read_lists(name: str, mark: str) -> dict[str, list[str]]:
    """The named lists of a file of this folder."""
    pairs = (line.split(":", 1) for line in _lines(name))
    return {key: [part.strip() for part in text.split(mark)] for key, text in pairs}


@dataclass(frozen=True, slots=True)
class Cue:
    """Words that turn a sentence: those of one side say the same, those of the other the opposite."""

    sides: tuple[list[str], list[str]]
    sentences: list[str]


def read_cues(name: str) -> list[Cue]:
    """The cues of a file of this folder, with the sentences that they may stand in."""
    cues = []
    for line in _lines(name):
        words, *sentences = (part.strip() for part in line.split("::"))
        one, other = ([word.strip() for word in side.split("|")] for side in words.split("><"))
        cues.append(Cue((one, other), sentences))
    return cues


def read_choices(name: str) -> list[tuple[str, list[str]]]:
    """What is chosen, and among what."""
    parts = (line.split("::") for line in _lines(name))
    return [(head.strip(), [choice.strip() for choice in choices.split(",")]) for head, choices in parts]


def read_subjects() -> list[tuple[str, str, str]]:
    """Subject, later possessive, pronoun."""
    return [tuple(part.strip() for part in line.split("|")) for line in _lines("subjects.txt")]  # type: ignore[misc]


def _lines(name: str) -> Iterator[str]:
    text = (FOLDER / name).read_text(encoding="utf-8")
    return (line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))
