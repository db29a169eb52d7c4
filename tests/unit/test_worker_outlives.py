"""The loop of the background worker outlives whatever goes wrong inside one turn of it."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from app.errors import UnavailableError
from app.services import worker
from app.services.parts import Parts

pytestmark = pytest.mark.asyncio


class Leases:
    """Leases that nothing is known about; each turn of the loop asks to give back what was dropped."""

    async def give_back(self, _pool: object) -> None:
        """Nothing was dropped."""


def parts() -> Parts:
    settings = SimpleNamespace(intake=SimpleNamespace(retry_seconds=0.4))
    told: Any = SimpleNamespace(settings=settings, leases=Leases(), pool=None, turns=SimpleNamespace(wake=asyncio.Event()))
    return cast("Parts", told)


@pytest.mark.parametrize("fault", [RuntimeError("a bug"), UnavailableError("try again")], ids=["bug", "away"])
async def test_a_turn_that_fails_is_followed_by_another(monkeypatch: pytest.MonkeyPatch, fault: Exception) -> None:
    turns, again = [], asyncio.Event()

    async def take_up(_parts: Parts, _under_way: object) -> None:
        turns.append(1)
        if len(turns) < 3:
            raise fault
        again.set()

    async def chore(_parts: Parts) -> None:
        """Nothing to count and nothing to forget."""

    monkeypatch.setattr(worker, "_take_up", take_up)
    often = {chore: 1000.0} | dict(worker._EVERY)  # noqa: SLF001 - the loop looks there how often a chore is due
    monkeypatch.setattr(worker, "_EVERY", often)
    for name in ("_count_waiting", "_forget"):
        monkeypatch.setattr(worker, name, chore)
    running = asyncio.create_task(worker.work(parts()))
    async with asyncio.timeout(10):
        await again.wait()
    assert not running.done()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
