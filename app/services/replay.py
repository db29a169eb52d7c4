"""A request with an Idempotency-Key is carried out once: its claim is committed with the act, a repeat is answered anew.

What is stored is who claimed which key, a hash of the request, and the id of what it was about. The answer to a repeat is
composed again, as the thing is now, so that no text outlives its erasure here.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import TypeVar
from uuid import UUID

import asyncpg

from app.db import replays
from app.db.transaction import transaction
from app.errors import ConflictError, InvalidInputError, UnavailableError
from app.services.parts import Parts
from app.services.requests import Once, Principal

Result = TypeVar("Result")


class StillRunningError(ConflictError):
    """The first request with this Idempotency-Key is still being served; the repeat may succeed later (409, retryable)."""

    code = "still_running"
    retryable = True


class RepeatedError(Exception):
    """The request was carried out before; `subject` is what it was about. It never leaves the services."""

    def __init__(self, subject: UUID) -> None:
        super().__init__()
        self.subject = subject


def once(key: str | None, route: str, body: object) -> Once | None:
    """A request that is to be carried out once; None where it came without a key.

    `route` is method and path, `body` all that the request says: two requests are the same when both are.
    """
    return None if key is None else Once(key, fingerprint(route, body))


def fingerprint(route: str, body: object) -> bytes:
    """SHA-256 of the route and the body's canonical JSON: the same for every spelling of the same body."""
    return sha256(json.dumps([route, body], sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()).digest()


async def claim(connection: asyncpg.Connection, principal: Principal, wanted: Once | None, subject: UUID) -> None:
    """Claim the key for the rest of the transaction, and for a day when it commits.

    Raises `RepeatedError` when the same request was carried out before, `InvalidInputError` (`idempotency_mismatch`) when
    another one was, and `StillRunningError` while one is under way.
    """
    if wanted is None:
        return
    key = (principal.tenant_id, principal.key_id, wanted.key)
    if not await connection.fetchval(replays.TRY_LOCK, *key):
        raise still_running()
    if await connection.fetchval(replays.CLAIM, *key, wanted.fingerprint, subject) is not None:
        return
    known = _known(wanted, await connection.fetchrow(replays.GET, *key))
    if known is None:
        raise UnavailableError("the first request with this key just changed; repeat it", code="transaction_conflict", retry_after=1)
    raise RepeatedError(known)


@asynccontextmanager
async def act_once(parts: Parts, principal: Principal, wanted: Once | None, subject: UUID) -> AsyncIterator[asyncpg.Connection]:
    """The transaction of an act, with its key claimed first. Raises as `claim`."""
    async with transaction(parts.pool, principal.tenant_id) as connection:
        await claim(connection, principal, wanted, subject)
        yield connection


async def answer_once(
    parts: Parts,
    principal: Principal,
    wanted: Once | None,
    act: Callable[[], Awaitable[Result]],
    again: Callable[[UUID], Awaitable[Result]],
) -> Result:
    """The act's result; for a repeat that of `again`, which reads the thing as it is now, and `wanted` says that it is one.

    The act opens its transaction with `act_once`. Raises `InvalidInputError` (`idempotency_mismatch`), `StillRunningError`.
    """
    if wanted is None:
        return await act()
    async with transaction(parts.pool, principal.tenant_id, readonly=True) as connection:
        row = await connection.fetchrow(replays.GET, principal.tenant_id, principal.key_id, wanted.key)
    subject = _known(wanted, row)
    if subject is None:
        try:
            return await act()
        except RepeatedError as repeated:
            subject = repeated.subject
    wanted.replayed = True
    return await again(subject)


def _known(wanted: Once, row: asyncpg.Record | None) -> UUID | None:
    if row is None:
        return None
    if row["fingerprint"] != wanted.fingerprint:
        raise InvalidInputError("this Idempotency-Key was used with another request", code="idempotency_mismatch")
    subject: UUID = row["subject"]
    return subject


def still_running() -> StillRunningError:
    """The refusal of a repeat that came too early."""
    return StillRunningError("the first request with this Idempotency-Key is still running", retry_after=1)
