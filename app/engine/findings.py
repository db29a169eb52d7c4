"""What one rule makes of one pair of statements, and how sure it may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from app.charter.model import Operation

SURE: Final = 92
TOLD: Final = 80
"""The words themselves say it."""

ASK: Final = 64
"""Likely, but under 70: the charter asks (C5)."""

DOUBT: Final = 58
"""Worth a question and no more."""


@dataclass(frozen=True, slots=True)
class Found:
    """The operation that a pair asks for. `confidence` from 0 to 100; `reasoning` is a sentence that quotes no text."""

    operation: Operation
    confidence: int
    reasoning: str
