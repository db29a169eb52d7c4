"""Acts on one memory: an owner's edit runs, an agent's takes the charter's way, and finality is the owner's."""

from __future__ import annotations

import pytest

from tests.integration.stage import Json, Stage


def test_an_owners_edit_runs_with_history_whatever_the_type(stage: Stage) -> None:
    user, first, second = stage.user(), stage.t("prefers tea"), stage.t("prefers green tea")
    memory = stage.agent.store(user, (first, "preference"))
    body = stage.owner.edit(memory, second, 1)
    assert (body["id"], body["content"], body["revision"], body["source"], body["status"]) == (memory, second, 2, "user", "active")
    told = stage.agent.history(memory)
    assert [(one["revision"], one["content"]) for one in told["revisions"]] == [(1, first), (2, second)]
    last = told["events"][-1]
    assert (last["event"], last["reason"]) == ("edited", "a better wording")
    assert last["actor"] == stage.owner.ask("GET", "/me")["key_id"]
    assert stage.agent.search(user, second)[0]["similarity"] > 0.99
    again = stage.agent.write(user, (first, "preference"))["results"][0]
    assert again["outcome"] != "deduplicated"


def test_an_agents_edit_of_a_plain_fact_runs(stage: Stage) -> None:
    user, first, second = stage.user(), stage.t("lives in Lisbon"), stage.t("lives in Lisbon, Alfama")
    memory = stage.agent.store(user, first)
    assert (stage.agent.edit(memory, second, 1)["content"], stage.agent.memory(memory)["revision"]) == (second, 2)
    decision = stage.agent.items("/decisions", memory_id=memory)[0]
    assert (decision["operation"], decision["outcome"], decision["confidence"], decision["engine"]["name"]) == (
        "UPDATE",
        "updated",
        100,
        "edit",
    )


@pytest.mark.parametrize("kind", ["preference", "goal", "opinion"])
def test_an_agents_edit_of_a_protected_memory_waits(stage: Stage, kind: str) -> None:
    user, first, second = stage.user(), stage.t("prefers tea"), stage.t("prefers coffee")
    memory = stage.agent.store(user, (first, kind))
    body = stage.agent.edit(memory, second, 1, 202)
    (asked,) = body["needs_clarification"]
    assert (body["results"][0]["outcome"], asked["conflict_type"], asked["pending_operation"]) == (
        "deferred",
        "protected_type_rewrite",
        "UPDATE",
    )
    assert (stage.agent.memory(memory)["content"], stage.agent.memory(memory)["revision"]) == (first, 1)
    stage.agent.answer(asked["contradiction_id"], "retract")
    assert (stage.agent.memory(memory)["content"], stage.agent.memory(memory)["revision"]) == (second, 2)
    assert stage.agent.texts(user) == [second]


def test_an_agents_edit_of_what_the_user_said_waits(stage: Stage) -> None:
    memory = stage.agent.store(stage.user(), stage.t("lives in Lisbon"), source="user")
    (asked,) = stage.agent.edit(memory, stage.t("lives in Porto"), 1, 202)["needs_clarification"]
    assert (asked["conflict_type"], asked["articles"]) == ("weaker_source", [])


def test_a_final_memory_is_edited_by_nobody(stage: Stage) -> None:
    user, first, second = stage.user(), stage.t("lives in Lisbon"), stage.t("lives in Porto")
    memory = stage.agent.store(user, first)
    stage.owner.act("finalize", memory)
    body = stage.owner.edit(memory, second, 1, 403)
    assert (body["code"], body["articles"]) == ("charter_refusal", ["C2"])
    (asked,) = stage.agent.edit(memory, second, 1, 202)["needs_clarification"]
    assert (asked["conflict_type"], asked["articles"], asked["resolutions"]) == ("immutable_target", ["C2"], ["confirm", "coexist"])
    assert stage.agent.memory(memory)["content"] == first


@pytest.mark.parametrize("who", ["owner", "agent"])
def test_a_raw_input_and_an_episode_are_edited_by_nobody(stage: Stage, who: str) -> None:
    caller = stage.owner if who == "owner" else stage.agent
    message = stage.t("moved to Lisbon")
    stage.models.extracts[message] = []
    raw = stage.agent.say(stage.user(), message)["raw_input_id"]
    assert caller.edit(raw, "something else", 1, 403)["articles"] == ["C4"]
    met = stage.disputed()
    episode = stage.agent.answer(met.dispute, "confirm")["episode_id"]
    assert caller.edit(episode, "something else", 1, 403)["articles"] == ["C2"]


