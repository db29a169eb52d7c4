"""Decisions: everything that led to what became of a fact. Append-only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import asyncpg

from app.charter.model import Article, MemoryType, Mode, Outcome, Tier


@dataclass(frozen=True, slots=True)
class Decision:
    """One row of `decisions`. `position` is the fact's place in its write."""

    id: UUID
    write_id: UUID | None
    position: int
    user_id: str
    memory_id: UUID | None
    target_memory_id: UUID | None
    content: str
    memory_type: MemoryType
    tier: Tier
    operation: str
    outcome: Outcome
    similarity: float | None
    confidence: int | None
    candidates: Sequence[Mapping[str, Any]]
    verdict: Mapping[str, Any]
    ruling: Mapping[str, Any]
    articles: Sequence[Article]
    rules: Sequence[UUID]
    thresholds: Mapping[str, Any]
    engine: Mapping[str, Any]
    embedder: str
    charter_version: int
    mode: Mode
    created_at: datetime
    timings: Mapping[str, Any]


INSERT: Final = """
INSERT INTO decisions (tenant_id, decision_id, write_id, position, user_id, memory_id, target_memory_id, content, memory_type, tier,
  operation, outcome, similarity, confidence, candidates, verdict, ruling, articles, rules, thresholds, engine, embedder, charter_version,
  mode, at, timings)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26)
"""
GET: Final = "SELECT * FROM decisions WHERE tenant_id = $1 AND decision_id = $2"
OF_WRITE: Final = "SELECT * FROM decisions WHERE tenant_id = $1 AND write_id = $2 ORDER BY position, decision_id"
# The place in its write of the fact that became this memory.
PLACE: Final = "SELECT position FROM decisions WHERE tenant_id = $1 AND memory_id = $2 ORDER BY decision_id LIMIT 1"
# $5: the users that the key is bound to, null for all.
LIST: Final = """
SELECT * FROM decisions
WHERE tenant_id = $1 AND ($2::uuid IS NULL OR memory_id = $2 OR target_memory_id = $2) AND ($3::uuid IS NULL OR write_id = $3)
  AND ($4::text IS NULL OR outcome = $4) AND ($5::text[] IS NULL OR user_id = ANY($5)) AND ($6::uuid IS NULL OR decision_id < $6)
ORDER BY decision_id DESC LIMIT $7
"""


def decision_of(row: asyncpg.Record) -> Decision:
    """A row as a decision."""
    return Decision(
        id=row["decision_id"],
        write_id=row["write_id"],
        position=row["position"],
        user_id=row["user_id"],
        memory_id=row["memory_id"],
        target_memory_id=row["target_memory_id"],
        content=row["content"],
        memory_type=MemoryType(row["memory_type"]),
        tier=Tier(row["tier"]),
        operation=row["operation"],
        outcome=Outcome(row["outcome"]),
        similarity=row["similarity"],
        confidence=row["confidence"],
        candidates=row["candidates"],
        verdict=row["verdict"],
        ruling=row["ruling"],
        articles=tuple(Article(article) for article in row["articles"]),
        rules=tuple(row["rules"]),
        thresholds=row["thresholds"],
        engine=row["engine"],
        embedder=row["embedder"],
        charter_version=row["charter_version"],
        mode=Mode(row["mode"]),
        created_at=row["at"],
        timings=row["timings"],
    )


async def insert(connection: asyncpg.Connection, tenant_id: UUID, decision: Decision) -> None:
    """Append one decision."""
    await connection.execute(
        INSERT,
        tenant_id,
        decision.id,
        decision.write_id,
        decision.position,
        decision.user_id,
        decision.memory_id,
        decision.target_memory_id,
        decision.content,
        decision.memory_type,
        decision.tier,
        decision.operation,
        decision.outcome,
        decision.similarity,
        decision.confidence,
        list(decision.candidates),
        dict(decision.verdict),
        dict(decision.ruling),
        list(decision.articles),
        list(decision.rules),
        dict(decision.thresholds),
        dict(decision.engine),
        decision.embedder,
        decision.charter_version,
        decision.mode,
        decision.created_at,
        dict(decision.timings),
    )
