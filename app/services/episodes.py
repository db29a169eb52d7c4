"""Episodes: each answer is remembered as a precedent that names ids and types, no text."""

from __future__ import annotations

from uuid import UUID

from app.charter.model import SYSTEM_USER, Kind, MemoryType, Resolution, Source, Status
from app.db.contradictions import Contradiction
from app.db.edges import EdgeType
from app.db.ids import new_id
from app.db.memories import Memory, NewMemory
from app.services.changes import Act, link, store


async def record_episode(
    act: Act, dispute: Contradiction, new: Memory, existing: Memory, resolution: Resolution
) -> UUID:
    """Store the episode of one answer, with SUPPORTS edges to both sides; returns its id."""
    shape = {
        "operation": dispute.pending_operation,
        "new_type": new.memory_type,
        "existing_type": existing.memory_type,
        "same_user": new.user_id == existing.user_id,
        "resolution": resolution,
    }
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
        metadata={"shape": shape, "user_id": new.user_id, "contradiction_id": str(dispute.id), "articles": list(dispute.articles)},
        created_by=act.actor,
    )
    await store(act, episode, None, "stored", "an answered clarification")
    for side in (new, existing):
        await link(act, EdgeType.SUPPORTS, episode.memory_id, side.id)
    return episode.memory_id
