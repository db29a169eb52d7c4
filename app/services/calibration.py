"""Embed labelled pairs with the configured model, so that its thresholds can be chosen instead of guessed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from app.charter.wording import agree
from app.embedding.calibration import CHANGES, Label, Measured, Pair
from app.embedding.port import Embedder
from app.errors import InvalidInputError

_LONGEST = 8000  # characters, as for a memory
_BATCH = 64
_LABELS = ", ".join(Label)


@dataclass(frozen=True, slots=True)
class Measurement:
    """All pairs of a set with their cosines, and those of each second text with the other pairs' first texts, sorted.

    The latter stand for facts about something else that a user has stored.
    """

    pairs: tuple[Measured, ...]
    strangers: np.ndarray

    def strangers_reaching(self, gate: float) -> float:
        """The share of facts about something else at or above the gate, in [0, 1]."""
        if not self.strangers.size:
            return 0.0
        return 1.0 - float(np.searchsorted(self.strangers, gate)) / self.strangers.size


def shipped_pairs() -> list[Pair]:
    """The 200 pairs that come with the package: everyday and technical facts in English, Russian, German, Spanish, Chinese."""
    text = files("app.embedding").joinpath("calibration_pairs.json").read_text(encoding="utf-8")
    return [Pair(a, b, Label(label)) for label, pairs in json.loads(text).items() for a, b in pairs]


def read_pairs(path: Path) -> list[Pair]:
    """Pairs from lines of JSON with `a`, `b` and `label`; other members are passed over.

    Raises `InvalidInputError` that names the line and quotes nothing of it, or says which labels are missing.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as fault:
        raise InvalidInputError(f"{path} cannot be read: {fault.strerror}") from fault
    except UnicodeDecodeError as fault:
        raise InvalidInputError(f"{path} is not UTF-8 text") from fault
    pairs = [_pair(line, f"{path}, line {number}") for number, line in enumerate(lines, start=1) if line.strip()]
    labels = {pair.label for pair in pairs}
    if not labels & CHANGES:
        raise InvalidInputError(f"{path} has no pair labelled conflict or update, and those are what a threshold can lose")
    if not labels - {Label.DUPLICATE, *CHANGES}:
        raise InvalidInputError(f"{path} has no pair labelled new, so nothing can be said about unrelated facts")
    return pairs


def _pair(line: str, place: str) -> Pair:
    try:
        row = json.loads(line)
    except ValueError:
        raise InvalidInputError(f"{place}: not JSON") from None
    if not isinstance(row, dict):
        raise InvalidInputError(f"{place}: not an object with a, b and label")
    if row.get("label") not in list(Label):
        raise InvalidInputError(f"{place}: label must be one of {_LABELS}")
    return Pair(_text(row, "a", place), _text(row, "b", place), Label(row["label"]))


def _text(row: dict[str, Any], name: str, place: str) -> str:
    text = row.get(name)
    if not isinstance(text, str) or not text.strip() or len(text) > _LONGEST:
        raise InvalidInputError(f"{place}: {name} must be a text of 1 to {_LONGEST} characters")
    return text


async def measure(embedder: Embedder, pairs: Sequence[Pair], told: Callable[[int, int], None]) -> Measurement:
    """The cosine of each pair. `told` gets how many texts are done, of how many.

    Raises `EmbedderUnavailableError`, and `ConfigurationError` where the embedder cannot be loaded.
    """
    texts = sorted({text for pair in pairs for text in (pair.a, pair.b)})
    vectors: dict[str, list[float]] = {}
    for batch in _batches(texts):
        vectors.update(zip(batch, await embedder.embed(batch), strict=True))
        told(len(vectors), len(texts))
    stored = np.asarray([vectors[pair.a] for pair in pairs])
    new = np.asarray([vectors[pair.b] for pair in pairs])
    cosines = np.clip(new @ stored.T, -1.0, 1.0)
    measured = tuple(
        Measured(pair.label, float(cosine), agree(pair.a, pair.b)) for pair, cosine in zip(pairs, np.diagonal(cosines), strict=True)
    )
    return Measurement(measured, np.sort(cosines[_unshared(pairs)]))


def _unshared(pairs: Sequence[Pair]) -> np.ndarray:
    """Which (new, stored) places belong to different facts: sets often put several new texts beside one stored text."""
    first = np.asarray([pair.a for pair in pairs], dtype=object)
    different: np.ndarray = first[:, None] != first[None, :]
    return different


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(texts), _BATCH):
        yield texts[start : start + _BATCH]
