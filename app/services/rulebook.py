"""Learned rules: how one comes about, is read, and ends."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import asyncpg

from app.charter.model import SYSTEM_USER, Kind, MemoryType, Resolution, Rule, RuleScope, Shape, Source, Status
from app.db import audit, rules
from app.db.edges import EdgeType
from app.db.ids import new_id
from app.db.memories import NewMemory
from app.db.outbox import EventType, announce
from app.db.rules import RuleRow
from app.db.transaction import NOW, repeat_on_conflict, transaction
from app.errors import ConflictError, ForbiddenError, NotFoundError
from app.services.access import acts_for, bound_to, require_owner
from app.services.changes import Act, link, note, store
from app.services.cursors import after, page_of
from app.services.govern import read_state
from app.services.parts import Parts
from app.services.replay import act_once, answer_once
from app.services.requests import Once, PageRequest, Principal
from app.services.views import Page


async def live_rules(connection: asyncpg.Connection, tenant_id: UUID, user_id: str) -> tuple[Rule, ...]:
    """The rules that hold for a user's writes now."""
    return tuple(rules.rule_of(row) for row in await connection.fetch(rules.LIVE, tenant_id, user_id))


async def list_rules(parts: Parts, principal: Principal, page: PageRequest) -> Page[RuleRow]:
    """Rules, newest first, live and revoked, that the key may see."""
    async with transaction(parts.pool, principal.tenant_id, readonly=True) as connection:
        rows = await connection.fetch(rules.LIST, principal.tenant_id, bound_to(principal), None, after(page.cursor), page.limit + 1)
    return page_of([rules.rule_row_of(row) for row in rows], page.limit, lambda rule: rule.id)


async def get_rule(parts: Parts, principal: Principal, rule_id: UUID) -> RuleRow:
    """One rule with its episodes and uses. Raises `NotFoundError`."""
    async with transaction(parts.pool, principal.tenant_id, readonly=True) as connection:
        return await _one(connection, principal, rule_id)


async def _one(connection: asyncpg.Connection, principal: Principal, rule_id: UUID) -> RuleRow:
    row = await connection.fetchrow(rules.LIST, principal.tenant_id, bound_to(principal), rule_id, None, 1)
    if row is None:
        raise NotFoundError("there is no such rule, or this key may not see it")
    return rules.rule_row_of(row)


async def revoke_rule(parts: Parts, principal: Principal, rule_id: UUID, reason: str, once: Once | None = None) -> RuleRow:
    """End a rule from the next decision on; its history stays. Revoking a revoked one changes nothing.

    Raises `ForbiddenError` for a key that is not an owner's, or is bound to users and the rule is not one of theirs.
    """
    require_owner(principal)

    async def attempt() -> RuleRow:
        async with act_once(parts, principal, once, rule_id) as connection:
            rule = await _one(connection, principal, rule_id)
            require_scope(principal, rule.scope, rule.user_id)
            at: datetime = await connection.fetchval(NOW)
            if await connection.fetchval(rules.REVOKE, principal.tenant_id, rule_id, at, principal.key_id):
                state = await read_state(connection, principal.tenant_id)
                act = Act(connection, principal.tenant_id, principal.key_id, at, state.version, parts.embedder.model)
                await note(act, rule_id, "revoked", reason)
                await _tell(act, EventType.RULE_REVOKED, rule_id, rule.user_id)
                await audit.insert(connection, principal.tenant_id, "revoke_rule", str(rule_id), actor=principal.key_id, reason=reason)
            return await _one(connection, principal, rule_id)

    return await answer_once(
        parts, principal, once, lambda: repeat_on_conflict(attempt), lambda subject: get_rule(parts, principal, subject)
    )


def require_scope(principal: Principal, scope: RuleScope, user_id: str | None) -> None:
    """A rule of the tenant is the business of owners that are not bound to users; a user's, of who acts for that user."""
    if scope is RuleScope.TENANT and principal.user_ids is not None:
        raise ForbiddenError("a rule for the whole tenant needs an owner's key that is not bound to users", code="bound_key")
    if user_id is not None and not acts_for(principal, user_id):
        raise ForbiddenError("this key is bound to other users", code="bound_key")


async def make_rule(
    act: Act,
    principal: Principal,
    shape: Shape,
    resolution: Resolution,
    *,
    scope: RuleScope,
    user_id: str,
    episodes: Sequence[UUID],
    reason: str | None,
) -> UUID:
    """Store a rule as an immutable memory with BECAUSE edges to its episodes; it applies from the next decision on.

    Raises `ConflictError` (`rule_conflict`) when a live rule of that scope and shape exists.
    """
    require_scope(principal, scope, user_id)
    holder = user_id if scope is RuleScope.USER else None
    known = await act.connection.fetchval(rules.LIVE_LIKE, act.tenant_id, scope, holder, *rules.shape_values(shape))
    if known is not None:
        raise ConflictError("a live rule of this scope and shape exists", code="rule_conflict", extra={"rule_id": str(known)})
    rule_id = new_id()
    memory = NewMemory(
        memory_id=rule_id,
        user_id=SYSTEM_USER,
        kind=Kind.RULE,
        memory_type=MemoryType.FACT,
        content=sentence(shape, resolution, scope),
        status=Status.ACTIVE,
        source=Source.USER,
        at=act.at,
        charter_version=act.charter_version,
        immutable=True,
        metadata={"scope": scope, "user_id": holder, "resolution": resolution, "shape": shape_view(shape)},
        created_by=act.actor,
    )
    await store(act, memory, None, "approved", reason)
    for episode in episodes:
        await link(act, EdgeType.BECAUSE, rule_id, episode)
    await act.connection.execute(
        rules.INSERT_RULE, act.tenant_id, rule_id, scope, holder, *rules.shape_values(shape), resolution, act.at, act.actor
    )
    await _tell(act, EventType.RULE_APPROVED, rule_id, holder)
    await audit.insert(act.connection, act.tenant_id, "approve_rule", str(rule_id), actor=act.actor, reason=reason)
    return rule_id


async def _tell(act: Act, event: EventType, rule_id: UUID, user_id: str | None) -> None:
    await announce(act.connection, act.tenant_id, event, act.at, user_id=user_id, payload={"rule_id": str(rule_id)})


def shape_view(shape: Shape) -> dict[str, object]:
    """A shape as answers show it."""
    return {
        "operation": shape.operation,
        "new_type": shape.new_type,
        "existing_type": shape.existing_type,
        "same_user": shape.same_user,
    }


def sentence(shape: Shape, resolution: Resolution, scope: RuleScope) -> str:
    """A rule in words."""
    whose = "the same user" if shape.same_user else "another user"
    does = {
        Resolution.COEXIST: "both stay",
        Resolution.RETRACT: "the newer one supersedes the stored one",
        Resolution.CONFIRM: "the stored one stands and the newer one is withdrawn",
        Resolution.AMEND: "both are reworded",
    }[resolution]
    holds = "for the whole tenant" if scope is RuleScope.TENANT else "for this user"
    return f"When a {shape.new_type} contradicts a stored {shape.existing_type} of {whose}, {does} ({holds})."
