"""Models with whims: every text is like every other, and the engine says anything that it may say of its best candidate."""

from __future__ import annotations

import hashlib
import random
from typing import Any

from tests.integration.models import DIMENSIONS

_OPERATIONS = ("ADD", "UPDATE", "SUPERSEDE", "NOOP", "CONTRADICT", "DELETE", "LINK_EXISTING", "NONSENSE")
_SPREAD = 0.03
"""Of each coordinate beside the common 1.0; two texts have a cosine of about 0.95 then: a question to the engine."""


class Near(dict[str, list[float]]):
    """A vector for each text there is: its own where it was given one, else one near to all others."""

    def __contains__(self, text: object) -> bool:
        """There is one for each."""
        return isinstance(text, str)

    def __missing__(self, text: str) -> list[float]:
        source = _source(text)
        return [1.0 + source.gauss(0.0, 1.0) * _SPREAD * DIMENSIONS**0.5 for _ in range(DIMENSIONS)]


def by_whim(item: dict[str, Any]) -> dict[str, Any]:
    """A decision about one item: the same text always gets the same whim."""
    whim = _source(item["new"]["content"])
    candidates = item["candidates"]
    operation = whim.choice(_OPERATIONS) if candidates else "ADD"
    return {
        "i": item["i"],
        "operation": operation,
        "target": None if operation == "ADD" else candidates[0]["ref"],
        "confidence": whim.choice((40, 69, 70, 95)),
        "reasoning": "a whim",
        "merged_content": item["new"]["content"] if operation == "UPDATE" else None,
    }


def _source(text: str) -> random.Random:
    return random.Random(hashlib.sha256(text.encode()).digest())  # noqa: S311 - a fixture, no secret
