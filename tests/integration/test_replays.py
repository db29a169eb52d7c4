"""Idempotency-Key on every act: a repeat changes nothing and is answered again, anything else under that key is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

import asyncpg
import httpx
import pytest

from app.db.replays import FORGET
from app.services.operator.closure import Order
from app.services.operator.erase import erase
from tests.integration.stage import Caller, Json, Stage, at_once
from tests.integration.test_tenants import ask as query
from tests.live import LiveServer
from tests.model_stub import Reply
from tests.postgres import run

SETTINGS = {"rules": {"propose_after": 2}}
REASON = {"reason": "the owner says so"}


@dataclass(frozen=True)
class Asked:
    """One request of an act, by whom, and a second one that is not the same."""

    caller: Caller
    method: str
    path: str
    body: Json | None
    other: Json | None
    headers: tuple[tuple[str, str], ...] = ()

    def send(self, key: str, body: Json | None = None, path: str | None = None) -> httpx.Response:
        headers = {**dict(self.headers), "Idempotency-Key": key}
        return self.caller.http.request(self.method, path or self.path, json=body or self.body, headers=headers)


def edited(stage: Stage, by: Caller) -> Asked:
    memory = stage.agent.store(stage.user(), stage.t("lives in Lisbon"))
    body, other = ({"content": stage.t(f"lives in {city}"), "reason": "better"} for city in ("Porto", "Faro"))
    return Asked(by, "PATCH", f"/memories/{memory}", body, other, (("If-Match", "1"),))


def held_edit(stage: Stage) -> Asked:
    """An agent's edit of a protected memory, which is asked about."""
    memory = stage.agent.store(stage.user(), (stage.t("prefers tea"), "preference"))
    body, other = ({"content": stage.t(f"prefers {drink}"), "reason": "better"} for drink in ("coffee", "water"))
    return Asked(stage.agent, "PATCH", f"/memories/{memory}", body, other, (("If-Match", '"1"'),))


def owner_act(act: str) -> Callable[[Stage], Asked]:
    def make(stage: Stage) -> Asked:
        memory = stage.agent.store(stage.user(), stage.t("was born in Faro"))
        if act == "restore":
            stage.owner.act("withdraw", memory)
        if act == "unfinalize":
            stage.owner.act("finalize", memory)
        return Asked(stage.owner, "POST", f"/memories/{memory}/{act}", REASON, {"reason": "another"})

    return make


def answered(resolution: str) -> Callable[[Stage], Asked]:
    def make(stage: Stage) -> Asked:
        body: Json = {"resolution": resolution, "note": "as it is"}
        if resolution == "amend":
            body["content"] = stage.t("prefers both")
        met = stage.disputed()
        return Asked(stage.agent, "POST", f"/contradictions/{met.dispute}/resolve", body, {"resolution": "confirm"})

    return make


def charter_act(act: str) -> Callable[[Stage], Asked]:
    def make(stage: Stage) -> Asked:
        owner = stage.key("owner", tenant=stage.name)
        charter = owner.ask("GET", "/charter")
        approval = {"version": charter["version"], "sha256": charter["sha256"]}
        if act == "withdraw":
            owner.ask("POST", "/charter/approve", json=approval)
            return Asked(owner, "POST", "/charter/withdraw", REASON, {"reason": "another"})
        return Asked(owner, "POST", "/charter/approve", approval, {**approval, "sha256": "0" * 64})

    return make


def revoked(stage: Stage) -> Asked:
    met = stage.meet("CONTRADICT", old=("lives in Lisbon", "experience"), new=("lives in Porto", "experience"))
    stage.owner.answer(met.dispute, "coexist", always=True)
    rule = next(one for one in stage.owner.items("/rules") if one["status"] == "live" and one["user_id"] == met.user)
    return Asked(stage.owner, "POST", f"/rules/{rule['id']}/revoke", REASON, {"reason": "another"})


