"""`helixir erase`: afterwards the text stands nowhere in the tenant, whatever way it took, and everything else stands."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from app.errors import ConflictError, HelixirError, InvalidInputError, NotFoundError
from app.services.operator.closure import Order
from app.services.operator.erase import Report, erase
from tests.integration.house import House
from tests.integration.models import Said
from tests.integration.stage import Json, Stage, at_once, wait_until
from tests.invariants import violations
from tests.model_stub import Reply
from tests.postgres import Database, run

_COLUMNS = """
SELECT c.table_name, c.column_name FROM information_schema.columns c
JOIN information_schema.tables t USING (table_schema, table_name)
WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.data_type IN ('text', 'jsonb', 'ARRAY', 'USER-DEFINED', 'bytea')
ORDER BY 1, 2
"""
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


class Operator:
    """The command's use case, as the tables' owner; and a look at every text of the database."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.database = stage.house.database

    def erase(self, memory_id: str | None = None, **options: Any) -> Report:
        given = None if memory_id is None else UUID(memory_id)
        order = Order("default", options.pop("reason", "the person asked for it"), given, **options)
        report: Report = run(self.carry_out(order))
        return report

    async def carry_out(self, order: Order) -> Report:
        connection = await asyncpg.connect(self.database.owner_dsn)
        try:
            return await erase(connection, order)
        finally:
            await connection.close()

    def places(self, *words: str) -> set[str]:
        """Every column in which one of the words stands, in whatever case."""
        found: set[str] = run(self._places(words))
        return found

    async def _places(self, words: tuple[str, ...]) -> set[str]:
        connection = await asyncpg.connect(self.database.superuser_dsn)
        try:
            found = set()
            for table, column in await connection.fetch(_COLUMNS):
                query = f'SELECT EXISTS (SELECT FROM "{table}" WHERE lower("{column}"::text) LIKE ANY($1))'  # noqa: S608
                if await connection.fetchval(query, [f"%{word.lower()}%" for word in words]):
                    found.add(f"{table}.{column}")
            return found
        finally:
            await connection.close()

    def everything(self) -> dict[str, list[str]]:
        """Every row of every table, to see that nothing changed."""
        tables = self.stage.rows("SELECT table_name FROM information_schema.tables WHERE table_schema='public' AND table_type='BASE TABLE'")
        return {
            str(name): sorted(row[0] for row in self.stage.rows(f'SELECT t::text FROM "{name}" t'))  # noqa: S608
            for (name,) in tables
        }


@pytest.fixture
def operator(stage: Stage) -> Operator:
    return Operator(stage)


def word(stage: Stage, name: str) -> str:
    """A word that only this test uses."""
    return f"{name}{stage.name.lower()}"


def ids(report: Report) -> set[str]:
    return {str(one.memory_id) for one in report.memories if one.new}


def counts(report: Report, *names: str) -> list[int]:
    return [report.counts[name] for name in names]


def test_a_plain_memory_becomes_a_tombstone(stage: Stage, operator: Operator) -> None:
    secret, label, user = word(stage, "lisbon"), word(stage, "label"), stage.user()
    fact = {"content": f"Ann lives in {secret}", "metadata": {"place": label}, "agent_id": label, "session_id": label}
    stored = stage.agent.store(user, fact)
    before = operator.places(secret)
    assert before == {"memories.content", "revisions.content", "decisions.content", "writes.body"}
    report = operator.erase(stored)
    assert operator.places(secret, label) == set()
    assert counts(report, "memories", "revisions", "vectors", "decisions", "writes") == [1, 1, 1, 1, 1]
    seen = stage.agent.memory(stored)
    assert (seen["content"], seen["status"], seen["metadata"], seen["agent_id"]) == ("[erased]", "withdrawn", {}, None)
    history = stage.agent.history(stored)
    assert [one["event"] for one in history["events"]] == ["stored", "erased"]
    assert history["events"][1]["reason"] == "the person asked for it"
    assert [one["content"] for one in history["revisions"]] == ["[erased]"]
    assert stage.agent.listed(user) == []
    assert stage.agent.search(user, f"Ann lives in {secret}") == []
    (audit,) = stage.rows("SELECT * FROM audit WHERE act = 'erase' AND subject = $1::uuid::text", stored)
    assert (audit["operator"], audit["actor"], audit["reason"]) == (True, None, "the person asked for it")
    folded = stage.value("SELECT folded = sha256(convert_to(memory_id::text, 'UTF8')) FROM memories WHERE memory_id = $1", stored)
    assert folded is True
    assert stage.owner.act("restore", stored, expect=403)["articles"] == ["C1"]
    again = stage.agent.write(user, f"Ann lives in {secret}")["results"][0]
    assert again["outcome"] == "stored", "a person may say it again"


