"""Learned rules, the precedents that they grow from, and the proposals between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

import asyncpg

from app.charter.model import Article, MemoryType, Operation, Resolution, Rule, RuleScope, Shape
from app.charter.rules import Precedent


@dataclass(frozen=True, slots=True)
class RuleRow:
    """One learned rule with its episodes and how often it decided."""

    id: UUID
    shape: Shape
    resolution: Resolution
    scope: RuleScope
    user_id: str | None
    episodes: Sequence[UUID]
    uses: int
    status: str
    created_at: datetime
    created_by: UUID
    revoked_at: datetime | None
    revoked_by: UUID | None


@dataclass(frozen=True, slots=True)
class ProposalRow:
    """One proposal: `status` is open, approved, rejected, or lapsed (a contrary answer came)."""

    id: UUID
    user_id: str
    shape: Shape
    resolution: Resolution
    episodes: Sequence[UUID]
    status: str
    created_at: datetime
    decided_at: datetime | None
    decided_by: UUID | None
    reason: str | None
    rule_id: UUID | None


@dataclass(frozen=True, slots=True)
class NewPrecedent:
    """What an answered dispute was about."""

    episode_id: UUID
    user_id: str
    shape: Shape
    resolution: Resolution
    new_memory_id: UUID
    existing_memory_id: UUID
    contradiction_id: UUID
    articles: Sequence[Article]
    at: datetime


INSERT_PRECEDENT: Final = """
INSERT INTO precedents (tenant_id, episode_id, user_id, operation, new_type, existing_type, same_user, resolution, new_memory_id,
  existing_memory_id, contradiction_id, articles, at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
"""
# Those that count for a proposal: plain contradictions of one user and shape, answered since the last proposal was decided.
PRECEDENTS: Final = """
SELECT p.episode_id, p.resolution, p.new_memory_id, p.existing_memory_id FROM precedents p
JOIN contradictions c ON c.tenant_id = p.tenant_id AND c.contradiction_id = p.contradiction_id
WHERE p.tenant_id = $1 AND p.user_id = $2 AND p.operation = $3 AND p.new_type = $4 AND p.existing_type = $5 AND p.same_user = $6
  AND p.articles = '{}' AND c.conflict_type IN ('contradiction', 'cross_user_contradiction')
  AND p.at > coalesce((
    SELECT max(r.decided_at) FROM rule_proposals r
    WHERE r.tenant_id = $1 AND r.user_id = $2 AND r.operation = $3 AND r.new_type = $4 AND r.existing_type = $5 AND r.same_user = $6
      AND r.status IN ('approved', 'rejected')), '-infinity')
ORDER BY p.at, p.episode_id
"""
# How often a user answered disputes of a shape, and how: shown with the next one.
ANSWERED: Final = """
SELECT user_id, operation, new_type, existing_type, same_user, resolution, count(*) AS times, array_agg(episode_id ORDER BY at) AS episodes
FROM precedents WHERE tenant_id = $1 AND user_id = ANY($2)
GROUP BY user_id, operation, new_type, existing_type, same_user, resolution
ORDER BY times DESC, resolution
"""

INSERT_RULE: Final = """
INSERT INTO rules (tenant_id, rule_id, scope, user_id, operation, new_type, existing_type, same_user, resolution, created_at, created_by)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
"""
LIVE: Final = """
SELECT * FROM rules WHERE tenant_id = $1 AND revoked_at IS NULL AND (user_id IS NULL OR user_id = $2) ORDER BY rule_id
"""
LIVE_LIKE: Final = """
SELECT rule_id FROM rules WHERE tenant_id = $1 AND revoked_at IS NULL AND scope = $2 AND user_id IS NOT DISTINCT FROM $3
  AND operation = $4 AND new_type = $5 AND existing_type = $6 AND same_user = $7
"""
# $2: users that the key is bound to, null for all; rules of the tenant are everybody's.
LIST: Final = """
SELECT r.*, (SELECT count(*) FROM rule_uses u WHERE u.tenant_id = r.tenant_id AND u.rule_id = r.rule_id) AS uses,
  ARRAY(SELECT e.to_memory_id FROM edges e WHERE e.tenant_id = r.tenant_id AND e.from_memory_id = r.rule_id AND e.type = 'BECAUSE'
        ORDER BY e.at, e.edge_id) AS episodes
FROM rules r
WHERE r.tenant_id = $1 AND ($2::text[] IS NULL OR r.user_id IS NULL OR r.user_id = ANY($2))
  AND ($3::uuid IS NULL OR r.rule_id = $3) AND ($4::uuid IS NULL OR r.rule_id < $4)
ORDER BY r.rule_id DESC LIMIT $5
"""
INSERT_USE: Final = "INSERT INTO rule_uses (tenant_id, rule_id, decision_id) VALUES ($1, $2, $3)"
REVOKE: Final = """
UPDATE rules SET revoked_at = $3, revoked_by = $4 WHERE tenant_id = $1 AND rule_id = $2 AND revoked_at IS NULL RETURNING rule_id
"""
INSERT_PROPOSAL: Final = """
INSERT INTO rule_proposals (tenant_id, proposal_id, user_id, operation, new_type, existing_type, same_user, resolution, episodes, status,
  created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'open', $10)
"""
OPEN_PROPOSAL: Final = """
SELECT * FROM rule_proposals WHERE tenant_id = $1 AND user_id = $2 AND operation = $3 AND new_type = $4 AND existing_type = $5
  AND same_user = $6 AND status = 'open'
"""
LIST_PROPOSALS: Final = """
SELECT * FROM rule_proposals WHERE tenant_id = $1 AND ($2::text[] IS NULL OR user_id = ANY($2)) AND ($3::uuid IS NULL OR proposal_id < $3)
  AND ($4::text IS NULL OR status = $4)
ORDER BY proposal_id DESC LIMIT $5
"""
PROPOSAL_FOR_UPDATE: Final = "SELECT * FROM rule_proposals WHERE tenant_id = $1 AND proposal_id = $2 FOR UPDATE"
GET_PROPOSAL: Final = "SELECT * FROM rule_proposals WHERE tenant_id = $1 AND proposal_id = $2"
DECIDE_PROPOSAL: Final = """
UPDATE rule_proposals SET status = $3, decided_at = $4, decided_by = $5, reason = $6, rule_id = $7
WHERE tenant_id = $1 AND proposal_id = $2 AND status = 'open'
"""


def shape_of_row(row: asyncpg.Record) -> Shape:
    """The shape columns of a precedent, rule or proposal."""
    return Shape(Operation(row["operation"]), MemoryType(row["new_type"]), MemoryType(row["existing_type"]), row["same_user"])


def shape_values(shape: Shape) -> tuple[str, str, str, bool]:
    """A shape as the queries take it."""
    return (shape.operation, shape.new_type, shape.existing_type, shape.same_user)


def rule_of(row: asyncpg.Record) -> Rule:
    """A live rule as the charter applies it."""
    return Rule(row["rule_id"], shape_of_row(row), Resolution(row["resolution"]), row["user_id"])


def rule_row_of(row: asyncpg.Record) -> RuleRow:
    """A row of `LIST`."""
    return RuleRow(
        id=row["rule_id"],
        shape=shape_of_row(row),
        resolution=Resolution(row["resolution"]),
        scope=RuleScope(row["scope"]),
        user_id=row["user_id"],
        episodes=tuple(row["episodes"]),
        uses=row["uses"],
        status="revoked" if row["revoked_at"] else "live",
        created_at=row["created_at"],
        created_by=row["created_by"],
        revoked_at=row["revoked_at"],
        revoked_by=row["revoked_by"],
    )


def proposal_of(row: asyncpg.Record) -> ProposalRow:
    """A row of `rule_proposals`."""
    return ProposalRow(
        id=row["proposal_id"],
        user_id=row["user_id"],
        shape=shape_of_row(row),
        resolution=Resolution(row["resolution"]),
        episodes=tuple(row["episodes"]),
        status=row["status"],
        created_at=row["created_at"],
        decided_at=row["decided_at"],
        decided_by=row["decided_by"],
        reason=row["reason"],
        rule_id=row["rule_id"],
    )


async def insert_precedent(connection: asyncpg.Connection, tenant_id: UUID, new: NewPrecedent) -> None:
    """Append one precedent."""
    await connection.execute(
        INSERT_PRECEDENT,
        tenant_id,
        new.episode_id,
        new.user_id,
        *shape_values(new.shape),
        new.resolution,
        new.new_memory_id,
        new.existing_memory_id,
        new.contradiction_id,
        list(new.articles),
        new.at,
    )


async def precedents(connection: asyncpg.Connection, tenant_id: UUID, user_id: str, shape: Shape) -> list[Precedent]:
    """Those that count for a proposal, oldest first."""
    rows = await connection.fetch(PRECEDENTS, tenant_id, user_id, *shape_values(shape))
    return [
        Precedent(row["episode_id"], shape, Resolution(row["resolution"]), (row["new_memory_id"], row["existing_memory_id"]))
        for row in rows
    ]