def proposal_act(act: str) -> Callable[[Stage], Asked]:
    def make(stage: Stage) -> Asked:
        user = stage.user()
        for number in range(2):
            old, new = (f"rides bike {number}", "experience"), (f"rides horse {number}", "experience")
            met = stage.meet("CONTRADICT", user=user, old=old, new=new)
            stage.agent.answer(met.dispute, "coexist")
        (proposal,) = [one for one in stage.owner.items("/rule-proposals") if one["user_id"] == user]
        return Asked(stage.owner, "POST", f"/rule-proposals/{proposal['id']}/{act}", REASON, {"reason": "another"})

    return make


def decided(stage: Stage) -> Asked:
    user, old, new = stage.user(), stage.t("lives in Lisbon"), stage.t("lives in Porto")
    stage.models.place([old, new], 0.9)
    stage.agent.store(user, old)
    broken = stage.models.fail("chat", new, Reply(500))
    memory = stage.agent.store(user, new)
    stage.models.heal(broken)
    stage.expect(new, "CONTRADICT", old)
    return Asked(stage.agent, "POST", f"/memories/{memory}/decide", None, None)


ACTS: dict[str, Callable[[Stage], Asked]] = {
    "an owner's edit": lambda stage: edited(stage, stage.owner),
    "an agent's edit": lambda stage: edited(stage, stage.agent),
    "an edit that is asked about": held_edit,
    **{act: owner_act(act) for act in ("finalize", "unfinalize", "withdraw", "restore")},
    **{f"answer {one}": answered(one) for one in ("retract", "confirm", "coexist", "amend")},
    **{f"charter {act}": charter_act(act) for act in ("approve", "withdraw")},
    "revoke a rule": revoked,
    **{f"{act} a proposal": proposal_act(act) for act in ("approve", "reject")},
    "decide": decided,
}
every_act = pytest.mark.parametrize("make", ACTS.values(), ids=ACTS.keys())


def traces(stage: Stage) -> list[Any]:
    """How many rows of history there are: what a second act would add to."""
    tables = (
        "memory_events",
        "revisions",
        "decisions",
        "contradiction_events",
        "charter_acts",
        "audit",
        "precedents",
        "rules",
        "outbox",
        "writes",
    )
    return [stage.value(f"SELECT count(*) FROM {table}") for table in tables]  # noqa: S608 - names of our own tables


@every_act
def test_a_repeat_changes_nothing_and_is_answered_again(stage: Stage, make: Callable[[Stage], Asked]) -> None:
    asked = make(stage)
    first = asked.send(stage.name)
    assert first.status_code in {200, 202}, first.text
    assert "Idempotency-Replayed" not in first.headers
    before = traces(stage)
    again = asked.send(stage.name)
    assert (again.status_code, again.headers.get("Idempotency-Replayed")) == (first.status_code, "true"), again.text
    assert again.json() == first.json()
    assert traces(stage) == before


@every_act
def test_another_request_under_the_same_key_is_refused_and_does_nothing(stage: Stage, make: Callable[[Stage], Asked]) -> None:
    asked = make(stage)
    assert asked.send(stage.name).status_code in {200, 202}
    before = traces(stage)
    others = [asked.send(stage.name, body=asked.other)] if asked.other else []
    elsewhere = {"user_id": stage.user(), "facts": [{"content": stage.t("has a cat")}]}
    others.append(asked.caller.http.post("/memories", json=elsewhere, headers={"Idempotency-Key": stage.name}))
    for other in others:
        assert (other.status_code, other.json()["code"]) == (422, "idempotency_mismatch")
    assert traces(stage) == before


@every_act
def test_of_many_at_once_one_acts_and_no_other_is_answered_differently(stage: Stage, make: Callable[[Stage], Asked]) -> None:
    asked = make(stage)
    answers = at_once([partial(asked.send, stage.name)] * 6)
    done = [answer for answer in answers if answer.status_code != 409]
    assert {answer.status_code for answer in done} in ({200}, {202}), [answer.text for answer in answers]
    assert all(answer.json()["code"] == "still_running" and answer.json()["retryable"] for answer in answers if answer not in done)
    assert all("Retry-After" in answer.headers for answer in answers if answer not in done)
    before = traces(stage)
    assert asked.send(stage.name).json() == done[0].json()
    assert traces(stage) == before