def test_erasing_again_says_so_and_changes_nothing(stage: Stage, operator: Operator) -> None:
    stored = stage.agent.store(stage.user(), f"Ann lives in {word(stage, 'lisbon')}")
    assert operator.erase(stored).changed
    before = operator.everything()
    assert not operator.erase(stored).changed
    assert operator.everything() == before


def test_a_dry_run_tells_the_same_and_changes_nothing(stage: Stage, operator: Operator) -> None:
    met = stage.meet("UPDATE", merged=stage.t("lives in Lisbon and in Porto"))
    before = operator.everything()
    would = operator.erase(met.old, dry_run=True)
    assert operator.everything() == before
    did = operator.erase(met.old)
    assert (would.memories, would.counts) == (did.memories, did.counts)


def test_an_update_takes_its_merges_and_what_they_were_made_of_along(stage: Stage, operator: Operator) -> None:
    one, two = word(stage, "lisbon"), word(stage, "porto")
    met = stage.meet(
        "UPDATE", old=f"lives in {one}", new=f"lives in {two}", merged=stage.t(f"lives in {one} and in {two}"), reasoning=f"{one} grew"
    )
    assert met.result["outcome"] == "updated"
    report = operator.erase(met.old)
    assert operator.places(one, two) == set()
    assert [list(one.revisions) for one in report.memories] == [[1, 2]]


def test_an_engines_reason_that_quotes_the_text_goes_everywhere(stage: Stage, operator: Operator) -> None:
    one, two = word(stage, "lisbon"), word(stage, "porto")
    met = stage.meet("SUPERSEDE", old=f"lives in {one}", new=f"lives in {two}", reasoning=f"{one} is over")
    assert met.result["outcome"] == "superseded"
    assert {"edges.reason", "memory_events.reason", "revisions.reason"} <= operator.places(f"{one} is over")
    report = operator.erase(met.old)
    assert operator.places(one) == set()
    assert stage.agent.memory(met.new)["content"] == stage.t(f"lives in {two}"), "a statement of its own stays"
    assert [str(one) for one in report.successors] == [met.new]
    assert stage.agent.memory(met.old)["status"] == "superseded"
    assert [one["content"] for one in stage.agent.history(met.new)["chain"]] == ["[erased]", stage.t(f"lives in {two}")]


def test_a_predecessor_is_named_and_not_revived(stage: Stage, operator: Operator) -> None:
    one, two = word(stage, "lisbon"), word(stage, "porto")
    met = stage.meet("SUPERSEDE", old=f"lives in {one}", new=f"lives in {two}")
    report = operator.erase(met.new)
    assert operator.places(two) == set()
    assert [str(one) for one in report.predecessors] == [met.old]
    assert stage.agent.memory(met.old)["status"] == "superseded"
    assert stage.agent.memory(met.old)["content"] == met.old_text


def test_a_supersession_by_a_merge_goes_with_what_it_was_made_of(stage: Stage, operator: Operator) -> None:
    one, extra, two = word(stage, "lisbon"), word(stage, "dog"), word(stage, "porto")
    met = stage.meet("UPDATE", old=f"lives in {one} with {extra}", new=f"now {two}", merged=stage.t(f"lives in {one} now {two}"))
    assert met.result["outcome"] == "superseded"
    report = operator.erase(met.old)
    assert ids(report) == {met.old, met.new}
    assert operator.places(one, extra) == set()
    assert stage.agent.memory(met.new)["status"] == "withdrawn"
    assert operator.places(two), "what was said by itself is still in the records"


def deferred_update(stage: Stage, one: str, two: str) -> Any:
    old = {"content": f"prefers {one}", "memory_type": "preference"}
    new = {"content": f"prefers {two}", "memory_type": "preference"}
    return stage.meet("UPDATE", old=old, new=new, merged=stage.t(f"prefers {one} and {two}"), reasoning=f"{one} with {two}")


