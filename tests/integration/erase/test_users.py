"""Erasing where other users, other writes and all of a user are concerned."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tests.integration.erase.operator import Operator, message, word
from tests.integration.stage import Json, Stage, at_once, wait_until
from tests.model_stub import Reply


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
