"""Starting a dead Postgres again, each time a little later."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from app.errors import HelixirError

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.local.postgres import EmbeddedPostgres

_FIRST_DELAY, _LONGEST_DELAY = 0.2, 30.0  # seconds before the next start
_HEALTHY_AFTER = 60.0  # seconds of life that make the next death a first one again


class Revival:
    """Looks after one server. Meanwhile the service answers 503, and its pool connects again by itself."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._delay = _FIRST_DELAY
        self._started = time.monotonic()
        self._next: float | None = None

    def look_after(self, postgres: EmbeddedPostgres) -> None:
        """Start `postgres` again when it is dead and its time has come. Never raises for a start that fails."""
        code = postgres.exit_code()
        now = time.monotonic()
        if code is None:
            return
        if self._next is None:
            if now - self._started > _HEALTHY_AFTER:
                self._delay = _FIRST_DELAY
            self._next = now + self._delay
            self._tell(f"Postgres died (exit code {code}); starting it again in {self._delay:.1f} s")
        if now < self._next:
            return
        self._next, self._delay = None, min(self._delay * 3, _LONGEST_DELAY)
        try:
            postgres.start()
        except HelixirError as error:
            self._tell(error.detail)
            return
        self._started = time.monotonic()
        self._tell("Postgres is back")