def test_a_refused_act_leaves_its_key_free(stage: Stage) -> None:
    memory = stage.agent.store(stage.user(), stage.t("lives in Lisbon"))
    asked = Asked(stage.owner, "POST", f"/memories/{memory}/restore", REASON, None)
    assert asked.send(stage.name).json()["code"] == "already_active"
    stage.owner.act("withdraw", memory)
    done = asked.send(stage.name)
    assert (done.status_code, "Idempotency-Replayed" in done.headers) == (200, False)


def test_a_repeat_shows_the_thing_as_it_is_now(stage: Stage) -> None:
    memory = stage.agent.store(stage.user(), stage.t("lives in Lisbon"))
    asked = Asked(stage.owner, "POST", f"/memories/{memory}/withdraw", REASON, None)
    assert asked.send(stage.name).json()["status"] == "withdrawn"
    stage.owner.act("restore", memory)
    assert asked.send(stage.name).json()["status"] == "active"
    assert stage.agent.memory(memory)["status"] == "active"


def test_a_key_that_wrote_cannot_be_used_for_an_act(stage: Stage) -> None:
    memory = stage.owner.store(stage.user(), stage.t("lives in Lisbon"), key=stage.name)
    asked = Asked(stage.owner, "POST", f"/memories/{memory}/finalize", REASON, None)
    assert asked.send(stage.name).json()["code"] == "idempotency_mismatch"
    assert stage.agent.memory(memory)["immutable"] is False


def test_no_text_is_kept_with_a_key(stage: Stage) -> None:
    asked = edited(stage, stage.owner)
    assert asked.send("a-key").status_code == 200
    rows = stage.rows("SELECT r::text AS row FROM replays r")
    assert rows
    assert not [row for row in rows if "lives" in row["row"] or stage.name in row["row"]]


def test_old_keys_are_forgotten_and_young_ones_are_not_whoever_asks(stage: Stage) -> None:
    live: LiveServer = stage.house.live
    write = stage.agent.write(stage.user(), stage.t("has a cat"))["write_id"]
    insert = """
    INSERT INTO replays SELECT tenant_id, key_id, $1, sha256('x'), write_id, clock_timestamp() - make_interval(hours => $2)
    FROM writes WHERE write_id = $3
    """
    for hours in (1, 23, 25, 48):
        stage.rows(insert, f"{stage.name}-{hours}", hours, write)
    run(query(live.database.service_dsn, FORGET, 1000))
    kept = stage.rows("SELECT idempotency_key AS key FROM replays WHERE idempotency_key LIKE $1 || '-%' ORDER BY at", stage.name)
    assert [row["key"] for row in kept] == [f"{stage.name}-23", f"{stage.name}-1"]


@pytest.mark.parametrize("make", [answered("amend"), lambda stage: edited(stage, stage.owner), lambda stage: edited(stage, stage.agent)])
def test_an_erase_takes_the_hash_of_a_request_along(stage: Stage, make: Callable[[Stage], Asked]) -> None:
    asked = make(stage)
    assert asked.send(stage.name).status_code == 200
    read = "SELECT fingerprint FROM replays WHERE idempotency_key = $1"
    before = stage.value(read, stage.name)
    memory = asked.path.split("/")[2]
    if "contradictions" in asked.path:
        memory = stage.agent.dispute(memory)["existing"]["id"]
    run(erased(stage, memory))
    assert stage.value(read, stage.name) != before
    assert asked.send(stage.name).json()["code"] == "idempotency_mismatch"


async def erased(stage: Stage, memory: str) -> None:
    connection = await asyncpg.connect(stage.house.database.owner_dsn)
    try:
        await erase(connection, Order("default", "the person asked for it", UUID(memory)))
    finally:
        await connection.close()
