"""A side of an open dispute changes: it is asked again, moves, joins or ends; no answer applies to text that was not seen."""

from __future__ import annotations

import pytest

from tests.integration.stage import Json, Meeting, Stage


def third(stage: Stage, met: Meeting, text: str, about: str, operation: str = "CONTRADICT") -> Json:
    """One more preference that meets one of the two; gives what the write asked."""
    new = stage.t(text)
    known = [met.old_text, met.new_text]
    stage.models.place([*known, *(one for one in stage.texts if one not in known), new], 0.9)
    stage.texts.append(new)
    stage.expect(new, operation, about)
    asked: list[Json] = stage.agent.write(met.user, (new, "preference"))["needs_clarification"]
    assert len(asked) == 1, asked
    return asked[0]


def test_an_edit_of_a_side_asks_again_and_old_answers_are_refused(stage: Stage) -> None:
    met, edited = stage.disputed(), stage.t("prefers green tea")
    stage.owner.edit(met.old, edited, 1)
    seen = stage.agent.dispute(met.dispute)
    assert (seen["status"], seen["version"], seen["existing"]["content"]) == ("open", 2, edited)
    for more in ({}, {"version": None}, {"version": 1}, {"version": 3}):
        body = stage.agent.answer(met.dispute, "retract", 409, **more)
        assert body["code"] == "dispute_changed"
        again = body["contradiction"]
        assert (again["version"], again["existing_content"]) == (2, edited)
        assert edited in again["suggested_question"]
    assert stage.agent.memory(met.old)["status"] == "active"
    stage.agent.answer(met.dispute, "retract", version=2)
    assert stage.agent.memory(met.old)["status"] == "superseded"


def test_an_edit_of_the_new_side_asks_again_too(stage: Stage) -> None:
    met, edited = stage.disputed(), stage.t("prefers black coffee")
    stage.owner.edit(met.new, edited, 1)
    assert stage.agent.answer(met.dispute, "confirm", 409)["code"] == "dispute_changed"
    stage.agent.answer(met.dispute, "confirm", version=2)
    assert (stage.agent.memory(met.new)["status"], stage.agent.memory(met.new)["content"]) == ("withdrawn", edited)


def test_the_first_version_may_be_named_or_left_out_and_no_other(stage: Stage) -> None:
    met = stage.disputed()
    assert stage.agent.answer(met.dispute, "confirm", 409, version=2)["code"] == "dispute_changed"
    stage.agent.answer(met.dispute, "confirm", version=1)


def test_a_dispute_moves_to_the_successor_of_its_stored_side(stage: Stage) -> None:
    met = stage.disputed()
    other = third(stage, met, "prefers water", met.old_text)
    body = stage.agent.answer(other["contradiction_id"], "retract")
    assert body["effects"]["moved"] == [met.dispute]
    moved = stage.agent.dispute(met.dispute)
    assert (moved["status"], moved["version"]) == ("open", 2)
    assert (moved["new"]["id"], moved["existing"]["id"]) == (met.new, other["new_memory_id"])
    assert stage.agent.answer(met.dispute, "retract", 409)["code"] == "dispute_changed"
    stage.agent.answer(met.dispute, "retract", version=2)
    assert stage.agent.texts(met.user) == [met.new_text]
    assert [link["id"] for link in stage.agent.history(met.old)["chain"]] == [met.old, other["new_memory_id"], met.new]


def test_all_disputes_of_the_stored_side_move_to_what_took_its_place(stage: Stage) -> None:
    met = stage.disputed()
    water = third(stage, met, "prefers water", met.old_text)
    juice = third(stage, met, "prefers juice", met.old_text)
    amended = stage.agent.answer(met.dispute, "amend", content=stage.t("prefers tea and coffee"))["effects"]
    (created,) = amended["created"]
    assert sorted(amended["moved"]) == sorted([water["contradiction_id"], juice["contradiction_id"]])
    for asked in (water, juice):
        assert stage.agent.dispute(asked["contradiction_id"])["existing"]["id"] == created


def test_two_disputes_of_one_statement_with_both_sides_of_a_third_join_when_it_is_amended(stage: Stage) -> None:
    met, water = stage.disputed(), stage.t("prefers water")
    asked = third(stage, met, "prefers water", met.old_text)
    second = stage.value("SELECT gen_random_uuid()::text")
    columns = "tenant_id, status, strategy, conflict_type, articles, pending_operation, pending_reason, confidence, new_memory_id"
    stage.rows(
        f"INSERT INTO contradictions (contradiction_id, existing_memory_id, new_user_id, existing_user_id, created_at, {columns}) "  # noqa: S608
        f"SELECT $1, $2, new_user_id, existing_user_id, created_at, {columns} FROM contradictions WHERE contradiction_id = $3",
        second,
        met.new,
        asked["contradiction_id"],
    )
    stage.rows(
        "INSERT INTO contradiction_events (tenant_id, event_id, contradiction_id, at, event, version) "
        "SELECT tenant_id, gen_random_uuid(), contradiction_id, created_at, 'opened', 1 FROM contradictions WHERE contradiction_id = $1",
        second,
    )
    effects = stage.agent.answer(met.dispute, "amend", content=stage.t("prefers tea and coffee"))["effects"]
    assert (len(effects["moved"]), len(effects["moot"])) == (1, 1)
    assert {*effects["moved"], *effects["moot"]} == {asked["contradiction_id"], second}
    ended = stage.agent.dispute(effects["moot"][0])
    assert (ended["status"], ended["moot_cause"]) == ("moot", f"joined with {effects['moved'][0]}")
    assert [one["new"]["content"] for one in stage.agent.disputes(met.user, status="open")] == [water]


