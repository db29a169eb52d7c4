"""One answer to one dispute: what each resolution does, and that it does it once."""

from __future__ import annotations

import pytest

from tests.integration.stage import Json, Meeting, Stage, at_once

NOTHING: Json = {kind: [] for kind in ("superseded", "updated", "withdrawn", "created", "activated", "moved", "moot")}


def statuses(stage: Stage, met: Meeting) -> tuple[str, str]:
    return stage.agent.memory(met.old)["status"], stage.agent.memory(met.new)["status"]


@pytest.mark.parametrize("operation", ["SUPERSEDE", "CONTRADICT", "DELETE"])
def test_retract_supersedes_the_stored_one_by_the_new_one(stage: Stage, operation: str) -> None:
    met = stage.disputed(operation, reasoning="it is outdated")
    body = stage.agent.answer(met.dispute, "retract", note="they said so", answered_by="Ann")
    assert body["effects"] == {**NOTHING, "superseded": [met.old]}
    closed = body["contradiction"]
    assert (closed["status"], closed["resolution"], closed["note"], closed["answered_by"]) == ("resolved", "retract", "they said so", "Ann")
    assert closed["resolved_by"] == stage.agent.ask("GET", "/me")["key_id"]
    assert (closed["options"], closed["suggested_question"], closed["effects"]) == ([], None, body["effects"])
    assert statuses(stage, met) == ("superseded", "active")
    edge = "SELECT reason, contradiction_id::text FROM edges WHERE type = 'SUPERSEDES' AND to_memory_id = $1"
    (row,) = stage.rows(edge, met.old)
    assert row["contradiction_id"] == met.dispute
    assert row["reason"].startswith("they said so")
    assert ("wanted this memory deleted: it is outdated" in row["reason"]) == (operation == "DELETE")
    assert stage.agent.memory(met.old)["valid_to"] is not None
    assert stage.agent.texts(met.user) == [met.new_text]


def test_retract_of_an_update_revises_the_stored_one_and_supersedes_the_new_one(stage: Stage) -> None:
    merged = stage.t("prefers tea coffee")
    met = stage.disputed("UPDATE", merged=merged)
    assert any(merged in option["effect"] for option in met.asked["options"])
    assert stage.agent.dispute(met.dispute)["pending_content"] == merged
    body = stage.agent.answer(met.dispute, "retract")
    assert body["effects"] == {**NOTHING, "updated": [met.old], "superseded": [met.new]}
    old, new = stage.agent.memory(met.old), stage.agent.memory(met.new)
    assert (old["content"], old["revision"], old["status"], old["supersedes"]) == (merged, 2, "active", [met.new])
    assert (new["content"], new["status"], new["superseded_by"]) == (met.new_text, "superseded", met.old)
    assert stage.agent.search(met.user, merged)[0]["similarity"] > 0.99


def test_retract_of_an_update_that_drops_words_keeps_both_old_texts_whole(stage: Stage) -> None:
    merged = stage.t("prefers coffee now")
    old = {"content": "prefers tea in the evening", "memory_type": "preference"}
    met = stage.disputed("UPDATE", old=old, merged=merged)
    assert met.asked["pending_operation"] == "SUPERSEDE"
    stage.agent.answer(met.dispute, "retract")
    assert stage.agent.texts(met.user) == [merged]
    assert stage.agent.memory(met.old)["content"] == met.old_text
    revisions = stage.agent.history(met.new)["revisions"]
    assert [revision["content"] for revision in revisions] == [met.new_text, merged]


def test_confirm_withdraws_the_new_one_and_keeps_it_readable(stage: Stage) -> None:
    met = stage.disputed()
    body = stage.agent.answer(met.dispute, "confirm")
    assert body["effects"] == {**NOTHING, "withdrawn": [met.new]}
    assert statuses(stage, met) == ("active", "withdrawn")
    assert stage.agent.memory(met.new)["content"] == met.new_text
    assert stage.agent.texts(met.user, status="withdrawn") == [met.new_text]
    assert met.new not in [hit["memory"]["id"] for hit in stage.agent.search(met.user, met.new_text, include_superseded=True)]


def test_coexist_keeps_both_with_the_context_of_each(stage: Stage) -> None:
    met, contexts = stage.disputed(), {"new": "at work", "existing": "at home"}
    body = stage.agent.answer(met.dispute, "coexist", contexts=contexts)
    assert (body["effects"], body["contradiction"]["contexts"]) == (NOTHING, contexts)
    assert statuses(stage, met) == ("active", "active")
    for memory_id in (met.old, met.new):
        assert stage.agent.memory(memory_id)["open_contradictions"] == []
        assert stage.agent.history(memory_id)["events"][-1]["event"] == "coexists"
    bare = stage.disputed(old=("likes tea", "preference"), new=("likes coffee", "preference"))
    assert stage.agent.answer(bare.dispute, "coexist")["contradiction"]["contexts"] is None


@pytest.mark.parametrize("wording", ["prefers water", "prefers tea", "prefers coffee"])
def test_amend_supersedes_both_by_the_humans_wording(stage: Stage, wording: str) -> None:
    met, text = stage.disputed(), stage.t(wording)
    body = stage.agent.answer(met.dispute, "amend", content=text)
    (created,) = body["effects"]["created"]
    assert sorted(body["effects"]["superseded"]) == sorted([met.old, met.new])
    memory = stage.agent.memory(created)
    assert (memory["content"], memory["status"], memory["source"], memory["memory_type"]) == (text, "active", "user", "preference")
    assert sorted(memory["supersedes"]) == sorted([met.old, met.new])
    assert statuses(stage, met) == ("superseded", "superseded")
    assert stage.agent.texts(met.user) == [text]


