"""What the services ask of a decision engine and of an extractor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from app.charter.model import MemoryType, Source


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that the new fact may meet. `ref` is `c1…` for stored ones, `n0…` for earlier facts of the same write."""

    ref: str
    content: str
    memory_type: MemoryType
    owner: Literal["self", "other"]
    similarity: float
    recorded_at: datetime | None
    valid_from: datetime | None
    immutable: bool


@dataclass(frozen=True, slots=True)
class Question:
    """One fact of the gray zone and its candidates (1 to 12), best first. `i` is its place in the write."""

    i: int
    content: str
    memory_type: MemoryType
    accepted_at: datetime
    valid_from: datetime | None
    source: Source
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A checked answer to one question: its operation is known, its target is one of the refs shown (None for ADD)."""

    operation: str
    target: str | None
    confidence: int
    reasoning: str
    merged_content: str | None = None
    new_type: MemoryType | None = None
    target_type: MemoryType | None = None


@dataclass(frozen=True, slots=True)
class NoVerdict:
    """The engine was out of reach, or its answer failed the check twice. `fault` says how; it quotes no memory text."""

    fault: str


@dataclass(frozen=True, slots=True)
class Judgements:
    """One answer a question, in the order of the questions, and what it cost.

    `calls` counts the questions put to a model (one, and one repair), `retries` how often one of them had to be sent
    again. `prompt_sha256` names the instructions that a model was given.
    """

    answers: tuple[Proposal | NoVerdict, ...]
    calls: int = 0
    prompt_characters: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    retries: int = 0
    prompt_sha256: str | None = None


class Engine(Protocol):
    """Proposes verdicts. Never raises for a bad model: an outage or nonsense is a `NoVerdict`."""

    @property
    def name(self) -> str:
        """`kind:model`, as recorded in each decision."""
        ...

    async def decide(self, questions: Sequence[Question]) -> Judgements:
        """One batched call for all questions, one repair for the items that fail their check."""
        ...

    async def close(self) -> None:
        """Release connections."""
        ...


@dataclass(frozen=True, slots=True)
class Atom:
    """One typed statement out of a message. `valid_from` only when the message says it for sure."""

    content: str
    memory_type: MemoryType
    valid_from: datetime | None = None


class Extractor(Protocol):
    """Splits a message into atoms, at most 50."""

    @property
    def name(self) -> str:
        """`kind:model`."""
        ...

    async def extract(self, message: str, accepted_at: datetime) -> list[Atom]:
        """The atoms of the message, in its order; an empty list when it states nothing.

        Raises `ExtractorUnavailableError` when the model is out of reach or answers nonsense.
        """
        ...

    async def close(self) -> None:
        """Release connections."""
        ...
