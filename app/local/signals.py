"""Being asked to stop: SIGTERM, SIGINT and SIGHUP as one exception, raised once, in the main thread."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import FrameType

_NUMBERS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_AGAIN_AFTER = 3.0  # seconds; an event loop's callback or a finaliser may have swallowed the exception


class StopRequested(BaseException):
    """Somebody wants this process to end."""


class StopSignals:
    """While entered, the first signal raises `StopRequested`; all later ones are ignored, since stopping is bounded.

    An exception out of a signal can be lost: asyncio logs what a callback raises and goes on, and so does a finaliser. So it
    is raised again every few seconds until the stop has begun.

    A child that was just forked and not yet noted when the exception comes is no loss: it ends with this process.
    """

    def __init__(self) -> None:
        self._asked = self._over = False

    def __enter__(self) -> Self:
        """Take the signals over."""
        self._previous = {number: signal.signal(number, self._arrived) for number in _NUMBERS}
        self._previous[signal.SIGALRM] = signal.signal(signal.SIGALRM, self._still_wanted)
        return self

    def __exit__(self, *_: object) -> None:
        """Give the signals back."""
        self.ignore()
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def ignore(self) -> None:
        """Raise no more: the stop has begun."""
        self._over = True
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _arrived(self, _number: int, _frame: FrameType | None) -> None:
        if not self._asked:
            self._asked = True
            signal.setitimer(signal.ITIMER_REAL, _AGAIN_AFTER, _AGAIN_AFTER)
            self._still_wanted(_number, _frame)

    def _still_wanted(self, _number: int, _frame: FrameType | None) -> None:
        if not self._over:
            raise StopRequested
