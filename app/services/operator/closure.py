"""How far an erased text has spread: the memories that go along, and the rows in which it stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg

from app.charter.model import SYSTEM_USER
from app.db import erase as sql
from app.errors import ConflictError, InvalidInputError, NotFoundError

_ERASABLE = frozenset({"atom", "raw_input"})


@dataclass(frozen=True, slots=True)
class Order:
    """What the operator wants erased: exactly one of `memory_id` and `user_id`.

    `with_source`: also messages that carry other statements; those statements stay.
    """

    tenant: str
    reason: str
    memory_id: UUID | None = None
    user_id: str | None = None
    with_source: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Going:
    """A memory that goes. `since`: contents from then on (None: all). `whole`: with everything that it was said in."""

    memory_id: UUID
    since: datetime | None
    whole: bool
    cause: str

    def joined(self, other: Going) -> Going:
        """Both of two reasons to go; the first one's cause is kept."""
        since = None if self.since is None or other.since is None else min(self.since, other.since)
        return Going(self.memory_id, since, self.whole or other.whole, self.cause)


@dataclass(slots=True)
class Closure:
    """Everything that an order reaches. `places`: fact rows of writes, `texts`: the very texts that go."""

    tenant_id: UUID
    user_id: str | None
    going: dict[UUID, Going]
    rows: dict[UUID, asyncpg.Record] = field(default_factory=dict)
    revisions: Sequence[asyncpg.Record] = ()
    decisions: Sequence[asyncpg.Record] = ()
    seen: Sequence[UUID] = ()
    by_engine: Sequence[UUID] = ()
    disputes: Sequence[asyncpg.Record] = ()
    heard: Sequence[UUID] = ()
    sharers: Mapping[UUID, Sequence[UUID]] = field(default_factory=dict)

    @property
    def listed(self) -> list[dict[str, Any]]:
        """What goes, as the statements of `app.db.erase` take it."""
        return [
            {"memory_id": str(one.memory_id), "since": one.since.isoformat() if one.since else "-infinity", "whole": one.whole}
            for one in self.going.values()
        ]

    @property
    def texts(self) -> list[str]:
        """The texts that go, without tombstones."""
        found = {row["content"] for row in (*self.revisions, *self.decisions)}
        return sorted(found - {sql.TOMBSTONE})

    @property
    def users(self) -> set[str]:
        """Whose locks the erase needs."""
        found = {row["user_id"] for row in self.rows.values()} | ({self.user_id} if self.user_id else set())
        return found | {row[name] for row in self.disputes for name in ("new_user_id", "existing_user_id")}

    @property
    def shared(self) -> bool:
        """True when other users could read some of it, and be asked about it."""
        return any(row["shared"] for row in self.rows.values())

    @property
    def raw_inputs(self) -> list[UUID]:
        """The messages that go."""
        return [memory_id for memory_id, row in self.rows.items() if row["kind"] == "raw_input"]


async def find_closure(connection: asyncpg.Connection, tenant_id: UUID, order: Order) -> Closure:
    """Everything that goes with what the order names, as this transaction sees it.

    Raises `NotFoundError` for an unknown memory or user, `InvalidInputError` for what cannot be erased, and `ConflictError`
    (`shared_source`) where a message carries other statements too, unless `with_source`.
    """
    closure = Closure(tenant_id, order.user_id, await _asked(connection, tenant_id, order))
    await _spread(connection, closure)
    await _add_messages(connection, closure)
    closure.rows = {row["memory_id"]: row for row in await connection.fetch(sql.MEMORIES, tenant_id, list(closure.going))}
    if closure.sharers and not order.with_source:
        raise ConflictError(_shared(closure.sharers), code="shared_source")
    await _find_places(connection, closure)
    return closure