def test_a_deferred_update_that_was_answered_by_retract(stage: Stage, operator: Operator) -> None:
    one, two = word(stage, "tea"), word(stage, "coffee")
    met = deferred_update(stage, one, two)
    stage.agent.answer(met.dispute, "retract", note=f"yes, {two} too")
    report = operator.erase(met.new)
    assert operator.places(two) == set()
    assert ids(report) == {met.old, met.new}
    kept = stage.agent.history(met.old)["revisions"]
    assert [one["content"] for one in kept] == [stage.t(f"prefers {one}"), "[erased]"], "what was there before the merge stays"
    assert stage.agent.memory(met.old)["content"] == "[erased]"
    report = operator.erase(met.old)
    assert report.changed
    assert operator.places(one) == set()


def test_an_open_dispute_is_moot(stage: Stage, operator: Operator) -> None:
    one, two = word(stage, "tea"), word(stage, "coffee")
    met = deferred_update(stage, one, two)
    report = operator.erase(met.old)
    assert operator.places(one) == set()
    assert [str(one) for one in report.moot] == [met.dispute]
    dispute = stage.agent.dispute(met.dispute)
    assert (dispute["status"], "erased" in dispute["moot_cause"]) == ("moot", True)
    events = stage.rows("SELECT event FROM contradiction_events WHERE contradiction_id = $1 ORDER BY at, event_id", met.dispute)
    assert [row["event"] for row in events] == ["opened", "moot"]
    assert stage.agent.memory(met.new)["content"] == stage.t(f"prefers {two}")
    assert stage.agent.disputes(met.user, status="open") == []


def test_an_amended_wording_goes_with_each_of_its_sides(stage: Stage, operator: Operator) -> None:
    one, two, three = word(stage, "tea"), word(stage, "coffee"), word(stage, "cocoa")
    met = deferred_update(stage, one, two)
    done = stage.agent.answer(met.dispute, "amend", content=stage.t(f"prefers {one} with {three}"), note=f"{three}!")
    (amended,) = done["effects"]["created"]
    report = operator.erase(met.old)
    assert operator.places(one, three) == set()
    assert ids(report) == {met.old, amended}
    assert stage.agent.memory(amended)["status"] == "withdrawn"
    assert stage.agent.memory(met.new)["status"] == "superseded"


def test_contexts_and_note_of_an_answer(stage: Stage, operator: Operator) -> None:
    one, two, where = word(stage, "tea"), word(stage, "coffee"), word(stage, "office")
    met = stage.disputed(
        old={"content": f"prefers {one}", "memory_type": "preference"}, new={"content": f"prefers {two}", "memory_type": "preference"}
    )
    stage.agent.answer(met.dispute, "coexist", contexts={"new": where, "existing": "at home"}, note=f"{where} only")
    operator.erase(met.new)
    assert operator.places(two, where) == set()
    dispute = stage.agent.dispute(met.dispute)
    assert (dispute["status"], dispute["contexts"]) == ("resolved", {"new": "[erased]", "existing": "[erased]"})
    assert stage.agent.memory(met.old)["content"] == stage.t(f"prefers {one}")


def test_a_note_that_made_a_rule(stage: Stage, operator: Operator) -> None:
    one, two, why = word(stage, "lisbon"), word(stage, "porto"), word(stage, "because")
    met = stage.meet("CONTRADICT", old=(f"lives in {one}", "experience"), new=(f"lives in {two}", "experience"))
    rule = stage.owner.answer(met.dispute, "coexist", always=True, note=f"{why} {one}")["rule"]
    assert rule is not None
    operator.erase(met.old)
    assert operator.places(one, why) == set()
    stage.owner.ask("POST", f"/rules/{rule['id']}/revoke", json={"reason": "the test is over"})


