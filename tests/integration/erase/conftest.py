"""What every test of an erase stands on: a stage whose invariants hold afterwards, and an operator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import asyncpg
import pytest

from tests.integration.erase.operator import Operator
from tests.integration.house import House
from tests.integration.stage import Stage
from tests.invariants import violations
from tests.postgres import Database, run

_OF_ERASED = "SELECT memory_id FROM memories WHERE erased_at IS NOT NULL"
# What these tell of erased memories holds for all but them.
_EXEMPT = {
    "each_atom_revision_has_a_vector",
    "the_folded_text_is_that_of_the_content",
    "a_protected_memory_leaves_by_an_answer_or_its_owner",
    "a_final_memory_never_changes",
}


@pytest.fixture
def stage(house: House) -> Iterator[Stage]:
    """A stage whose invariants hold at the end, save what an erase is meant to break."""
    yield Stage(house)
    assert run(_broken(house.database)) == []


async def _broken(database: Database) -> list[Any]:
    connection = await asyncpg.connect(database.superuser_dsn)
    try:
        erased = {row["memory_id"] for row in await connection.fetch(_OF_ERASED)}
        return [one for one in await violations(connection) if not (one.invariant in _EXEMPT and one.subject in erased)]
    finally:
        await connection.close()


@pytest.fixture
def operator(stage: Stage) -> Operator:
    return Operator(stage)
