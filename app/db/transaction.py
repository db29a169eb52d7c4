"""Transactions of one tenant, and what becomes of the errors that the database raises in them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from time import perf_counter
from typing import Final, TypeVar, cast
from uuid import UUID

import asyncpg

from app.errors import ConflictError, ForbiddenError, HelixirError, UnavailableError
from app.metrics import DATABASE_FAULTS, POOL_WAIT_SECONDS, TRANSACTION_RETRIES
from app.tracing.spans import span

Result = TypeVar("Result")

SET_TENANT: Final = "SELECT set_config('helixir.tenant_id', $1, true)"
LOCK_USER: Final = "SELECT pg_advisory_xact_lock(hashtextextended($1::text || ':' || $2, 7))"
LOCK_KEY: Final = "SELECT pg_advisory_xact_lock(hashtextextended($1, 8))"
NOW: Final = "SELECT clock_timestamp()"

ACQUIRE_SECONDS = 10.0
ATTEMPTS = 4

_GUARDS: Final = {"HX001": ("C1",), "HX002": ("C2",), "HX003": ("C3",), "HX004": ("C4",)}
# A lock, a statement, an idle transaction, a whole transaction that took too long.
_SLOW: Final = frozenset({"55P03", "57014", "25P03", "25P04"})
# By class: no connection, no login, no such database, no resources (a full disk), an operator's act (a restart), a fault of the
# system under it. By state: a server that only reads, as a former primary does; an outcome that the server itself does not know.
_AWAY: Final = frozenset({"08", "28", "3D", "53", "57", "58", "25006", "40003"})
# What the driver says of a connection that broke. An internal error of its own is one, too: a send failed, and it lost its place.
BROKEN: Final = (asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)  # TimeoutError is an OSError
_CONSTRAINTS: Final = {
    "memories_same_text": "same_text",
    "edges_one_successor": "already_superseded",
    "contradictions_open_pair": "already_disputed",
}


@asynccontextmanager
async def transaction(pool: asyncpg.Pool, tenant_id: UUID, *, readonly: bool = False) -> AsyncIterator[asyncpg.Connection]:
    """One transaction with the tenant set in it; commits at the end, rolls back on any error.

    Raises the domain's errors: `UnavailableError` for what may succeed later, `ForbiddenError` for what the guards of the
    constitution refuse, `ConflictError` for what a unique index refuses.
    """
    with domain_errors(), span("transaction", readonly=readonly):
        async with acquired(pool) as connection, connection.transaction(readonly=readonly):
            await connection.execute(SET_TENANT, str(tenant_id))
            yield connection


@asynccontextmanager
async def rehearsal(pool: asyncpg.Pool, tenant_id: UUID) -> AsyncIterator[asyncpg.Connection]:
    """A transaction of one tenant that is always rolled back: what would happen, and nothing of it happens."""
    with domain_errors():
        async with acquired(pool) as connection:
            begun = connection.transaction()
            await begun.start()
            try:
                await connection.execute(SET_TENANT, str(tenant_id))
                yield connection
            finally:
                await begun.rollback()


@asynccontextmanager
async def acquired(pool: asyncpg.Pool) -> AsyncIterator[asyncpg.Connection]:
    """A connection of the pool. Raises `UnavailableError` when none gets free in time: nothing was begun then."""
    began = perf_counter()
    try:
        connection = await pool.acquire(timeout=ACQUIRE_SECONDS)
    except TimeoutError as fault:
        raise UnavailableError("all database connections are busy; nothing was changed", code="pool_exhausted", retry_after=1) from fault
    finally:
        POOL_WAIT_SECONDS.observe(perf_counter() - began)
    try:
        yield cast("asyncpg.Connection", connection)
    finally:
        # One that broke meanwhile cannot be made ready again, so the pool throws it away. What was done with it is done.
        with suppress(asyncpg.PostgresError, *BROKEN):
            await pool.release(connection)


async def repeat_on_conflict(work: Callable[[], Awaitable[Result]]) -> Result:
    """Run the work, and again from its start where the database gave up on a deadlock or a serialisation failure."""
    for attempt in range(ATTEMPTS):
        try:
            return await work()
        except UnavailableError as fault:
            if fault.code != "transaction_conflict" or attempt == ATTEMPTS - 1:
                raise
        TRANSACTION_RETRIES.inc()
        await asyncio.sleep(random.uniform(0.01, 0.05) * 2**attempt)  # noqa: S311 - jitter, no secret
    raise AssertionError


@contextmanager
def domain_errors() -> Iterator[None]:
    """Turn the driver's errors into the domain's, by SQLSTATE and constraint name; what is no refusal is counted."""
    try:
        with _translated():
            yield
    except UnavailableError as fault:
        if fault.__cause__ is not None:
            DATABASE_FAULTS.labels(fault.code).inc()
        raise


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except HelixirError:
        raise
    except (asyncpg.SerializationError, asyncpg.DeadlockDetectedError) as fault:
        raise UnavailableError("another transaction was in the way", code="transaction_conflict", retry_after=1) from fault
    except asyncpg.UniqueViolationError as fault:
        code = _CONSTRAINTS.get(fault.constraint_name or "")
        if code is None:
            raise
        raise ConflictError("another act came first", code=code) from fault
    except asyncpg.PostgresError as fault:
        known = _of_state(fault)
        if known is None:
            raise
        raise known from fault
    except BROKEN as fault:
        raise UnavailableError(
            "the database went out of reach; whether the act was done is unknown: repeat it with the same Idempotency-Key",
            code="database_unavailable",
            retry_after=1,
        ) from fault


def _of_state(fault: asyncpg.PostgresError) -> HelixirError | None:
    state = fault.sqlstate or ""
    if state in _GUARDS:
        return ForbiddenError("the constitution forbids it", code="charter_refusal", articles=_GUARDS[state])
    if state in _SLOW:
        return UnavailableError("the database was too slow; nothing was changed", code="database_busy", retry_after=1)
    if state[:2] in _AWAY or state in _AWAY:
        return UnavailableError(
            "the database is restarting or out of resources; whether the act was done is unknown: repeat it with the same Idempotency-Key",
            code="database_unavailable",
            retry_after=1,
        )
    return None


async def lock_users(connection: asyncpg.Connection, tenant_id: UUID, *user_ids: str) -> None:
    """Take the users' locks for the rest of the transaction, always in the same order."""
    for user_id in sorted(set(user_ids)):
        await connection.execute(LOCK_USER, str(tenant_id), user_id)


async def lock_key(connection: asyncpg.Connection, key_id: UUID) -> None:
    """Let no other transaction count what this key may still do, until this one ends. Taken after the users' locks."""
    await connection.execute(LOCK_KEY, str(key_id))