def test_a_pending_merge_that_moved_on_is_no_longer_on_offer(stage: Stage, operator: Operator) -> None:
    one, two, three = word(stage, "tea"), word(stage, "coffee"), word(stage, "cocoa")
    met = deferred_update(stage, one, two)
    third = {"content": stage.t(f"prefers {three}"), "memory_type": "preference"}
    stage.models.place([met.old_text, met.new_text, third["content"]], 0.9)
    stage.expect(third["content"], "SUPERSEDE", met.old_text)
    later = stage.agent.write(met.user, third)
    dispute = next(one["contradiction_id"] for one in later["needs_clarification"] if one["existing_memory_id"] == met.old)
    stage.agent.answer(dispute, "retract", version=1)
    moved = stage.agent.dispute(met.dispute)
    assert moved["status"] == "open"
    assert moved["existing"]["content"] == third["content"]
    operator.erase(met.old)
    assert operator.places(one) == set()
    asked = stage.agent.dispute(met.dispute)
    assert (asked["status"], asked["pending_operation"], asked["version"]) == ("open", "CONTRADICT", moved["version"] + 1)
    stage.agent.answer(met.dispute, "retract", version=asked["version"])
    assert stage.agent.texts(met.user) == [met.new_text]


def test_repeats_go_with_the_text(stage: Stage, operator: Operator) -> None:
    secret, user = word(stage, "lisbon"), stage.user()
    text = f"Ann lives in {secret}"
    stored = stage.agent.store(user, text)
    assert stage.agent.write(user, f"{text}.")["results"][0]["outcome"] == "deduplicated"
    assert stage.agent.say(user, text)["results"][0]["outcome"] == "deduplicated"
    assert stage.agent.write(user, text, expect=200, dry_run=True)["results"][0]["outcome"] == "deduplicated"
    report = operator.erase(stored)
    assert operator.places(secret) == set()
    assert [one.kind for one in report.memories] == ["atom", "raw_input"]


def test_a_superseded_memory_that_says_the_same_goes_along(stage: Stage, operator: Operator) -> None:
    one, two = word(stage, "lisbon"), word(stage, "porto")
    met = stage.meet("SUPERSEDE", old=f"lives in {one}", new=f"lives in {two}")
    stage.expect(met.old_text, "SUPERSEDE", met.new_text)
    back = stage.agent.write(met.user, met.old_text)["results"][0]
    assert back["outcome"] == "superseded"
    report = operator.erase(back["memory_id"])
    assert ids(report) == {met.old, back["memory_id"]}
    assert operator.places(one) == set()
    assert [str(one) for one in report.predecessors] == [met.new]


def test_an_edit_and_its_reason(stage: Stage, operator: Operator) -> None:
    one, two, three = word(stage, "lisbon"), word(stage, "porto"), word(stage, "faro")
    user = stage.user()
    stored = stage.agent.store(user, {"content": f"Ann likes {one}", "memory_type": "preference", "metadata": {"of": one}})
    stage.owner.edit(stored, f"Ann likes {two}", 1)
    edited = stage.agent.edit(stored, f"Ann likes {three}", 2, expect=202)["results"][0]
    assert edited["outcome"] == "deferred"
    report = operator.erase(stored)
    assert ids(report) == {stored, edited["memory_id"]}
    assert operator.places(one, two, three) == set()


def test_an_owners_reason_goes(stage: Stage, operator: Operator) -> None:
    secret, why, user = word(stage, "lisbon"), word(stage, "moved"), stage.user()
    stored = stage.agent.store(user, f"Ann lives in {secret}")
    stage.owner.act("finalize", stored, reason=f"{why} once")
    stage.owner.act("unfinalize", stored, reason=f"{why} twice")
    stage.owner.act("withdraw", stored, reason=f"{why} away")
    stage.owner.act("restore", stored, reason=f"{why} back")
    operator.erase(stored)
    assert operator.places(secret, why) == set()


def test_a_final_memory_can_be_erased(stage: Stage, operator: Operator) -> None:
    secret, user = word(stage, "lisbon"), stage.user()
    stored = stage.agent.store(user, {"content": f"Ann prefers {secret}", "memory_type": "preference"})
    stage.owner.act("finalize", stored)
    operator.erase(stored)
    assert operator.places(secret) == set()
    assert stage.agent.memory(stored)["status"] == "withdrawn"


