"""Erasing a held memory, what it waits for, and both."""

from __future__ import annotations

from uuid import UUID

from app.services.operator.closure import Order
from app.services.operator.erase import Report
from tests.integration.erase.operator import Operator, word
from tests.integration.models import Said
from tests.integration.stage import Stage
from tests.postgres import run


class Held:
    """A tenant with an approved charter, where a second preference waits for an answer about the first."""

    def __init__(self, stage: Stage, operator: Operator) -> None:
        self.operator, self.tenant = operator, f"held-{stage.name}"
        self.owner = owner = stage.key("owner", tenant=self.tenant)
        charter = owner.ask("GET", "/charter")
        owner.ask("POST", "/charter/approve", json={"version": charter["version"], "sha256": charter["sha256"]})
        self.one, self.two, self.user = word(stage, "tea"), word(stage, "coffee"), stage.user()
        old, new = stage.t(f"prefers {self.one}"), stage.t(f"prefers {self.two}")
        stage.models.place([old, new], 0.9)
        stage.models.said[new] = Said("SUPERSEDE", old, reasoning=f"{self.two} wins")
        self.stored = owner.store(self.user, (old, "preference"))
        result = owner.write(self.user, (new, "preference"), expect=202)["results"][0]
        assert result["outcome"] == "held"
        self.waits = str(result["memory_id"])

    def erase(self, memory_id: str | None = None, user_id: str | None = None) -> Report:
        order = Order(self.tenant, "asked for", UUID(memory_id) if memory_id else None, user_id)
        report: Report = run(self.operator.carry_out(order))
        return report


def test_a_held_memory(stage: Stage, operator: Operator) -> None:
    held = Held(stage, operator)
    report = held.erase(held.waits)
    assert operator.places(held.two) == set()
    assert [one.status for one in report.memories] == [("held", "withdrawn")]
    assert held.owner.memory(held.stored)["open_contradictions"] == []


def test_what_a_held_memory_waits_for(stage: Stage, operator: Operator) -> None:
    held = Held(stage, operator)
    report = held.erase(held.stored)
    assert operator.places(held.one) == set()
    assert [str(one) for one in report.activated] == [held.waits], "nobody is left to be asked about it"
    assert held.owner.memory(held.waits)["status"] == "active"


def test_a_held_memory_and_what_it_waits_for(stage: Stage, operator: Operator) -> None:
    held = Held(stage, operator)
    report = held.erase(user_id=held.user)
    assert operator.places(held.one, held.two) == set()
    assert (report.activated, [one.status for one in report.memories]) == ([], [("active", "withdrawn"), ("held", "withdrawn")])
    events = [one["event"] for one in held.owner.history(held.waits)["events"]]
    assert events[-1] == "erased"
    assert "activated" not in events
