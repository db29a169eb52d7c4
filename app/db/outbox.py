"""The outbox: what happened, in ids and words of the contract, written in the transaction of the act. No memory text."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

import asyncpg

from app.db.ids import new_id


class EventType(StrEnum):
    """The events of the contract."""

    CLARIFICATION_OPENED = "clarification.opened"
    CONTRADICTION_RESOLVED = "contradiction.resolved"
    CONTRADICTION_MOOT = "contradiction.moot"
    MEMORY_SUPERSEDED = "memory.superseded"
    RULE_PROPOSED = "rule.proposed"
    RULE_APPROVED = "rule.approved"
    RULE_REVOKED = "rule.revoked"
    CHARTER_APPROVED = "charter.approved"
    CHARTER_CHANGED = "charter.changed"
    WRITE_COMPLETED = "write.completed"
    WRITE_UNDECIDED = "write.undecided"


INSERT: Final = "INSERT INTO outbox (tenant_id, event_id, type, at, user_id, payload) VALUES ($1, $2, $3, $4, $5, $6)"


async def announce(
    connection: asyncpg.Connection,
    tenant_id: UUID,
    event: EventType,
    at: datetime,
    *,
    user_id: str | None,
    payload: Mapping[str, Any],
) -> None:
    """Append one event."""
    await connection.execute(INSERT, tenant_id, new_id(), event, at, user_id, dict(payload))
