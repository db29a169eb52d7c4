"""Contradictions: the CONTRADICTS edges and their life."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import asyncpg

from app.charter.model import (
    Article,
    ConflictType,
    DisputeStatus,
    Operation,
    Resolution,
    Strategy,
)
from app.db.ids import new_id


@dataclass(frozen=True, slots=True)
class Contradiction:
    """One row of `contradictions`."""

    id: UUID
    version: int
    status: DisputeStatus
    strategy: Strategy
    conflict_type: ConflictType
    articles: tuple[Article, ...]
    pending_operation: Operation
    pending_content: str | None
    pending_reason: str
    confidence: int
    new_memory_id: UUID
    existing_memory_id: UUID
    new_user_id: str
    existing_user_id: str
    decision_id: UUID | None
    created_at: datetime
    created_by: UUID | None
    resolution: Resolution | None
    answer_content: str | None
    contexts: Mapping[str, Any] | None
    note: str | None
    answered_by: str | None
    resolved_by: UUID | None
    resolved_at: datetime | None
    effects: Mapping[str, Any] | None
    learned: Mapping[str, Any] | None
    episode_id: UUID | None
    rule_id: UUID | None
    moot_cause: str | None


@dataclass(frozen=True, slots=True)
class NewContradiction:
    """What is needed to open a dispute."""

    contradiction_id: UUID
    strategy: Strategy
    conflict_type: ConflictType
    articles: tuple[Article, ...]
    pending_operation: Operation
    pending_content: str | None
    pending_reason: str
    confidence: int
    new_memory_id: UUID
    existing_memory_id: UUID
    new_user_id: str
    existing_user_id: str
    decision_id: UUID | None
    at: datetime
    created_by: UUID | None


INSERT: Final = """
INSERT INTO contradictions (tenant_id, contradiction_id, status, strategy, conflict_type, articles, pending_operation, pending_content,
  pending_reason, confidence, new_memory_id, existing_memory_id, new_user_id, existing_user_id, decision_id, created_at, created_by)
