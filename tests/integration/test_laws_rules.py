"""rules_never_outrank_the_constitution, where rules of every shape are stored that nobody could have learned."""

from __future__ import annotations

import pytest

from app.charter.model import MemoryType, Operation, Resolution
from tests.hostile.acts import Act, Fact, Govern, Said, Smuggle, Write
from tests.hostile.past import Past
from tests.hostile.world import open_world
from tests.postgres import Database

OLD, NEW = 0, 1
ANSWERS = (Resolution.RETRACT, Resolution.CONFIRM, Resolution.COEXIST)


def meeting(user: str, old: MemoryType, new: MemoryType, operation: str) -> tuple[Act, ...]:
    """A statement, and another that the engine sets on it with full confidence."""
    said = Said(operation, confidence=100)
    return Write(user, "agent", (Fact(OLD, memory_type=old),), ()), Write(user, "agent", (Fact(NEW, memory_type=new),), (said,))


def smuggled(user: str, old: MemoryType, new: MemoryType, resolution: Resolution) -> Smuggle:
    return Smuggle(user, Operation.CONTRADICT, new, old, same_user=True, resolution=resolution)


@pytest.mark.parametrize("approved", [False, True])
async def test_a_rule_about_what_an_article_governs_has_no_effect(database: Database, approved: bool) -> None:  # noqa: FBT001
    """Whatever the rule says, a contradiction of a preference, goal or opinion is asked about, and no rewrite is answered at all."""
    async with open_world(database.service_dsn, database.owner_dsn, database.superuser_dsn) as world:
        past = Past(world)
        acts: list[Act] = [Govern(approve=True, key="owner")] if approved else []
        pairs = [(MemoryType.FACT, MemoryType.GOAL), (MemoryType.OPINION, MemoryType.FACT), (MemoryType.PREFERENCE, MemoryType.PREFERENCE)]
        for number, resolution in enumerate(ANSWERS):
            user = f"user {number}"
            acts += [smuggled(user, *pairs[number], resolution), *meeting(user, *pairs[number], "CONTRADICT")]
            acts += [
                smuggled(f"{user} too", MemoryType.FACT, MemoryType.FACT, resolution),
                *meeting(f"{user} too", MemoryType.FACT, MemoryType.FACT, "DELETE"),
            ]
        for act in acts:
            assert await world.perform(act, 0) is None
        assert await past.check() == []
        disputes = await world.eye.fetch("SELECT status, strategy, rule_id, articles FROM contradictions")
        assert len(disputes) == 2 * len(ANSWERS)
        assert {(row["status"], row["rule_id"]) for row in disputes} == {("open", None)}
        assert all(row["articles"] for row in disputes)
        assert await world.eye.fetchval("SELECT count(*) FROM decisions WHERE rules <> '{}'") == 0


async def test_the_same_rules_answer_what_no_article_governs(database: Database) -> None:
    async with open_world(database.service_dsn, database.owner_dsn, database.superuser_dsn) as world:
        for number, resolution in enumerate(ANSWERS):
            user, fact = f"user {number}", MemoryType.FACT
            for act in (smuggled(user, fact, fact, resolution), *meeting(user, fact, fact, "CONTRADICT")):
                assert await world.perform(act, 0) is None
        assert await Past(world).check() == []
        rows = await world.eye.fetch(
            "SELECT resolution FROM contradictions WHERE status = 'resolved' AND rule_id IS NOT NULL ORDER BY new_user_id"
        )
        assert [row["resolution"] for row in rows] == list(ANSWERS)