def message(stage: Stage, user: str, one: str, two: str, **more: Any) -> tuple[str, str, str]:
    """A message with two statements: the ids of both and of the message."""
    text = f"Ann lives in {one}. Ann works in {two}."
    stage.models.extracts[text] = [
        {"content": f"Ann lives in {one}", "memory_type": "fact", "valid_from": None},
        {"content": f"Ann works in {two}", "memory_type": "fact", "valid_from": None},
    ]
    body = stage.agent.say(user, text, **more)
    first, second = (str(result["memory_id"]) for result in body["results"])
    return first, second, str(body["raw_input_id"])


def test_a_message_with_other_statements_is_refused_without_the_word(stage: Stage, operator: Operator) -> None:
    one, two, user = word(stage, "lisbon"), word(stage, "porto"), stage.user()
    first, second, raw = message(stage, user, one, two)
    before = operator.everything()
    with pytest.raises(ConflictError) as refused:
        operator.erase(first)
    assert operator.everything() == before
    assert raw in refused.value.detail
    assert second in refused.value.detail
    assert "--with-source" in refused.value.detail


def test_with_its_source_the_message_goes_and_the_other_statements_stay(stage: Stage, operator: Operator) -> None:
    one, two, label, user = word(stage, "lisbon"), word(stage, "porto"), word(stage, "label"), stage.user()
    first, second, raw = message(stage, user, one, two, agent_id=label)
    report = operator.erase(first, with_source=True)
    assert operator.places(one) == set()
    assert ids(report) == {first, raw}
    assert [str(one) for one in report.beside] == [second]
    assert operator.places(two) == {"memories.content", "revisions.content", "decisions.content"}
    assert stage.agent.memory(second)["status"] == "active"
    assert stage.agent.memory(raw)["content"] == "[erased]"
    assert operator.places(label) == {"memories.agent_id"}, "the other statement keeps its own"
    assert ids(operator.erase(second)) == {second}, "the message is gone already"
    assert operator.places(two, label) == set()


def test_the_last_statement_of_a_message_takes_it_along(stage: Stage, operator: Operator) -> None:
    secret, user = word(stage, "lisbon"), stage.user()
    body = stage.agent.say(user, f"Ann lives in {secret}", metadata={"topic": secret})
    report = operator.erase(body["results"][0]["memory_id"])
    assert ids(report) == {body["results"][0]["memory_id"], body["raw_input_id"]}
    assert operator.places(secret) == set()


def test_a_message_itself_takes_its_statements_along(stage: Stage, operator: Operator) -> None:
    one, two, user = word(stage, "lisbon"), word(stage, "porto"), stage.user()
    first, second, raw = message(stage, user, one, two)
    report = operator.erase(raw)
    assert ids(report) == {first, second, raw}
    assert operator.places(one, two) == set()


def test_other_facts_of_the_same_write_stay(stage: Stage, operator: Operator) -> None:
    one, two, three, user = word(stage, "lisbon"), word(stage, "porto"), word(stage, "faro"), stage.user()
    facts: list[Any] = [{"content": f"Ann likes {name} {number}", "metadata": {"n": name}} for number, name in enumerate((one, two, three))]
    body = stage.agent.write(user, *facts, metadata={"all": "of them"})
    results = [result["memory_id"] for result in body["results"]]
    operator.erase(results[1])
    assert operator.places(two) == set()
    left = stage.value("SELECT body FROM writes WHERE write_id = $1", body["write_id"])
    assert left.count("[erased]") == 1
    assert one in left
    assert three in left
    write = stage.agent.ask("GET", f"/writes/{body['write_id']}")
    assert [result["content"] for result in write["results"]] == [facts[0]["content"], "[erased]", facts[2]["content"]]


def test_an_earlier_fact_of_the_write_that_another_one_saw(stage: Stage, operator: Operator) -> None:
    """The engine folds the first fact into a stored one; the second fact saw its text under an id that never was stored."""
    one, two, user = word(stage, "lisbon"), word(stage, "porto"), stage.user()
    stored, again, other = (stage.t(text) for text in (f"lives in {one}", f"resides in {one}", f"works in {two}"))
    stage.models.place([stored, again, other], 0.9)
    stage.expect(again, "NOOP", stored)
    stage.expect(other, "ADD", reasoning=f"not the same as {one}")
    first = stage.agent.store(user, stored)
    body = stage.agent.write(user, again, other)
    assert [result["outcome"] for result in body["results"]] == ["deduplicated", "stored"]
    operator.erase(first)
    assert operator.places(one) == set()
    assert stage.agent.memory(body["results"][1]["memory_id"])["content"] == other


