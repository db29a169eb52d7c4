"""A circuit breaker: a server that keeps failing is left alone for a while, and then asked by one call at a time."""

from __future__ import annotations

import time
from collections.abc import Callable

from app.metrics import BREAKER_OPEN


class Breaker:
    """Open after some failures in a row. Once the pause is over one call, the probe, finds out whether it may close.

    It lives in one event loop, and nothing in it awaits, so it needs no lock. Whoever is admitted says how it ended.
    """

    def __init__(
        self, failures: int = 5, pause_seconds: float = 10.0, clock: Callable[[], float] = time.monotonic, *, of: str = "engine"
    ) -> None:
        """`failures` in a row open it; `pause_seconds` pass before each probe; `of` is whose it is, for the metrics."""
        self._shown = BREAKER_OPEN.labels(of)
        self._shown.set(0)
        self._failures = failures
        self._pause_seconds = pause_seconds
        self._clock = clock
        self._in_a_row = 0
        self._opened_at: float | None = None
        self._probing = False

    @property
    def open(self) -> bool:
        """Whether calls are turned away, or a probe alone is under way."""
        return self._opened_at is not None

    def admit(self) -> bool:
        """Whether a call may go out now. One that may must end in `succeeded`, `failed` or `given_up`."""
        if self._opened_at is None:
            return True
        if self._probing or self._clock() < self._opened_at + self._pause_seconds:
            return False
        self._probing = True
        return True

    def succeeded(self) -> None:
        """The server answered, whatever it said: close."""
        self._in_a_row = 0
        self._opened_at = None
        self._probing = False
        self._shown.set(0)

    def failed(self) -> bool:
        """The server did not answer. True when this opened the breaker; a probe that fails begins the next pause."""
        self._in_a_row += 1
        opens = self._opened_at is None and self._in_a_row >= self._failures
        if opens or self._probing:
            self._opened_at = self._clock()
            self._shown.set(1)
        self._probing = False
        return opens

    def given_up(self) -> None:
        """The call was cancelled and says nothing about the server; the next one may be the probe."""
        self._probing = False
