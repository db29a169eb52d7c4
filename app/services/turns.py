"""Turns: the queues that keep writers of one user in order without holding database connections.

A *commit slot* is held for the short final transaction, so that writers of one busy user wait here and not inside the
pool. A *turn* is held through read, engine call and commit by a write whose first try was overtaken, so that many
rewrites of one memory at once make one chain and none starves.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from uuid import UUID, uuid4
from weakref import WeakValueDictionary

import asyncpg

from app.db import turns as sql
from app.db.transaction import transaction
from app.errors import UnavailableError

Key = tuple[UUID, str]
PATIENCE_SECONDS = 120.0
"""How long a write waits for another process's turn before it answers 503 and is tried again later."""


LEASE_SECONDS = 15.0
"""How long a dead process keeps a turn. A live one takes it anew three times in that time, however long its model takes."""


@dataclass(slots=True)
class Turns:
    """The queues of one process, its name on leases, and the bell of its background worker."""

    holder: UUID = field(default_factory=uuid4)
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    _turns: WeakValueDictionary[Key, asyncio.Lock] = field(default_factory=WeakValueDictionary)
    _slots: WeakValueDictionary[Key, asyncio.Lock] = field(default_factory=WeakValueDictionary)

    def contended(self, tenant_id: UUID, user_id: str) -> bool:
        """True while some write of this process holds or awaits the user's turn: a new one should queue, not overtake."""
        lock = self._turns.get((tenant_id, user_id))
        return lock is not None and lock.locked()

    @asynccontextmanager
    async def slot(self, tenant_id: UUID, *user_ids: str) -> AsyncIterator[None]:
        """The commit slots of the users, first come first served."""
        locks = [self._slots.setdefault((tenant_id, user_id), asyncio.Lock()) for user_id in sorted(set(user_ids))]
        for place, lock in enumerate(locks):
            try:
                await lock.acquire()
            except BaseException:
                for taken in locks[:place]:
                    taken.release()
                raise
        try:
            yield
        finally:
            for lock in locks:
                lock.release()

    @asynccontextmanager
    async def turn(self, pool: asyncpg.Pool, tenant_id: UUID, user_id: str) -> AsyncIterator[None]:
        """The user's turn: a queue in this process, then a lease row across processes.

        Raises `UnavailableError` when it stays taken.
        """
        lock = self._turns.setdefault((tenant_id, user_id), asyncio.Lock())
        async with lock:
            await self._take(pool, tenant_id, user_id)
            keeping = asyncio.create_task(self._keep(pool, tenant_id, user_id))
            try:
                yield
            finally:
                keeping.cancel()
                await asyncio.wait({keeping})
                with suppress(UnavailableError):  # then the lease ends by itself; what the turn was for is done or failed
                    async with transaction(pool, tenant_id) as connection:
                        await connection.execute(sql.RELEASE, tenant_id, user_id, self.holder)

    async def _keep(self, pool: asyncpg.Pool, tenant_id: UUID, user_id: str) -> None:
        """Renew the lease until cancelled. Where that fails, order is lost and nothing else."""
        while True:
            await asyncio.sleep(LEASE_SECONDS / 3)
            with suppress(UnavailableError):
                async with transaction(pool, tenant_id) as connection:
                    await connection.fetchval(sql.TAKE, tenant_id, user_id, self.holder, LEASE_SECONDS)

    async def _take(self, pool: asyncpg.Pool, tenant_id: UUID, user_id: str) -> None:
        deadline = asyncio.get_running_loop().time() + PATIENCE_SECONDS
        while True:
            async with transaction(pool, tenant_id) as connection:
                if await connection.fetchval(sql.TAKE, tenant_id, user_id, self.holder, LEASE_SECONDS):
                    return
            if asyncio.get_running_loop().time() > deadline:
                raise UnavailableError("another write of this user holds its turn", code="user_busy", retry_after=2)
            await asyncio.sleep(random.uniform(0.02, 0.1))  # noqa: S311 - jitter, no secret
