"""The wire to the database is cut before, during and after a COMMIT, stalled and restored: done once, or not at all."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.fault.answers import assert_done_or_retryable, in_the_end
from tests.fault.quarters import LONG, Quarters
from tests.fault.wire import Moment
from tests.integration.stage import Json, Stage, at_once, wait_until
from tests.model_stub import Reply

SETTINGS = {
    "wired": True,
    "pool_size": 4,
    "engine": {"breaker_failures": 1000, "retries": 0},
    "intake": {"lease_seconds": 600},  # what is cut off is given back, long before a lease ends
}
INTAKE, DECIDED, CLAIMED = "INSERT INTO writes", "INSERT INTO decisions", "INSERT INTO replays"
moments = pytest.mark.parametrize("moment", list(Moment))


def writing(stage: Stage, user: str, text: str, kind: str) -> Callable[[], httpx.Response]:
    """The same write with the same key, each time it is called."""
    said = {"message": text} if kind == "message" else {"facts": [{"content": text, "memory_type": "fact"}]}
    key = f"{stage.name}-{user}"
    return lambda: stage.agent.http.post("/memories", json={"user_id": user, **said}, headers={"Idempotency-Key": key})


def kept(stage: Stage, user: str, text: str) -> dict[str, int]:
    """How often a text is there, by kind of memory."""
    rows = stage.rows("SELECT kind, count(*) FROM memories WHERE user_id = $1 AND content = $2 GROUP BY kind", user, text)
    return {row["kind"]: row["count"] for row in rows}


def finished(stage: Stage, write_id: str) -> Json:
    """The write, once it is completed."""
    return wait_until(lambda: stage.agent.ask("GET", f"/writes/{write_id}"), lambda write: write["status"] == "completed")


@moments
@pytest.mark.parametrize("marker", [INTAKE, DECIDED], ids=["intake", "decided"])
@pytest.mark.parametrize("kind", ["facts", "message"])
def test_a_write_whose_commit_is_cut_is_there_once(stage: Stage, house: Quarters, moment: Moment, marker: str, kind: str) -> None:
    user, text = stage.user(), stage.t("lives in Lisbon")
    send = writing(stage, user, text, kind)
    snag = house.wire.snag(moment, marker, seconds=0.8)
    first = send()
    assert snag.met.is_set()
    assert_done_or_retryable(first)
    assert first.status_code < 300 or moment not in {Moment.AFTER, Moment.STALL}, "it was told that it is done"
    assert set(kept(stage, user, text).values()) <= {1}
    house.check_invariants()
    answer = in_the_end(send).json()
    if first.status_code < 300:
        assert first.json()["write_id"] == answer["write_id"]
    done = finished(stage, answer["write_id"])
    assert [one["outcome"] for one in done["results"]] == ["stored"]
    assert kept(stage, user, text) == ({"atom": 1} if kind == "facts" else {"atom": 1, "raw_input": 1})
    again = in_the_end(send)
    assert (again.json(), again.headers["Idempotency-Replayed"]) == (done, "true")
    assert stage.value("SELECT count(*) FROM writes WHERE user_id = $1", user) == 1


@moments
@pytest.mark.parametrize("resolution", ["retract", "confirm", "coexist", "amend"])
def test_an_answer_whose_commit_is_cut_takes_effect_once(stage: Stage, house: Quarters, moment: Moment, resolution: str) -> None:
    met = stage.disputed()
    body = {"resolution": resolution, **({"content": stage.t("prefers water")} if resolution == "amend" else {})}
    path = f"/contradictions/{met.dispute}/resolve"

    def send() -> httpx.Response:
        return stage.agent.http.post(path, json=body, headers={"Idempotency-Key": stage.name})

    snag = house.wire.snag(moment, CLAIMED, seconds=0.8)
    first = send()
    assert snag.met.is_set()
    assert_done_or_retryable(first)
    assert first.status_code < 300 or moment not in {Moment.AFTER, Moment.STALL}, "it was told that it is done"
    house.check_invariants()
    claimed = stage.value("SELECT count(*) FROM replays WHERE idempotency_key = $1", stage.name)
    assert claimed == (stage.agent.dispute(met.dispute)["status"] == "resolved")
    answer = in_the_end(send).json()
    assert (answer["contradiction"]["status"], answer["contradiction"]["resolution"]) == ("resolved", resolution)
    if first.status_code == 200:
        assert first.json() == answer
    assert in_the_end(send).json() == answer
    told = "SELECT count(*) FROM contradiction_events WHERE contradiction_id = $1 AND event = 'resolved'"
    assert stage.value(told, met.dispute) == 1
    assert stage.value("SELECT count(*) FROM precedents WHERE contradiction_id = $1", met.dispute) == 1


def undecided(stage: Stage, house: Quarters) -> tuple[str, str]:
    """A memory that the background leaves undecided, and what it met."""
    fault = stage.models.fail("chat", stage.t("lives in Porto"), Reply(status=500))
    met = stage.meet("CONTRADICT")
    assert met.result["outcome"] == "undecided"
    house.execute("UPDATE undecided_facts SET next_attempt_at = 'infinity'")
    wait_until(
        lambda: stage.value("SELECT count(*) FROM undecided_facts WHERE running_until > clock_timestamp()"), lambda count: count == 0
    )
    house.execute("UPDATE undecided_facts SET next_attempt_at = 'infinity'")
    stage.models.heal(fault)
    return met.new, met.old


@moments
def test_a_decision_asked_for_whose_commit_is_cut_is_made_once(stage: Stage, house: Quarters, moment: Moment) -> None:
    """The key is claimed with the decision: both are there, or neither."""
    memory, _ = undecided(stage, house)

    def send() -> httpx.Response:
        return stage.agent.http.post(f"/memories/{memory}/decide", headers={"Idempotency-Key": stage.name})

    snag = house.wire.snag(moment, DECIDED, seconds=0.8)
    first = send()
    assert snag.met.is_set()
    assert_done_or_retryable(first)
    assert first.status_code < 300 or moment not in {Moment.AFTER, Moment.STALL}, "it was told that it is done"
    house.check_invariants()
    decided = stage.value("SELECT count(*) FROM decisions WHERE memory_id = $1 AND outcome <> 'undecided'", memory)
    claimed = stage.value("SELECT count(*) FROM replays WHERE idempotency_key = $1", stage.name)
    assert decided == claimed == (0 if moment is Moment.BEFORE else 1)
    answer = in_the_end(send)
    assert answer.json()["undecided"] is False
    again = in_the_end(send)
    assert (again.json(), again.headers["Idempotency-Replayed"]) == (answer.json(), "true")
    assert stage.value("SELECT count(*) FROM decisions WHERE memory_id = $1 AND outcome <> 'undecided'", memory) == 1


def test_while_the_wire_is_dead_every_answer_is_retryable_and_the_pool_recovers(stage: Stage, house: Quarters) -> None:
    users = [stage.user() for _ in range(8)]
    sends = [writing(stage, user, stage.t(f"lives in place {number}"), "facts") for number, user in enumerate(users)]
    before = house.faults("database_unavailable")
    house.wire.snag(Moment.BEFORE, INTAKE, times=5)
    for response in at_once(sends):
        assert_done_or_retryable(response)
    assert house.faults("database_unavailable") > before
    house.wire.clear()
    house.wire.cut()
    for send in sends:
        finished(stage, in_the_end(send).json()["write_id"])
    for number, user in enumerate(users):
        assert stage.agent.texts(user) == [stage.t(f"lives in place {number}")]
    for user in users:  # every connection of the pool is sound again
        stage.agent.store(user, stage.t("has a cat"))


def test_a_stalled_wire_holds_requests_up_and_loses_none(stage: Stage, house: Quarters) -> None:
    users = [stage.user() for _ in range(6)]
    sends = [writing(stage, user, stage.t("lives in Lisbon"), "facts") for user in users]
    house.wire.stall()
    with ThreadPoolExecutor(len(sends)) as pool:
        waiting = [pool.submit(send) for send in sends]
        assert stage.agent.http.get("/livez").status_code == 200
        time.sleep(1.0)
        assert not any(one.done() for one in waiting)
        house.wire.restore()
        assert {one.result().status_code for one in waiting} == {201}
    for user in users:
        assert stage.agent.texts(user) == [stage.t("lives in Lisbon")]


@pytest.mark.skipif(not LONG, reason="takes two minutes: `make test-fault`")
@pytest.mark.timeout(240)
def test_a_wire_that_is_silent_for_longer_than_any_limit_ends_in_retryable_answers(stage: Stage, house: Quarters) -> None:
    """A command may take 60 seconds, and 10 a connection; then callers are told, and nothing is stuck afterwards."""
    users = [stage.user() for _ in range(6)]
    sends = [writing(stage, user, stage.t("lives in Lisbon"), "facts") for user in users]
    stage.agent.http.timeout = 110.0
    house.wire.stall()
    with ThreadPoolExecutor(len(sends)) as pool:
        waiting = [pool.submit(send) for send in sends]
        for one in waiting:
            assert_done_or_retryable(one.result())
            assert one.result().status_code == 503
        house.wire.restore()
    stage.agent.http.timeout = 60.0
    for send, user in zip(sends, users, strict=True):
        finished(stage, in_the_end(send).json()["write_id"])
        assert stage.agent.texts(user) == [stage.t("lives in Lisbon")]
