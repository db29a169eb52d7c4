"""One write in work: its facts with their vectors, before anything is decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from app.charter.model import Incoming, Kind, MemoryType, Source, Status, Target
from app.db.decisions import Decision
from app.db.memories import Memory
from app.metrics import count_ruling


@dataclass(frozen=True, slots=True)
class Draft:
    """One fact of a write. `memory_id` is the id that it gets when it is stored; `vector` is a unit vector."""

    position: int
    memory_id: UUID
    content: str
    memory_type: MemoryType
    source: Source
    shared: bool
    valid_from: datetime | None
    agent_id: str | None
    session_id: str | None
    metadata: Mapping[str, Any]
    vector: Sequence[float]


@dataclass(frozen=True, slots=True)
class Work:
    """A write whose facts are being decided.

    `late`: its answer was already given. `reconsidered`: the one fact is this memory, stored undecided before. `actor` is
    the key's id; `reason` that of an edit. `made`: what its latest try decided.
    """

    tenant_id: UUID
    user_id: str
    actor: UUID
    accepted_at: datetime
    drafts: Sequence[Draft]
    write_id: UUID | None = None
    raw_input_id: UUID | None = None
    late: bool = False
    reconsidered: Memory | None = None
    reason: str = ""
    timings: dict[str, float] = field(default_factory=dict)
    made: list[Decision] = field(default_factory=list)

    def count_made(self) -> None:
        """Count what was decided; called when it is committed, and never for a rehearsal."""
        for one in self.made:
            count_ruling(one.operation, one.outcome, one.articles, one.tier)


def incoming_of(draft: Draft, work: Work, accepted_at: datetime) -> Incoming:
    """The fact as the charter sees it."""
    return Incoming(
        user_id=work.user_id,
        content=draft.content,
        memory_type=draft.memory_type,
        source=draft.source,
        accepted_at=accepted_at,
        valid_from=draft.valid_from,
        late=work.late,
    )


def sibling_of(draft: Draft, work: Work) -> Target:
    """An earlier fact of the same write as a candidate for a later one."""
    return Target(
        memory_id=draft.memory_id,
        user_id=work.user_id,
        kind=Kind.ATOM,
        content=draft.content,
        memory_type=draft.memory_type,
        status=Status.ACTIVE,
        immutable=False,
        source=draft.source,
        recorded_at=work.accepted_at,
        valid_from=draft.valid_from,
        shared=draft.shared,
        sibling=True,
    )


def target_of(memory: Memory, *, sibling: bool = False) -> Target:
    """A stored memory as the charter sees it."""
    return Target(
        memory_id=memory.id,
        user_id=memory.user_id,
        kind=memory.kind,
        content=memory.content,
        memory_type=memory.memory_type,
        status=memory.status,
        immutable=memory.immutable,
        source=memory.source,
        recorded_at=memory.recorded_at,
        valid_from=memory.valid_from,
        shared=memory.shared,
        disputed=bool(memory.open_contradictions),
        sibling=sibling,
    )
