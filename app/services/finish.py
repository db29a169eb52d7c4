"""Finishing an accepted write after its answer: the same way as at once, with the time it was accepted."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from app.charter.model import MemoryType, Source
from app.db import writes
from app.db.rows import required
from app.db.transaction import transaction
from app.db.writes import Write
from app.errors import UnavailableError
from app.services.intake import Accepted, postpone
from app.services.parts import Parts
from app.services.remember import decide, prepare
from app.services.requests import FactRequest, Principal, Role, WriteRequest

LONGEST_DELAY = 3600.0
"""Delays between tries double from the setting up to this many seconds."""


def delay_after(attempts: int, first: float) -> float:
    """Seconds until the next try after so many."""
    return float(min(LONGEST_DELAY, first * 2 ** min(attempts, 20)))


async def finish_write(parts: Parts, tenant_id: UUID, write_id: UUID, attempts: int) -> bool:
    """Finish one claimed write; False when it was postponed once more because a model or the database is out of reach."""
    async with transaction(parts.pool, tenant_id, readonly=True) as connection:
        write = writes.write_of(required(await connection.fetchrow(writes.GET, tenant_id, write_id)))
    if write.status in {"completed", "set_aside"}:
        return True
    actor = Principal(tenant_id, "", write.key_id, Role.AGENT, None, can_answer=False, expires_at=None)
    accepted = Accepted(write.id, write.accepted_at, write.raw_input_id)
    try:
        await decide(parts, await prepare(parts, actor, request_of(write), accepted, late=True))
    except UnavailableError as fault:
        await postpone(parts, tenant_id, write_id, fault.code, delay_after(attempts, parts.settings.intake.retry_seconds))
        return False
    return True


def request_of(write: Write) -> WriteRequest:
    """The request as it came, read again from its stored body, which was checked before it was kept."""
    body = write.body
    return WriteRequest(
        user_id=write.user_id,
        body=body,
        message=body.get("message"),
        facts=[_fact_of(fact) for fact in body.get("facts") or ()],
        source=Source(body.get("source") or Source.AGENT),
        shared=bool(body.get("shared")),
        agent_id=body.get("agent_id"),
        session_id=body.get("session_id"),
        metadata=body.get("metadata") or {},
    )


def _fact_of(fact: Mapping[str, Any]) -> FactRequest:
    begins = fact.get("valid_from")
    return FactRequest(
        content=fact["content"],
        memory_type=MemoryType(fact["memory_type"]) if fact.get("memory_type") else None,
        valid_from=datetime.fromisoformat(begins).astimezone(UTC) if begins else None,
        source=Source(fact["source"]) if fact.get("source") else None,
        shared=fact.get("shared"),
        agent_id=fact.get("agent_id"),
        session_id=fact.get("session_id"),
        metadata=fact.get("metadata"),
    )
