"""The operator's explicit erase: texts become tombstones, whatever was made out of them too; rows, edges and events stay."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import asyncpg

from app.charter.dispute import Change
from app.db import audit, contradictions, events
from app.db import erase as sql
from app.db.pool import prepare_connection
from app.db.transaction import NOW, SET_TENANT, domain_errors, lock_users, repeat_on_conflict
from app.errors import ConflictError, InvalidInputError
from app.services.following import Followed, follow
from app.services.operator.closure import Closure, Order, find_closure
from app.services.operator.tenants import tenant_named

_TRIES = 5
_LONGEST_REASON = 2000
_OTHERS_SECONDS = 120.0  # longer than the service lets a transaction live


@dataclass(frozen=True, slots=True)
class ErasedMemory:
    """One memory of a report. `status`: before and after; `revisions`: those whose content went."""

    memory_id: UUID
    kind: str
    cause: str
    status: tuple[str, str]
    revisions: Sequence[int]
    new: bool


@dataclass(frozen=True, slots=True)
class Report:
    """What went (or would go, in a dry run), how many rows of which kind, and what stands around it and stays."""

    memories: Sequence[ErasedMemory]
    counts: Mapping[str, int]
    moot: Sequence[UUID]
    activated: Sequence[UUID]
    predecessors: Sequence[UUID]
    successors: Sequence[UUID]
    twins: Sequence[UUID]
    beside: Sequence[UUID]

    @property
    def changed(self) -> bool:
        """False when everything was erased before."""
        return any(self.counts.values())


async def erase(connection: asyncpg.Connection, order: Order) -> Report:
    """Erase a memory or a user's memories with all that was made out of them, in one transaction, as the tables' owner.

    Raises `InvalidInputError`, `NotFoundError` and `ConflictError` as `find_closure`; then nothing was changed.
    """
    if not 1 <= len(order.reason.strip()) <= _LONGEST_REASON:
        raise InvalidInputError(f"a reason has 1 to {_LONGEST_REASON} characters")
    await prepare_connection(connection)
    tenant_id = await tenant_named(connection, order.tenant)
    report, shared = await repeat_on_conflict(lambda: _erase_locked(connection, tenant_id, order))
    if shared and not order.dry_run:
        await _wait_for_others(connection)
        await repeat_on_conflict(lambda: _erase_locked(connection, tenant_id, order))
    return report


async def _erase_locked(connection: asyncpg.Connection, tenant_id: UUID, order: Order) -> tuple[Report, bool]:
    """One pass under the locks of every user whose rows change; tells also whether other users could read the text."""
    users: set[str] = set()
    for _ in range(_TRIES):
        with domain_errors():
            async with _one_transaction(connection, tenant_id, keep=not order.dry_run):
                await lock_users(connection, tenant_id, *users)
                closure = await find_closure(connection, tenant_id, order)
                if closure.users <= users:
                    report = await _Erasing(connection, tenant_id, order, closure, await connection.fetchval(NOW)).carry_out()
                    return report, closure.shared
        users |= closure.users
    raise ConflictError("its users keep changing it; nothing was erased, try again", code="still_running")


@asynccontextmanager
async def _one_transaction(connection: asyncpg.Connection, tenant_id: UUID, *, keep: bool) -> AsyncIterator[None]:
    """A transaction that may erase; a dry run's is rolled back at its end."""
    begun = connection.transaction()
    await begun.start()
    done = False
    try:
        await connection.execute(SET_TENANT, str(tenant_id))
        await connection.execute(sql.BEGIN)
        yield
        done = keep
    finally:
        await (begun.commit() if done else begun.rollback())


async def _wait_for_others(connection: asyncpg.Connection) -> None:
    """Wait until the transactions end that may have read a shared text before it went, and will record it as a candidate."""
    waiting = {row["virtualtransaction"] for row in await connection.fetch(sql.OTHERS_AT_WORK)}
    end = time.monotonic() + _OTHERS_SECONDS
    while waiting and time.monotonic() < end:
        await asyncio.sleep(0.05)
        waiting &= {row["virtualtransaction"] for row in await connection.fetch(sql.OTHERS_AT_WORK)}