def test_a_shared_memory_that_another_user_met(stage: Stage, operator: Operator) -> None:
    one, two, ann, bob = word(stage, "lisbon"), word(stage, "porto"), stage.user("ann"), stage.user("bob")
    mine, theirs = stage.t(f"office in {one}"), stage.t(f"office in {two}")
    stage.models.place([mine, theirs], 0.9)
    shared = stage.agent.store(ann, {"content": mine, "shared": True})
    stage.expect(theirs, "CROSS_CONTRADICT", mine, reasoning=f"{one} against {two}")
    body = stage.agent.write(bob, theirs)
    (asked,) = body["needs_clarification"]
    report = operator.erase(shared)
    assert operator.places(one) == set()
    assert [str(one) for one in report.moot] == [asked["contradiction_id"]]
    assert stage.agent.texts(bob) == [theirs]


def test_a_delete_intent_that_an_answer_repeated(stage: Stage, operator: Operator) -> None:
    one, two, three, user = word(stage, "lisbon"), word(stage, "porto"), word(stage, "faro"), stage.user()
    first, second, third = (stage.t(f"lives in {name}") for name in (one, two, three))
    stage.models.place([first, second, third], 0.9)
    stage.expect(second, "ADD")
    stage.expect(third, "DELETE", second, reasoning=f"unlike {one}")
    seen = stage.agent.store(user, first)
    stage.agent.store(user, second)
    (asked,) = stage.agent.write(user, third)["needs_clarification"]
    stage.agent.answer(asked["contradiction_id"], "retract")
    operator.erase(seen)
    assert operator.places(one) == set()
    assert stage.agent.texts(user) == [third]


def test_a_twin_in_other_words_is_named_and_stays(stage: Stage, operator: Operator) -> None:
    one, two, user = word(stage, "tea"), word(stage, "chai"), stage.user()
    old, new = (stage.t(text) for text in (f"prefers {one}", f"prefers {two}"))
    stage.models.place([old, new], 0.9)
    stage.expect(new, "NOOP", old)
    stored = stage.agent.store(user, (old, "preference"))
    twin = stage.agent.write(user, (new, "preference"))["results"][0]
    assert twin["outcome"] == "linked"
    report = operator.erase(stored)
    assert [str(one) for one in report.twins] == [twin["memory_id"]]
    assert operator.places(one) == set()
    assert stage.agent.texts(user) == [new]


def test_a_repeat_in_a_message_with_other_statements(stage: Stage, operator: Operator) -> None:
    one, two, user = word(stage, "lisbon"), word(stage, "porto"), stage.user()
    stored = stage.agent.store(user, f"Ann lives in {one}")
    again, other, raw = message(stage, user, one, two)
    assert again == stored
    with pytest.raises(ConflictError):
        operator.erase(stored)
    report = operator.erase(stored, with_source=True)
    assert ids(report) == {stored, raw}
    assert operator.places(one) == set()
    assert stage.agent.memory(other)["status"] == "active"


def test_another_users_write_that_was_under_way(stage: Stage, operator: Operator) -> None:
    """The engine was asked about a shared text that is erased before its answer comes: the write looks again."""
    one, two, ann, bob = word(stage, "lisbon"), word(stage, "porto"), stage.user("ann"), stage.user("bob")
    mine, theirs = stage.t(f"office in {one}"), stage.t(f"office in {two}")
    stage.models.place([mine, theirs], 0.9)
    shared = stage.agent.store(ann, {"content": mine, "shared": True})
    said = {
        "i": 0,
        "operation": "CROSS_CONTRADICT",
        "target": "c1",
        "confidence": 95,
        "reasoning": f"{one} differs",
        "merged_content": None,
    }
    stage.models.fail("chat", theirs, Reply.decisions(said, delay=2.0), times=1)

    def erase_meanwhile() -> Json:
        wait_until(lambda: stage.models.asked(theirs), bool)
        assert operator.erase(shared).changed
        return {}

    body, _ = at_once([lambda: stage.agent.write(bob, theirs), erase_meanwhile])
    assert [result["outcome"] for result in body["results"]] == ["stored"]
    assert body["needs_clarification"] == []
    assert operator.places(one) == set()


