"""The life of a dispute: what may be answered, what each answer does, and what a change of a side does to it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, assert_never

from app.charter.model import Article, Kind, Operation, Resolution, Status

ALL_RESOLUTIONS = (Resolution.RETRACT, Resolution.CONFIRM, Resolution.COEXIST, Resolution.AMEND)
Place = Literal["new", "existing"]


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a dispute, as it is now."""

    user_id: str
    kind: Kind
    immutable: bool


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an answer is not legal: the articles behind it, or a code where no article is."""

    articles: tuple[Article, ...]
    code: str


def refusal(resolution: Resolution, new: Side, existing: Side) -> Refusal | None:
    """Why this answer is not legal for these two sides, or None when it is (C2 and C4 bind a person too)."""
    touches_existing = resolution in {Resolution.RETRACT, Resolution.AMEND}
    touches_new = resolution in {Resolution.CONFIRM, Resolution.AMEND}
    for touched, side in ((touches_existing, existing), (touches_new, new)):
        if touched and side.kind is Kind.RAW_INPUT:
            return Refusal((Article.C4,), "raw_input")
        if touched and (side.immutable or side.kind is not Kind.ATOM):
            return Refusal((Article.C2,), "immutable")
    if touches_existing and new.user_id != existing.user_id:
        return Refusal((), "other_user")
    return None


def legal_resolutions(new: Side, existing: Side) -> tuple[Resolution, ...]:
    """The answers that a clarification offers: those that are legal for both sides now."""
    return tuple(one for one in ALL_RESOLUTIONS if refusal(one, new, existing) is None)


class Step(StrEnum):
    """What an answer does to the two memories."""

    REVISE_EXISTING = "revise_existing"
    SUPERSEDE_EXISTING = "supersede_existing"
    WITHDRAW_NEW = "withdraw_new"
    KEEP_BOTH = "keep_both"
    SUPERSEDE_BOTH = "supersede_both"


def step_for(resolution: Resolution, pending: Operation) -> Step:
    """The effect of an answer to a dispute whose verdict was `pending` (charter section 5)."""
    match resolution:
        case Resolution.RETRACT:
            return Step.REVISE_EXISTING if pending is Operation.UPDATE else Step.SUPERSEDE_EXISTING
        case Resolution.CONFIRM:
            return Step.WITHDRAW_NEW
        case Resolution.COEXIST:
            return Step.KEEP_BOTH
        case Resolution.AMEND:
            return Step.SUPERSEDE_BOTH
        case _:
            assert_never(resolution)


class Change(StrEnum):
    """What happened to a side of an open dispute, outside its own answer."""

    EDITED = "edited"
    SUPERSEDED = "superseded"
    WITHDRAWN = "withdrawn"
    UNFINALISED = "unfinalised"
    ERASED = "erased"


class Consequence(StrEnum):
    """What that does to the dispute."""

    ASK_AGAIN = "ask_again"
    MOVE = "move"
    MOOT = "moot"


def consequence(place: Place, change: Change) -> Consequence:
    """A dispute follows the stored side to its successor, ends with the new side, and asks again about a changed text."""
    match change:
        case Change.EDITED | Change.UNFINALISED:
            return Consequence.ASK_AGAIN
        case Change.SUPERSEDED:
            return Consequence.MOVE if place == "existing" else Consequence.MOOT
        case Change.WITHDRAWN | Change.ERASED:
            return Consequence.MOOT
        case _:
            assert_never(change)


def may_finalise(kind: Kind, status: Status, *, disputed: bool) -> bool:
    """Only an active, undisputed atom can be marked final."""
    return kind is Kind.ATOM and status is Status.ACTIVE and not disputed
