"""The models at their ports: an embedder with chosen cosines, an engine that says what it is told, an extractor that splits lines."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Sequence
from datetime import datetime
from typing import Final, cast

import numpy as np

from app.charter.model import MemoryType
from app.engine.port import Atom, Candidate, Judgements, NoVerdict, Proposal, Question
from app.errors import EmbedderUnavailableError
from tests.hostile.acts import Said

DIMENSIONS: Final = 32
MODEL: Final = "hostile"

# A topic is known by a word in its texts; two texts of it lie about that cosine apart, texts of two topics about 0.
_TOPICS: Final = {"liv": 0.90, "cat": 0.995, "tea": 0.78, "coffee": 0.78}
_AXES: Final = {"liv": 0, "cat": 1, "tea": 2, "coffee": 2}
_FREE: Final = 3  # the axes from here on are every text's own

CORPUS: Final = (
    "Alice lives in Porto",
    "Alice lives in Lisbon",
    "Alice does not live in Porto",
    "Alice lives in Porto by the river",
    "Alice has 2 cats",
    "Alice has 3 cats",
    "Alice has 2 cats!",
    "Alice has no cats",
    "Alice prefers tea",
    "Alice prefers coffee",
    "Alice never drinks tea",
    "Alice prefers tea with milk",
    "Bob likes the sea",
    "爱丽丝喜欢茶 tea",
    *(f"Alice lives in {town}" for town in ("Faro", "Braga", "Évora", "Coimbra", "Berlin", "Oslo")),
    *(f"Alice has {number} cats" for number in (4, 5, 6, 7)),
    *(f"Alice prefers {drink} tea" for drink in ("green", "black", "mint", "no")),
)
NAMES: Final = ("Alice", "Zoe")
"""Each tenant speaks of another person, so that a text that strays is seen."""


ANYBODY: Final = 50
"""From this number on a target may be of the wrong user."""


def text_of(number: int, spelling: int, tenant: int) -> str:
    """A text of the corpus as this tenant says it, numbered from the second round on.

    The spellings 1 to 3 are the same to a fold that ignores case.
    """
    turn, place = divmod(number, len(CORPUS))
    plain = f"{CORPUS[place]} {turn}" if turn else CORPUS[place]
    plain = plain.replace(NAMES[0], NAMES[tenant])
    return (plain, f"{plain}.", plain.swapcase(), f"  {plain.replace(' ', '  ')}")[spelling % 4]


class Corpus:
    """An embedder whose cosines follow the topics. `fails`: which call from now on does, 0 for none."""

    model = MODEL
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        self.fails = 0
        self._known: dict[str, list[float]] = {}

    async def start(self) -> None:
        """Nothing to load."""

    async def close(self) -> None:
        """Nothing to release."""

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One unit vector a text, always the same for the same one."""
        self.fails -= 1
        if self.fails == 0:
            raise EmbedderUnavailableError("the embedder is down")
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        if text not in self._known:
            self._known[text] = _placed(text)
        return self._known[text]


def _placed(text: str) -> list[float]:
    seed = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big")
    vector = np.zeros(DIMENSIONS)
    vector[_FREE:] = np.random.default_rng(seed).normal(size=DIMENSIONS - _FREE)
    vector /= np.linalg.norm(vector)
    topic = next((topic for topic in _TOPICS if topic in text.casefold()), None)
    if topic is not None:
        vector *= np.sqrt(1 - _TOPICS[topic])
        vector[_AXES[topic]] = np.sqrt(_TOPICS[topic])
    return vector.tolist()


class HostileEngine:
    """Says what is next in `script`, whatever it is asked, and keeps what it was shown."""

    name = "hostile:engine"

    def __init__(self) -> None:
        self.script: deque[Said] = deque()
        self.shown: list[Candidate] = []

    async def close(self) -> None:
        """Nothing to release."""

    async def decide(self, questions: Sequence[Question]) -> Judgements:
        """One answer a question; with nothing left in the script, ADD."""
        return Judgements(tuple(self._answer(question) for question in questions), calls=1)

    def _answer(self, question: Question) -> Proposal | NoVerdict:
        self.shown += question.candidates
        said = self.script.popleft() if self.script else Said("ADD", target=None)
        if said.outage:
            return NoVerdict("the engine is out of reach")
        met = _met(said, question.candidates) if isinstance(said.target, int) else None
        old = met.content if met else ""
        other = question.candidates[-1].content
        merges = {
            "both": f"{old} and {question.content}",
            "old": old,
            "new": question.content,
            "other": other,
            "blank": "  ",
            "nul": "\x00",
        }
        return Proposal(
            operation=said.operation,
            target=met.ref if met else cast("str | None", said.target),
            confidence=cast("int", said.confidence),
            reasoning=said.reasoning,
            merged_content=merges.get(said.merge, said.merge or None),
            new_type=said.new_type,
            target_type=said.target_type,
        )


def _met(said: Said, candidates: Sequence[Candidate]) -> Candidate:
    """The candidate that is meant: one of the right user where there is one, from 50 on any."""
    number = said.target if isinstance(said.target, int) else 0
    owner = "other" if said.operation in {"LINK_EXISTING", "CROSS_CONTRADICT"} else "self"
    right = [one for one in candidates if one.owner == owner] if number < ANYBODY else []
    return (right or candidates)[number % len(right or candidates)]


class Lines:
    """An extractor: each line of a message is an atom; a line may begin with its type."""

    name = "hostile:lines"

    async def close(self) -> None:
        """Nothing to release."""

    async def extract(self, message: str, accepted_at: datetime) -> list[Atom]:  # noqa: ARG002 - the port's
        """The atoms of the message, in its order."""
        return [self._atom(line) for line in message.split("\n")]

    def _atom(self, line: str) -> Atom:
        word, colon, rest = line.partition(": ")
        known = colon and word in set(MemoryType)
        return Atom(rest, MemoryType(word)) if known else Atom(line, MemoryType.FACT)
