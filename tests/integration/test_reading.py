"""Lists: filters, pages that stay stable while others write, and what each key sees of them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.stage import Caller, Json, Stage


def walked(caller: Caller, path: str, **query: Any) -> list[Json]:
    """All pages of a list."""
    items: list[Json] = []
    cursor: str | None = None
    while True:
        page = caller.ask("GET", path, params={**query, **({} if cursor is None else {"cursor": cursor})})
        items += page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            return items


def test_each_filter_of_the_list_keeps_what_it_names(stage: Stage) -> None:
    user = stage.user()
    facts = [
        {"content": stage.t("likes tea"), "memory_type": "preference", "source": "user", "agent_id": "a", "session_id": "s1"},
        {"content": stage.t("has a cat"), "source": "tool", "agent_id": "b", "session_id": "s1"},
        {"content": stage.t("wants a dog"), "memory_type": "goal", "agent_id": "a", "session_id": "s2"},
    ]
    stage.agent.write(user, *facts)
    texts = [fact["content"] for fact in facts]
    for query, kept in (
        ({}, [0, 1, 2]),
        ({"memory_type": "preference"}, [0]),
        ({"source": "tool"}, [1]),
        ({"agent_id": "a"}, [0, 2]),
        ({"session_id": "s1"}, [0, 1]),
        ({"agent_id": "a", "session_id": "s1"}, [0]),
        ({"kind": "atom", "status": "active"}, [0, 1, 2]),
        ({"status": "superseded"}, []),
        ({"kind": "raw_input"}, []),
        ({"undecided": "true"}, []),
        ({"undecided": "false"}, [0, 1, 2]),
    ):
        assert stage.agent.texts(user, **query) == sorted(texts[number] for number in kept), query
    newest_first = [memory["content"] for memory in stage.agent.listed(user)]
    assert newest_first == texts[::-1]


def test_the_list_shows_current_atoms_unless_another_status_is_asked_for(stage: Stage) -> None:
    met = stage.meet("SUPERSEDE")
    assert stage.agent.texts(met.user) == [met.new_text]
    assert stage.agent.texts(met.user, status="superseded") == [met.old_text]
    assert stage.agent.texts(met.user, status="held") == []


def test_undecided_facts_are_listed_until_they_are_decided(stage: Stage) -> None:
    met = stage.meet("OBLITERATE")
    assert stage.agent.texts(met.user, undecided="true") == [met.new_text]
    stage.owner.act("withdraw", met.new)
    assert stage.agent.texts(met.user, undecided="true") == []


@pytest.mark.parametrize(
    "query", [{"limit": 0}, {"limit": 201}, {"cursor": "nonsense!"}, {"status": "gone"}, {"colour": "red"}, {"kind": ""}]
)
def test_a_query_that_makes_no_sense_is_refused(stage: Stage, query: Json) -> None:
    stage.agent.ask("GET", "/memories", 422, params=query)


@pytest.mark.parametrize("limit", [1, 3, 200])
def test_pages_give_everything_once_newest_first(stage: Stage, limit: int) -> None:
    user = stage.user()
    stage.agent.write(user, *(stage.t(f"owns thing {number}") for number in range(10)))
    whole = [memory["id"] for memory in stage.agent.listed(user, limit=200)]
    assert [memory["id"] for memory in walked(stage.agent, "/memories", user_id=user, limit=limit)] == whole
    assert whole == sorted(whole, reverse=True)
    assert len(set(whole)) == 10


def test_pages_stay_stable_while_others_write(stage: Stage) -> None:
    user = stage.user()
    stage.agent.write(user, *(stage.t(f"owns thing {number}") for number in range(9)))
    before = [memory["id"] for memory in stage.agent.listed(user)]
    seen: list[str] = []
    cursor: str | None = None
    for number in range(20):
        query = {"user_id": user, "limit": 2, **({} if cursor is None else {"cursor": cursor})}
        page = stage.agent.ask("GET", "/memories", params=query)
        seen += [memory["id"] for memory in page["items"]]
        stage.agent.write(user, stage.t(f"found thing {number}"))
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == before


def test_a_memory_that_leaves_while_pages_are_walked_hides_no_other(stage: Stage) -> None:
    user = stage.user()
    stage.agent.write(user, *(stage.t(f"owns thing {number}") for number in range(6)))
    ids = [memory["id"] for memory in stage.agent.listed(user)]
    page = stage.agent.ask("GET", "/memories", params={"user_id": user, "limit": 2})
    stage.owner.act("withdraw", ids[1])
    rest = walked(stage.agent, "/memories", user_id=user, limit=2, cursor=page["next_cursor"])
    assert [memory["id"] for memory in rest] == ids[2:]


def test_a_bound_key_lists_its_own_and_what_others_share(stage: Stage) -> None:
    ann, bob = stage.user("ann"), stage.user("bob")
    own, shared, private = stage.t("lives in Lisbon"), stage.t("is open on Sunday"), stage.t("lives in Porto")
    stage.agent.store(ann, own)
    stage.agent.store(bob, shared, shared=True)
    stage.agent.store(bob, private)
    anns = stage.key("agent", ann)
    listed = {memory["content"] for memory in walked(anns, "/memories", limit=200)}
    assert {own, shared} <= listed
    assert private not in listed
    assert (anns.texts(ann), anns.texts(bob)) == ([own], [shared])


def test_a_memory_is_shown_with_all_that_the_contract_names(stage: Stage) -> None:
    met = stage.meet(
        "SUPERSEDE", new={"content": "lives in Porto", "valid_from": "2026-05-01T02:00:00+02:00", "metadata": {"a": [1, None]}}
    )
    memory = stage.agent.memory(met.new)
    assert set(memory) == set(
        "id user_id kind memory_type content status immutable shared source revision created_at valid_from valid_to supersedes "
        "superseded_by raw_input_id same_as open_contradictions metadata agent_id session_id created_by charter_version undecided".split()
    )
    assert (memory["valid_from"], memory["metadata"], memory["user_id"]) == ("2026-05-01T00:00:00Z", {"a": [1, None]}, met.user)
    assert memory["created_by"] == stage.agent.ask("GET", "/me")["key_id"]
    response = stage.agent.http.get(f"/memories/{met.new}")
    assert response.headers["ETag"] == '"1"'


def test_disputes_are_listed_by_status_type_user_and_key(stage: Stage) -> None:
    user = stage.user()
    flagged = stage.meet("CONTRADICT", user=user)
    deferred = stage.disputed(user=user)
    stage.agent.answer(flagged.dispute, "coexist")
    mine = stage.agent.ask("GET", "/me")["key_id"]
    owners = stage.owner.ask("GET", "/me")["key_id"]
    for query, kept in (
        ({}, [deferred.dispute, flagged.dispute]),
        ({"status": "open"}, [deferred.dispute]),
        ({"status": "resolved"}, [flagged.dispute]),
        ({"status": "moot"}, []),
        ({"conflict_type": "contradiction"}, [flagged.dispute]),
        ({"conflict_type": "protected_type_rewrite"}, [deferred.dispute]),
        ({"created_by": mine}, [deferred.dispute, flagged.dispute]),
        ({"created_by": owners}, []),
    ):
        assert [one["id"] for one in stage.agent.disputes(user, **query)] == kept, query
    assert [one["id"] for one in walked(stage.agent, "/contradictions", user_id=user, limit=1)] == [deferred.dispute, flagged.dispute]
    assert stage.agent.disputes(stage.user("nobody")) == []


def test_a_dispute_is_shown_with_all_that_the_contract_names(stage: Stage) -> None:
    met = stage.disputed()
    seen = stage.agent.dispute(met.dispute)
    names = (
        "id version status strategy conflict_type articles pending_operation confidence new existing options suggested_question "
        "created_at created_by resolution contexts resolved_at resolved_by answered_by note effects rule_id moot_cause"
    )
    assert set(names.split()) <= set(seen)
    assert (seen["new"]["content"], seen["existing"]["content"]) == (met.new_text, met.old_text)
    assert (seen["resolution"], seen["resolved_at"], seen["effects"]) == (None, None, None)
    asked = met.asked
    assert [option["resolution"] for option in asked["options"]] == asked["resolutions"] == ["retract", "confirm", "coexist", "amend"]
    assert all(option["say"] and option["effect"] for option in asked["options"])
    assert met.old_text in asked["suggested_question"]
    assert met.new_text in asked["suggested_question"]


def test_a_question_quotes_up_to_160_characters_on_one_line(stage: Stage) -> None:
    long = stage.t("prefers " + "tea and \n\t\u202e\u200b\u0007 cake " * 30)
    met = stage.disputed(old=(long, "preference"))
    question = met.asked["suggested_question"]
    assert not any(character in question for character in "\n\t\u202e\u200b\u0007")
    assert len(question) < 160 * 2 + 300
    assert met.asked["existing_content"] == long


def test_decisions_are_listed_by_memory_write_and_outcome(stage: Stage) -> None:
    met = stage.meet("SUPERSEDE")
    by_old = stage.agent.items("/decisions", memory_id=met.old)
    assert [one["outcome"] for one in by_old] == ["superseded", "stored"]
    assert [one["id"] for one in stage.agent.items("/decisions", memory_id=met.new)] == [met.result["decision_id"]]
    assert [one["id"] for one in stage.agent.items("/decisions", write_id=met.body["write_id"])] == [met.result["decision_id"]]
    assert [one["outcome"] for one in stage.agent.items("/decisions", memory_id=met.old, outcome="stored")] == ["stored"]
    assert [one["id"] for one in walked(stage.agent, "/decisions", memory_id=met.old, limit=1)] == [one["id"] for one in by_old]


def test_a_decision_tells_everything_that_led_to_it(stage: Stage) -> None:
    met = stage.meet("SUPERSEDE", 91, reasoning="moved in May")
    decision = stage.agent.ask("GET", f"/decisions/{met.result['decision_id']}")
    assert decision["verdict"] == {
        "operation": "SUPERSEDE",
        "target": met.old,
        "confidence": 91,
        "reasoning": "moved in May",
        "merged_content": None,
        "new_type": None,
        "target_type": None,
    }
    assert (decision["ruling"]["operation"], decision["ruling"]["outcome"]) == ("SUPERSEDE", "superseded")
    assert [candidate["memory_id"] for candidate in decision["candidates"]] == [met.old]
    assert decision["candidates"][0]["similarity"] == pytest.approx(0.9, abs=0.005)
    assert (decision["engine"]["name"], decision["engine"]["calls"], decision["embedder"]) == ("llm:stub-engine", 1, "stub-model")
    assert (decision["charter_version"], decision["mode"], decision["articles"], decision["rules"]) == (1, "defer", [], [])
    assert {"embed", "engine", "read"} <= set(decision["timings"])


def test_an_error_is_a_problem_document_that_echoes_nothing(stage: Stage) -> None:
    response = stage.agent.http.get("/memories/01900000-0000-7000-8000-000000000000")
    assert (response.status_code, response.headers["content-type"].split(";")[0]) == (404, "application/problem+json")
    assert {"type", "title", "status", "detail", "instance", "code", "request_id", "retryable"} <= set(response.json())
