"""The house that a module's tests share, and the stage of each: whatever a test did, the invariants hold at its end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.house import House, open_house
from tests.integration.stage import Stage


@pytest.fixture(scope="module")
def house(request: pytest.FixtureRequest, postgres_home: Path, template_database: str) -> Iterator[House]:
    """A house with the settings that the module names in `SETTINGS`."""
    with open_house(postgres_home, template_database, getattr(request.module, "SETTINGS", {})) as opened:
        yield opened


@pytest.fixture
def stage(house: House) -> Iterator[Stage]:
    """A test's own stage in its module's house."""
    yield Stage(house)
    house.check_invariants()
