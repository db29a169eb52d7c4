"""Memories: what is stored now. What it ever was lies in `revisions` and `memory_events`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

import asyncpg

from app.charter.model import Kind, MemoryType, Source, Status
from app.charter.wording import fold


@dataclass(frozen=True, slots=True)
class Memory:
    """One row of `memory_records`: a memory with the state that is derived from edges and disputes."""

    id: UUID
    user_id: str
    kind: Kind
    memory_type: MemoryType
    content: str
    status: Status
    immutable: bool
    shared: bool
    source: Source
    revision: int
    created_at: datetime
    recorded_at: datetime
    valid_from: datetime | None
    valid_to: datetime | None
    supersedes: Sequence[UUID]
    superseded_by: UUID | None
    raw_input_id: UUID | None
    same_as: Sequence[UUID]
    open_contradictions: Sequence[UUID]
    metadata: Mapping[str, Any]
    agent_id: str | None
    session_id: str | None
    created_by: UUID | None
    charter_version: int
    undecided: bool
    write_id: UUID | None


@dataclass(frozen=True, slots=True)
class NewMemory:
    """What is needed to store a memory."""

    memory_id: UUID
    user_id: str
    kind: Kind
    memory_type: MemoryType
    content: str
    status: Status
    source: Source
    at: datetime
    charter_version: int
    immutable: bool = False
    shared: bool = False
    valid_from: datetime | None = None
    undecided: bool = False
    metadata: Mapping[str, Any] | None = None
    agent_id: str | None = None
    session_id: str | None = None
    created_by: UUID | None = None
    write_id: UUID | None = None
    raw_input_id: UUID | None = None


INSERT: Final = """
INSERT INTO memories (tenant_id, memory_id, user_id, kind, memory_type, content, status, immutable, shared, source, revision, created_at,
  recorded_at, valid_from, undecided, metadata, agent_id, session_id, created_by, charter_version, write_id, raw_input_id, folded)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 1, $11, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)
"""

GET: Final = "SELECT * FROM memory_records WHERE tenant_id = $1 AND memory_id = $2"
GET_MANY: Final = "SELECT * FROM memory_records WHERE tenant_id = $1 AND memory_id = ANY($2)"
LOCK: Final = "SELECT FROM memories WHERE tenant_id = $1 AND memory_id = $2 FOR UPDATE"

# $3: the users that the key is bound to, null for all. Shared memories are readable by every key; the system's own too, but those
# about one user (an episode, a user's rule) only by who acts for that user.
# $13: an instant of valid time, which began with `valid_from`, else when the statement was accepted.
LIST: Final = """
SELECT * FROM memory_records
WHERE tenant_id = $1 AND ($2::text IS NULL OR user_id = $2)
  AND ($3::text[] IS NULL OR user_id = ANY($3) OR shared
    OR (user_id = 'helixir' AND coalesce(metadata ->> 'user_id' = ANY($3), true)))
  AND kind = $4 AND status = ANY($5) AND ($6::text IS NULL OR memory_type = $6)
  AND ($7::boolean IS NULL OR undecided = $7) AND ($8::text IS NULL OR agent_id = $8) AND ($9::text IS NULL OR session_id = $9)
  AND ($10::text IS NULL OR source = $10) AND ($11::uuid IS NULL OR memory_id < $11)
  AND ($13::timestamptz IS NULL OR (coalesce(valid_from, created_at) <= $13 AND (valid_to IS NULL OR valid_to > $13)))
ORDER BY memory_id DESC LIMIT $12
"""
# The same, as it was recorded at the instant $14.
LIST_AS_OF: Final = """
SELECT * FROM memory_records_at($1, $14)
WHERE ($2::text IS NULL OR user_id = $2)
  AND ($3::text[] IS NULL OR user_id = ANY($3) OR shared
    OR (user_id = 'helixir' AND coalesce(metadata ->> 'user_id' = ANY($3), true)))
  AND kind = $4 AND status = ANY($5) AND ($6::text IS NULL OR memory_type = $6)
  AND ($7::boolean IS NULL OR undecided = $7) AND ($8::text IS NULL OR agent_id = $8) AND ($9::text IS NULL OR session_id = $9)
  AND ($10::text IS NULL OR source = $10) AND ($11::uuid IS NULL OR memory_id < $11)
  AND ($13::timestamptz IS NULL OR (coalesce(valid_from, created_at) <= $13 AND (valid_to IS NULL OR valid_to > $13)))
