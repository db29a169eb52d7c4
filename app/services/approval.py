"""Approval: an owner's explicit act on one exact text of the constitution."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

import asyncpg

from app.charter.model import CharterStatus
from app.db import audit
from app.db import charter as sql
from app.db.ids import new_id
from app.db.outbox import EventType, announce
from app.db.transaction import NOW, repeat_on_conflict, transaction
from app.errors import ConflictError, ForbiddenError
from app.services.access import require_owner
from app.services.cursors import after, page_of
from app.services.govern import read_state
from app.services.parts import Parts
from app.services.replay import act_once, answer_once
from app.services.requests import Once, PageRequest, Principal
from app.services.views import CharterStamp, Page

_LARGEST_VERSION: Final = 2_147_483_647


@dataclass(frozen=True, slots=True)
class ApprovalView:
    """The charter's state after the act, and what waits in the tenant."""

    version: int
    sha256: str
    charter: CharterStamp
    open: int
    held: int


@dataclass(frozen=True, slots=True)
class CharterActView:
    """One approval or withdrawal: by which key, when, why."""

    act: str
    actor: UUID
    at: datetime
    reason: str | None


@dataclass(frozen=True, slots=True)
class VersionView:
    """One registered constitution and this tenant's acts on it, oldest first."""

    version: int
    sha256: str
    registered_at: datetime
    current: bool
    status: CharterStatus
    acts: list[CharterActView]


async def approve(parts: Parts, principal: Principal, version: int, sha256: str, once: Once | None = None) -> ApprovalView:
    """Approve the current text: blocking semantics from the next write on. Approving the approved text changes nothing.

    Raises `ForbiddenError` for a key that is not an unbound owner's, `ConflictError` (`not_current`) when version and
    hash are not those of the current text.
    """
    _require_governor(principal)

    async def attempt() -> ApprovalView:
        async with act_once(parts, principal, once, principal.tenant_id) as connection:
            await connection.execute(sql.LOCK_TENANT, str(principal.tenant_id))
            state = await read_state(connection, principal.tenant_id)
            if (state.version, state.sha256) != (version, sha256):
                raise ConflictError(
                    "this is not the current text; read GET /charter and approve its version and sha256",
                    code="not_current",
                    extra={"version": state.version, "sha256": state.sha256},
                )
            if state.status is not CharterStatus.APPROVED:
                await _act(connection, principal, version, sha256, "approve", None)
            return await _view(connection, principal)

    return await answer_once(parts, principal, once, lambda: repeat_on_conflict(attempt), lambda _: _now(parts, principal))


async def withdraw_approval(parts: Parts, principal: Principal, reason: str, once: Once | None = None) -> ApprovalView:
    """Withdraw the approval: the charter is a draft again, mode defer. What already waits stays as it is.

    Raises `ForbiddenError`, and `ConflictError` (`not_approved`) when there is no approval to withdraw.
    """
    _require_governor(principal)

    async def attempt() -> ApprovalView:
        async with act_once(parts, principal, once, principal.tenant_id) as connection:
            await connection.execute(sql.LOCK_TENANT, str(principal.tenant_id))
            state = await read_state(connection, principal.tenant_id)
            if state.status is not CharterStatus.APPROVED:
                raise ConflictError("the charter is not approved", code="not_approved")
            await _act(connection, principal, state.version, state.sha256, "withdraw", reason)
            return await _view(connection, principal)

    return await answer_once(parts, principal, once, lambda: repeat_on_conflict(attempt), lambda _: _now(parts, principal))


async def _now(parts: Parts, principal: Principal) -> ApprovalView:
    async with transaction(parts.pool, principal.tenant_id, readonly=True) as connection:
        return await _view(connection, principal)


def _require_governor(principal: Principal) -> None:
    require_owner(principal)
    if principal.user_ids is not None:
        raise ForbiddenError("the charter is the business of an owner's key that is not bound to users", code="bound_key")


async def _act(connection: asyncpg.Connection, principal: Principal, version: int, sha256: str, act: str, reason: str | None) -> None:
    at: datetime = await connection.fetchval(NOW)
    await connection.execute(sql.INSERT_ACT, principal.tenant_id, new_id(), version, act, sha256, principal.key_id, reason, at)
    await audit.insert(
        connection, principal.tenant_id, f"{act}_charter", str(version), actor=principal.key_id, reason=reason, detail={"sha256": sha256}
    )
    event = EventType.CHARTER_APPROVED if act == "approve" else EventType.CHARTER_CHANGED
    await announce(connection, principal.tenant_id, event, at, user_id=None, payload={"version": version, "act": act})


async def _view(connection: asyncpg.Connection, principal: Principal) -> ApprovalView:
    state = await read_state(connection, principal.tenant_id)
    counts = await connection.fetchrow(sql.WAITING, principal.tenant_id)
    waiting = {"open": 0, "held": 0} if counts is None else dict(counts)
    return ApprovalView(state.version, state.sha256, state.stamp, waiting["open"], waiting["held"])


async def list_versions(parts: Parts, principal: Principal, page: PageRequest) -> Page[VersionView]:
    """The registered constitutions, newest first, with who approved or withdrew each in this tenant, and when."""
    before = after(page.cursor)
    last = None if before is None else min(before.int, _LARGEST_VERSION)
    async with transaction(parts.pool, principal.tenant_id, readonly=True) as connection:
        state = await read_state(connection, principal.tenant_id)
        versions = await connection.fetch(sql.VERSIONS, last, page.limit + 1)
        acts = await connection.fetch(sql.ACTS, principal.tenant_id, [row["version"] for row in versions])
    views = [
        VersionView(
            version=row["version"],
            sha256=row["sha256"],
            registered_at=row["registered_at"],
            current=row["version"] == state.version,
            status=state.status if row["version"] == state.version else CharterStatus.DRAFT,
            acts=[CharterActView(act["act"], act["actor"], act["at"], act["reason"]) for act in acts if act["version"] == row["version"]],
        )
        for row in versions
    ]
    return page_of(views, page.limit, _id_of)


def _id_of(view: VersionView) -> UUID:
    """What a cursor names: a text has no id but its number."""
    return UUID(int=view.version)
