"""A tenant that has something of everything, all of it made through the API: what fuzzing finds, and what a backup must keep."""

from __future__ import annotations

from tests.integration.house import House
from tests.integration.stage import Json, Meeting, Stage


def furnish(house: House, tenant: str = "default") -> Stage:
    """Furnish a tenant whose charter is a draft, and leave it approved; gives the stage with the tenant's keys."""
    stage = Stage(house)
    stage.owner, stage.agent = stage.key("owner", tenant=tenant), stage.key("agent", tenant=tenant)
    _memories(stage)
    _disputes(stage)
    _rules(stage)
    _approve(stage)
    held = stage.disputed(expect=202)
    assert held.result["outcome"] == "held"
    return stage


def _memories(stage: Stage) -> None:
    user = stage.user()
    stage.agent.say(user, stage.t("moved house. Now there is a garden."))
    stage.agent.write(user, {"content": stage.t("has a key"), "shared": True, "metadata": {"room": 3}, "source": "user"})
    final = stage.agent.store(user, stage.t("was born in May"))
    stage.owner.act("finalize", final)
    edited = stage.agent.store(user, stage.t("has two cats"))
    stage.owner.edit(edited, stage.t("has two old cats"), 1)
    withdrawn = stage.agent.store(user, stage.t("has a boat"))
    stage.owner.act("withdraw", withdrawn)
    superseded = stage.meet("SUPERSEDE", old="works in Bonn", new="works in Kiel", user=user)
    assert superseded.result["outcome"] == "superseded"
    undecided = stage.meet("NONSENSE", old="sings", new="sings well", user=user)
    assert undecided.result["outcome"] == "undecided"


def _disputes(stage: Stage) -> None:
    answers: dict[str, Json] = {
        "retract": {"note": "gave it up", "answered_by": "the person"},
        "confirm": {},
        "coexist": {"contexts": {"new": "at work", "existing": "at home"}},
        "amend": {"content": stage.t("prefers water")},
    }
    for number, (answer, more) in enumerate(answers.items()):
        asked = _asked(stage, f"likes {number} sugars", f"takes {number} sugars")
        stage.agent.answer(asked.dispute, answer, version=1, **more)
    for number in range(4):
        _asked(stage, f"wears {number} hats", f"wears {number} caps")
    moot = _asked(stage, "runs", "walks")
    stage.owner.act("withdraw", moot.old)
    assert stage.owner.dispute(moot.dispute)["status"] == "moot"


def _asked(stage: Stage, old: str, new: str) -> Meeting:
    return stage.disputed(old={"content": old, "memory_type": "goal"}, new={"content": new, "memory_type": "goal"})


def _rules(stage: Stage) -> None:
    """One live rule that was used, one revoked, one proposal that waits."""
    rules = []
    for always in ("retract", "coexist"):
        user = stage.user()
        asked = stage.meet("CONTRADICT", old=f"the lift works {always}", new=f"the lift is broken {always}", user=user)
        rules.append(stage.owner.answer(asked.dispute, always, version=1, always=True)["rule"]["id"])
        used = stage.meet("CONTRADICT", old=f"the door works {always}", new=f"the door is broken {always}", user=user)
        assert used.body["resolved_by_rule"]
    stage.owner.ask("POST", f"/rules/{rules[0]}/revoke", json={"reason": "it was too quick"})
    user, answered = stage.user(), {}
    for number in range(3):
        asked = stage.meet("CONTRADICT", old=f"lamp {number} is on", new=f"lamp {number} is off", user=user)
        answered = stage.owner.answer(asked.dispute, "confirm", version=1)
    assert answered["rule_proposal"]


def _approve(stage: Stage) -> None:
    charter = stage.owner.ask("GET", "/charter")
    stage.owner.ask("POST", "/charter/approve", json={"version": charter["version"], "sha256": charter["sha256"]})
