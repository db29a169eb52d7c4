"""The invariants themselves: each finds what breaks it, so that a test which checks them can fail."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from tests.integration.house import House
from tests.integration.stage import Meeting, Stage
from tests.invariants import violations

NEW_EDGE = (
    "INSERT INTO edges (tenant_id, edge_id, type, from_memory_id, to_memory_id, at, decision_id) "
    "SELECT tenant_id, gen_random_uuid(), 'SUPERSEDES', {}, {}, now(), {} FROM tenants WHERE name = 'default'"
)
NEW_EVENT = (
    "INSERT INTO memory_events (tenant_id, event_id, memory_id, at, event, actor, status, revision, immutable) "
    "SELECT tenant_id, gen_random_uuid(), memory_id, now(), 'withdrawn', created_by, 'withdrawn', 1, true "
    "FROM memories WHERE memory_id = $1"
)
ONE_ATOM = "(SELECT memory_id FROM memories WHERE kind = 'atom' AND status = 'active' AND memory_id <> $1 LIMIT 1)"

BREAKS = [
    ("content_is_the_current_revision", "UPDATE memories SET content = 'x' WHERE memory_id = $1"),
    ("the_folded_text_is_that_of_the_content", "UPDATE memories SET folded = 'x' WHERE memory_id = $1"),
    ("revisions_run_from_one_to_the_current", "UPDATE memories SET revision = 3 WHERE memory_id = $1"),
    ("each_atom_revision_has_a_vector", "DELETE FROM embeddings WHERE memory_id = $1"),
    ("vectors_have_length_one", "UPDATE embeddings SET embedding = (embedding + embedding) WHERE memory_id = $1"),
    ("vectors_of_a_model_have_one_size", "UPDATE embeddings SET embedding = '[1,0]' WHERE memory_id = $1"),
    ("each_memory_has_a_first_event", "DELETE FROM memory_events WHERE memory_id = $1"),
    ("each_revision_is_told_by_an_event", "DELETE FROM memory_events WHERE memory_id = $1"),
    ("the_last_event_tells_the_present_state", "UPDATE memories SET immutable = true WHERE memory_id = $1"),
    ("validity_ends_with_the_memory", "UPDATE memories SET valid_to = now() WHERE memory_id = $1"),
    ("a_superseded_memory_has_its_successor", "UPDATE memories SET status = 'superseded' WHERE memory_id = $1"),
    ("a_current_memory_has_no_successor", NEW_EDGE.format(ONE_ATOM, "$1", "NULL")),
    ("supersession_stays_with_one_user", NEW_EDGE.format("(SELECT memory_id FROM memories WHERE kind = 'episode' LIMIT 1)", "$1", "NULL")),
    ("only_atoms_supersede_atoms", NEW_EDGE.format("(SELECT memory_id FROM memories WHERE kind = 'raw_input' LIMIT 1)", "$1", "NULL")),
    ("supersession_has_no_cycle", NEW_EDGE.format("$1", ONE_ATOM, "NULL") + ";" + NEW_EDGE.format(ONE_ATOM, "$1", "NULL")),
    ("a_protected_memory_takes_no_place_silently", NEW_EDGE.format(ONE_ATOM, "$1", "gen_random_uuid()")),
    ("only_current_atoms_are_undecided", "UPDATE memories SET undecided = true, status = 'withdrawn' WHERE memory_id = $1"),
    ("a_held_memory_waits_for_something", "UPDATE memories SET status = 'held' WHERE memory_id = $1"),
    ("a_decision_names_memories_that_exist", "UPDATE decisions SET memory_id = gen_random_uuid() WHERE memory_id = $1"),
    ("no_rewrite_under_seventy", "UPDATE decisions SET outcome = 'superseded', confidence = 69 WHERE memory_id = $1"),
    ("a_deferral_opens_one_dispute", "UPDATE decisions SET decision_id = gen_random_uuid() WHERE memory_id = $1"),
    ("each_fact_of_a_finished_write_is_decided", "DELETE FROM decisions WHERE memory_id = $1"),
    ("an_open_dispute_joins_current_memories", "UPDATE memories SET status = 'withdrawn' WHERE memory_id = $1"),
    ("a_dispute_names_the_users_of_its_sides", "UPDATE memories SET user_id = 'x' WHERE memory_id = $1"),
    ("an_open_dispute_has_no_answer", "UPDATE contradictions SET effects = '{}' WHERE new_memory_id = $1"),
    ("a_dispute_begins_by_being_opened", "DELETE FROM contradiction_events"),
    ("the_last_event_of_a_dispute_tells_its_state", "UPDATE contradictions SET version = 9 WHERE new_memory_id = $1"),
    ("an_answer_says_who_when_and_with_what_effect", "UPDATE contradictions SET effects = NULL WHERE status = 'resolved'"),
    ("an_answer_is_an_episode", "UPDATE contradictions SET episode_id = NULL WHERE status = 'resolved'"),
    ("a_message_is_kept_whole", "UPDATE memories SET content = 'x' WHERE kind = 'raw_input'"),
    ("seeds_rules_and_raw_inputs_are_as_they_came", "UPDATE memories SET revision = 2 WHERE kind = 'raw_input'"),
    ("an_atom_of_a_message_is_derived_from_it", "DELETE FROM edges WHERE type = 'DERIVED_FROM'"),
    ("a_final_memory_never_changes", "UPDATE memory_events SET immutable = true WHERE memory_id = $1;" + NEW_EVENT),  # noqa: S608
    ("a_protected_memory_leaves_by_an_answer_or_its_owner", NEW_EVENT),
    ("revisions_never_go_back", "UPDATE memory_events SET revision = 2 WHERE memory_id = $1 AND event = 'stored'"),
]
"""Each with the invariant that it breaks; `$1` is a disputed preference that came with a message."""


@pytest.fixture(scope="module")
def opened(house: House) -> tuple[Meeting, str]:
    """A database with something of everything in it, and the memory to break."""
    stage = Stage(house)
    settled = stage.disputed()
    stage.agent.answer(settled.dispute, "coexist")
    stage.models.extracts[stage.t("likes cake, they say")] = [{"content": stage.t("likes cake"), "memory_type": "fact", "valid_from": None}]
    stage.agent.say(stage.user(), stage.t("likes cake, they say"))
    met = stage.disputed(old=("prefers rice", "preference"), new=("prefers noodles", "preference"))
    house.check_invariants()
    return met, met.new


@pytest.fixture
def superuser(house: House) -> Iterator[tuple[asyncio.AbstractEventLoop, asyncpg.Connection]]:
    """A connection that no trigger stops."""
    loop = asyncio.new_event_loop()
    connection = loop.run_until_complete(asyncpg.connect(house.database.superuser_dsn))
    yield loop, connection
    loop.run_until_complete(connection.close())
    loop.close()


@pytest.mark.parametrize(("invariant", "damage"), BREAKS, ids=[name for name, _ in BREAKS])
def test_a_broken_invariant_is_found_by_its_name(opened: tuple[Meeting, str], superuser: Any, invariant: str, damage: str) -> None:
    loop, connection = superuser

    async def break_it() -> set[str]:
        transaction = connection.transaction()
        await transaction.start()
        try:
            await connection.execute("SET LOCAL session_replication_role = replica")
            for statement in damage.split(";"):
                arguments = [UUID(opened[1])] if "$1" in statement else []
                await connection.execute(statement, *arguments)
            return {violation.invariant for violation in await violations(connection)}
        finally:
            await transaction.rollback()

    assert invariant in loop.run_until_complete(break_it())


def test_nothing_is_left_of_what_was_broken(house: House, opened: tuple[Meeting, str]) -> None:
    assert opened[1]
    house.check_invariants()
