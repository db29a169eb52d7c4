"""The background worker: finishes accepted writes and decides undecided facts, beside any number of other processes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from time import monotonic
from uuid import UUID

import asyncpg
import structlog

from app.db import replays, writes
from app.db import undecided as undecided_facts
from app.db.server import WAITING
from app.db.transaction import acquired, domain_errors, transaction
from app.errors import HelixirError
from app.metrics import count_job, show_waiting
from app.services.finish import delay_after, finish_write
from app.services.intake import postpone
from app.services.leases import Kind
from app.services.parts import Parts
from app.services.reconsider import reconsider
from app.tracing.spans import span

BATCH = 4
"""Rows of a kind that one process works on at once."""

COUNT_SECONDS = 15.0
"""How often what waits is counted for the metrics."""

FORGET_SECONDS = 600.0
FORGET_BATCH = 1000
"""How often, and how many at a time, old Idempotency-Keys go."""

_log = structlog.get_logger("helixir.worker")


async def work(parts: Parts) -> None:
    """Claim what is due and do it, until cancelled. What fails stays in the database and comes again."""
    pause = min(5.0, max(0.2, parts.settings.intake.retry_seconds / 2))
    forgotten = counted = 0.0
    while True:
        try:
            if monotonic() > counted:
                await _count_waiting(parts)
                counted = monotonic() + COUNT_SECONDS
            if monotonic() > forgotten:
                await _forget(parts)
                forgotten = monotonic() + FORGET_SECONDS
            await parts.leases.give_back(parts.pool)
            busy = await _round(parts)
        except HelixirError as fault:
            busy = False
            _log.warning("worker waits", cause=fault.code)
        if not busy:
            parts.turns.wake.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(parts.turns.wake.wait(), pause)


async def _count_waiting(parts: Parts) -> None:
    with domain_errors():
        async with acquired(parts.pool) as connection:
            rows = await connection.fetch(WAITING)
    show_waiting({row["what"]: (row["waits"], row["oldest"]) for row in rows})


async def _forget(parts: Parts) -> None:
    """Let go of Idempotency-Keys that no longer count, a batch in each transaction."""
    gone = FORGET_BATCH
    while gone == FORGET_BATCH:
        with domain_errors():
            async with acquired(parts.pool) as connection:
                gone = await connection.fetchval(replays.FORGET, FORGET_BATCH)


@dataclass(frozen=True, slots=True)
class _Job:
    """One claimed row, and the work on it: true when it got on, false when it was put off."""

    kind: Kind
    row: asyncpg.Record
    work: Callable[[], Awaitable[bool]]

    @property
    def name(self) -> str:
        return self.kind.name.lower()

    @property
    def subject(self) -> UUID:
        subject: UUID = self.row["write_id" if self.kind is Kind.WRITE else "memory_id"]
        return subject


async def _round(parts: Parts) -> bool:
    """One round over what is due; True when there was something and it got on."""
    lease = parts.settings.intake.lease_seconds
    with domain_errors():
        async with acquired(parts.pool) as connection:
            accepted = await connection.fetch(writes.CLAIM, lease, BATCH)
            waiting = await connection.fetch(undecided_facts.CLAIM, lease, BATCH)
    jobs = [_Job(Kind.WRITE, row, partial(finish_write, parts, row["tenant_id"], row["write_id"], row["attempts"])) for row in accepted]
    jobs += [_Job(Kind.FACT, row, partial(reconsider, parts, row["tenant_id"], row["memory_id"], row["attempts"])) for row in waiting]
    return any(await asyncio.gather(*(_watched(parts, job) for job in jobs)))


async def _watched(parts: Parts, job: _Job) -> bool:
    """A job's result; one that fails is logged without any memory text, and put off as one whose model is away."""
    try:
        with parts.leases.held(job.kind, job.row["tenant_id"], job.subject, faults_are_put_off=True), span(f"job {job.name}"):
            got_on = await job.work()
            count_job(job.name, "done" if got_on else "postponed")
            return got_on
    except HelixirError as fault:
        _log.warning("job postponed", cause=fault.code)
        count_job(job.name, "postponed")
        cause = fault.code
    except Exception as fault:  # noqa: BLE001 - one bad row must not stop the others; the type tells enough to find it
        _log.error("job failed", error=type(fault).__name__)
        count_job(job.name, "failed")
        cause = type(fault).__name__
    with suppress(HelixirError):  # then it comes again when its lease ends
        await _put_off(parts, job, cause)
    return False


async def _put_off(parts: Parts, job: _Job, cause: str) -> None:
    tenant_id: UUID = job.row["tenant_id"]
    delay = delay_after(job.row["attempts"], parts.settings.intake.retry_seconds)
    if job.kind is Kind.WRITE:
        await postpone(parts, tenant_id, job.subject, cause, delay)
        return
    async with transaction(parts.pool, tenant_id) as connection:
        await connection.execute(undecided_facts.POSTPONE, tenant_id, job.subject, delay)
