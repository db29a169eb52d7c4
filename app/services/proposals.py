"""Proposals: repeated identical answers offer themselves as a rule, and an owner decides."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

import asyncpg

from app.charter.model import Resolution, RuleScope, Shape
from app.charter.rules import proposal_from
from app.db import audit, rules
from app.db.ids import new_id
from app.db.outbox import EventType, announce
from app.db.rules import ProposalRow, RuleRow
from app.db.transaction import NOW, lock_users, repeat_on_conflict, transaction
from app.errors import ConflictError, NotFoundError
from app.services.access import acts_for, bound_to, require_owner
from app.services.changes import Act
from app.services.cursors import after, page_of
from app.services.govern import read_state
from app.services.parts import Parts
from app.services.replay import act_once, answer_once
from app.services.requests import Once, PageRequest, Principal
from app.services.rulebook import get_rule, make_rule, require_scope
from app.services.views import Page


async def propose_from_precedents(act: Act, user_id: str, shape: Shape, resolution: Resolution, propose_after: int) -> ProposalRow | None:
    """The proposal that the latest answer makes due, if any; an open one of the same shape lapses on a contrary answer."""
    row = await act.connection.fetchrow(rules.OPEN_PROPOSAL, act.tenant_id, user_id, *rules.shape_values(shape))
    if row is not None:
        if row["resolution"] == resolution:
            return None
        await _decide(act, row["proposal_id"], "lapsed", "a contrary answer came", None)
    if await act.connection.fetchval(rules.LIVE_LIKE, act.tenant_id, RuleScope.USER, user_id, *rules.shape_values(shape)):
        return None
    counted = await rules.precedents(act.connection, act.tenant_id, user_id, shape)
    episodes = proposal_from(counted, propose_after)
    if not episodes or resolution is Resolution.AMEND or not (shape.same_user or resolution is Resolution.COEXIST):
        return None
    proposal_id = new_id()
    await act.connection.execute(
        rules.INSERT_PROPOSAL,
        act.tenant_id,
        proposal_id,
        user_id,
        *rules.shape_values(shape),
        resolution,
        list(episodes),
        act.at,
    )
    await announce(
        act.connection, act.tenant_id, EventType.RULE_PROPOSED, act.at, user_id=user_id, payload={"proposal_id": str(proposal_id)}
    )
    return ProposalRow(proposal_id, user_id, shape, resolution, episodes, "open", act.at, None, None, None, None)


async def _decide(act: Act, proposal_id: UUID, status: str, reason: str | None, rule_id: UUID | None) -> None:
    await act.connection.execute(rules.DECIDE_PROPOSAL, act.tenant_id, proposal_id, status, act.at, act.actor, reason, rule_id)


async def list_proposals(parts: Parts, principal: Principal, status: str | None, page: PageRequest) -> Page[ProposalRow]:
    """Proposals, newest first, that the key may see."""
    async with transaction(parts.pool, principal.tenant_id, readonly=True) as connection:
        rows = await connection.fetch(
            rules.LIST_PROPOSALS, principal.tenant_id, bound_to(principal), after(page.cursor), status, page.limit + 1
        )
    return page_of([rules.proposal_of(row) for row in rows], page.limit, lambda proposal: proposal.id)


async def approve_proposal(
    parts: Parts, principal: Principal, proposal_id: UUID, scope: RuleScope, reason: str | None, once: Once | None = None
) -> tuple[ProposalRow, RuleRow]:
    """An owner makes the proposal a rule, for its user or (not bound) for the tenant.

    Raises `NotFoundError`, `ForbiddenError`, and `ConflictError` (`proposal_decided`, `rule_conflict`).
    """
    require_owner(principal)

    async def attempt() -> UUID:
        async with act_once(parts, principal, once, proposal_id) as connection:
            act, proposal = await _open(parts, connection, principal, proposal_id)
            rule_id = await make_rule(
                act,
                principal,
                proposal.shape,
                proposal.resolution,
                scope=scope,
                user_id=proposal.user_id,
                episodes=proposal.episodes,
                reason=reason or "a proposal from repeated answers",
            )
            await _decide(act, proposal_id, "approved", reason, rule_id)
            return proposal_id

    decided = await answer_once(parts, principal, once, lambda: repeat_on_conflict(attempt), _same)
    proposal = await _one(parts, principal, decided)
    if proposal.rule_id is None:
        raise AssertionError
    return proposal, await get_rule(parts, principal, proposal.rule_id)


async def _same(proposal_id: UUID) -> UUID:
    return proposal_id


async def reject_proposal(
    parts: Parts, principal: Principal, proposal_id: UUID, reason: str | None, once: Once | None = None
) -> ProposalRow:
    """An owner says no; the proposal returns only after as many new precedents. Raises as `approve_proposal`."""
    require_owner(principal)

    async def attempt() -> UUID:
        async with act_once(parts, principal, once, proposal_id) as connection:
            act, _ = await _open(parts, connection, principal, proposal_id)
            await _decide(act, proposal_id, "rejected", reason, None)
            await audit.insert(connection, principal.tenant_id, "reject_proposal", str(proposal_id), actor=principal.key_id, reason=reason)
        return proposal_id

    return await _one(parts, principal, await answer_once(parts, principal, once, lambda: repeat_on_conflict(attempt), _same))


async def _open(parts: Parts, connection: asyncpg.Connection, principal: Principal, proposal_id: UUID) -> tuple[Act, ProposalRow]:
    seen = _seen(principal, await connection.fetchrow(rules.GET_PROPOSAL, principal.tenant_id, proposal_id))
    await lock_users(connection, principal.tenant_id, seen.user_id)
    proposal = _seen(principal, await connection.fetchrow(rules.PROPOSAL_FOR_UPDATE, principal.tenant_id, proposal_id))
    require_scope(principal, RuleScope.USER, proposal.user_id)
    if proposal.status != "open":
        raise ConflictError(f"this proposal is {proposal.status}", code="proposal_decided")
    at: datetime = await connection.fetchval(NOW)
    state = await read_state(connection, principal.tenant_id)
    return Act(connection, principal.tenant_id, principal.key_id, at, state.version, parts.embedder.model), proposal


async def _one(parts: Parts, principal: Principal, proposal_id: UUID) -> ProposalRow:
    async with transaction(parts.pool, principal.tenant_id, readonly=True) as connection:
        return _seen(principal, await connection.fetchrow(rules.GET_PROPOSAL, principal.tenant_id, proposal_id))


def _seen(principal: Principal, row: asyncpg.Record | None) -> ProposalRow:
    if row is None or not acts_for(principal, row["user_id"]):
        raise NotFoundError("there is no such proposal, or this key may not see it")
    return rules.proposal_of(row)
