"""The load bench on a running service: short, and whole."""

from __future__ import annotations

import asyncio
from uuid import uuid4

from bench.load import broken, drive
from bench.loading.clients import MIX, Seen
from bench.service import Address
from tests.live import LiveServer


def test_a_short_load_is_served_without_an_error_and_leaves_everything_in_order(live_server: LiveServer) -> None:
    address = Address(live_server.base_url, live_server.agent_key, live_server.database.superuser_dsn)
    result = asyncio.run(drive(address, clients=4, owners=6, seconds=6, seed=3, floor_seconds=0.2))
    assert result["errors"] == 0, result["statuses"]
    assert result["invariants"] == []
    assert sum(one["requests"] for one in result["kinds"].values()) == sum(result["statuses"].values()) == result["requests"]
    assert result["kinds"]["write"]["p50"] > 0
    assert result["floor"]["requests"] > 0
    assert set(result["kinds"]) == set(MIX)
    lost = asyncio.run(broken(live_server.database.superuser_dsn, Seen(written=[str(uuid4())], answered=[str(uuid4())])))
    assert [one.partition(":")[0] for one in lost] == ["an acknowledged write is there and finished", "an acknowledged answer is there"]