ORDER BY memory_id DESC LIMIT $12
"""

# $3: the folded texts of a write's facts.
SAME_TEXT: Final = """
SELECT r.* FROM memory_records r JOIN memories m ON m.tenant_id = r.tenant_id AND m.memory_id = r.memory_id
WHERE m.tenant_id = $1 AND m.user_id = $2 AND m.folded = ANY($3) AND m.kind = 'atom' AND m.status IN ('active', 'held')
ORDER BY r.memory_id
"""

# A withdrawn twin counts only while the memory that won over it still stands.
WITHDRAWN_TEXT: Final = """
SELECT m.memory_id, m.memory_type, m.folded, m.valid_from, c.contradiction_id FROM memories m
JOIN contradictions c ON c.tenant_id = m.tenant_id AND c.new_memory_id = m.memory_id AND c.resolution = 'confirm'
JOIN memories w ON w.tenant_id = c.tenant_id AND w.memory_id = c.existing_memory_id AND w.status = 'active'
WHERE m.tenant_id = $1 AND m.user_id = $2 AND m.folded = ANY($3) AND m.kind = 'atom' AND m.status = 'withdrawn'
ORDER BY c.resolved_at DESC
"""

SET_STATUS: Final = """
UPDATE memories SET status = $3, valid_to = coalesce($4, valid_to), undecided = false WHERE tenant_id = $1 AND memory_id = $2
"""
REOPEN: Final = "UPDATE memories SET status = 'active', valid_to = NULL WHERE tenant_id = $1 AND memory_id = $2"
REVISE: Final = """
UPDATE memories SET content = $3, revision = revision + 1, recorded_at = $4, source = $5, folded = $6
WHERE tenant_id = $1 AND memory_id = $2
"""
SET_IMMUTABLE: Final = "UPDATE memories SET immutable = $3 WHERE tenant_id = $1 AND memory_id = $2"
SET_SOURCE: Final = "UPDATE memories SET source = $3 WHERE tenant_id = $1 AND memory_id = $2"
SET_DECIDED: Final = "UPDATE memories SET undecided = false WHERE tenant_id = $1 AND memory_id = $2"

# The whole supersession chain of a memory, first to current, walked in both directions over live edges.
CHAIN: Final = """
WITH RECURSIVE older AS (
  SELECT $2::uuid AS memory_id, 0 AS place
  UNION
  SELECT e.to_memory_id, o.place - 1 FROM edges e JOIN older o ON e.from_memory_id = o.memory_id
  WHERE e.tenant_id = $1 AND e.type = 'SUPERSEDES' AND e.ended_at IS NULL AND o.place > -1000
), newer AS (
  SELECT $2::uuid AS memory_id, 0 AS place
  UNION
  SELECT e.from_memory_id, n.place + 1 FROM edges e JOIN newer n ON e.to_memory_id = n.memory_id
  WHERE e.tenant_id = $1 AND e.type = 'SUPERSEDES' AND e.ended_at IS NULL AND n.place < 1000
)
SELECT m.memory_id, m.content, m.status, min(c.place) AS place
FROM (SELECT * FROM older UNION SELECT * FROM newer) c JOIN memories m ON m.tenant_id = $1 AND m.memory_id = c.memory_id
GROUP BY m.memory_id, m.content, m.status ORDER BY place, m.memory_id
"""


def folded(content: str, memory_type: MemoryType) -> bytes:
    """SHA-256 of the text as it counts for equality (case counts for protected types)."""
    return sha256(fold(content, keep_case=memory_type.protected).encode()).digest()


def memory_of(row: asyncpg.Record) -> Memory:
    """A row of `memory_records` as a memory."""
    return Memory(
        id=row["memory_id"],
        user_id=row["user_id"],
        kind=Kind(row["kind"]),
        memory_type=MemoryType(row["memory_type"]),
        content=row["content"],
        status=Status(row["status"]),
        immutable=row["immutable"],
        shared=row["shared"],
        source=Source(row["source"]),
        revision=row["revision"],
        created_at=row["created_at"],
        recorded_at=row["recorded_at"],
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
        supersedes=tuple(row["supersedes"]),
        superseded_by=row["superseded_by"],
        raw_input_id=row["raw_input_id"],
        same_as=tuple(row["same_as"]),
        open_contradictions=tuple(row["open_contradictions"]),
        metadata=row["metadata"],
        agent_id=row["agent_id"],
        session_id=row["session_id"],
        created_by=row["created_by"],
        charter_version=row["charter_version"],
        undecided=row["undecided"],
        write_id=row["write_id"],
    )


async def insert(connection: asyncpg.Connection, tenant_id: UUID, new: NewMemory) -> None:
    """Store a memory at revision 1; its revision row is `revisions.insert`'s."""
    await connection.execute(
        INSERT,
        tenant_id,
        new.memory_id,
        new.user_id,
        new.kind,
        new.memory_type,
        new.content,
        new.status,
        new.immutable,
        new.shared,
        new.source,
        new.at,
        new.valid_from,
        new.undecided,
        dict(new.metadata or {}),
        new.agent_id,
        new.session_id,
        new.created_by,
        new.charter_version,
        new.write_id,
        new.raw_input_id,
        folded(new.content, new.memory_type) if new.kind is Kind.ATOM else None,
    )


async def get(connection: asyncpg.Connection, tenant_id: UUID, memory_id: UUID) -> Memory | None:
    """The memory as it is now, or None."""
    row = await connection.fetchrow(GET, tenant_id, memory_id)
    return memory_of(row) if row else None


async def get_many(connection: asyncpg.Connection, tenant_id: UUID, memory_ids: Sequence[UUID]) -> dict[UUID, Memory]:
    """The memories that exist, by id."""
    rows = await connection.fetch(GET_MANY, tenant_id, list(memory_ids))
    return {row["memory_id"]: memory_of(row) for row in rows}