def test_amend_to_what_another_memory_says_is_409_with_its_id(stage: Stage) -> None:
    met, other = stage.disputed(), stage.t("prefers water")
    stored = stage.agent.store(met.user, (other, "preference"))
    body = stage.agent.answer(met.dispute, "amend", 409, content=f" {other}. ")
    assert (body["code"], body["memory_id"]) == ("same_text", stored)
    assert statuses(stage, met) == ("active", "active")
    assert stage.agent.dispute(met.dispute)["status"] == "open"


def test_every_answer_is_an_episode_that_names_no_text(stage: Stage) -> None:
    met = stage.disputed()
    episode = stage.agent.memory(stage.agent.answer(met.dispute, "retract")["episode_id"])
    assert (episode["kind"], episode["user_id"], episode["immutable"]) == ("episode", "helixir", True)
    assert stage.name not in episode["content"]
    supported = stage.rows("SELECT to_memory_id::text FROM edges WHERE type = 'SUPPORTS' AND from_memory_id = $1", episode["id"])
    assert sorted(row[0] for row in supported) == sorted([met.old, met.new])


@pytest.mark.parametrize(
    "answer",
    [
        {"resolution": "amend"},
        {"resolution": "confirm", "content": "more"},
        {"resolution": "retract", "contexts": {"new": "at work"}},
        {"resolution": "shrug"},
        {"resolution": "confirm", "version": 0},
        {"resolution": "confirm", "version": "1"},
        {"resolution": "confirm", "answer": "yes"},
    ],
    ids=str,
)
def test_an_answer_that_makes_no_sense_changes_nothing(stage: Stage, answer: Json) -> None:
    met = stage.disputed()
    stage.agent.ask("POST", f"/contradictions/{met.dispute}/resolve", 422, json=answer)
    assert stage.agent.dispute(met.dispute)["status"] == "open"
    assert statuses(stage, met) == ("active", "active")


@pytest.mark.parametrize(
    "answer",
    [{"resolution": "retract"}, {"resolution": "confirm"}, {"resolution": "coexist", "contexts": {"new": "x"}}, {"resolution": "amend"}],
    ids=lambda answer: answer["resolution"],
)
def test_the_same_answer_again_gives_the_same_and_changes_nothing(stage: Stage, answer: Json) -> None:
    met = stage.disputed()
    said = {**answer, "content": stage.t("prefers water")} if answer["resolution"] == "amend" else answer
    first = stage.agent.answer(met.dispute, **said)
    counted = "SELECT (SELECT count(*) FROM memories) + (SELECT count(*) FROM memory_events) + (SELECT count(*) FROM edges)"
    before = stage.value(counted)
    assert stage.agent.answer(met.dispute, **said) == first
    assert stage.owner.answer(met.dispute, **said)["effects"] == first["effects"]
    assert stage.value(counted) == before


def test_a_contrary_answer_is_409_with_the_answer_that_stands(stage: Stage) -> None:
    met = stage.disputed()
    stage.agent.answer(met.dispute, "coexist", contexts={"new": "at work"})
    contrary: list[Json] = [
        {"resolution": "retract"},
        {"resolution": "confirm"},
        {"resolution": "amend", "content": stage.t("prefers water")},
        {"resolution": "coexist", "contexts": {"new": "at home"}},
    ]
    for answer in contrary:
        body = stage.owner.ask("POST", f"/contradictions/{met.dispute}/resolve", 409, json=answer)
        assert body["code"] == "already_resolved"
        stands = body["contradiction"]
        assert (stands["status"], stands["resolution"], stands["contexts"]) == ("resolved", "coexist", {"new": "at work"})
    assert statuses(stage, met) == ("active", "active")


def test_of_eight_answers_at_once_one_wins_and_the_others_learn_which(stage: Stage) -> None:
    met = stage.disputed()
    answers: list[Json] = [{"resolution": "retract"}, {"resolution": "confirm"}]
    answers += [{"resolution": "coexist", "contexts": {"new": f"place {number}"}} for number in range(3)]
    answers += [{"resolution": "amend", "content": stage.t(f"prefers water {number}")} for number in range(3)]

    def bring(answer: Json) -> tuple[int, Json]:
        response = stage.agent.http.post(f"/contradictions/{met.dispute}/resolve", json=answer)
        return response.status_code, response.json()

    told = at_once([lambda answer=answer: bring(answer) for answer in answers])  # type: ignore[misc]
    won = [body for status, body in told if status == 200]
    assert len(won) == 1, [status for status, _ in told]
    winner = won[0]["contradiction"]
    for status, body in told:
        if status != 200:
            assert (status, body["code"]) == (409, "already_resolved")
            assert body["contradiction"]["resolution"] == winner["resolution"]
            assert body["contradiction"]["contexts"] == winner["contexts"]
            assert body["contradiction"]["effects"] == winner["effects"]
    assert stage.value("SELECT count(*) FROM contradiction_events WHERE contradiction_id = $1 AND event = 'resolved'", met.dispute) == 1
