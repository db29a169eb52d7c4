"""What one key or one user may ask for at most: requests in a time, writes that wait, disputes that are open."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from uuid import UUID

import asyncpg
from limits import RateLimitItem, parse
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter

from app.db import contradictions
from app.db.rows import required
from app.db.transaction import lock_key
from app.errors import TooManyRequestsError
from app.services.requests import Principal
from app.settings import LimitSettings

ANSWERING_SECONDS = 60
"""What a client is told to wait when too many disputes are open: a person has to answer some."""

DECIDING_SECONDS = 2
"""What a client is told to wait when only the writes under way may open too many."""

MOST_ATOMS = 50
"""Statements that a message is expected to hold at most, and so the disputes that it may open."""


_ON_THE_WAY_IN = 400
"""More facts than are being accepted for one key at one moment, in all processes: so far from the cap nobody need wait."""


@dataclass(frozen=True, slots=True)
class Stock:
    """Disputes of one key: those that wait for an answer, and those that its writes under way may yet open at most."""

    open: int = 0
    under_way: int = 0


@dataclass(slots=True)
class Limits:
    """One process's counts."""

    settings: LimitSettings
    _rate: RateLimitItem | None = None
    _window: SlidingWindowCounterRateLimiter = field(default_factory=lambda: SlidingWindowCounterRateLimiter(MemoryStorage()))
    _waiting: Counter[tuple[UUID, str]] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        """Read the rate once."""
        if self.settings.rate != "off":
            self._rate = parse(self.settings.rate)

    def count_request(self, principal: Principal) -> None:
        """Count one request of the key. Raises `TooManyRequestsError` (`rate_limited`) past its rate."""
        if self._rate is None or self._window.hit(self._rate, str(principal.key_id)):
            return
        reset = self._window.get_window_stats(self._rate, str(principal.key_id)).reset_time
        wait = max(1, math.ceil(reset - time.time()))
        raise TooManyRequestsError("this key sends too many requests; wait and repeat", code="rate_limited", retry_after=wait)

    @contextmanager
    def waiting_write(self, tenant_id: UUID, user_id: str) -> Iterator[None]:
        """Count one write of the user while it lasts. Raises `TooManyRequestsError` (`user_busy`) when too many wait already."""
        key = (tenant_id, user_id)
        if self._waiting[key] >= self.settings.waiting_writes:
            raise TooManyRequestsError("too many writes of this user are waiting; nothing was stored", code="user_busy", retry_after=2)
        self._waiting[key] += 1
        try:
            yield
        finally:
            self._waiting[key] -= 1
            if not self._waiting[key]:
                del self._waiting[key]

    async def take_stock(self, connection: asyncpg.Connection, principal: Principal, most: int) -> Stock:
        """The key's disputes, for an act that may open `most`.

        Near the cap the key's acts are counted one after another, each until its transaction ends: acts at once do not pass
        the cap together, in whatever process they are.
        """
        stock = await self._stock(connection, principal)
        if stock.open + stock.under_way + most + _ON_THE_WAY_IN <= self.settings.open_disputes:
            return stock
        await lock_key(connection, principal.key_id)
        return await self._stock(connection, principal)

    async def _stock(self, connection: asyncpg.Connection, principal: Principal) -> Stock:
        most = self.settings.open_disputes + 1
        row = required(await connection.fetchrow(contradictions.STOCK, principal.tenant_id, principal.key_id, most, MOST_ATOMS))
        return Stock(row["open"], row["under_way"])

    def require_room(self, stock: Stock, more: int) -> None:
        """Raises `TooManyRequestsError` (`too_many_disputes`) when `more` disputes on top of those may pass the cap."""
        cap = self.settings.open_disputes
        if not more or stock.open + stock.under_way + more <= cap:
            return
        if stock.open + more > cap:
            said, wait = f"{cap} disputes of this key wait for an answer; nothing was stored. Answer some first", ANSWERING_SECONDS
        else:
            said, wait = f"this key's writes under way may open {cap} disputes; nothing was stored. Repeat it soon", DECIDING_SECONDS
        raise TooManyRequestsError(said, code="too_many_disputes", retry_after=wait)
