"""Messages, dry runs and repeats of requests: what is kept, what is not, and what a key makes harmless."""

from __future__ import annotations

from functools import partial

import pytest

from tests.integration.stage import Json, Stage, at_once
from tests.model_stub import Reply

TABLES = (
    "SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE n.nspname = 'public' AND c.relkind = 'r' ORDER BY 1"
)


def contents(stage: Stage) -> dict[str, str]:
    """A fingerprint of every row of every table."""
    hashed = "SELECT coalesce(md5(string_agg(t::text, ',' ORDER BY t::text)), 'empty') FROM {} t"
    return {row[0]: stage.value(hashed.format(row[0])) for row in stage.rows(TABLES)}


def test_a_message_is_kept_whole_and_its_atoms_are_derived_from_it(stage: Stage) -> None:
    user, message = stage.user(), stage.t(f"lives in Lisbon since 1 May 2025.\n  {stage.name} prefers   tea. ")
    facts = [stage.t("lives in Lisbon"), stage.t("prefers tea")]
    stage.models.extracts[message] = [
        {"content": facts[0], "memory_type": "fact", "valid_from": "2025-05-01T00:00:00Z"},
        {"content": facts[1], "memory_type": "preference", "valid_from": None},
    ]
    body = stage.agent.say(user, message, source="user", metadata={"channel": "chat"})
    raw = stage.agent.memory(body["raw_input_id"])
    assert (raw["kind"], raw["content"], raw["immutable"], raw["status"], raw["source"]) == ("raw_input", message, True, "active", "user")
    assert [result["content"] for result in body["results"]] == facts
    for result, kind in zip(body["results"], ("fact", "preference"), strict=True):
        memory = stage.agent.memory(result["memory_id"])
        assert (memory["memory_type"], memory["raw_input_id"], memory["source"]) == (kind, raw["id"], "user")
        edge = "SELECT to_memory_id::text FROM edges WHERE type = 'DERIVED_FROM' AND from_memory_id = $1"
        assert stage.value(edge, memory["id"]) == raw["id"]
    assert stage.agent.memory(body["results"][0]["memory_id"])["valid_from"] == "2025-05-01T00:00:00Z"
    assert stage.agent.texts(user) == sorted(facts)
    assert stage.agent.texts(user, kind="raw_input") == [message]


def test_a_message_that_states_nothing_is_kept_all_the_same(stage: Stage) -> None:
    user, message = stage.user(), stage.t("hm")
    stage.models.extracts[message] = []
    body = stage.agent.say(user, message)
    assert (body["status"], body["results"]) == ("completed", [])
    assert stage.agent.memory(body["raw_input_id"])["content"] == message


def test_a_raw_input_is_no_candidate_and_is_not_recalled(stage: Stage) -> None:
    user, message = stage.user(), stage.t("lives in Lisbon, they say")
    stage.models.extracts[message] = []
    stage.agent.say(user, message)
    result = stage.agent.write(user, message)["results"][0]
    assert (result["tier"], result["outcome"]) == ("new", "stored")
    assert [hit["memory"]["kind"] for hit in stage.agent.search(user, message)] == ["atom"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("prefers tea", "preference"),
        ("wants to climb a mountain", "goal"),
        ("thinks that cats are clever", "opinion"),
        ("lives in Lisbon", "fact"),
    ],
)
def test_a_fact_without_a_type_is_typed_by_its_cue(stage: Stage, text: str, kind: str) -> None:
    body = stage.agent.ask("POST", "/memories", 201, json={"user_id": stage.user(), "facts": [{"content": stage.t(text)}]})
    assert body["results"][0]["memory_type"] == kind


def test_a_dry_run_says_what_would_happen_and_changes_nothing_anywhere(stage: Stage) -> None:
    user, message = stage.user(), stage.t("lives in Porto now")
    old, new, tea, coffee = (stage.t(text) for text in ("lives in Lisbon", "lives in Porto", "prefers tea", "prefers coffee"))
    stage.models.place([old, new], 0.9)
    stage.models.place([tea, coffee], 0.9)
    stage.expect(new, "SUPERSEDE", old)
    stage.expect(coffee, "SUPERSEDE", tea)
    stored = stage.agent.store(user, old)
    stage.agent.store(user, (tea, "preference"))
    stage.models.extracts[message] = [{"content": new, "memory_type": "fact", "valid_from": None}]
    before = contents(stage)
    body = stage.agent.write(user, new, (coffee, "preference"), old, expect=200, dry_run=True)
    said = stage.agent.say(user, message, expect=200, dry_run=True)
    assert contents(stage) == before
    assert [result["outcome"] for result in body["results"]] == ["superseded", "deferred", "stored"]
    assert (body["write_id"], body["results"][0]["memory_id"], body["results"][0]["decision_id"]) == (None, None, None)
    assert body["results"][0]["target_memory_id"] == stored
    questions = {asked["new_content"]: asked for asked in body["needs_clarification"]}
    assert (questions[coffee]["contradiction_id"], questions[coffee]["articles"]) == (None, ["C3"])
    assert (said["raw_input_id"], said["results"][0]["outcome"]) == (None, "superseded")


