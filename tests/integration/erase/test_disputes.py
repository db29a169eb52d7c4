"""Erasing what was disputed: the dispute, its answers, its merges and its contexts lose the text too."""

from __future__ import annotations

from typing import Any

from tests.integration.erase.operator import Operator, ids, word
from tests.integration.stage import Stage


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
