"""A furnished house: a service with models that answer by chance, and a tenant that has something of everything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.furniture import furnish
from tests.fuzz.whims import Near, by_whim
from tests.integration.house import House, open_house


@pytest.fixture(scope="module")
def house(postgres_home: Path, template_database: str) -> Iterator[House]:
    """The house of a module, furnished; whatever was done in it, the invariants hold at its end."""
    with open_house(postgres_home, template_database, {"limits": {"rate": "off"}}) as opened:
        furnish(opened)
        opened.models.vectors = Near(opened.models.vectors)
        opened.models.judge = by_whim
        yield opened
        opened.check_invariants()