def test_a_dry_run_tells_what_then_happens(stage: Stage) -> None:
    user, old, new = stage.user(), stage.t("lives in Lisbon"), stage.t("lives in Porto")
    stage.models.place([old, new], 0.9)
    stage.expect(new, "SUPERSEDE", old, 60)
    stage.agent.store(user, old)
    told = stage.agent.write(user, new, expect=200, dry_run=True)
    done = stage.agent.write(user, new)
    ids = {"memory_id", "decision_id", "contradiction_id", "new_memory_id"}

    def without_ids(items: list[Json]) -> list[Json]:
        return [{key: value for key, value in item.items() if key not in ids} for item in items]

    for part in ("results", "needs_clarification"):
        assert without_ids(told[part]) == without_ids(done[part])


def test_a_repeated_key_gives_the_same_write_and_says_so(stage: Stage) -> None:
    user, text = stage.user(), stage.t("lives in Lisbon")
    send = {"user_id": user, "facts": [{"content": text, "memory_type": "fact"}]}
    first = stage.agent.http.post("/memories", json=send, headers={"Idempotency-Key": stage.name})
    reordered = {"facts": [{"memory_type": "fact", "content": text}], "user_id": user}
    again = stage.agent.http.post("/memories", json=reordered, headers={"Idempotency-Key": stage.name})
    assert (first.status_code, again.status_code) == (201, 201)
    assert ("Idempotency-Replayed" in first.headers, again.headers["Idempotency-Replayed"]) == (False, "true")
    assert first.json() == again.json()
    assert stage.value("SELECT count(*) FROM decisions WHERE user_id = $1", user) == 1


def test_a_replay_shows_the_write_as_it_is_now(stage: Stage) -> None:
    user, tea, coffee = stage.user(), (stage.t("prefers tea"), "preference"), (stage.t("prefers coffee"), "preference")
    stage.models.place([tea[0], coffee[0]], 0.9)
    stage.expect(coffee[0], "SUPERSEDE", tea[0])
    stage.agent.store(user, tea)
    body = stage.agent.write(user, coffee, key=stage.name)
    assert len(stage.agent.write(user, coffee, key=stage.name)["needs_clarification"]) == 1
    stage.agent.answer(body["needs_clarification"][0]["contradiction_id"], "coexist")
    again = stage.agent.write(user, coffee, key=stage.name)
    assert (again["write_id"], again["needs_clarification"]) == (body["write_id"], [])


def test_a_repeated_key_with_another_body_is_refused(stage: Stage) -> None:
    user = stage.user()
    stage.agent.write(user, stage.t("lives in Lisbon"), key=stage.name)
    body = stage.agent.write(user, stage.t("lives in Porto"), expect=422, key=stage.name)
    assert body["code"] == "idempotency_mismatch"
    assert stage.agent.texts(user) == [stage.t("lives in Lisbon")]


def test_the_same_idempotency_key_of_another_key_is_another_request(stage: Stage) -> None:
    user = stage.user()
    first = stage.agent.write(user, stage.t("lives in Lisbon"), key=stage.name)
    second = stage.owner.write(user, stage.t("lives in Porto"), key=stage.name)
    assert first["write_id"] != second["write_id"]


def test_of_two_requests_with_one_key_at_once_one_works_and_one_waits(stage: Stage) -> None:
    user, text = stage.user(), stage.t("lives in Lisbon")
    slow = stage.models.fail("embeddings", text, Reply.vectors(stage.models.vector(text), delay=0.6))
    send = {"user_id": user, "facts": [{"content": text, "memory_type": "fact"}]}
    post = partial(stage.agent.http.post, "/memories", json=send, headers={"Idempotency-Key": stage.name})
    answers = at_once([post, post])
    stage.models.heal(slow)
    assert sorted(answer.status_code for answer in answers) == [201, 409]
    refused = next(answer for answer in answers if answer.status_code == 409)
    assert (refused.json()["code"], refused.json()["retryable"]) == ("still_running", True)
    assert post().headers["Idempotency-Replayed"] == "true"
    assert stage.value("SELECT count(*) FROM memories WHERE user_id = $1", user) == 1


def test_a_key_counts_for_a_day(stage: Stage) -> None:
    user = stage.user()
    claimed = """
    INSERT INTO replays SELECT tenant_id, key_id, $1, sha256('another'), gen_random_uuid(), clock_timestamp() - make_interval(mins => $2)
    FROM writes WHERE write_id = $3
    """
    write = stage.agent.write(user, stage.t("lives in Lisbon"))["write_id"]
    stage.rows(claimed, f"{stage.name}-old", 24 * 60 + 1, write)
    stage.rows(claimed, f"{stage.name}-young", 24 * 60 - 1, write)
    stage.agent.write(user, stage.t("lives in Porto"), key=f"{stage.name}-old")
    assert stage.agent.write(user, stage.t("lives in Faro"), expect=422, key=f"{stage.name}-young")["code"] == "idempotency_mismatch"


def test_a_shape_error_stores_nothing(stage: Stage) -> None:
    user = stage.user()
    good, bad = {"content": stage.t("lives in Lisbon")}, {"content": stage.t("lives in Porto"), "memory_type": "rumour"}
    body = stage.agent.ask("POST", "/memories", 422, json={"user_id": user, "facts": [good, bad]})
    assert stage.name not in str(body)
    assert stage.value("SELECT count(*) FROM writes WHERE user_id = $1", user) == 0
    assert stage.agent.texts(user) == []


def test_a_finished_write_can_be_read_again(stage: Stage) -> None:
    body = stage.agent.write(stage.user(), stage.t("lives in Lisbon"))
    assert stage.agent.ask("GET", f"/writes/{body['write_id']}") == body
