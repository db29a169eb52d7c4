"""What happened to memories: append-only, each with the state that the memory had from then on."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import asyncpg

from app.db.ids import new_id

# The state is read from the memory itself, so an event is written after the change it tells of.
INSERT: Final = """
INSERT INTO memory_events (tenant_id, event_id, memory_id, at, event, actor, reason, decision_id, contradiction_id, status, revision,
  immutable, source, valid_to, detail)
SELECT $1, $2, memory_id, $4, $5, $6, $7, $8, $9, status, revision, immutable, source, valid_to, $10
FROM memories WHERE tenant_id = $1 AND memory_id = $3
"""
LIST: Final = "SELECT * FROM memory_events WHERE tenant_id = $1 AND memory_id = $2 ORDER BY at, event_id"


async def insert(
    connection: asyncpg.Connection,
    tenant_id: UUID,
    memory_id: UUID,
    at: datetime,
    event: str,
    *,
    actor: UUID | None,
    reason: str | None = None,
    decision_id: UUID | None = None,
    contradiction_id: UUID | None = None,
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Append one event of a memory."""
    await connection.execute(
        INSERT, tenant_id, new_id(), memory_id, at, event, actor, reason, decision_id, contradiction_id, dict(detail or {})
    )