def test_many_writes_of_the_user_at_the_same_time(stage: Stage, operator: Operator) -> None:
    secret, user = word(stage, "lisbon"), stage.user()
    stored = stage.agent.store(user, {"content": f"Ann lives in {secret}", "shared": True})
    works: list[Callable[[], Any]] = [partial(stage.agent.write, user, f"Ann likes number {number}") for number in range(8)]
    works.append(partial(operator.erase, stored))
    at_once(works)
    assert operator.places(secret) == set()
    assert len(stage.agent.texts(user)) == 8


def test_all_of_a_user(stage: Stage, operator: Operator) -> None:
    one, two, three, user, other = *(word(stage, name) for name in ("lisbon", "porto", "faro")), stage.user("ann"), stage.user("bob")
    message(stage, user, one, two)
    met = stage.disputed(
        user=user,
        old={"content": f"prefers {three}", "memory_type": "preference"},
        new={"content": "prefers milk", "memory_type": "preference"},
    )
    kept = stage.agent.store(other, f"Bob lives in {stage.name}ville")
    answered = stage.disputed("UPDATE", merged=stage.t("prefers tea and coffee"), user=user)
    stage.agent.answer(answered.dispute, "retract", note=f"{three} again")
    report = operator.erase(user_id=user)
    assert operator.places(one, two, three, stage.name + " prefers") == set()
    assert str(met.dispute) in [str(one) for one in report.moot]
    assert stage.agent.listed(user) == []
    assert stage.agent.memory(kept)["status"] == "active"
    assert not operator.erase(user_id=user).changed
    assert stage.value("SELECT count(*) FROM precedents WHERE user_id = $1::text", user) == 1, "episodes hold no text and stay"


def test_a_write_that_was_not_decided_yet_ends_here(stage: Stage, operator: Operator) -> None:
    secret, user = word(stage, "lisbon"), stage.user()
    fault = stage.models.fail("embeddings", secret, Reply(status=503))
    for body in ({"facts": [{"content": f"Ann lives in {secret}"}]}, {"message": f"Ann likes {secret}"}):
        sent = {"user_id": user, "metadata": {"about": secret}, **body}
        assert stage.agent.ask("POST", "/memories", 202, json=sent)["status"] == "accepted"
    operator.erase(user_id=user)
    stage.models.heal(fault)
    assert operator.places(secret) == set()
    writes = stage.rows("SELECT write_id, status, last_fault FROM writes WHERE user_id = $1::text", user)
    assert [(one["status"], one["last_fault"]) for one in writes] == [("completed", "erased")] * 2
    assert [stage.agent.ask("GET", f"/writes/{one['write_id']}")["results"] for one in writes] == [[], []]


def test_what_cannot_be_erased(stage: Stage, operator: Operator) -> None:
    met = stage.disputed()
    done = stage.agent.answer(met.dispute, "confirm")
    seed = str(stage.value("SELECT memory_id FROM memories WHERE kind = 'seed' LIMIT 1"))
    before = operator.everything()
    refusals: list[tuple[type[HelixirError], Json]] = [
        (InvalidInputError, {"memory_id": done["episode_id"]}),
        (InvalidInputError, {"memory_id": seed}),
        (InvalidInputError, {"user_id": "helixir"}),
        (InvalidInputError, {"memory_id": met.old, "user_id": met.user}),
        (InvalidInputError, {}),
        (InvalidInputError, {"memory_id": met.old, "reason": " "}),
        (NotFoundError, {"memory_id": "01900000-0000-7000-8000-000000000000"}),
        (NotFoundError, {"user_id": stage.user("nobody")}),
    ]
    for error, options in refusals:
        with pytest.raises(error):
            operator.erase(**options)
    assert operator.everything() == before


def test_only_the_owner_of_the_tables_erases(stage: Stage) -> None:
    """The service's role may ask for the erase in its session; it is still refused, by the database."""

    async def attempt() -> None:
        connection = await asyncpg.connect(stage.house.database.service_dsn)
        try:
            async with connection.transaction():
                await connection.execute("SELECT set_config('helixir.erase', 'on', true)")
                await connection.execute("SELECT erase_vectors(gen_random_uuid(), '{}', '{}')")
        finally:
            await connection.close()

    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        run(attempt())


