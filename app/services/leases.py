"""Writes and facts that this process let go of, while the database still counts them as being worked on."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from uuid import UUID

import asyncpg

from app.db import undecided, writes
from app.db.transaction import transaction
from app.errors import HelixirError, UnavailableError

MOST = 10_000
"""How many are remembered; further ones come again when their lease ends."""


class Kind(Enum):
    """What was let go of, and how the database is told."""

    WRITE = writes.GIVE_BACK
    FACT = undecided.GIVE_BACK


@dataclass(slots=True)
class Dropped:
    """They are given back with the next round of the background worker, or at the end of the process.

    Without that, a write whose connection broke would be nobody's until its lease ends, and a repeat of it refused.
    """

    wake: asyncio.Event = field(default_factory=asyncio.Event)
    _waiting: dict[tuple[UUID, Kind], set[UUID]] = field(default_factory=dict)

    @contextmanager
    def on_failure(self, kind: Kind, tenant_id: UUID, one: UUID) -> Iterator[None]:
        """Note it when the work on it ends by a fault, a bug or a cancellation. A refusal needs nothing: nothing was kept."""
        try:
            yield
        except BaseException as fault:
            if not isinstance(fault, HelixirError) or isinstance(fault, UnavailableError):
                self.note(kind, tenant_id, one)
            raise

    def note(self, kind: Kind, tenant_id: UUID, one: UUID) -> None:
        """Remember it, and wake the worker."""
        if sum(map(len, self._waiting.values())) < MOST:
            self._waiting.setdefault((tenant_id, kind), set()).add(one)
            self.wake.set()

    async def give_back(self, pool: asyncpg.Pool) -> None:
        """Tell the database: anybody may work on them now. Raises `UnavailableError`; what was not told is kept."""
        for key in list(self._waiting):
            tenant_id, kind = key
            gone = self._waiting.pop(key)
            try:
                async with transaction(pool, tenant_id) as connection:
                    await connection.execute(kind.value, tenant_id, list(gone))
            except BaseException:
                self._waiting[key] = self._waiting.get(key, set()) | gone
                raise
