"""Decisions as they are read."""

from __future__ import annotations

from uuid import UUID

from app.db import decisions
from app.db.transaction import transaction
from app.errors import NotFoundError
from app.services.access import acts_for, bound_to
from app.services.cursors import after, page_of
from app.services.parts import Parts
from app.services.requests import DecisionFilter, PageRequest, Principal
from app.services.views import DecisionView, Page


async def list_decisions(parts: Parts, principal: Principal, wanted: DecisionFilter, page: PageRequest) -> Page[DecisionView]:
    """Decisions, newest first, of the users that the key may see."""
    async with transaction(parts.pool, principal.tenant_id, readonly=True) as connection:
        rows = await connection.fetch(
            decisions.LIST,
            principal.tenant_id,
            wanted.memory_id,
            wanted.write_id,
            wanted.outcome,
            bound_to(principal),
            after(page.cursor),
            page.limit + 1,
        )
    return page_of([decisions.decision_of(row) for row in rows], page.limit, lambda decision: decision.id)


async def get_decision(parts: Parts, principal: Principal, decision_id: UUID) -> DecisionView:
    """One decision, whole. Raises `NotFoundError` where the key may not see it."""
    async with transaction(parts.pool, principal.tenant_id, readonly=True) as connection:
        row = await connection.fetchrow(decisions.GET, principal.tenant_id, decision_id)
    if row is None or not acts_for(principal, row["user_id"]):
        raise NotFoundError("there is no such decision, or this key may not see it")
    return decisions.decision_of(row)
