"""Precedents as they are shown: how often disputes of a shape were answered, and how."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import asyncpg

from app.charter.model import Resolution, Shape
from app.db import rules
from app.db.contradictions import Contradiction
from app.db.memories import Memory


@dataclass(frozen=True, slots=True)
class Answered:
    """So many answers of one kind to disputes of one shape."""

    resolution: Resolution
    times: int
    episodes: Sequence[UUID]


Answers = Mapping[tuple[str, Shape], Sequence[Answered]]


async def answers_of(connection: asyncpg.Connection, tenant_id: UUID, user_ids: Iterable[str]) -> Answers:
    """All earlier answers of these users by shape, the most frequent first."""
    found: dict[tuple[str, Shape], list[Answered]] = {}
    for row in await connection.fetch(rules.ANSWERED, tenant_id, sorted(set(user_ids))):
        key = (row["user_id"], rules.shape_of_row(row))
        found.setdefault(key, []).append(Answered(Resolution(row["resolution"]), row["times"], tuple(row["episodes"])))
    return found


def shape_of_dispute(dispute: Contradiction, new: Memory, existing: Memory) -> Shape:
    """What a dispute is about, without text: its operation, the two types, same or other user."""
    return Shape(dispute.pending_operation, new.memory_type, existing.memory_type, new.user_id == existing.user_id)


def earlier_answers(answers: Answers, dispute: Contradiction, new: Memory, existing: Memory) -> Sequence[Answered]:
    """The answers of the new side's user to disputes of this one's shape."""
    return answers.get((new.user_id, shape_of_dispute(dispute, new, existing)), ())
