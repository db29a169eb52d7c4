"""What this process works on: its leases in the database are renewed meanwhile, and given back when the work ends by a fault."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from uuid import UUID

import asyncpg
import structlog

from app.db import undecided, writes
from app.db.transaction import transaction
from app.errors import HelixirError, UnavailableError

MOST = 10_000
"""How many are remembered to be given back; further ones come again when their lease ends."""


class Kind(Enum):
    """What is worked on."""

    WRITE = "write"
    FACT = "fact"


_RENEW = {Kind.WRITE: writes.RENEW, Kind.FACT: undecided.RENEW}
_GIVE_BACK = {Kind.WRITE: writes.GIVE_BACK, Kind.FACT: undecided.GIVE_BACK}

Key = tuple[UUID, Kind]

_log = structlog.get_logger("helixir.leases")


@dataclass(slots=True)
class Leases:
    """Leases of one process. `seconds`: how long one lasts unless it is renewed.

    Without renewal a write that waits for its turn would be taken up by a worker beside it. Without giving back, one whose
    connection broke would be nobody's until its lease ends, and a repeat of it refused. `wake` rings for what is given back.
    """

    seconds: float
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    _held: dict[object, tuple[Key, UUID]] = field(default_factory=dict)
    _dropped: dict[Key, set[UUID]] = field(default_factory=dict)

    @contextmanager
    def held(self, kind: Kind, tenant_id: UUID, one: UUID, *, faults_are_put_off: bool = False) -> Iterator[None]:
        """The work on it. When that ends by a fault, a bug or a cancellation, the lease is given back soon.

        `faults_are_put_off`: the caller sees to faults and bugs, so that only a cancellation counts.
        """
        mine = object()  # a request and a worker may hold one lease at once
        self._held[mine] = (tenant_id, kind), one
        try:
            yield
        except BaseException as fault:
            refused = isinstance(fault, HelixirError) and not isinstance(fault, UnavailableError)  # then nothing was kept
            if not (refused or (faults_are_put_off and isinstance(fault, Exception))):
                self._drop((tenant_id, kind), one)
            raise
        finally:
            del self._held[mine]

    def _drop(self, key: Key, one: UUID) -> None:
        if sum(map(len, self._dropped.values())) < MOST:
            self._dropped.setdefault(key, set()).add(one)
            self.wake.set()

    async def keep(self, pool: asyncpg.Pool) -> None:
        """Renew what is held, until cancelled. Where that fails for long, somebody else takes it up: double work, one result."""
        while True:
            await asyncio.sleep(self.seconds / 3)
            try:
                await self.renew(pool)
            except Exception as fault:  # noqa: BLE001 - it must outlive whatever goes wrong; the type tells enough to find it
                _log.warning("leases not renewed", error=type(fault).__name__)

    async def renew(self, pool: asyncpg.Pool) -> None:
        """Renew what is held. Raises `UnavailableError`."""
        held: dict[Key, set[UUID]] = {}
        for key, one in self._held.values():
            held.setdefault(key, set()).add(one)
        for (tenant_id, kind), ones in held.items():
            async with transaction(pool, tenant_id) as connection:
                await connection.execute(_RENEW[kind], tenant_id, list(ones), self.seconds)

    async def give_back(self, pool: asyncpg.Pool) -> None:
        """Tell the database of what was dropped: anybody may work on it. Raises `UnavailableError`; what was not told is kept."""
        for key in list(self._dropped):
            tenant_id, kind = key
            gone = self._dropped.pop(key)
            try:
                async with transaction(pool, tenant_id) as connection:
                    await connection.execute(_GIVE_BACK[kind], tenant_id, list(gone))
            except BaseException:
                self._dropped[key] = self._dropped.get(key, set()) | gone
                raise
