"""Disputes across users and with raw inputs: who may read, who may answer, and what may never be offered."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.integration.stage import Caller, Json, Stage


@dataclass
class Crossing:
    """Ann's statement contradicts one that Bob shared; a bound key for each."""

    ann: str
    bob: str
    theirs: str
    own: str
    asked: Json
    anns: Caller
    bobs: Caller

    @property
    def dispute(self) -> str:
        """The dispute's id."""
        return str(self.asked["contradiction_id"])


def cross(stage: Stage, *, shared: bool = False) -> Crossing:
    ann, bob = stage.user("ann"), stage.user("bob")
    theirs, own = stage.t("is open on Sunday"), stage.t("is closed on Sunday")
    stage.models.place([theirs, own], 0.9)
    stage.expect(own, "CROSS_CONTRADICT", theirs)
    stored = stage.agent.store(bob, theirs, shared=True)
    body = stage.agent.write(ann, own, shared=shared)
    (asked,) = body["needs_clarification"]
    return Crossing(ann, bob, stored, body["results"][0]["memory_id"], asked, stage.key("agent", ann), stage.key("agent", bob))


def test_only_the_user_of_the_new_side_answers(stage: Stage) -> None:
    crossing = cross(stage)
    assert crossing.bobs.answer(crossing.dispute, "coexist", 403)["code"] == "bound_key"
    assert stage.key("owner", crossing.bob).answer(crossing.dispute, "confirm", 403)["code"] == "bound_key"
    crossing.anns.answer(crossing.dispute, "coexist")


def test_the_user_of_the_shared_side_reads_the_dispute_but_not_the_private_text(stage: Stage) -> None:
    crossing = cross(stage)
    seen = crossing.bobs.dispute(crossing.dispute)
    assert (seen["new"], seen["existing"]["id"], seen["suggested_question"], seen["options"]) == (None, crossing.theirs, None, [])
    assert "closed" not in str(seen)
    assert [one["id"] for one in crossing.bobs.disputes()] == [crossing.dispute]
    whole = crossing.anns.dispute(crossing.dispute)
    assert (whole["new"]["id"], whole["existing"]["id"]) == (crossing.own, crossing.theirs)


def test_a_third_user_sees_no_dispute(stage: Stage) -> None:
    crossing = cross(stage)
    carols = stage.key("owner", stage.user("carol"))
    carols.dispute(crossing.dispute, 404)
    carols.answer(crossing.dispute, "coexist", 404)
    assert carols.disputes() == []


@pytest.mark.parametrize(("resolution", "more"), [("retract", {}), ("amend", {"content": "something else"})])
def test_another_users_memory_is_never_rewritten_by_an_answer(stage: Stage, resolution: str, more: Json) -> None:
    crossing = cross(stage)
    body = stage.owner.answer(crossing.dispute, resolution, 403, **more)
    assert (body["code"], body.get("articles", [])) == ("other_user", [])
    memory = stage.agent.memory(crossing.theirs)
    assert (memory["status"], memory["revision"]) == ("active", 1)


def test_confirming_anothers_statement_withdraws_the_own_one(stage: Stage) -> None:
    crossing = cross(stage)
    assert crossing.anns.answer(crossing.dispute, "confirm")["effects"]["withdrawn"] == [crossing.own]
    assert stage.agent.texts(crossing.bob) == [crossing.asked["existing_content"]]
    assert stage.agent.texts(crossing.ann) == []


def test_a_dispute_across_users_moves_with_the_other_users_memory(stage: Stage) -> None:
    crossing, newer = cross(stage), stage.t("is open on Monday")
    stage.models.place([crossing.asked["existing_content"], crossing.asked["new_content"], newer], 0.9)
    stage.expect(newer, "SUPERSEDE", crossing.asked["existing_content"])
    body = stage.agent.write(crossing.bob, newer, shared=True)
    assert body["results"][0]["outcome"] == "deferred"
    assert body["needs_clarification"][0]["conflict_type"] == "disputed_target"
    stage.agent.answer(body["needs_clarification"][0]["contradiction_id"], "retract")
    moved = stage.agent.dispute(crossing.dispute)
    assert (moved["status"], moved["version"], moved["existing"]["content"]) == ("open", 2, newer)
    crossing.anns.answer(crossing.dispute, "coexist", 409)
    crossing.anns.answer(crossing.dispute, "coexist", version=2)


def test_a_key_that_may_not_answer_and_an_auditors_read_disputes_only(stage: Stage) -> None:
    met = stage.disputed()
    for caller in (stage.key("agent", can_answer=False), stage.key("auditor")):
        assert caller.dispute(met.dispute)["status"] == "open"
        assert caller.answer(met.dispute, "confirm", 403)["code"] == "no_answer"
    assert stage.agent.dispute(met.dispute)["status"] == "open"


def test_an_agents_always_is_403_and_leaves_the_dispute_open(stage: Stage) -> None:
    met = stage.meet("CONTRADICT")
    stage.agent.answer(met.dispute, "coexist", 403, always=True)
    assert stage.agent.dispute(met.dispute)["status"] == "open"


def raw_dispute(stage: Stage) -> tuple[str, str, str]:
    """A dispute whose stored side is a raw input, as no write opens one: its id, the raw input's, the new side's."""
    user, message = stage.user(), stage.t("moved to Lisbon")
    stage.models.extracts[message] = []
    raw = stage.agent.say(user, message)["raw_input_id"]
    new = stage.agent.store(user, stage.t("lives in Porto"))
    dispute = str(stage.value("SELECT gen_random_uuid()"))
    stage.rows(
        "INSERT INTO contradictions (tenant_id, contradiction_id, status, strategy, conflict_type, articles, pending_operation, "
        "pending_reason, confidence, new_memory_id, existing_memory_id, new_user_id, existing_user_id, created_at) "
        "SELECT tenant_id, $1, 'open', 'charter_deferred', 'raw_input_target', '{C4}', 'SUPERSEDE', 'newer', 90, $2, $3, user_id, user_id, "
        "created_at FROM memories WHERE memory_id = $2",
        dispute,
        new,
        raw,
    )
    stage.rows(
        "INSERT INTO contradiction_events (tenant_id, event_id, contradiction_id, at, event, version) "
        "SELECT tenant_id, gen_random_uuid(), contradiction_id, created_at, 'opened', 1 FROM contradictions WHERE contradiction_id = $1",
        dispute,
    )
    return dispute, raw, new


def test_a_raw_input_is_confirmed_or_coexists_and_nothing_else(stage: Stage) -> None:
    dispute, raw, _ = raw_dispute(stage)
    before = stage.agent.memory(raw)
    assert [option["resolution"] for option in stage.agent.dispute(dispute)["options"]] == ["confirm", "coexist"]
    for resolution, more in (("retract", {}), ("amend", {"content": stage.t("lives in Faro")})):
        body = stage.owner.answer(dispute, resolution, 403, **more)
        assert (body["code"], body["articles"]) == ("charter_refusal", ["C4"])
    stage.agent.answer(dispute, "coexist")
    assert stage.agent.memory(raw) == {**before, "open_contradictions": []}


def test_a_raw_input_stands_when_it_is_confirmed(stage: Stage) -> None:
    dispute, raw, new = raw_dispute(stage)
    assert stage.agent.answer(dispute, "confirm")["effects"]["withdrawn"] == [new]
    assert stage.agent.memory(raw)["status"] == "active"
