"""What a write's facts may meet: read once before the engine is asked, and once more inside the transaction that rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import asyncpg

from app.charter.defaults import Neighbour, another_beginning, same_text, tier_of
from app.charter.model import Incoming, Operation, Target, Thresholds, Verdict
from app.charter.wording import fold
from app.db import memories
from app.db.candidates import StoredNeighbour, nearest
from app.services.drafts import Draft, Work, incoming_of, sibling_of, target_of

SHOWN = 12


@dataclass(frozen=True, slots=True)
class WithdrawnTwin:
    """The same text was withdrawn by an answer whose winner still stands."""

    memory_id: UUID
    contradiction_id: UUID


@dataclass(frozen=True, slots=True)
class Meeting:
    """One candidate: the target, its cosine, and the stored row behind it (None for an earlier fact of the same write)."""

    target: Target
    similarity: float
    row: StoredNeighbour | None
    position: int = -1


@dataclass(frozen=True, slots=True)
class Surroundings:
    """All that one fact may meet. `verdict` is the tiers' (None where the engine decides)."""

    draft: Draft
    user_id: str
    withdrawn: WithdrawnTwin | None
    meetings: Sequence[Meeting]
    verdict: Verdict | None
    gate: float

    @property
    def best(self) -> float | None:
        """The best cosine seen, or None when there was nothing to meet."""
        return max((one.similarity for one in self.meetings), default=None)

    @property
    def reached(self) -> list[Meeting]:
        """Those at or above the gate, best first."""
        return [one for one in self.meetings if one.similarity >= self.gate]

    @property
    def shown(self) -> list[Meeting]:
        """The up to 12 that the engine sees: equal texts and twins folded, disputed and final ones always included."""
        kept: list[Meeting] = []
        texts: set[str] = set()
        twins: set[UUID] = set()
        for one in sorted(self.reached, key=self._rank):
            text = fold(one.target.content, keep_case=True)
            if text in texts or one.target.memory_id in twins:
                continue
            kept.append(one)
            texts.add(text)
            twins |= one.row.twins if one.row else frozenset()
        return sorted(kept[:SHOWN], key=lambda one: (-one.similarity, str(one.target.memory_id)))

    def _rank(self, one: Meeting) -> tuple[bool, float, bool, str]:
        """Those that are always shown first, then by cosine; of equal texts the user's own one stands for all."""
        always = one.target.disputed or one.target.immutable
        return (not always, -one.similarity, one.target.user_id != self.user_id, str(one.target.memory_id))


async def survey(connection: asyncpg.Connection, work: Work, model: str, thresholds: Thresholds) -> list[Surroundings]:
    """The surroundings of every fact of a write, in order, as this transaction sees them."""
    itself = work.reconsidered.id if work.reconsidered else None
    vectors = [draft.vector for draft in work.drafts]
    rows = await nearest(connection, work.tenant_id, work.user_id, model, vectors, thresholds.new_below)
    folded = [memories.folded(draft.content, draft.memory_type) for draft in work.drafts]
    twins = await connection.fetch(memories.SAME_TEXT, work.tenant_id, work.user_id, folded)
    stored = [target_of(memories.memory_of(row)) for row in twins if row["memory_id"] != itself]
    withdrawn = await connection.fetch(memories.WITHDRAWN_TEXT, work.tenant_id, work.user_id, folded)
    found: list[Surroundings] = []
    for draft, neighbours, key in zip(work.drafts, rows, folded, strict=True):
        earlier = [one.draft for one in found if not _repeats(one)]
        gone = next((row for row in withdrawn if row["folded"] == key and _same_statement(row, draft)), None)
        others = [row for row in neighbours if row.target.memory_id != itself]
        found.append(_surroundings(work, draft, others, earlier, stored, gone, thresholds))
    return found


def _surroundings(
    work: Work,
    draft: Draft,
    neighbours: Sequence[StoredNeighbour],
    earlier: Sequence[Draft],
    stored: Sequence[Target],
    gone: asyncpg.Record | None,
    thresholds: Thresholds,
) -> Surroundings:
    meetings = [Meeting(row.target, row.similarity, row) for row in neighbours]
    meetings += [Meeting(sibling_of(one, work), cosine(draft.vector, one.vector), None, one.position) for one in earlier]
    meetings.sort(key=lambda one: (-one.similarity, str(one.target.memory_id)))
    incoming = incoming_of(draft, work, work.accepted_at)
    twin = _twin(incoming, [*stored, *(sibling_of(one, work) for one in earlier)])
    withdrawn = None
    if twin is None and gone is not None:
        withdrawn = WithdrawnTwin(gone["memory_id"], gone["contradiction_id"])
    verdict = tier_of(incoming, twin, [Neighbour(one.target, one.similarity) for one in meetings], thresholds)
    return Surroundings(draft, work.user_id, withdrawn, meetings, verdict, thresholds.new_below)


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of two unit vectors, in [-1, 1]."""
    return max(-1.0, min(1.0, sum(a * b for a, b in zip(one, other, strict=True))))


def _twin(incoming: Incoming, targets: Sequence[Target]) -> Target | None:
    alike = [target for target in targets if same_text(incoming, target)]
    return min(alike, key=lambda target: str(target.memory_id), default=None)


def _repeats(one: Surroundings) -> bool:
    return one.withdrawn is not None or (one.verdict is not None and one.verdict.operation == Operation.NOOP)


def _same_statement(row: asyncpg.Record, draft: Draft) -> bool:
    return row["memory_type"] == draft.memory_type and not another_beginning(draft.valid_from, row["valid_from"])
