"""A stop that is asked for comes, even when what it interrupts swallows the exception."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

import pytest

from app.local import signals
from app.local.signals import StopRequested, StopSignals


def kill_me() -> None:
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(0.01)


def test_a_swallowed_stop_is_raised_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signals, "_AGAIN_AFTER", 0.05)
    with StopSignals() as stopping:
        with suppress(BaseException):
            kill_me()
        with pytest.raises(StopRequested):
            time.sleep(2)
        stopping.ignore()
        time.sleep(0.2)


def test_once_the_stop_has_begun_nothing_is_raised_any_more() -> None:
    before = signal.getsignal(signal.SIGALRM), signal.getsignal(signal.SIGTERM)
    with StopSignals() as stopping:
        with pytest.raises(StopRequested):
            kill_me()
        stopping.ignore()
        kill_me()
    assert (signal.getsignal(signal.SIGALRM), signal.getsignal(signal.SIGTERM)) == before


def test_a_second_signal_does_not_disturb_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signals, "_AGAIN_AFTER", 60.0)
    with StopSignals():
        with pytest.raises(StopRequested):
            kill_me()
        kill_me()
