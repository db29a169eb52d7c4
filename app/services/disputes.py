"""Disputes as they are read: lists, and one whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import asyncpg

from app.charter.model import DisputeStatus
from app.db import contradictions, memories
from app.db.contradictions import Contradiction
from app.db.memories import Memory
from app.db.transaction import transaction
from app.errors import NotFoundError
from app.services.access import bound_to, may_read, may_read_dispute
from app.services.clarify import can_allow_always, options, question
from app.services.cursors import after, page_of
from app.services.parts import Parts
from app.services.precedents import Answered, Answers, answers_of, earlier_answers
from app.services.requests import ContradictionFilter, PageRequest, Principal
from app.services.views import ContradictionView, Page


async def list_contradictions(
    parts: Parts, principal: Principal, wanted: ContradictionFilter, page: PageRequest, language: str
) -> Page[ContradictionView]:
    """Disputes, newest first, that the key may see."""
    async with transaction(parts.pool, principal.tenant_id, readonly=True) as connection:
        found = await contradictions.fetch(
            connection,
            contradictions.LIST,
            principal.tenant_id,
            wanted.user_id,
            bound_to(principal),
            wanted.status,
            wanted.conflict_type,
            wanted.created_by,
            after(page.cursor),
            page.limit + 1,
        )
        sides = await _sides(connection, principal.tenant_id, found)
        answers = await answers_of(connection, principal.tenant_id, [one.new_user_id for one in found])
    views = [view_of(one, sides, principal, language, answers) for one in found]
    return page_of(views, page.limit, lambda view: view.id)


async def get_contradiction(parts: Parts, principal: Principal, contradiction_id: UUID, language: str) -> ContradictionView:
    """One dispute, whole. Raises `NotFoundError` where the key is of neither side's user."""
    async with transaction(parts.pool, principal.tenant_id, readonly=True) as connection:
        row = await connection.fetchrow(contradictions.GET, principal.tenant_id, contradiction_id)
        dispute = readable_dispute(principal, row)
        return await whole(connection, principal, dispute, language)


def readable_dispute(principal: Principal, row: asyncpg.Record | None) -> Contradiction:
    """The dispute, or `NotFoundError` where it does not exist or the key may not see it."""
    dispute = contradictions.contradiction_of(row) if row else None
    if dispute is None or not may_read_dispute(principal, dispute):
        raise NotFoundError("there is no such contradiction, or this key may not see it")
    return dispute


async def whole(connection: asyncpg.Connection, principal: Principal, dispute: Contradiction, language: str) -> ContradictionView:
    """A dispute with both sides, as this transaction sees them."""
    sides = await _sides(connection, principal.tenant_id, [dispute])
    answers = await answers_of(connection, principal.tenant_id, [dispute.new_user_id])
    return view_of(dispute, sides, principal, language, answers)


async def _sides(connection: asyncpg.Connection, tenant_id: UUID, found: Sequence[Contradiction]) -> dict[UUID, Memory]:
    ids = [memory_id for one in found for memory_id in (one.new_memory_id, one.existing_memory_id)]
    return await memories.get_many(connection, tenant_id, ids)


def view_of(
    dispute: Contradiction, sides: Mapping[UUID, Memory], principal: Principal, language: str, answers: Answers
) -> ContradictionView:
    """The record of a dispute; a side that the key may not see is None, and then no text of it is quoted either."""
    new, existing = sides[dispute.new_memory_id], sides[dispute.existing_memory_id]
    seen = may_read(principal, new) and may_read(principal, existing)
    is_open = dispute.status is DisputeStatus.OPEN
    return ContradictionView(
        id=dispute.id,
        version=dispute.version,
        status=dispute.status,
        strategy=dispute.strategy,
        conflict_type=dispute.conflict_type,
        articles=dispute.articles,
        pending_operation=dispute.pending_operation,
        pending_content=dispute.pending_content if seen else None,
        confidence=dispute.confidence,
        new=new if may_read(principal, new) else None,
        existing=existing if may_read(principal, existing) else None,
        options=options(dispute, new, existing, language) if is_open and seen else [],
        suggested_question=question(dispute, new, existing, language) if is_open and seen else None,
        created_at=dispute.created_at,
        created_by=dispute.created_by,
        resolution=dispute.resolution,
        contexts=dispute.contexts,
        resolved_at=dispute.resolved_at,
        resolved_by=dispute.resolved_by,
        answered_by=dispute.answered_by,
        note=dispute.note,
        effects=effects_of(dispute),
        rule_id=dispute.rule_id,
        moot_cause=dispute.moot_cause,
        can_allow_always=is_open and can_allow_always(dispute),
        precedents=[_precedent(one) for one in earlier_answers(answers, dispute, new, existing)],
    )


def _precedent(answered: Answered) -> Mapping[str, Any]:
    return {
        "resolution": answered.resolution,
        "times": answered.times,
        "episodes": [str(episode) for episode in answered.episodes],
    }


def effects_of(dispute: Contradiction) -> Mapping[str, Any] | None:
    """What the answer did, with every kind of effect named; None while there is no answer."""
    if dispute.effects is None:
        return None
    kinds = ("superseded", "updated", "withdrawn", "created", "activated", "moved", "moot")
    return {kind: dispute.effects.get(kind, []) for kind in kinds}