def test_a_dispute_whose_new_side_is_superseded_is_moot(stage: Stage) -> None:
    met = stage.disputed()
    other = third(stage, met, "prefers espresso", met.new_text)
    effects = stage.agent.answer(other["contradiction_id"], "retract")["effects"]
    assert effects["moot"] == [met.dispute]
    ended = stage.agent.dispute(met.dispute)
    assert (ended["status"], ended["moot_cause"], ended["version"]) == ("moot", "the new side was superseded", 2)
    body = stage.agent.answer(met.dispute, "confirm", 409, version=2)
    assert (body["code"], body["contradiction"]["status"]) == ("dispute_moot", "moot")


def test_a_dispute_whose_stored_side_is_withdrawn_is_moot(stage: Stage) -> None:
    met = stage.disputed()
    other = third(stage, met, "prefers espresso", met.new_text)
    effects = stage.agent.answer(met.dispute, "confirm")["effects"]
    assert (effects["withdrawn"], effects["moot"]) == ([met.new], [other["contradiction_id"]])
    assert stage.agent.dispute(other["contradiction_id"])["moot_cause"] == "the existing side was withdrawn"


@pytest.mark.parametrize("side", ["old", "new"])
def test_an_owners_withdrawal_of_a_side_makes_the_dispute_moot(stage: Stage, side: str) -> None:
    met = stage.disputed()
    stage.owner.act("withdraw", met.old if side == "old" else met.new)
    assert stage.agent.dispute(met.dispute)["status"] == "moot"
    assert stage.agent.texts(met.user) == [met.new_text if side == "old" else met.old_text]


def test_when_the_new_side_takes_the_place_of_the_stored_one_otherwise_there_is_nothing_left_to_ask(stage: Stage) -> None:
    met = stage.disputed()
    other = third(stage, met, "prefers water", met.old_text)
    stage.agent.answer(other["contradiction_id"], "coexist")
    stage.agent.answer(met.dispute, "retract")
    assert stage.agent.disputes(met.user, status="open") == []


def test_a_superseded_side_that_is_restored_takes_the_dispute_with_it(stage: Stage) -> None:
    met = stage.disputed()
    stage.agent.answer(met.dispute, "retract")
    water = third(stage, met, "prefers water", met.new_text)
    stage.owner.act("restore", met.old)
    moved = stage.agent.dispute(water["contradiction_id"])
    assert (moved["status"], moved["version"], moved["existing"]["id"]) == ("open", 2, met.old)
    assert stage.agent.memory(met.new)["superseded_by"] == met.old


def test_a_final_side_is_confirmed_or_coexists_until_it_is_opened_again(stage: Stage) -> None:
    user, old, new = stage.user(), stage.t("lives in Lisbon"), stage.t("lives in Porto")
    stage.models.place([old, new], 0.9)
    stage.expect(new, "SUPERSEDE", old)
    final = stage.agent.store(user, old)
    stage.owner.act("finalize", final)
    asked = stage.agent.write(user, new)["needs_clarification"][0]
    dispute = asked["contradiction_id"]
    for resolution, more in (("retract", {}), ("amend", {"content": stage.t("lives in Faro")})):
        body = stage.owner.answer(dispute, resolution, 403, **more)
        assert (body["code"], body["articles"]) == ("charter_refusal", ["C2"])
    stage.owner.act("unfinalize", final)
    opened = stage.agent.dispute(dispute)
    assert (opened["version"], [option["resolution"] for option in opened["options"]]) == (2, ["retract", "confirm", "coexist", "amend"])
    assert stage.agent.answer(dispute, "confirm", 409)["code"] == "dispute_changed"
    stage.agent.answer(dispute, "retract", version=2)
    assert (stage.agent.memory(final)["status"], stage.agent.texts(user)) == ("superseded", [new])


@pytest.mark.parametrize("resolution", ["confirm", "coexist"])
def test_a_final_side_can_be_confirmed_and_can_coexist(stage: Stage, resolution: str) -> None:
    user, old, new = stage.user(), stage.t("lives in Lisbon"), stage.t("lives in Porto")
    stage.models.place([old, new], 0.9)
    stage.expect(new, "CONTRADICT", old)
    final = stage.agent.store(user, old)
    stage.owner.act("finalize", final)
    dispute = stage.agent.write(user, new)["needs_clarification"][0]["contradiction_id"]
    before = stage.agent.memory(final)
    stage.agent.answer(dispute, resolution)
    assert stage.agent.memory(final) == {**before, "open_contradictions": []}


def test_a_disputed_memory_cannot_be_made_final(stage: Stage) -> None:
    met = stage.disputed()
    for memory_id in (met.old, met.new):
        assert stage.owner.act("finalize", memory_id, 409)["code"] == "disputed"
    stage.agent.answer(met.dispute, "coexist")
    stage.owner.act("finalize", met.old)
