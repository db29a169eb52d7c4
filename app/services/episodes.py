"""Episodes: each answer is remembered as a precedent that names ids and types, no text."""

from __future__ import annotations

from uuid import UUID

from app.charter.model import SYSTEM_USER, Kind, MemoryType, Resolution, Source, Status
from app.db import rules
from app.db.contradictions import Contradiction
from app.db.edges import EdgeType
from app.db.ids import new_id
from app.db.memories import Memory, NewMemory
from app.db.rules import NewPrecedent
from app.services.changes import Act, link, store
from app.services.precedents import shape_of_dispute
from app.services.rulebook import shape_view


async def record_episode(act: Act, dispute: Contradiction, new: Memory, existing: Memory, resolution: Resolution) -> UUID:
    """Store the episode of one answer, with SUPPORTS edges to both sides; returns its id."""
    shape = shape_of_dispute(dispute, new, existing)
    episode = NewMemory(
        memory_id=new_id(),
        user_id=SYSTEM_USER,
        kind=Kind.EPISODE,
        memory_type=MemoryType.EXPERIENCE,
        content=(
            f"{dispute.pending_operation} of a {existing.memory_type} by a {new.memory_type} "
            f"({dispute.conflict_type}) was answered {resolution}: contradiction {dispute.id}"
        ),
        status=Status.ACTIVE,
        source=Source.USER,
        at=act.at,
        charter_version=act.charter_version,
        immutable=True,
        metadata={
            "shape": shape_view(shape),
            "resolution": resolution,
            "user_id": new.user_id,
            "contradiction_id": str(dispute.id),
            "articles": list(dispute.articles),
        },
        created_by=act.actor,
    )
    await store(act, episode, None, "stored", "an answered clarification")
    for side in (new, existing):
        await link(act, EdgeType.SUPPORTS, episode.memory_id, side.id)
    precedent = NewPrecedent(
        episode_id=episode.memory_id,
        user_id=new.user_id,
        shape=shape,
        resolution=resolution,
        new_memory_id=new.id,
        existing_memory_id=existing.id,
        contradiction_id=dispute.id,
        articles=dispute.articles,
        at=act.at,
    )
    await rules.insert_precedent(act.connection, act.tenant_id, precedent)
    return episode.memory_id