async def _asked(connection: asyncpg.Connection, tenant_id: UUID, order: Order) -> dict[UUID, Going]:
    if (order.memory_id is None) == (order.user_id is None):
        raise InvalidInputError("name exactly one of --memory and --user-id")
    if order.user_id == SYSTEM_USER:
        raise InvalidInputError("the system's own seeds, rules and episodes hold no user's text and cannot be erased")
    if order.memory_id is not None:
        rows = await connection.fetch(sql.MEMORIES, tenant_id, [order.memory_id])
        if not rows:
            raise NotFoundError(f"tenant {order.tenant!r} has no memory {order.memory_id}")
        if rows[0]["kind"] not in _ERASABLE:
            raise InvalidInputError(f"memory {order.memory_id} is a {rows[0]['kind']}, which holds no user's text and cannot be erased")
    else:
        if not await connection.fetchval(sql.USER_KNOWN, tenant_id, order.user_id):
            raise NotFoundError(f"tenant {order.tenant!r} has no user {order.user_id!r}")
        rows = await connection.fetch(sql.OF_USER, tenant_id, order.user_id)
    return {row["memory_id"]: Going(row["memory_id"], None, whole=True, cause="asked for") for row in rows}


async def _spread(connection: asyncpg.Connection, closure: Closure) -> None:
    """Add what was made out of what goes, until nothing more is found."""
    before: dict[UUID, Going] = {}
    while before != closure.going:
        before = dict(closure.going)
        for statement in sql.SPREADS:
            rows = await connection.fetch(statement, closure.tenant_id, closure.listed)
            _add(closure, (Going(row["memory_id"], row["since"], row["whole"], row["cause"]) for row in rows))


def _add(closure: Closure, found: Iterable[Going]) -> None:
    for one in found:
        known = closure.going.get(one.memory_id)
        closure.going[one.memory_id] = known.joined(one) if known else one


async def _add_messages(connection: asyncpg.Connection, closure: Closure) -> None:
    """Add the messages that the statements came in, and find who else stands in them."""
    closure.decisions = await connection.fetch(sql.DECISIONS, closure.tenant_id, closure.listed, closure.user_id)
    rows = await connection.fetch(sql.RAW_INPUTS, closure.tenant_id, closure.listed)
    sources = {row["raw_input_id"] for row in (*closure.decisions, *rows) if row["raw_input_id"] is not None} - closure.going.keys()
    shared: dict[UUID, list[UUID]] = {}
    for row in await connection.fetch(sql.SHARERS, closure.tenant_id, sorted(sources), list(closure.going)):
        shared.setdefault(row["raw_input_id"], []).append(row["memory_id"])
    closure.sharers = shared
    _add(closure, (Going(one, None, whole=False, cause="the message it came in") for one in sorted(sources)))


async def _find_places(connection: asyncpg.Connection, closure: Closure) -> None:
    tenant_id, listed = closure.tenant_id, closure.listed
    closure.revisions = await connection.fetch(sql.REVISIONS, tenant_id, listed)
    readers = None if closure.shared else sorted(closure.users)
    seen = await connection.fetch(sql.SEEN, tenant_id, listed, [row["decision_id"] for row in closure.decisions], readers)
    closure.seen = [row["decision_id"] for row in seen]
    closure.by_engine = [row["decision_id"] for row in seen if row["by_engine"]]
    closure.disputes = await connection.fetch(sql.DISPUTES, tenant_id, listed)
    deletes = await connection.fetch(sql.DELETES, tenant_id, closure.by_engine)
    closure.heard = sorted({row["contradiction_id"] for row in (*closure.disputes, *deletes)})


def _shared(sharers: Mapping[UUID, Sequence[UUID]]) -> str:
    lines = [f"  message {raw}: {', '.join(map(str, others))}" for raw, others in sharers.items()]
    return "\n".join(("nothing was erased: it came in a message that carries other statements, too:", *lines, _WITH_SOURCE))


_WITH_SOURCE = "repeat it with --with-source to erase such a message as a whole; the other statements stay"
