"""Being asked to stop: SIGTERM, SIGINT and SIGHUP as one exception, raised once, in the main thread."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import FrameType

_NUMBERS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class StopRequested(BaseException):
    """Somebody wants this process to end."""


class StopSignals:
    """While entered, the first signal raises `StopRequested`; all later ones are ignored, since stopping is bounded.

    A child that was just forked and not yet noted when the exception comes is no loss: it ends with this process.
    """

    def __init__(self) -> None:
        self._over = False

    def __enter__(self) -> Self:
        """Take the signals over."""
        self._previous = {number: signal.signal(number, self._arrived) for number in _NUMBERS}
        return self

    def __exit__(self, *_: object) -> None:
        """Give the signals back."""
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def ignore(self) -> None:
        """Raise no more: the stop has begun."""
        self._over = True

    def _arrived(self, _number: int, _frame: FrameType | None) -> None:
        if not self._over:
            self._over = True
            raise StopRequested
