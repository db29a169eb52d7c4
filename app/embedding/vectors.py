"""What makes rows of numbers usable as embeddings. A row that fails any of it never reaches the database."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.errors import EmbedderUnavailableError

_UNIT_TOLERANCE = 1e-6


def unit_rows(rows: Sequence[object], count: int, dimensions: int) -> list[list[float]]:
    """The rows scaled to length one.

    Raises `EmbedderUnavailableError` when there are not exactly `count` rows of `dimensions` finite numbers each, or
    when one of them has no direction.
    """
    if len(rows) != count:
        raise EmbedderUnavailableError(f"the embedder answered {len(rows)} vectors for {count} texts")
    if not all(_is_row(row, dimensions) for row in rows):
        raise EmbedderUnavailableError(f"the embedder answered a vector that is not {dimensions} numbers")
    return normalise(np.asarray(rows, dtype=np.float64)) if count else []


def normalise(matrix: np.ndarray) -> list[list[float]]:
    """Each row of a matrix divided by its length. Raises `EmbedderUnavailableError` as `unit_rows` does."""
    with np.errstate(all="ignore"):
        units = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
        lengths = np.linalg.norm(units, axis=1)
    # One test for all of it: NaN, infinity, a zero row and an overflow each leave a length that is not one.
    if not np.all(np.abs(lengths - 1.0) < _UNIT_TOLERANCE):
        raise EmbedderUnavailableError("the embedder answered a vector that is zero or not finite")
    result: list[list[float]] = units.tolist()
    return result


def _is_row(row: object, dimensions: int) -> bool:
    # `type` and not isinstance: a bool is an int to isinstance, and no coordinate.
    return isinstance(row, list) and len(row) == dimensions and all(type(x) in (int, float) for x in row)