class Held:
    """A tenant with an approved charter, where a second preference waits for an answer about the first."""

    def __init__(self, stage: Stage, operator: Operator) -> None:
        self.operator, self.tenant = operator, f"held-{stage.name}"
        self.owner = owner = stage.key("owner", tenant=self.tenant)
        charter = owner.ask("GET", "/charter")
        owner.ask("POST", "/charter/approve", json={"version": charter["version"], "sha256": charter["sha256"]})
        self.one, self.two, self.user = word(stage, "tea"), word(stage, "coffee"), stage.user()
        old, new = stage.t(f"prefers {self.one}"), stage.t(f"prefers {self.two}")
        stage.models.place([old, new], 0.9)
        stage.models.said[new] = Said("SUPERSEDE", old, reasoning=f"{self.two} wins")
        self.stored = owner.store(self.user, (old, "preference"))
        result = owner.write(self.user, (new, "preference"), expect=202)["results"][0]
        assert result["outcome"] == "held"
        self.waits = str(result["memory_id"])

    def erase(self, memory_id: str | None = None, user_id: str | None = None) -> Report:
        order = Order(self.tenant, "asked for", UUID(memory_id) if memory_id else None, user_id)
        report: Report = run(self.operator.carry_out(order))
        return report


def test_a_held_memory(stage: Stage, operator: Operator) -> None:
    held = Held(stage, operator)
    report = held.erase(held.waits)
    assert operator.places(held.two) == set()
    assert [one.status for one in report.memories] == [("held", "withdrawn")]
    assert held.owner.memory(held.stored)["open_contradictions"] == []


def test_what_a_held_memory_waits_for(stage: Stage, operator: Operator) -> None:
    held = Held(stage, operator)
    report = held.erase(held.stored)
    assert operator.places(held.one) == set()
    assert [str(one) for one in report.activated] == [held.waits], "nobody is left to be asked about it"
    assert held.owner.memory(held.waits)["status"] == "active"


def test_a_held_memory_and_what_it_waits_for(stage: Stage, operator: Operator) -> None:
    held = Held(stage, operator)
    report = held.erase(user_id=held.user)
    assert operator.places(held.one, held.two) == set()
    assert (report.activated, [one.status for one in report.memories]) == ([], [("active", "withdrawn"), ("held", "withdrawn")])
    events = [one["event"] for one in held.owner.history(held.waits)["events"]]
    assert events[-1] == "erased"
    assert "activated" not in events


def helixir(stage: Stage, *arguments: str) -> subprocess.CompletedProcess[str]:
    database = stage.house.database
    given = {"HELIXIR_DATABASE_URL": database.service_dsn, "HELIXIR_MIGRATION_DATABASE_URL": database.owner_dsn}
    command = [sys.executable, "-m", "app.cli", *arguments]
    return subprocess.run(command, env={**os.environ, **given}, capture_output=True, text=True, check=False, timeout=60)  # noqa: S603


def test_the_command_line(stage: Stage, operator: Operator) -> None:
    one, two = word(stage, "lisbon"), word(stage, "porto")
    met = stage.meet("SUPERSEDE", old=f"lives in {one}", new=f"lives in {two}")
    asked = ("erase", "--tenant", "default", "--memory", met.new, "--reason", "asked for")
    dry = helixir(stage, *asked, "--dry-run")
    assert dry.returncode == 0
    assert dry.stdout.startswith("would erase:\n")
    assert met.new in dry.stdout
    assert f"predecessors, not revived: {met.old}" in dry.stdout
    assert dry.stdout.endswith("nothing was changed\n")
    assert operator.places(two) != set()
    done = helixir(stage, *asked)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1:] == dry.stdout.splitlines()[1:-1]
    assert operator.places(two) == set()
    again = helixir(stage, *asked)
    assert (again.returncode, again.stdout) == (0, "already erased: there is nothing left of it\n")
    for wrong in (("--tenant", "no such"), ("--memory", "nonsense"), ("--memory", "01900000-0000-7000-8000-000000000000")):
        failed = helixir(stage, *asked, *wrong)
        assert (failed.returncode, failed.stdout) == (1, "")
        assert failed.stderr.startswith("helixir: ")
        assert failed.stderr.count("\n") == 1
