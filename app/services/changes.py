"""The few changes that a memory can undergo, each with its revision, edge, event and what it does to open disputes.

Every use case changes memories through these functions and through nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg

from app.charter.dispute import Change
from app.charter.model import Source, Status
from app.db import edges, events, memories, revisions
from app.db.edges import EdgeType
from app.db.memories import Memory, NewMemory
from app.db.outbox import EventType, announce
from app.services.following import Followed, follow


@dataclass(frozen=True, slots=True)
class Act:
    """One act inside one transaction: by whom, when, under which charter version, with whose vectors.

    `settling` is the dispute that the act answers, if any; `decision_id` the decision that it carries out.
    """

    connection: asyncpg.Connection
    tenant_id: UUID
    actor: UUID | None
    at: datetime
    charter_version: int
    model: str
    decision_id: UUID | None = None
    settling: UUID | None = None
    followed: Followed = field(default_factory=Followed)


async def store(act: Act, new: NewMemory, vector: Sequence[float] | None, event: str, reason: str | None = None) -> None:
    """Store a new memory with its first revision, its vector (atoms have one) and its first event."""
    await memories.insert(act.connection, act.tenant_id, new)
    await revisions.insert(
        act.connection,
        act.tenant_id,
        new.memory_id,
        1,
        new.content,
        act.at,
        actor=act.actor,
        reason=reason,
        decision_id=act.decision_id,
        contradiction_id=act.settling,
    )
    if vector is not None:
        await revisions.insert_embedding(act.connection, act.tenant_id, new.memory_id, 1, act.model, vector)
    if new.raw_input_id is not None:
        await link(act, EdgeType.DERIVED_FROM, new.memory_id, new.raw_input_id)
    await note(act, new.memory_id, event, reason)


async def link(act: Act, edge: EdgeType, from_memory_id: UUID, to_memory_id: UUID, reason: str | None = None) -> None:
    """Add an edge between two memories."""
    await edges.insert(
        act.connection,
        act.tenant_id,
        edge,
        from_memory_id,
        to_memory_id,
        act.at,
        reason=reason,
        decision_id=act.decision_id,
        contradiction_id=act.settling,
    )


async def note(act: Act, memory_id: UUID, event: str, reason: str | None = None, detail: Mapping[str, Any] | None = None) -> None:
    """Append an event to a memory's history, with the state that it has now."""
    await events.insert(
        act.connection,
        act.tenant_id,
        memory_id,
        act.at,
        event,
        actor=act.actor,
        reason=reason,
        decision_id=act.decision_id,
        contradiction_id=act.settling,
        detail=detail,
    )


async def supersede(act: Act, old: Memory, successor: UUID, reason: str | None, valid_to: datetime | None = None) -> None:
    """The old memory leaves recall for its successor; its open disputes follow the successor or end."""
    await link(act, EdgeType.SUPERSEDES, successor, old.id, reason)
    await act.connection.execute(memories.SET_STATUS, act.tenant_id, old.id, Status.SUPERSEDED, valid_to or act.at)
    await note(act, old.id, "superseded", reason, {"superseded_by": str(successor)})
    payload = {"memory_id": str(old.id), "superseded_by": str(successor)}
    await announce(act.connection, act.tenant_id, EventType.MEMORY_SUPERSEDED, act.at, user_id=old.user_id, payload=payload)
    await _follow(act, old.id, Change.SUPERSEDED, successor)


async def revise(act: Act, old: Memory, content: str, vector: Sequence[float], event: str, reason: str | None, source: Source) -> None:
    """The memory gets a new revision; open disputes on it are asked again."""
    folded = memories.folded(content, old.memory_type)
    await act.connection.execute(memories.REVISE, act.tenant_id, old.id, content, act.at, source, folded)
    revision = old.revision + 1
    await revisions.insert(
        act.connection,
        act.tenant_id,
        old.id,
        revision,
        content,
        act.at,
        actor=act.actor,
        reason=reason,
        decision_id=act.decision_id,
        contradiction_id=act.settling,
    )
    await revisions.insert_embedding(act.connection, act.tenant_id, old.id, revision, act.model, vector)
    await note(act, old.id, event, reason)
    await _follow(act, old.id, Change.EDITED)


async def withdraw(act: Act, old: Memory, reason: str | None) -> None:
    """The memory leaves recall without a successor; it stays readable, and its other open disputes are moot."""
    await act.connection.execute(memories.SET_STATUS, act.tenant_id, old.id, Status.WITHDRAWN, act.at)
    await note(act, old.id, "withdrawn", reason)
    await _follow(act, old.id, Change.WITHDRAWN)


async def activate(act: Act, held: Memory, reason: str | None) -> None:
    """A held memory becomes current."""
    await act.connection.execute(memories.SET_STATUS, act.tenant_id, held.id, Status.ACTIVE, None)
    await note(act, held.id, "activated", reason)


async def mark_final(act: Act, memory: Memory, *, final: bool, reason: str | None) -> None:
    """An owner marks a memory final, or opens it again; open disputes on it are then asked again."""
    await act.connection.execute(memories.SET_IMMUTABLE, act.tenant_id, memory.id, final)
    await note(act, memory.id, "finalized" if final else "unfinalized", reason)
    if not final:
        await _follow(act, memory.id, Change.UNFINALISED)


async def hear_again(act: Act, memory: Memory, source: Source, detail: Mapping[str, Any]) -> None:
    """A repeat is an event in the memory's history, and the strongest source that said it counts."""
    if source.strength > memory.source.strength:
        await act.connection.execute(memories.SET_SOURCE, act.tenant_id, memory.id, source)
    await note(act, memory.id, "repeated", None, {"source": source, **detail})


async def _follow(act: Act, memory_id: UUID, change: Change, successor: UUID | None = None) -> None:
    await follow(
        act.connection,
        act.tenant_id,
        memory_id,
        change,
        successor=successor,
        settling=act.settling,
        actor=act.actor,
        at=act.at,
        followed=act.followed,
    )
