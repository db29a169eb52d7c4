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
from app.errors import TooManyRequestsError
from app.services.requests import Principal
from app.settings import LimitSettings

ANSWERING_SECONDS = 60
"""What a client is told to wait when too many disputes are open: a person has to answer some."""


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

    async def open_disputes(self, connection: asyncpg.Connection, principal: Principal) -> int:
        """How many disputes that the key opened wait for an answer, counted no further than the cap needs."""
        count: int = await connection.fetchval(
            contradictions.COUNT_OPEN_BY, principal.tenant_id, principal.key_id, self.settings.open_disputes + 1
        )
        return count

    def require_room(self, before: int, more: int) -> None:
        """Raises `TooManyRequestsError` (`too_many_disputes`) when `more` disputes on top of those open pass the cap."""
        if more and before + more > self.settings.open_disputes:
            raise TooManyRequestsError(
                f"{self.settings.open_disputes} disputes of this key wait for an answer; nothing was stored. Answer some first",
                code="too_many_disputes",
                retry_after=ANSWERING_SECONDS,
            )
