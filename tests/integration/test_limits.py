"""Limits over HTTP: each refusal says when to come again, and nothing was stored."""

from __future__ import annotations

from functools import partial

import httpx
import pytest

from tests.integration.stage import Caller, Meeting, Stage, at_once, wait_until
from tests.live import LiveServer
from tests.model_stub import Reply

SETTINGS = {"limits": {"open_disputes": 3}}


def refused(response: httpx.Response, code: str) -> None:
    assert response.status_code == 429, response.text
    assert (response.json()["code"], response.json()["retryable"]) == (code, True)
    assert int(response.headers["Retry-After"]) >= 1


def full(stage: Stage) -> tuple[Caller, list[Meeting]]:
    """A key whose disputes are all open."""
    who = stage.key("agent")
    return who, [stage.disputed(by=who, old=(f"drinks tea {n}", "preference"), new=(f"drinks water {n}", "preference")) for n in range(3)]


def one_more(stage: Stage) -> dict[str, object]:
    """A write that would be asked about."""
    user, old, new = stage.user(), stage.t("prefers tea"), stage.t("prefers coffee")
    stage.models.place([old, new], 0.9)
    stage.expect(new, "SUPERSEDE", old)
    stage.agent.store(user, (old, "preference"))
    return {"user_id": user, "facts": [{"content": new, "memory_type": "preference"}]}


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_write_that_would_open_one_dispute_too_many_is_refused_whole(stage: Stage, *, dry_run: bool) -> None:
    who, met = full(stage)
    body = one_more(stage)
    before = stage.value("SELECT count(*) FROM writes")
    refused(who.http.post("/memories", json={**body, "dry_run": dry_run}, headers={"Idempotency-Key": stage.name}), "too_many_disputes")
    assert stage.value("SELECT count(*) FROM writes") == before
    assert stage.value("SELECT count(*) FROM replays WHERE idempotency_key = $1", stage.name) == 0
    assert len(stage.agent.listed(str(body["user_id"]))) == 1
    stage.agent.answer(met[0].dispute, "coexist")
    assert who.ask("POST", "/memories", 201, json=body, headers={"Idempotency-Key": stage.name})["needs_clarification"]


def test_a_full_key_still_writes_what_nobody_is_asked_about_and_other_keys_ask(stage: Stage) -> None:
    who, met = full(stage)
    assert who.write(stage.user(), stage.t("has a cat"))["results"][0]["outcome"] == "stored"
    again = who.write(met[0].user, (met[0].new_text, "preference"))
    assert (again["results"][0]["outcome"], len(again["needs_clarification"])) == ("deduplicated", 1)
    assert stage.agent.ask("POST", "/memories", 201, json=one_more(stage))["needs_clarification"]


def contested(stage: Stage, count: int) -> list[dict[str, object]]:
    """Writes of users apart, each of which would be asked about once the engine had its time."""
    bodies = [one_more(stage) for _ in range(count)]
    stage.models.fail("chat", stage.t("prefers coffee"), Reply.decisions(SUPERSEDED, delay=1.5))
    return bodies


SUPERSEDED = {"i": 0, "operation": "SUPERSEDE", "target": "c1", "confidence": 95, "reasoning": "", "merged_content": None}


def opened_by(stage: Stage, who: Caller) -> int:
    return int(stage.value("SELECT count(*) FROM contradictions WHERE created_by = $1", who.ask("GET", "/me")["key_id"]))


def test_writes_at_once_do_not_pass_the_cap_together_in_whatever_process(stage: Stage) -> None:
    key = stage.house.live.new_key("agent")
    doors = [stage.house.live.client(key), stage.house.start().client(key)]
    bodies = contested(stage, 8)
    answers = at_once([partial(doors[number % 2].post, "/memories", json=body) for number, body in enumerate(bodies)])
    late = [answer for answer in answers if answer.status_code == 429]
    for answer in late:
        refused(answer, "too_many_disputes")
    assert [answer.status_code for answer in answers if answer not in late] == [201] * (8 - len(late))
    assert opened_by(stage, Caller(doors[0])) == 8 - len(late) == 3


def test_writes_that_are_finished_later_do_not_pass_it_either(stage: Stage) -> None:
    who = stage.key("agent")
    answers = [who.http.post("/memories", json=body, headers={"Prefer": "respond-async"}) for body in contested(stage, 5)]
    assert [answer.status_code for answer in answers] == [202, 202, 202, 429, 429]
    refused(answers[-1], "too_many_disputes")
    wait_until(lambda: opened_by(stage, who), lambda count: count == 3)


def test_an_edit_that_would_be_asked_about_is_refused_too(stage: Stage) -> None:
    who, _ = full(stage)
    memory = stage.agent.store(stage.user(), (stage.t("prefers tea"), "preference"))
    body = {"content": stage.t("prefers coffee"), "reason": "better"}
    refused(who.http.patch(f"/memories/{memory}", json=body, headers={"If-Match": "1"}), "too_many_disputes")
    assert stage.agent.memory(memory)["open_contradictions"] == []


def test_a_repeat_is_answered_when_the_key_is_full(stage: Stage) -> None:
    who, _ = full(stage)
    stage.owner.answer(who.items("/contradictions", status="open", created_by=who.ask("GET", "/me")["key_id"])[0]["id"], "coexist")
    body = one_more(stage)
    first = who.ask("POST", "/memories", 201, json=body, headers={"Idempotency-Key": stage.name})
    assert who.ask("POST", "/memories", 201, json=body, headers={"Idempotency-Key": stage.name}) == first


def test_more_waiting_writes_of_one_user_than_the_queue_holds_are_refused(stage: Stage) -> None:
    live: LiveServer = stage.house.start(limits={"waiting_writes": 3})
    user, text = stage.user(), stage.t("lives in Lisbon")
    slow = stage.models.fail("embeddings", text, Reply.vectors(stage.models.vector(text), delay=3))
    send = {"user_id": user, "facts": [{"content": text, "memory_type": "fact"}]}
    answers = at_once([lambda: live.agent.post("/memories", json=send)] * 6)
    stage.models.heal(slow)
    assert sorted(answer.status_code for answer in answers) == [201, 201, 201, 429, 429, 429]
    for answer in answers:
        if answer.status_code == 429:
            refused(answer, "user_busy")
    assert stage.value("SELECT count(*) FROM writes WHERE user_id = $1", user) == 3
    assert live.agent.post("/memories", json=send).status_code == 201


def test_a_key_past_its_rate_is_refused_on_every_route_and_comes_back(stage: Stage) -> None:
    live: LiveServer = stage.house.start(limits={"rate": "20/minute"})
    answers = [live.agent.get("/me") for _ in range(30)]
    late = [answer for answer in answers if answer.status_code != 200]
    assert late
    for answer in late:
        refused(answer, "rate_limited")
    assert live.owner.get("/me").status_code == 200
    assert live.client(None).get("/livez").status_code == 200
