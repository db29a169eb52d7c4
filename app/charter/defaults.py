"""Layer 3, the defaults: the three silent tiers with their guards, and the order of time, source and disputes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.charter.model import (
    ConflictType,
    Incoming,
    Kind,
    Operation,
    Status,
    Target,
    Thresholds,
    Tier,
    Verdict,
)
from app.charter.wording import agree, fold


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A stored memory (or an earlier fact of the same write) and its cosine to the incoming text, in [-1, 1]."""

    target: Target
    similarity: float


def same_text(incoming: Incoming, target: Target) -> bool:
    """The exact tier: the same folded text and type, of the same user, current or held, and no other `valid_from`."""
    if target.user_id != incoming.user_id or target.kind is not Kind.ATOM or target.memory_type is not incoming.memory_type:
        return False
    if target.status not in {Status.ACTIVE, Status.HELD} or another_beginning(incoming.valid_from, target.valid_from):
        return False
    keep_case = incoming.memory_type.protected
    return fold(incoming.content, keep_case=keep_case) == fold(target.content, keep_case=keep_case)


def another_beginning(new: datetime | None, stored: datetime | None) -> bool:
    """True when a repeat names a `valid_from` that the stored memory does not have: it says something new."""
    return new is not None and new != stored


def tier_of(incoming: Incoming, twin: Target | None, neighbours: Sequence[Neighbour], thresholds: Thresholds) -> Verdict | None:
    """The verdict of the tiers, or None where the engine decides.

    `twin` is an atom for which `same_text` holds, if any. `neighbours` are the user's own active atoms and the shared
    active ones of others, in any order.
    """
    if twin is not None and same_text(incoming, twin):
        return Verdict(Operation.NOOP, twin.memory_id, 100, "the same text", tier=Tier.EXACT)
    if all(neighbour.similarity < thresholds.new_below for neighbour in neighbours):
        return Verdict(Operation.ADD, None, 100, "nothing alike", tier=Tier.NEW)
    alike = [one for one in neighbours if one.similarity >= thresholds.duplicate_at and may_be_duplicate(incoming, one.target)]
    if alike:
        best = min(alike, key=lambda one: (-one.similarity, str(one.target.memory_id)))
        return Verdict(Operation.NOOP, best.target.memory_id, 100, "the same words", tier=Tier.DUPLICATE)
    return None


def may_be_duplicate(incoming: Incoming, target: Target) -> bool:
    """The guards of the cosine NOOP: own, active, unprotected on both sides, the same words, no other beginning."""
    return (
        target.user_id == incoming.user_id
        and target.kind is Kind.ATOM
        and target.status is Status.ACTIVE
        and not incoming.memory_type.protected
        and not target.memory_type.protected
        and not another_beginning(incoming.valid_from, target.valid_from)
        and agree(incoming.content, target.content)
    )


def order_conflict(incoming: Incoming, target: Target) -> ConflictType | None:
    """Why a rewrite does not run silently though no article forbids it, first that applies; None when it may."""
    if incoming.late:
        return ConflictType.LATE_DECISION
    if _out_of_order(incoming, target):
        return ConflictType.OUT_OF_ORDER
    if incoming.source.strength < target.source.strength:
        return ConflictType.WEAKER_SOURCE
    return ConflictType.DISPUTED_TARGET if target.disputed else None


def _out_of_order(incoming: Incoming, target: Target) -> bool:
    if incoming.accepted_at <= target.recorded_at:
        return True
    if incoming.valid_from is None:
        return False
    begins_earlier = target.valid_from is not None and incoming.valid_from < target.valid_from
    return begins_earlier or incoming.valid_from > incoming.accepted_at
