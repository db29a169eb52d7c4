"""The background worker: finishes accepted writes and decides undecided facts, beside any number of other processes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Final
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
"""Rows of a kind that one process works on at once, at most."""

COUNT_SECONDS = 15.0
"""How often what waits is counted for the metrics."""

FORGET_SECONDS = 600.0
FORGET_BATCH = 1000
"""How often, and how many at a time, old Idempotency-Keys go."""

UnderWay = dict[asyncio.Task[None], Kind]
"""The jobs of this process that have not ended."""

_log = structlog.get_logger("helixir.worker")


async def work(parts: Parts) -> None:
    """Claim what is due and do it, until cancelled. What fails stays in the database and comes again."""
    pause = min(5.0, max(0.2, parts.settings.intake.retry_seconds / 2))
    under_way: UnderWay = {}
    chores = {_count_waiting: 0.0, _forget: 0.0}
    try:
        while True:
            try:
                for chore, due in chores.items():
                    if monotonic() > due:
                        await chore(parts)
                        chores[chore] = monotonic() + _EVERY[chore]
                await parts.leases.give_back(parts.pool)
                await _take_up(parts, under_way)
            except HelixirError as fault:
                _log.warning("worker waits", cause=fault.code)
            except Exception as fault:  # noqa: BLE001 - it must outlive whatever goes wrong; the type tells enough to find it
                _log.error("worker failed", error=type(fault).__name__)
            await _something_happens(parts, under_way, pause)
    finally:
        for job in under_way:
            job.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


async def _something_happens(parts: Parts, under_way: UnderWay, pause: float) -> None:
    """Wait until a job ends, somebody rings, or it is time to look again."""
    bell = asyncio.create_task(parts.turns.wake.wait())
    try:
        await asyncio.wait({bell, *under_way}, timeout=pause, return_when=asyncio.FIRST_COMPLETED)
    finally:
        bell.cancel()
    parts.turns.wake.clear()
    for job in [job for job in under_way if job.done()]:
        del under_way[job]


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


async def _take_up(parts: Parts, under_way: UnderWay) -> None:
    """Begin what is due, as far as there is room beside what is under way: a slow model holds up its own jobs and no others."""
    lease = parts.settings.intake.lease_seconds
    room = {kind: BATCH - sum(kind is one for one in under_way.values()) for kind in Kind}
    if not any(room.values()):
        return
    with domain_errors():
        async with acquired(parts.pool) as connection:
            accepted = await connection.fetch(writes.CLAIM, lease, room[Kind.WRITE])
            waiting = await connection.fetch(undecided_facts.CLAIM, lease, room[Kind.FACT])
    jobs = [_Job(Kind.WRITE, row, partial(finish_write, parts, row["tenant_id"], row["write_id"], row["attempts"])) for row in accepted]
    jobs += [_Job(Kind.FACT, row, partial(reconsider, parts, row["tenant_id"], row["memory_id"], row["attempts"])) for row in waiting]
    for job in jobs:
        under_way[asyncio.create_task(_watched(parts, job))] = job.kind


async def _watched(parts: Parts, job: _Job) -> None:
    """Do a job. One that fails is logged without any memory text, and put off as one whose model is away."""
    try:
        with parts.leases.held(job.kind, job.row["tenant_id"], job.subject, faults_are_put_off=True), span(f"job {job.name}"):
            got_on = await job.work()
            count_job(job.name, "done" if got_on else "postponed")
            return
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


async def _put_off(parts: Parts, job: _Job, cause: str) -> None:
    tenant_id: UUID = job.row["tenant_id"]
    delay = delay_after(job.row["attempts"], parts.settings.intake.retry_seconds)
    if job.kind is Kind.WRITE:
        await postpone(parts, tenant_id, job.subject, cause, delay)
        return
    async with transaction(parts.pool, tenant_id) as connection:
        await connection.execute(undecided_facts.POSTPONE, tenant_id, job.subject, delay)


_EVERY: Final = {_count_waiting: COUNT_SECONDS, _forget: FORGET_SECONDS}
