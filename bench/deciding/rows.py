"""The labelled files, read in place: pairs of a stored and a new fact, and ordered facts with questions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, TypeVar

PAIR_FILES = ("everyday_pairs.jsonl", "pairs_dev.jsonl")
SEQUENCE_FILE = "sequences_dev.jsonl"

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Pair:
    """A stored fact, a new one, and the labels that are right: the strict one, and those that the texts alone allow."""

    file: str
    source: str
    name: str
    a: str
    b: str
    label: str
    lenient: frozenset[str]


@dataclass(frozen=True, slots=True)
class Event:
    """A fact and when it began. `replaces` is the place of the earlier fact that it changes, None where it adds one."""

    at: str
    text: str
    replaces: int | None


@dataclass(frozen=True, slots=True)
class Question:
    """After which event it is asked (its place), and the place of the event that then holds the answer."""

    after: int
    answer: int


@dataclass(frozen=True, slots=True)
class Chain:
    """Ordered facts about one subject, and what is asked about them."""

    source: str
    name: str
    events: tuple[Event, ...]
    questions: tuple[Question, ...]


def read_pairs(folder: Path, limit: int | None) -> list[Pair]:
    """The pairs of every file that is there; of each file `limit` at most, drawn evenly by a fixed seed."""
    return [pair for name in PAIR_FILES for pair in _drawn([_pair(name, row) for row in _rows(folder / name)], limit)]


def read_sequences(folder: Path, limit: int | None) -> list[Chain]:
    """The sequences, `limit` at most."""
    return _drawn([_sequence(row) for row in _rows(folder / SEQUENCE_FILE)], limit)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    if path.is_file():
        with path.open(encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines if line.strip())


def _drawn(rows: Sequence[Row], limit: int | None) -> list[Row]:
    if limit is None or len(rows) <= limit:
        return list(rows)
    return [rows[place] for place in sorted(Random(1).sample(range(len(rows)), limit))]  # noqa: S311 - a sample, no secret


def _pair(file: str, row: dict[str, Any]) -> Pair:
    group = row.get("group")
    source = f"{row['lang']}:{group}" if group and row["lang"] == "en" else f"{row['lang']}" if group else row["source"]
    return Pair(file.removesuffix(".jsonl"), source, row.get("id", ""), row["a"], row["b"], row["label"], frozenset(row["lenient"]))


def _sequence(row: dict[str, Any]) -> Chain:
    events = row["events"]
    told = tuple(Event(event["t"], event["text"], _replaced(row["source"], events, place)) for place, event in enumerate(events))
    asked = (_question(told, question) for question in row["questions"])
    return Chain(row["source"], row["id"], told, tuple(question for question in asked if question is not None))


def _replaced(source: str, events: Sequence[dict[str, Any]], place: int) -> int | None:
    """The earlier fact that an event changes: named in it, or the one before where all events are states of one thing."""
    if "changes" in events[place]:
        named: int = events[place]["changes"]
        return named
    if source == "letta" or place == 0:
        return None
    if source == "tsqa" and events[place].get("value") == events[place - 1].get("value"):
        return None
    return place - 1


def _question(events: Sequence[Event], row: dict[str, Any]) -> Question | None:
    """What is known at the question's date, and which event answers: the newest state of the thing that changes."""
    day = row["as_of"]
    known = [place for place, event in enumerate(events) if event.at[: len(day)] <= day[: len(event.at)]]
    changing = {place for place, event in enumerate(events) if event.replaces is not None}
    changing |= {event.replaces for event in events if event.replaces is not None}
    answers = [place for place in known if place in changing]
    return Question(known[-1], answers[-1]) if answers else None
