"""Held memories: what waits under an approved charter becomes current only by an answer, after the tiers looked once more."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from app.charter.defaults import Neighbour, tier_of
from app.charter.dispute import Step, step_for
from app.charter.model import Incoming, Operation, Resolution, Status
from app.db import revisions
from app.db.candidates import nearest
from app.db.contradictions import Contradiction
from app.db.edges import EdgeType
from app.db.memories import Memory
from app.services.changes import Act, activate, link
from app.services.parts import Parts

_KEEPS: Final = frozenset({Step.SUPERSEDE_EXISTING, Step.KEEP_BOTH})


async def activate_if_kept(parts: Parts, act: Act, dispute: Contradiction, new: Memory, resolution: Resolution) -> list[UUID]:
    """A held new side becomes current where the answer keeps it; when it now equals another, a SAME_AS edge says so."""
    if new.status is not Status.HELD or step_for(resolution, dispute.pending_operation) not in _KEEPS:
        return []
    twin = await _twin(parts, act, dispute, new)
    await activate(act, new, f"answered {resolution}")
    if twin is not None:
        await link(act, EdgeType.SAME_AS, new.id, twin, "the tiers found it said already when it was answered")
    return [new.id]


async def _twin(parts: Parts, act: Act, dispute: Contradiction, new: Memory) -> UUID | None:
    vector = await act.connection.fetchval(revisions.VECTOR, act.tenant_id, new.id, new.revision, act.model)
    if vector is None:
        return None
    gate = parts.thresholds.new_below
    rows = (await nearest(act.connection, act.tenant_id, new.user_id, act.model, [vector.to_list()], gate))[0]
    others = [row for row in rows if row.target.memory_id not in {new.id, dispute.existing_memory_id}]
    incoming = Incoming(new.user_id, new.content, new.memory_type, new.source, act.at, new.valid_from)
    verdict = tier_of(incoming, None, [Neighbour(row.target, row.similarity) for row in others], parts.thresholds)
    return verdict.target if verdict is not None and verdict.operation == Operation.NOOP else None
