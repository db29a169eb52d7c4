"""Typed edges between memories. A CONTRADICTS edge has a life of its own: `app.db.contradictions`."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

import asyncpg

from app.db.ids import new_id


class EdgeType(StrEnum):
    """What an edge says; it points from the newer or derived memory to the older one."""

    SUPERSEDES = "SUPERSEDES"
    BECAUSE = "BECAUSE"
    SUPPORTS = "SUPPORTS"
    DERIVED_FROM = "DERIVED_FROM"
    SAME_AS = "SAME_AS"


INSERT: Final = """
INSERT INTO edges (tenant_id, edge_id, type, from_memory_id, to_memory_id, at, reason, decision_id, contradiction_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
"""
END_SUPERSESSION: Final = """
UPDATE edges SET ended_at = $3 WHERE tenant_id = $1 AND to_memory_id = $2 AND type = 'SUPERSEDES' AND ended_at IS NULL
"""


async def insert(
    connection: asyncpg.Connection,
    tenant_id: UUID,
    edge: EdgeType,
    from_memory_id: UUID,
    to_memory_id: UUID,
    at: datetime,
    *,
    reason: str | None = None,
    decision_id: UUID | None = None,
    contradiction_id: UUID | None = None,
) -> None:
    """Add one edge."""
    await connection.execute(INSERT, tenant_id, new_id(), edge, from_memory_id, to_memory_id, at, reason, decision_id, contradiction_id)
