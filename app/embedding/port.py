"""What the services ask of an embedder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Embedder(Protocol):
    """Turns texts into unit vectors of one fixed dimension."""

    @property
    def model(self) -> str:
        """The name that is stored beside each vector; vectors of different names are never compared."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of each vector."""
        ...

    async def start(self) -> None:
        """Load what is needed (the local model: from the installed package). Raises `ConfigurationError`."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One unit vector a text, in order, in as few calls as possible.

        Raises `EmbedderUnavailableError` when the model is out of reach or answers a wrong count, dimension, NaN or
        infinity: a wrong vector never leaves this method.
        """
        ...

    async def close(self) -> None:
        """Release connections and threads."""
        ...
