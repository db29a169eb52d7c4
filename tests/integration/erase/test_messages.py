"""Erasing what came in a message, with or without the other statements of it."""

from __future__ import annotations

from typing import Any

import pytest

from app.errors import ConflictError
from tests.integration.erase.operator import Operator, ids, message, word
from tests.integration.stage import Stage


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