@dataclass(frozen=True, slots=True)
class _Erasing:
    connection: asyncpg.Connection
    tenant_id: UUID
    order: Order
    closure: Closure
    at: datetime

    async def carry_out(self) -> Report:
        """Every change, each counted; then the events and the audit row, where there was anything to change."""
        followed = await self._end_disputes()
        counts = {
            **await self._erase_memories(),
            **await self._erase_decisions(),
            **await self._erase_disputes(),
            **await self._erase_reasons(),
            **await self._erase_writes(),
            "disputes moot": len(followed.moot),
        }
        report = await self._report(counts, followed)
        if report.changed:
            await self._tell(report)
        return report

    async def _changed(self, statement: str, *arguments: object) -> int:
        status = await self.connection.execute(statement, self.tenant_id, *arguments)
        return int(status.rsplit(" ", 1)[-1])

    async def _end_disputes(self) -> Followed:
        """Open disputes on what goes are moot; a merge that waits in another dispute is no longer on offer.

        Held memories first: one that goes itself is not activated before.
        """
        followed = Followed()
        rows = self.closure.rows
        for memory_id in sorted(rows, key=lambda memory_id: bool(rows[memory_id]["status"] != "held")):
            await follow(
                self.connection,
                self.tenant_id,
                memory_id,
                Change.ERASED,
                successor=None,
                settling=None,
                actor=None,
                at=self.at,
                followed=followed,
            )
        about = [row["contradiction_id"] for row in self.closure.disputes]
        for row in await self.connection.fetch(sql.REPLACE_PENDING, self.tenant_id, about):
            await contradictions.insert_event(
                self.connection,
                self.tenant_id,
                row["contradiction_id"],
                self.at,
                "asked_again",
                row["version"],
                actor=None,
                detail={"cause": Change.ERASED},
            )
        return followed

    async def _erase_memories(self) -> dict[str, int]:
        memory_ids = [row["memory_id"] for row in self.closure.revisions]
        numbers = [row["revision"] for row in self.closure.revisions]
        return {
            "revisions": await self._changed(sql.ERASE_REVISIONS, memory_ids, numbers),
            "vectors": await self.connection.fetchval(sql.ERASE_VECTORS, self.tenant_id, memory_ids, numbers),
            "memories": await self._changed(sql.ERASE_MEMORIES, list(self.closure.going), self.at),
            "undecided facts": await self._changed(sql.END_UNDECIDED, list(self.closure.going), self.at),
        }

    async def _erase_decisions(self) -> dict[str, int]:
        going = [row["decision_id"] for row in self.closure.decisions]
        changed = await self._changed(sql.ERASE_DECISIONS, list(self.closure.seen), going, self.closure.listed, self.closure.texts)
        return {"decisions": changed}

    async def _erase_disputes(self) -> dict[str, int]:
        about = [row["contradiction_id"] for row in self.closure.disputes]
        return {"disputes": await self._changed(sql.ERASE_DISPUTES, about, list(self.closure.by_engine))}

    async def _erase_reasons(self) -> dict[str, int]:
        closure = self.closure
        where = (closure.listed, list(closure.by_engine), list(closure.heard))
        subjects = [*closure.going, *closure.heard, *(row["rule_id"] for row in closure.disputes if row["rule_id"])]
        return {
            "reasons of revisions": await self._changed(sql.ERASE_REVISION_REASONS, *where),
            "reasons of edges": await self._changed(sql.ERASE_EDGE_REASONS, *where),
            "reasons of events": await self._changed(sql.ERASE_EVENT_REASONS, *where),
            "reasons of owners' acts": await self._changed(sql.ERASE_AUDIT_REASONS, [str(one) for one in subjects]),
        }

    async def _erase_writes(self) -> dict[str, int]:
        facts = [(row["write_id"], row["position"]) for row in self.closure.decisions if row["kind"] == "facts"]
        edits = [row["write_id"] for row in self.closure.decisions if row["kind"] == "edit"]
        changed = await self._changed(sql.ERASE_MESSAGES, self.closure.raw_inputs, self.at)
        changed += await self._changed(sql.ERASE_FACTS, [one for one, _ in facts], [place for _, place in facts])
        changed += await self._changed(sql.ERASE_EDITS, edits)
        if self.order.user_id is not None:
            changed += await self._changed(sql.ERASE_UNDECIDED_FACTS, self.order.user_id, self.at)
        await self._erase_fingerprints()
        return {"writes": changed}

    async def _erase_fingerprints(self) -> None:
        closure = self.closure
        subjects = {*closure.going, *closure.heard, *(row["rule_id"] for row in closure.disputes if row["rule_id"])}
        subjects |= {row["contradiction_id"] for row in closure.disputes}
        subjects |= {row["write_id"] for row in closure.decisions if row["write_id"]}
        await self._changed(sql.ERASE_FINGERPRINTS, list(subjects), closure.raw_inputs, self.order.user_id)

    async def _report(self, counts: Mapping[str, int], followed: Followed) -> Report:
        closure = self.closure
        after = {row["memory_id"]: row for row in await self.connection.fetch(sql.MEMORIES, self.tenant_id, list(closure.going))}
        gone: dict[UUID, list[int]] = {}
        for row in closure.revisions:
            if row["content"] != sql.TOMBSTONE:
                gone.setdefault(row["memory_id"], []).append(row["revision"])
        around = await self.connection.fetch(sql.AROUND, self.tenant_id, list(closure.going))
        return Report(
            memories=[
                ErasedMemory(
                    memory_id=memory_id,
                    kind=row["kind"],
                    cause=closure.going[memory_id].cause,
                    status=(row["status"], after[memory_id]["status"]),
                    revisions=gone.get(memory_id, []),
                    new=row["erased_at"] is None or memory_id in gone,
                )
                for memory_id, row in closure.rows.items()
            ],
            counts=counts,
            moot=followed.moot,
            activated=followed.activated,
            predecessors=[row["to_memory_id"] for row in around if row["type"] == "SUPERSEDES" and not row["inward"]],
            successors=[row["from_memory_id"] for row in around if row["type"] == "SUPERSEDES" and row["inward"]],
            twins=[row["from_memory_id" if row["inward"] else "to_memory_id"] for row in around if row["type"] == "SAME_AS"],
            beside=sorted({other for others in closure.sharers.values() for other in others}),
        )

    async def _tell(self, report: Report) -> None:
        """The erased memories' events with the operator's reason, and one audit row with what went."""
        order = self.order
        for one in report.memories:
            if one.new:
                await events.insert(
                    self.connection,
                    self.tenant_id,
                    one.memory_id,
                    self.at,
                    "erased",
                    actor=None,
                    reason=order.reason,
                    detail={"cause": one.cause, "revisions": list(one.revisions)},
                )
        subject = str(order.memory_id) if order.memory_id is not None else str(order.user_id)
        detail = {
            "of": "memory" if order.memory_id is not None else "user",
            "with_source": order.with_source,
            "counts": dict(report.counts),
            "memories": [str(one.memory_id) for one in report.memories if one.new],
        }
        await audit.insert(self.connection, self.tenant_id, "erase", subject, actor=None, reason=order.reason, detail=detail)
