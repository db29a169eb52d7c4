"""What is decided after its write was answered: accepted writes go on by themselves, undecided facts are decided again."""

from __future__ import annotations

import pytest

from tests.integration.stage import Json, Meeting, Stage, wait_until
from tests.model_stub import Reply

SETTINGS = {"intake": {"retry_seconds": 0.3}, "embedding": {"timeout_seconds": 20}}


def late(stage: Stage, operation: str, old: tuple[str, str] = ("lives in Lisbon", "fact"), merged: str | None = None) -> Meeting:
    """A fact that was undecided and then is decided by the work in the background."""
    new = (old[0].replace("Lisbon", "Porto"), old[1])
    fault = stage.models.fail("chat", stage.t(new[0]), Reply(status=500))
    met = stage.meet(operation, old=old, new=new, merged=merged)
    assert met.result["outcome"] == "undecided"
    stage.models.heal(fault)
    wait_until(lambda: stage.agent.memory(met.new), lambda memory: not memory["undecided"])
    return met


def asked(stage: Stage, met: Meeting) -> Json:
    (dispute,) = stage.agent.disputes(met.user)
    return dispute


def test_a_late_add_is_decided_and_changes_nothing_else(stage: Stage) -> None:
    met = late(stage, "ADD")
    assert stage.agent.texts(met.user) == sorted([met.old_text, met.new_text])
    assert stage.agent.disputes(met.user) == []
    outcomes = [one["outcome"] for one in stage.agent.items("/decisions", memory_id=met.new)]
    assert outcomes == ["stored", "undecided"]


@pytest.mark.parametrize("operation", ["SUPERSEDE", "UPDATE"])
def test_a_late_rewrite_is_always_asked_about(stage: Stage, operation: str) -> None:
    merged = stage.t("lives in Lisbon Porto") if operation == "UPDATE" else None
    met = late(stage, operation, merged=merged)
    dispute = asked(stage, met)
    assert (dispute["conflict_type"], dispute["articles"], dispute["pending_operation"]) == ("late_decision", [], operation)
    assert (dispute["new"]["id"], dispute["existing"]["id"]) == (met.new, met.old)
    assert stage.agent.memory(met.old)["revision"] == 1
    stage.agent.answer(dispute["id"], "retract")
    assert stage.agent.texts(met.user) == [merged or met.new_text]


def test_an_article_outranks_the_lateness(stage: Stage) -> None:
    dispute = asked(stage, late(stage, "SUPERSEDE", ("prefers Lisbon", "preference")))
    assert (dispute["conflict_type"], dispute["articles"]) == ("protected_type_rewrite", ["C3"])


def test_a_late_contradiction_is_flagged(stage: Stage) -> None:
    dispute = asked(stage, late(stage, "CONTRADICT"))
    assert (dispute["conflict_type"], dispute["strategy"]) == ("contradiction", "charter_flagged")


def test_a_late_noop_links_the_twins(stage: Stage) -> None:
    met = late(stage, "NOOP")
    assert stage.agent.memory(met.new)["same_as"] == [met.old]
    assert stage.agent.memory(met.new)["status"] == "active"
    assert [hit["memory"]["id"] for hit in stage.agent.search(met.user, met.new_text)] == [met.new]


def test_a_fact_whose_memory_was_withdrawn_meanwhile_is_not_decided_any_more(stage: Stage) -> None:
    fault = stage.models.fail("chat", stage.t("lives in Porto"), Reply(status=500))
    met = stage.meet("SUPERSEDE")
    stage.owner.act("withdraw", met.new)
    stage.models.heal(fault)
    stage.agent.ask("POST", f"/memories/{met.new}/decide")
    assert (stage.agent.disputes(met.user), stage.agent.texts(met.user)) == ([], [met.old_text])


@pytest.mark.parametrize("kind", ["facts", "message"])
def test_an_accepted_write_goes_on_when_the_embedder_is_back(stage: Stage, kind: str) -> None:
    user, text = stage.user(), stage.t("lives in Lisbon")
    stage.models.extracts[stage.t("lives in Lisbon, they say")] = [{"content": text, "memory_type": "fact", "valid_from": None}]
    fault = stage.models.fail("embeddings", text, Reply(status=503))
    said = (
        stage.agent.write(user, text, expect=202)
        if kind == "facts"
        else stage.agent.say(user, stage.t("lives in Lisbon, they say"), expect=202)
    )
    assert said["status"] == "accepted"
    stage.models.heal(fault)
    done = wait_until(lambda: stage.agent.ask("GET", f"/writes/{said['write_id']}"), lambda write: write["status"] == "completed")
    assert [(one["content"], one["outcome"]) for one in done["results"]] == [(text, "stored")]
    assert stage.agent.texts(user) == [text]
    assert (done["raw_input_id"] is None) == (kind == "facts")


def test_writes_that_waited_never_rewrite_silently(stage: Stage) -> None:
    user, old, new = stage.user(), stage.t("lives in Lisbon"), stage.t("lives in Porto")
    stage.models.place([old, new], 0.9)
    stage.expect(new, "SUPERSEDE", old)
    fault = stage.models.fail("embeddings", new, Reply(status=503))
    said = stage.agent.write(user, new, expect=202)
    stage.agent.store(user, old)
    stage.models.heal(fault)
    done = wait_until(lambda: stage.agent.ask("GET", f"/writes/{said['write_id']}"), lambda write: write["status"] == "completed")
    assert done["results"][0]["outcome"] == "deferred"
    assert done["needs_clarification"][0]["conflict_type"] == "late_decision"
    assert stage.agent.texts(user) == sorted([old, new])


def test_an_answer_at_once_is_a_wish_that_is_granted(stage: Stage) -> None:
    user, text = stage.user(), stage.t("lives in Lisbon")
    send = {"user_id": user, "facts": [{"content": text, "memory_type": "fact"}]}
    response = stage.agent.http.post("/memories", json=send, headers={"Prefer": "respond-async"})
    assert (response.status_code, response.json()["status"]) == (202, "accepted")
    wait_until(lambda: stage.agent.texts(user), lambda texts: texts == [text])


def test_a_model_that_is_slow_for_some_writes_does_not_hold_up_others(stage: Stage) -> None:
    user, slow, quick = stage.user(), [stage.t(f"lives in place {number}") for number in range(3)], stage.t("has a cat")
    for text in slow:
        stage.models.fail("embeddings", text, Reply.vectors(stage.models.vector(text), delay=8.0))

    def later(text: str) -> str:
        send = {"user_id": user, "facts": [{"content": text, "memory_type": "fact"}]}
        return str(stage.agent.http.post("/memories", json=send, headers={"Prefer": "respond-async"}).json()["write_id"])

    waiting = [later(text) for text in slow]
    wait_until(lambda: sum(map(stage.models.embedded, slow)), lambda count: count == 3)
    done = later(quick)
    wait_until(lambda: stage.agent.ask("GET", f"/writes/{done}"), lambda write: write["status"] == "completed")
    assert {stage.agent.ask("GET", f"/writes/{write}")["status"] for write in waiting} == {"accepted"}
    wait_until(lambda: stage.agent.texts(user), lambda texts: texts == sorted([*slow, quick]))
