"""One plain case, from which each test changes what it is about: a user's fact, a stored fact of the same user, a draft charter."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from app.charter.model import (
    Charter,
    Incoming,
    Kind,
    MemoryType,
    Mode,
    Operation,
    Resolution,
    Rule,
    Shape,
    Source,
    Status,
    Target,
    Thresholds,
    Verdict,
)

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
BEFORE = NOW - timedelta(days=1)
AFTER = NOW + timedelta(days=1)
ALICE, BOB = "alice", "bob"
STORED_ID, OTHER_ID = UUID(int=1), UUID(int=2)

OLD = "Alice lives in Porto"
NEW = "Alice lives in Lisbon"

_THRESHOLDS = Thresholds(duplicate_at=0.98, new_below=0.70, low_confidence=70, origin="test")
_INCOMING = Incoming(ALICE, NEW, MemoryType.FACT, Source.AGENT, NOW)
_STORED = Target(STORED_ID, ALICE, Kind.ATOM, OLD, MemoryType.FACT, Status.ACTIVE, False, Source.AGENT, BEFORE)  # noqa: FBT003


def thresholds(**fields: Any) -> Thresholds:
    return replace(_THRESHOLDS, **fields)


def incoming(**fields: Any) -> Incoming:
    return replace(_INCOMING, **fields)


def stored(**fields: Any) -> Target:
    return replace(_STORED, **fields)


def verdict(operation: str, confidence: object = 90, **fields: Any) -> Verdict:
    """A verdict on the stored memory, with the one merge that is always right: both texts joined."""
    if operation == Operation.UPDATE:
        fields.setdefault("merged_content", f"{OLD} and {NEW}")
    if operation != Operation.ADD:
        fields.setdefault("target", STORED_ID)
    return Verdict(operation, confidence=confidence, **{"reasoning": "because", **fields})


def draft(*rules: Rule, low_confidence: int = 70) -> Charter:
    return Charter(Mode.DEFER, thresholds(low_confidence=low_confidence), rules)


def approved(*rules: Rule, low_confidence: int = 70) -> Charter:
    return Charter(Mode.BLOCK, thresholds(low_confidence=low_confidence), rules)


def rule(resolution: Resolution, *, user_id: str | None = ALICE, number: int = 7, **fields: Any) -> Rule:
    """A rule of the shape of a plain contradiction between the two facts, unless the fields say otherwise."""
    shape = replace(Shape(Operation.CONTRADICT, MemoryType.FACT, MemoryType.FACT, same_user=True), **fields)
    return Rule(UUID(int=number), shape, resolution, user_id)
