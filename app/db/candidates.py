"""Candidates: the current atoms that a new statement may meet, by exact nearest-neighbour search over one user's rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

import asyncpg
from pgvector import HalfVector

from app.charter.model import Kind, MemoryType, Source, Status, Target

NEAREST_ROWS = 40
"""Rows that are read a fact and side; at most 12 of them are shown to the engine."""

# $4 the vectors of the facts, $5 new_below, $6 how many. Own and others' shared atoms apart, so that each has its index;
# disputed and final ones at or above the gate come along however far down they stand.
NEAREST: Final = """
SELECT q.i, c.* FROM unnest($4::halfvec[]) WITH ORDINALITY AS q(vector, i)
CROSS JOIN LATERAL (
  (SELECT a.*, 1 - (a.embedding <=> q.vector) AS similarity FROM current_atoms a
   WHERE a.tenant_id = $1 AND a.user_id = $2 AND a.model = $3 ORDER BY a.embedding <=> q.vector, a.memory_id LIMIT $6)
  UNION
  (SELECT a.*, 1 - (a.embedding <=> q.vector) AS similarity FROM current_atoms a
   WHERE a.tenant_id = $1 AND a.user_id = $2 AND a.model = $3 AND (a.immutable OR a.disputed)
     AND 1 - (a.embedding <=> q.vector) >= $5 ORDER BY a.embedding <=> q.vector, a.memory_id LIMIT $6)
  UNION
  (SELECT a.*, 1 - (a.embedding <=> q.vector) AS similarity FROM current_atoms a
   WHERE a.tenant_id = $1 AND a.user_id <> $2 AND a.shared AND a.model = $3 ORDER BY a.embedding <=> q.vector, a.memory_id LIMIT $6)
) c
"""


@dataclass(frozen=True, slots=True)
class StoredNeighbour:
    """A candidate row: the target as the charter sees it, its cosine, and what tells whether it changed."""

    target: Target
    similarity: float
    revision: int
    twins: frozenset[UUID]

    @property
    def fingerprint(self) -> tuple[object, ...]:
        """Equal as long as nothing changed that a verdict about it could depend on."""
        target = self.target
        return (target.memory_id, self.revision, target.status, target.disputed, target.immutable, target.recorded_at)


def neighbour_of(row: asyncpg.Record) -> StoredNeighbour:
    """One row of `NEAREST`."""
    recorded_at: datetime = row["recorded_at"]
    target = Target(
        memory_id=row["memory_id"],
        user_id=row["user_id"],
        kind=Kind(row["kind"]),
        content=row["content"],
        memory_type=MemoryType(row["memory_type"]),
        status=Status(row["status"]),
        immutable=row["immutable"],
        source=Source(row["source"]),
        recorded_at=recorded_at,
        valid_from=row["valid_from"],
        shared=row["shared"],
        disputed=row["disputed"],
    )
    return StoredNeighbour(target, float(row["similarity"]), row["revision"], frozenset(row["twins"]))


async def nearest(
    connection: asyncpg.Connection,
    tenant_id: UUID,
    user_id: str,
    model: str,
    vectors: Sequence[Sequence[float]],
    gate: float,
) -> list[list[StoredNeighbour]]:
    """For each vector the user's own current atoms and others' shared ones, best first; cosines in [-1, 1]."""
    found: list[list[StoredNeighbour]] = [[] for _ in vectors]
    packed = [HalfVector(list(vector)) for vector in vectors]
    for row in await connection.fetch(NEAREST, tenant_id, user_id, model, packed, gate, NEAREST_ROWS):
        found[row["i"] - 1].append(neighbour_of(row))
    for rows in found:
        rows.sort(key=lambda row: (-row.similarity, str(row.target.memory_id)))
    return found