VALUES ($1, $2, 'open', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
"""
GET: Final = "SELECT * FROM contradictions WHERE tenant_id = $1 AND contradiction_id = $2"
GET_FOR_UPDATE: Final = "SELECT * FROM contradictions WHERE tenant_id = $1 AND contradiction_id = $2 FOR UPDATE"
GET_MANY: Final = "SELECT * FROM contradictions WHERE tenant_id = $1 AND contradiction_id = ANY($2) ORDER BY contradiction_id"
OPEN_ON: Final = """
SELECT * FROM contradictions WHERE tenant_id = $1 AND status = 'open' AND $2 IN (new_memory_id, existing_memory_id)
ORDER BY contradiction_id FOR UPDATE
"""
OPEN_BETWEEN: Final = """
SELECT * FROM contradictions WHERE tenant_id = $1 AND status = 'open'
  AND least(new_memory_id, existing_memory_id) = least($2::uuid, $3::uuid)
  AND greatest(new_memory_id, existing_memory_id) = greatest($2::uuid, $3::uuid)
"""
OF_DECISIONS: Final = "SELECT * FROM contradictions WHERE tenant_id = $1 AND decision_id = ANY($2) ORDER BY contradiction_id"
OPEN_ON_MANY: Final = """
SELECT * FROM contradictions WHERE tenant_id = $1 AND status = 'open' AND (new_memory_id = ANY($2) OR existing_memory_id = ANY($2))
ORDER BY contradiction_id
"""
# $3: the users that the key is bound to, null for all; the user of either side may read.
LIST: Final = """
SELECT * FROM contradictions
WHERE tenant_id = $1 AND ($2::text IS NULL OR new_user_id = $2 OR existing_user_id = $2)
  AND ($3::text[] IS NULL OR new_user_id = ANY($3) OR existing_user_id = ANY($3))
  AND ($4::text IS NULL OR status = $4) AND ($5::text IS NULL OR conflict_type = $5) AND ($6::uuid IS NULL OR created_by = $6)
  AND ($7::uuid IS NULL OR contradiction_id < $7)
ORDER BY contradiction_id DESC LIMIT $8
"""
# What a key opened and nobody answered, counted no further than $3; and how many disputes its writes may yet open that nobody refuses
# any more, $4 for a message. A write that waits for a model that is away is not among them: while that is so, all are accepted.
STOCK: Final = """
SELECT (SELECT count(*) FROM (
    SELECT FROM contradictions WHERE tenant_id = $1 AND created_by = $2 AND status = 'open' LIMIT $3) counted)::int AS open,
  (SELECT coalesce(sum(CASE kind WHEN 'message' THEN $4::int WHEN 'facts' THEN jsonb_array_length(body -> 'facts') ELSE 1 END), 0)
    FROM writes WHERE tenant_id = $1 AND key_id = $2 AND (status = 'running' OR status = 'accepted' AND last_fault = 'respond-async')
  )::int AS under_way
"""
RESOLVE: Final = """
UPDATE contradictions SET status = 'resolved', resolution = $3, answer_content = $4, contexts = $5, note = $6, answered_by = $7,
  resolved_by = $8, resolved_at = $9, effects = $10, episode_id = $11, rule_id = $12, learned = $13
WHERE tenant_id = $1 AND contradiction_id = $2 AND status = 'open'
"""
ASK_AGAIN: Final = """
UPDATE contradictions SET version = version + 1 WHERE tenant_id = $1 AND contradiction_id = $2 AND status = 'open' RETURNING version
"""
MOVE: Final = """
UPDATE contradictions SET version = version + 1, existing_memory_id = $3, existing_user_id = $4
WHERE tenant_id = $1 AND contradiction_id = $2 AND status = 'open' RETURNING version
"""
MAKE_MOOT: Final = """
UPDATE contradictions SET status = 'moot', moot_cause = $3, version = version + 1
WHERE tenant_id = $1 AND contradiction_id = $2 AND status = 'open' RETURNING version
"""
INSERT_EVENT: Final = """
INSERT INTO contradiction_events (tenant_id, event_id, contradiction_id, at, event, version, actor, detail)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
"""


def contradiction_of(row: asyncpg.Record) -> Contradiction:
    """A row as a contradiction."""
    resolution = row["resolution"]
    return Contradiction(
        id=row["contradiction_id"],
        version=row["version"],
        status=DisputeStatus(row["status"]),
        strategy=Strategy(row["strategy"]),
        conflict_type=ConflictType(row["conflict_type"]),
        articles=tuple(Article(article) for article in row["articles"]),
        pending_operation=Operation(row["pending_operation"]),
        pending_content=row["pending_content"],
        pending_reason=row["pending_reason"],
        confidence=row["confidence"],
        new_memory_id=row["new_memory_id"],
        existing_memory_id=row["existing_memory_id"],
        new_user_id=row["new_user_id"],
        existing_user_id=row["existing_user_id"],
        decision_id=row["decision_id"],
        created_at=row["created_at"],
        created_by=row["created_by"],
        resolution=None if resolution is None else Resolution(resolution),
        answer_content=row["answer_content"],
        contexts=row["contexts"],
        note=row["note"],
        answered_by=row["answered_by"],
        resolved_by=row["resolved_by"],
        resolved_at=row["resolved_at"],
        effects=row["effects"],
        learned=row["learned"],
        episode_id=row["episode_id"],
        rule_id=row["rule_id"],
        moot_cause=row["moot_cause"],
    )


async def insert(connection: asyncpg.Connection, tenant_id: UUID, new: NewContradiction) -> None:
    """Open a dispute at version 1."""
    await connection.execute(
        INSERT,
        tenant_id,
        new.contradiction_id,
        new.strategy,
        new.conflict_type,
        list(new.articles),
        new.pending_operation,
        new.pending_content,
        new.pending_reason,
        new.confidence,
        new.new_memory_id,
        new.existing_memory_id,
        new.new_user_id,
        new.existing_user_id,
        new.decision_id,
        new.at,
        new.created_by,
    )
    await insert_event(connection, tenant_id, new.contradiction_id, new.at, "opened", 1, actor=new.created_by)


async def insert_event(
    connection: asyncpg.Connection,
    tenant_id: UUID,
    contradiction_id: UUID,
    at: datetime,
    event: str,
    version: int,
    *,
    actor: UUID | None,
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Append one event of a dispute."""
    await connection.execute(INSERT_EVENT, tenant_id, new_id(), contradiction_id, at, event, version, actor, dict(detail or {}))


async def fetch(connection: asyncpg.Connection, query: str, *arguments: object) -> Sequence[Contradiction]:
    """Run one of the queries above that answer whole rows."""
    return [contradiction_of(row) for row in await connection.fetch(query, *arguments)]
