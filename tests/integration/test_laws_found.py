"""What the hostile world found, each as the acts that show it."""

from __future__ import annotations

import pytest

from tests.hostile.acts import Act, Fact, Later, Said, Write
from tests.hostile.past import Past
from tests.hostile.world import open_world
from tests.postgres import Database

PORTO, LISBON, RIVER = 0, 1, 3


def write(text: int, said: Said | None = None) -> Write:
    return Write("alice", "agent", (Fact(text),), (said or Said("ADD", target=None),))


async def play(database: Database, *acts: Act) -> dict[str, str]:
    """Do the acts, none of them refused, all laws holding; gives the last outcome of each text."""
    async with open_world(database.service_dsn, database.owner_dsn, database.superuser_dsn) as world:
        past = Past(world)
        for act in acts:
            assert await world.perform(act, 0) is None
            assert await past.check() == []
        assert await past.rebuilt() == []
        rows = await world.eye.fetch("SELECT content, outcome FROM decisions ORDER BY at, decision_id")
        return {row["content"]: row["outcome"] for row in rows}


@pytest.mark.parametrize("confidence", [True, -1, 101, 10**30, 70.0, float("nan"), float("inf"), "90", None])
async def test_a_confidence_that_is_none_leaves_the_fact_undecided_and_the_write_whole(database: Database, confidence: object) -> None:
    outcomes = await play(database, write(PORTO), write(LISBON, Said("SUPERSEDE", confidence=confidence)))
    assert outcomes["Alice lives in Lisbon"] == "undecided"


@pytest.mark.parametrize("said", [Said("UPDATE", merge="nul"), Said("UPDATE", merge="both", reasoning="\x00\ud800"), Said("DELETE\x00")])
async def test_a_text_of_the_engine_that_no_database_can_hold_never_spoils_the_write(database: Database, said: Said) -> None:
    outcomes = await play(database, write(PORTO), write(LISBON, said))
    assert outcomes["Alice lives in Lisbon"] in {"undecided", "superseded", "updated"}


async def test_a_fact_decided_late_about_a_pair_that_is_asked_about_already_is_decided(database: Database) -> None:
    undecided, contradicts = Said("ADD", target=None, outage=True), Said("CONTRADICT", target=0)
    acts = (write(PORTO), write(LISBON, undecided), write(RIVER, contradicts), write(LISBON))
    outcomes = await play(database, *acts, Later((Said("CONTRADICT", target=0), Said("CONTRADICT", target=1))))
    assert "undecided" not in outcomes.values()
