"""What a change of a memory does to the open disputes that it is a side of."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import assert_never
from uuid import UUID

import asyncpg

from app.charter.dispute import Change, Consequence, Place, consequence
from app.charter.model import Status
from app.db import contradictions, events, memories
from app.db.contradictions import Contradiction
from app.db.outbox import EventType, announce


@dataclass(slots=True)
class Followed:
    """The disputes that moved, became moot, or are asked again because of one act, and the held memories that wait for nothing now."""

    moved: list[UUID] = field(default_factory=list)
    moot: list[UUID] = field(default_factory=list)
    asked_again: list[UUID] = field(default_factory=list)
    activated: list[UUID] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Happening:
    """One change of one memory, by whom and when."""

    connection: asyncpg.Connection
    tenant_id: UUID
    memory_id: UUID
    change: Change
    successor: UUID | None
    actor: UUID | None
    at: datetime


async def follow(
    connection: asyncpg.Connection,
    tenant_id: UUID,
    memory_id: UUID,
    change: Change,
    *,
    successor: UUID | None,
    settling: UUID | None,
    actor: UUID | None,
    at: datetime,
    followed: Followed,
) -> None:
    """Move, end or ask again each open dispute on the memory, except the one that is being settled."""
    happening = Happening(connection, tenant_id, memory_id, change, successor, actor, at)
    for dispute in await contradictions.fetch(connection, contradictions.OPEN_ON, tenant_id, memory_id):
        if dispute.id == settling:
            continue
        place: Place = "new" if dispute.new_memory_id == memory_id else "existing"
        match consequence(place, change):
            case Consequence.ASK_AGAIN:
                await _ask_again(happening, dispute)
                followed.asked_again.append(dispute.id)
            case Consequence.MOVE:
                moved = await _move(happening, dispute)
                (followed.moved if moved else followed.moot).append(dispute.id)
            case Consequence.MOOT:
                await _make_moot(happening, dispute, f"the {place} side was {change}")
                followed.moot.append(dispute.id)
                if place == "existing" and await _release(happening, dispute):
                    followed.activated.append(dispute.new_memory_id)
            case never:
                assert_never(never)


async def _ask_again(happening: Happening, dispute: Contradiction) -> None:
    version = await happening.connection.fetchval(contradictions.ASK_AGAIN, happening.tenant_id, dispute.id)
    await _note(happening, dispute, "asked_again", version, {"cause": happening.change})


async def _move(happening: Happening, dispute: Contradiction) -> bool:
    """The dispute goes on with the successor; False when it ended instead, since there is nothing left to ask."""
    successor = happening.successor
    if successor is None or successor == dispute.new_memory_id:
        await _make_moot(happening, dispute, "the new side took the place of the stored one")
        return False
    joined = await happening.connection.fetchrow(contradictions.OPEN_BETWEEN, happening.tenant_id, dispute.new_memory_id, successor)
    if joined is not None:
        await _make_moot(happening, dispute, f"joined with {joined['contradiction_id']}")
        return False
    version = await happening.connection.fetchval(contradictions.MOVE, happening.tenant_id, dispute.id, successor, dispute.existing_user_id)
    await _note(happening, dispute, "moved", version, {"from": str(happening.memory_id), "to": str(successor)})
    return True


async def _make_moot(happening: Happening, dispute: Contradiction, cause: str) -> None:
    version = await happening.connection.fetchval(contradictions.MAKE_MOOT, happening.tenant_id, dispute.id, cause)
    await _note(happening, dispute, "moot", version, {"cause": cause})
    await announce(
        happening.connection,
        happening.tenant_id,
        EventType.CONTRADICTION_MOOT,
        happening.at,
        user_id=dispute.new_user_id,
        payload={"contradiction_id": str(dispute.id)},
    )


async def _release(happening: Happening, dispute: Contradiction) -> bool:
    """A held memory that waited for this dispute alone becomes current: what it was held against is gone, and nobody is asked."""
    memory = await memories.get(happening.connection, happening.tenant_id, dispute.new_memory_id)
    if memory is None or memory.status is not Status.HELD or memory.open_contradictions:
        return False
    await happening.connection.execute(memories.SET_STATUS, happening.tenant_id, memory.id, Status.ACTIVE, None)
    await events.insert(
        happening.connection,
        happening.tenant_id,
        memory.id,
        happening.at,
        "activated",
        actor=happening.actor,
        reason=f"what it was held against was {happening.change}",
        contradiction_id=dispute.id,
    )
    return True


async def _note(happening: Happening, dispute: Contradiction, event: str, version: int, detail: dict[str, str]) -> None:
    await contradictions.insert_event(
        happening.connection,
        happening.tenant_id,
        dispute.id,
        happening.at,
        event,
        version,
        actor=happening.actor,
        detail=detail,
    )
