"""What must hold between two moments, and what only the past can tell: a model kept beside the service.

Each look at the database is compared with the one before, and each moment that was seen is rebuilt from the history alone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final
from uuid import UUID

import asyncpg

from app.charter.model import Kind, MemoryType, Status
from tests.hostile.world import World
from tests.invariants import violations

_LAWS: Final = (Path(__file__).parent / "laws.sql").read_text(encoding="utf-8")
_HISTORY: Final = ("revisions", "embeddings", "memory_events", "contradiction_events", "decisions", "precedents", "audit", "outbox")
_GROWING: Final = (
    *_HISTORY,
    "charter_acts",
    "charter_versions",
    "memories",
    "edges",
    "contradictions",
    "writes",
    "rules",
    "rule_proposals",
)
_PRINTS: Final = " UNION ALL ".join(f"SELECT '{table}' AS t, md5(x::text) AS print FROM {table} x" for table in _GROWING)  # noqa: S608
_READABLE: Final = """
SELECT m.tenant_id, m.user_id, r.content FROM revisions r JOIN memories m USING (tenant_id, memory_id)
UNION SELECT tenant_id, user_id, content FROM decisions
UNION SELECT tenant_id, user_id, f ->> 'content' FROM writes CROSS JOIN LATERAL jsonb_array_elements(body -> 'facts') f
  WHERE kind = 'facts' AND status <> 'completed'
"""
_STATES: Final = "SELECT tenant_id, memory_id, user_id, kind, memory_type, content, status, immutable, revision FROM memories"
_EVENTS: Final = "SELECT tenant_id, memory_id, at, status, revision, immutable FROM memory_events ORDER BY at, event_id"

Name = tuple[UUID, UUID]
"""A tenant and a memory."""


@dataclass(frozen=True)
class State:
    """A memory at one moment."""

    user: str
    kind: Kind
    memory_type: MemoryType
    content: str
    status: Status
    immutable: bool
    revision: int


@dataclass(frozen=True)
class Look:
    """The database at one moment. `prints`: the fingerprints of each table's rows."""

    at: datetime
    prints: Mapping[str, frozenset[str]]
    settled: Mapping[UUID, str]
    states: Mapping[Name, State]


@dataclass
class Past:
    """All looks so far, and the laws that compare them."""

    world: World
    looks: list[Look] = field(default_factory=list)

    async def check(self, *, unchanged: bool = False) -> list[str]:
        """What is broken now. `unchanged`: the act since the last look was refused, or only asked, so nothing may differ."""
        look = await _look(self.world.eye)
        broken = [str(one) for one in await violations(self.world.eye)]
        broken += [f"{row['law']}: {row['subject']} {row['detail']}" for row in await self.world.eye.fetch(_LAWS)]
        broken += await self._nothing_vanishes(look)
        if self.looks:
            broken += _between(self.looks[-1], look)
            if unchanged and look.prints != self.looks[-1].prints:
                tables = [table for table in _GROWING if look.prints[table] != self.looks[-1].prints[table]]
                broken.append(f"nothing_vanishes: a refused act or a rehearsal changed {tables}")
        self.looks.append(look)
        return broken + await self.rebuilt([look])

    async def _nothing_vanishes(self, look: Look) -> list[str]:
        readable = {tuple(row) for row in await self.world.eye.fetch(_READABLE)}
        lost = [one for one in self.world.accepted if (one.tenant_id, one.user, one.text) not in readable]
        falls = [table for table in _GROWING if self.looks and len(look.prints[table]) < len(self.looks[-1].prints[table])]
        return [f"nothing_vanishes: {one} can no longer be read" for one in lost] + [f"nothing_vanishes: {one} fell" for one in falls]

    async def rebuilt(self, looks: Iterable[Look] | None = None) -> list[str]:
        """history_is_complete: each moment that was seen (all of them when None), out of revisions and events alone."""
        revisions = {
            (row["tenant_id"], row["memory_id"], row["revision"]): row["content"]
            for row in await self.world.eye.fetch("SELECT tenant_id, memory_id, revision, content FROM revisions")
        }
        told: defaultdict[Name, list[asyncpg.Record]] = defaultdict(list)
        for row in await self.world.eye.fetch(_EVENTS):
            told[row["tenant_id"], row["memory_id"]].append(row)
        return [one for look in (self.looks if looks is None else looks) for one in _differences(look, told, revisions)]


def _differences(look: Look, told: Mapping[Name, list[asyncpg.Record]], revisions: Mapping[tuple[UUID, UUID, int], str]) -> list[str]:
    then: dict[Name, tuple[str | None, str, bool]] = {}
    for name, events in told.items():
        count = bisect_right(events, look.at, key=lambda event: event["at"])
        if count:
            last = events[count - 1]
            then[name] = (revisions.get((*name, last["revision"])), last["status"], last["immutable"])
    seen = {name: (state.content, str(state.status), state.immutable) for name, state in look.states.items()}
    wrong = [name for name in seen.keys() | then.keys() if seen.get(name) != then.get(name)]
    return [f"history_is_complete: at {look.at} {name[1]} was {seen.get(name)}, the history says {then.get(name)}" for name in wrong]


def _between(before: Look, now: Look) -> list[str]:
    """The laws of what never changes, from one look to the next."""
    broken = [f"nothing_vanishes: a row of {table} changed or went" for table in _HISTORY if not before.prints[table] <= now.prints[table]]
    broken += [
        f"resolution_is_final_and_single: {dispute} changed after its end"
        for dispute, row in before.settled.items()
        if now.settled.get(dispute) != row
    ]
    for name, old in before.states.items():
        new = now.states.get(name)
        if new is None:
            broken.append(f"nothing_vanishes: {name[1]} is gone")
        elif (old.user, old.kind, old.memory_type) != (new.user, new.kind, new.memory_type):
            broken.append(f"immutable_is_immutable: {name[1]} was {old} and is {new}")
        elif old.kind is not Kind.ATOM and new != old:
            law = "raw_input_is_sacred" if old.kind is Kind.RAW_INPUT else "immutable_is_immutable"
            broken.append(f"{law}: {name[1]} was {old} and is {new}")
    return broken


async def _look(eye: asyncpg.Connection) -> Look:
    prints: defaultdict[str, set[str]] = defaultdict(set)
    for row in await eye.fetch(_PRINTS):
        prints[row["t"]].add(row["print"])
    states = {
        (row["tenant_id"], row["memory_id"]): State(
            row["user_id"],
            Kind(row["kind"]),
            MemoryType(row["memory_type"]),
            row["content"],
            Status(row["status"]),
            row["immutable"],
            row["revision"],
        )
        for row in await eye.fetch(_STATES)
    }
    settled = await eye.fetch("SELECT contradiction_id AS id, md5(c::text) AS print FROM contradictions c WHERE status <> 'open'")
    return Look(
        at=await eye.fetchval("SELECT clock_timestamp()"),
        prints={table: frozenset(prints[table]) for table in _GROWING},
        settled={row["id"]: row["print"] for row in settled},
        states=states,
    )
