"""A process that carries another constitution than the database is not ready, and every tenant is back in a draft."""

from __future__ import annotations

from hashlib import sha256

from tests.integration.stage import Json, Stage

NEXT = "1. Constitution\n\nC1. Never auto-delete, and say so.\n"
REGISTER = "SELECT register_constitution($1, $2, $3)"


def checks(ready: Json) -> dict[str, bool]:
    """The checks of readiness by name."""
    return {check["name"]: check["ok"] for check in ready["checks"]}


def test_a_new_constitution_makes_an_old_process_not_ready_and_withdraws_every_approval(stage: Stage) -> None:
    assert checks(stage.agent.ask("GET", "/readyz")) == {"database": True, "migrations": True, "constitution": True, "embedder": True}
    charter = stage.owner.ask("GET", "/charter")
    approved = stage.owner.ask("POST", "/charter/approve", json={"version": charter["version"], "sha256": charter["sha256"]})
    assert (approved["status"], approved["mode"]) == ("approved", "block")
    held = stage.disputed(expect=202)
    assert (held.result["outcome"], stage.agent.memory(held.new)["status"]) == ("held", "held")

    stage.rows(REGISTER, 2, sha256(NEXT.encode()).hexdigest(), NEXT)
    ready = stage.agent.ask("GET", "/readyz", 503)
    assert checks(ready) == {"database": True, "migrations": True, "constitution": False, "embedder": True}
    now = stage.owner.ask("GET", "/charter")
    assert (now["version"], now["status"], now["mode"], now["approved_by"]) == (2, "draft", "defer", None)
    stale = {"version": charter["version"], "sha256": charter["sha256"]}
    stage.owner.ask("POST", "/charter/approve", 409, json=stale)
    deferred = stage.disputed(old=("prefers rice", "preference"), new=("prefers noodles", "preference"))
    assert (deferred.result["outcome"], deferred.body["charter"]) == ("deferred", {"version": 2, "status": "draft", "mode": "defer"})
    assert stage.agent.dispute(held.dispute)["strategy"] == "charter_held"
    assert stage.agent.memory(held.new)["status"] == "held"
