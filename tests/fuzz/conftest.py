"""Houses to try things in, and how far Hypothesis looks in them (`make fuzz`: EXAMPLES=300).

Whatever was done in a house, the invariants hold at its end.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.furniture import furnish
from tests.fuzz.whims import Near, by_whim
from tests.integration.house import House, open_house

_LOCAL = {"kind": "local"}
_SLOW = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]

settings.register_profile("short", derandomize=True, deadline=None, database=None, max_examples=25, suppress_health_check=_SLOW)
settings.register_profile(
    "long", deadline=None, database=None, max_examples=int(os.environ.get("EXAMPLES", "25")), suppress_health_check=_SLOW
)
PROFILE = settings.get_profile("long" if "EXAMPLES" in os.environ else "short")
"""Named by each property here: the profile that is loaded belongs to other tests."""


@pytest.fixture(scope="module")
def local_house(postgres_home: Path, template_database: str) -> Iterator[House]:
    """The embedder, the engine and the extractor that come with the service."""
    choices = {"embedding": _LOCAL, "engine": _LOCAL, "extraction": _LOCAL, "limits": {"rate": "off"}}
    with open_house(postgres_home, template_database, choices) as opened:
        yield opened
        opened.check_invariants()


@pytest.fixture(scope="module")
def house(postgres_home: Path, template_database: str) -> Iterator[House]:
    """Models that answer by whim, and a tenant that has something of everything."""
    with open_house(postgres_home, template_database, {"limits": {"rate": "off"}}) as opened:
        furnish(opened)
        opened.models.vectors = Near(opened.models.vectors)
        opened.models.judge = by_whim
        yield opened
        opened.check_invariants()