@pytest.mark.parametrize("who", ["owner", "agent"])
def test_an_edit_needs_the_present_revision_and_a_current_memory(stage: Stage, who: str) -> None:
    caller = stage.owner if who == "owner" else stage.agent
    met = stage.meet("SUPERSEDE")
    caller.edit(met.new, stage.t("lives in Faro"), None, 428)
    assert caller.edit(met.new, stage.t("lives in Faro"), 2, 412)["code"] == "stale_revision"
    assert caller.edit(met.old, stage.t("lives in Faro"), 1, 409)["code"] == "not_active"
    for bad in ('W/"1"', '"0"', "one", "1, 2", "*"):
        body = {"content": stage.t("lives in Faro"), "reason": "better"}
        caller.ask("PATCH", f"/memories/{met.new}", 422, json=body, headers={"If-Match": bad})
    assert stage.agent.memory(met.new)["content"] == met.new_text
    caller.ask("PATCH", f"/memories/{met.new}", 200, json={"content": stage.t("x"), "reason": "better"}, headers={"If-Match": "1"})


@pytest.mark.parametrize("who", ["owner", "agent"])
def test_an_edit_to_what_another_memory_says_is_409_with_its_id(stage: Stage, who: str) -> None:
    caller = stage.owner if who == "owner" else stage.agent
    user, one, two = stage.user(), stage.t("lives in Lisbon"), stage.t("has a cat")
    first, second = stage.agent.store(user, one), stage.agent.store(user, two)
    body = caller.edit(second, f"{one}.", 1, 409)
    assert (body["code"], body["memory_id"]) == ("same_text", first)
    assert stage.agent.memory(second)["content"] == two


def test_an_agents_edit_is_done_once_for_one_idempotency_key(stage: Stage) -> None:
    memory = stage.agent.store(stage.user(), stage.t("lives in Lisbon"))
    first = stage.agent.edit(memory, stage.t("lives in Porto"), 1, key=stage.name)
    assert stage.agent.edit(memory, stage.t("lives in Porto"), 1, key=stage.name) == first
    assert stage.agent.edit(memory, stage.t("lives in Faro"), 1, 422, key=stage.name)["code"] == "idempotency_mismatch"
    assert stage.agent.memory(memory)["revision"] == 2


def test_finalising_is_an_owners_act_and_keeps_the_text(stage: Stage) -> None:
    memory = stage.agent.store(stage.user(), stage.t("was born in Faro"))
    for act in ("finalize", "unfinalize", "withdraw", "restore"):
        assert stage.agent.act(act, memory, 403)["code"] == "role"
    before = stage.agent.memory(memory)
    assert stage.owner.act("finalize", memory, reason="it never changes") == {**before, "immutable": True}
    assert stage.owner.act("finalize", memory)["immutable"] is True
    events = stage.agent.history(memory)["events"]
    assert [(one["event"], one["reason"]) for one in events if one["event"] == "finalized"] == [("finalized", "it never changes")]
    assert stage.owner.act("withdraw", memory, 403)["articles"] == ["C2"]
    assert stage.owner.act("unfinalize", memory) == before
    stage.owner.edit(memory, stage.t("was born in Lagos"), 1)


def test_what_is_not_current_cannot_be_made_final(stage: Stage) -> None:
    met = stage.meet("SUPERSEDE")
    assert stage.owner.act("finalize", met.old, 409)["code"] == "not_active"


@pytest.mark.parametrize("act", ["finalize", "unfinalize", "withdraw", "restore"])
def test_raw_inputs_and_episodes_take_no_act(stage: Stage, act: str) -> None:
    message = stage.t("moved to Lisbon")
    stage.models.extracts[message] = []
    raw = stage.agent.say(stage.user(), message)["raw_input_id"]
    assert stage.owner.act(act, raw, 403)["articles"] == ["C4"]
    episode = stage.agent.answer(stage.disputed().dispute, "confirm")["episode_id"]
    assert stage.owner.act(act, episode, 403)["articles"] == ["C2"]


