"""The quarters that a module's tests share, and the stage of each: whatever a test did, the invariants hold at its end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fault.quarters import Quarters, open_quarters
from tests.integration.stage import Stage


@pytest.fixture(scope="module")
def house(request: pytest.FixtureRequest, postgres_home: Path, template_database: str) -> Iterator[Quarters]:
    """Quarters with the settings that the module names in `SETTINGS`."""
    with open_quarters(postgres_home, template_database, getattr(request.module, "SETTINGS", {})) as opened:
        yield opened


@pytest.fixture
def stage(house: Quarters) -> Iterator[Stage]:
    """A test's own stage in its module's quarters."""
    yield Stage(house)
    for process in house.processes:  # shown when the test failed
        print(*[line for line in process.output.splitlines() if '"level":"info"' not in line][-20:], sep="\n")  # noqa: T201
    house.wire.clear()
    house.check_invariants()
