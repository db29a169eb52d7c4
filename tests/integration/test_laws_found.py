"""What the hostile world found, each as the acts that show it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from app.charter.model import Resolution
from tests.hostile.acts import Act, Answer, Fact, Govern, Later, Own, Said, Write
from tests.hostile.past import Past
from tests.hostile.world import open_world
from tests.postgres import Database

PORTO, LISBON, RIVER = 0, 1, 3


def write(text: int, said: Said | None = None) -> Write:
    return Write("alice", "agent", (Fact(text),), (said or Said("ADD", target=None),))


async def play(database: Database, *acts: Act) -> dict[str, str]:
    """Do the acts, none of them refused, all laws holding; gives the last outcome of each text and, at its end, its status."""
    async with open_world(database.service_dsn, database.owner_dsn, database.superuser_dsn) as world:
        past = Past(world)
        for act in acts:
            assert await world.perform(act, 0) is None
            assert await past.check() == []
        assert await past.rebuilt() == []
        rows = await world.eye.fetch(
            "SELECT d.content, outcome, status FROM decisions d JOIN memories m USING (tenant_id, memory_id) ORDER BY d.at, decision_id"
        )
        return {row["content"]: f"{row['outcome']}, {row['status']}" for row in rows}


async def test_a_confidence_that_is_none_leaves_the_fact_undecided_and_the_write_whole(database: Database) -> None:
    confidences = (True, -1, 101, 10**30, 70.0, float("nan"), float("inf"), "90", None)
    facts = tuple(Fact(LISBON, valid_from=datetime(2001 + number, 1, 1, tzinfo=UTC)) for number in range(len(confidences)))
    says = tuple(Said("SUPERSEDE", confidence=confidence) for confidence in confidences)
    outcomes = await play(database, write(PORTO), Write("alice", "agent", facts, says))
    assert outcomes == {"Alice lives in Porto": "stored, active", "Alice lives in Lisbon": "undecided, active"}


@pytest.mark.parametrize("said", [Said("UPDATE", merge="nul"), Said("UPDATE", merge="both", reasoning="\x00\ud800"), Said("DELETE\x00")])
async def test_a_text_of_the_engine_that_no_database_can_hold_never_spoils_the_write(database: Database, said: Said) -> None:
    outcomes = await play(database, write(PORTO), write(LISBON, said))
    assert outcomes["Alice lives in Lisbon"] in {"undecided, active", "superseded, active", "updated, active"}


async def test_a_fact_decided_late_about_a_pair_that_is_asked_about_already_is_decided(database: Database) -> None:
    undecided, contradicts = Said("ADD", target=None, outage=True), Said("CONTRADICT", target=0)
    acts = (write(PORTO), write(LISBON, undecided), write(RIVER, contradicts), write(LISBON))
    outcomes = await play(database, *acts, Later((Said("CONTRADICT", target=0), Said("CONTRADICT", target=1))))
    assert "undecided, active" not in outcomes.values()


async def test_a_held_memory_is_current_when_what_it_was_held_against_is_withdrawn(database: Database) -> None:
    held = write(LISBON, Said("DELETE"))
    outcomes = await play(database, write(PORTO), Govern(approve=True, key="owner"), held, Own(1, "withdraw", "owner"))
    assert outcomes == {"Alice lives in Porto": "stored, withdrawn", "Alice lives in Lisbon": "held, active"}


async def test_a_held_memory_is_current_when_an_answer_withdraws_what_it_was_held_against(database: Database) -> None:
    confirm = Answer(0, "owner", Resolution.CONFIRM)
    acts = (write(PORTO), write(LISBON, Said("DELETE")), Govern(approve=True, key="owner"), write(RIVER, Said("DELETE", target=0)))
    outcomes = await play(database, *acts, confirm)
    assert "held, held" not in outcomes.values()