def test_a_withdrawn_memory_is_out_of_recall_and_can_be_restored(stage: Stage) -> None:
    user, text = stage.user(), stage.t("prefers tea")
    memory = stage.agent.store(user, (text, "preference"))
    assert stage.owner.act("withdraw", memory, reason="no longer wanted")["status"] == "withdrawn"
    assert (stage.agent.texts(user), stage.agent.search(user, text)) == ([], [])
    restored = stage.owner.act("restore", memory)
    assert (restored["status"], restored["valid_to"], restored["content"]) == ("active", None, text)
    assert stage.agent.texts(user) == [text]
    assert stage.owner.act("restore", memory, 409)["code"] == "already_active"


def test_a_restored_memory_takes_its_place_back_from_the_end_of_the_chain(stage: Stage) -> None:
    met, last = stage.meet("SUPERSEDE"), stage.t("lives in Faro")
    stage.models.place([met.old_text, met.new_text, last], 0.9)
    stage.expect(last, "SUPERSEDE", met.new_text)
    newest = stage.agent.store(met.user, last)
    stage.owner.act("restore", met.old)
    assert stage.agent.texts(met.user) == [met.old_text]
    assert stage.agent.memory(newest)["superseded_by"] == met.old
    assert [link["id"] for link in stage.agent.history(met.old)["chain"]] == [met.new, newest, met.old]


def test_a_restored_memory_must_say_what_no_other_says(stage: Stage) -> None:
    met = stage.meet("SUPERSEDE")
    stage.expect(met.old_text, "ADD")
    again = stage.agent.store(met.user, met.old_text)
    body = stage.owner.act("restore", met.old, 409)
    assert (body["code"], body["memory_id"]) == ("same_text", again)


def test_an_act_on_what_is_not_there_is_404(stage: Stage) -> None:
    nowhere = "01900000-0000-7000-8000-000000000000"
    for act in ("finalize", "unfinalize", "withdraw", "restore"):
        stage.owner.act(act, nowhere, 404)
    stage.owner.edit(nowhere, "something", 1, 404)
    stage.owner.memory("no-uuid", 422)


def test_every_past_text_and_who_changed_it_can_be_rebuilt_from_the_history_alone(stage: Stage) -> None:
    user = stage.user()
    texts = [stage.t(f"prefers drink {number}") for number in range(6)]
    stage.models.place(texts, 0.9)
    first = stage.agent.store(user, (texts[0], "preference"))
    stage.owner.edit(first, texts[1], 1)
    stage.expect(texts[2], "SUPERSEDE", texts[1])
    body = stage.agent.write(user, (texts[2], "preference"))
    second = body["results"][0]["memory_id"]
    stage.agent.answer(body["needs_clarification"][0]["contradiction_id"], "retract", note="changed taste")
    stage.owner.edit(second, texts[3], 1)
    stage.owner.act("finalize", second)
    stage.owner.act("unfinalize", second)
    stage.owner.act("restore", first)
    agent, owner = (caller.ask("GET", "/me")["key_id"] for caller in (stage.agent, stage.owner))

    told = stage.agent.history(first)
    assert [(one["content"], one["actor"]) for one in told["revisions"]] == [(texts[0], agent), (texts[1], owner)]
    assert [(one["event"], one["actor"]) for one in told["events"]] == [
        ("stored", agent),
        ("edited", owner),
        ("disputed", agent),
        ("superseded", agent),
        ("restored", owner),
    ]
    replaced = told["events"][3]
    assert (replaced["reason"], replaced["contradiction_id"]) == ("changed taste", body["needs_clarification"][0]["contradiction_id"])
    told = stage.agent.history(second)
    assert [(one["content"], one["actor"]) for one in told["revisions"]] == [(texts[2], agent), (texts[3], owner)]
    assert [one["event"] for one in told["events"]] == ["stored", "disputed", "edited", "finalized", "unfinalized", "superseded"]
    instants = [one["at"] for one in told["events"]]
    assert instants == sorted(instants)
    assert [(link["id"], link["content"], link["status"]) for link in told["chain"]] == [
        (second, texts[3], "superseded"),
        (first, texts[1], "active"),
    ]


def test_a_history_names_the_decision_behind_each_change(stage: Stage) -> None:
    met = stage.meet("SUPERSEDE")
    (superseded,) = [one for one in stage.agent.history(met.old)["events"] if one["event"] == "superseded"]
    decision: Json = stage.agent.ask("GET", f"/decisions/{superseded['decision_id']}")
    assert (decision["target_memory_id"], decision["memory_id"], decision["outcome"]) == (met.old, met.new, "superseded")
