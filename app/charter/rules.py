"""Layer 2, the learned rules: what a human said to do always with one shape of contradiction.

A rule governs only what the constitution leaves free, and it answers: it never silences.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from app.charter.model import LOW_CONFIDENCE, Article, Incoming, Operation, Resolution, Rule, Shape, Target

_ANSWERABLE = frozenset({Operation.CONTRADICT, Operation.CROSS_CONTRADICT})


def shape_of(operation: Operation, incoming: Incoming, target: Target) -> Shape:
    """The shape of one contradiction: operation, the two types, same or other user."""
    return Shape(operation, incoming.memory_type, target.memory_type, incoming.user_id == target.user_id)


def rule_for(shape: Shape, user_id: str, rules: Iterable[Rule]) -> Rule | None:
    """The live rule of that shape: the user's own goes before the tenant's; of several the lowest id, for determinism."""
    matching = [rule for rule in rules if rule.shape == shape and rule.user_id in {None, user_id}]
    return min(matching, key=lambda rule: (rule.user_id is None, str(rule.rule_id)), default=None)


def may_answer(rule: Rule, confidence: int, bar: int, target: Target) -> bool:
    """What a rule may do: coexist always; retract from C5's bar on, one user's own and never a final one; confirm one user's own."""
    match rule.resolution:
        case Resolution.COEXIST:
            return True
        case Resolution.RETRACT:
            return rule.shape.same_user and confidence >= max(LOW_CONFIDENCE, bar) and not target.final
        case Resolution.CONFIRM:
            return rule.shape.same_user
        case Resolution.AMEND:
            return False


def learnable(operation: Operation, articles: Sequence[Article], resolution: Resolution, *, same_user: bool) -> bool:
    """Whether answers of this kind may become a rule: no article behind it, a plain contradiction, and no amend."""
    if articles or operation not in _ANSWERABLE or resolution is Resolution.AMEND:
        return False
    return same_user or resolution is Resolution.COEXIST


@dataclass(frozen=True, slots=True)
class Precedent:
    """One answered clarification: its episode, what it was about, what was answered, and about which pair."""

    episode_id: UUID
    shape: Shape
    resolution: Resolution
    pair: tuple[UUID, UUID]


def proposal_from(precedents: Sequence[Precedent], propose_after: int) -> tuple[UUID, ...]:
    """The episodes that propose a rule, or none.

    `precedents` are those of one shape, oldest first, since the last proposal was decided. They count from the last
    contrary answer on, each pair once; `propose_after` of them make a proposal, when a rule may answer so at all.
    """
    if not precedents:
        return ()
    last, shape = precedents[-1].resolution, precedents[-1].shape
    if not learnable(shape.operation, (), last, same_user=shape.same_user):
        return ()
    run: list[Precedent] = []
    for precedent in reversed(precedents):
        if precedent.resolution is not last:
            break
        run.append(precedent)
    by_pair = {precedent.pair: precedent.episode_id for precedent in run}
    return tuple(reversed(by_pair.values())) if len(by_pair) >= propose_after else ()
