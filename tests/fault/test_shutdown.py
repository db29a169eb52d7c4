"""SIGTERM while work is under way: requests are answered, what is not finished is given back, and the exit code is 0 in time."""

from __future__ import annotations

import http.client
import random
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.fault.answers import assert_retryable, in_the_end
from tests.fault.burst import Burst
from tests.fault.quarters import LONG, Quarters
from tests.integration.models import DIMENSIONS
from tests.integration.stage import Json, Stage, wait_until
from tests.model_stub import Reply

SETTINGS = {"wired": True, "embedding": {"timeout_seconds": 60}, "intake": {"lease_seconds": 60}}
PROMISED = 20.0  # seconds
ENDLESS = Reply.vectors([1.0] * DIMENSIONS, delay=50.0)


@pytest.fixture(autouse=True)
def running(house: Quarters) -> None:
    """The service, whatever a test before did to it."""
    if not house.processes[0].running:
        house.processes[0].start()


def ended(house: Quarters) -> None:
    """Ask the service to end: it does, in time, and its exit code is 0."""
    began = time.monotonic()
    house.processes[0].signal(signal.SIGTERM)
    code, seconds = house.processes[0].wait(), time.monotonic() - began
    assert (code, seconds < PROMISED) == (0, True), f"{seconds:.1f} s\n{house.processes[0].output[-2000:]}"


def write(stage: Stage, user: str, text: str, **headers: str) -> httpx.Response:
    """A write whose key is the user's name."""
    body = {"user_id": user, "facts": [{"content": text, "memory_type": "fact"}]}
    return stage.agent.http.post("/memories", json=body, headers={"Idempotency-Key": user, **headers})


def finished(stage: Stage, write_id: str) -> Json:
    """The write, once it is completed: long before a lease would have ended."""
    return wait_until(lambda: stage.agent.ask("GET", f"/writes/{write_id}"), lambda one: one["status"] == "completed")


def test_requests_under_way_are_answered_and_new_ones_find_nobody(stage: Stage, house: Quarters) -> None:
    users, text = [stage.user() for _ in range(6)], stage.t("lives in Lisbon")
    slow = stage.models.fail("embeddings", text, Reply.vectors(stage.models.vector(text), delay=2.5))
    with ThreadPoolExecutor(6) as pool:
        writes = [pool.submit(write, stage, user, text) for user in users]
        wait_until(lambda: stage.models.embedded(text), lambda count: count == 6)
        ended(house)
        assert [one.result().status_code for one in writes] == [201] * 6
    with pytest.raises(httpx.TransportError):
        stage.agent.http.get("/livez")
    stage.models.heal(slow)
    house.processes[0].start()
    for user, one in zip(users, writes, strict=True):
        assert stage.agent.texts(user) == [text]
        assert write(stage, user, text).json() == one.result().json()


def test_what_takes_too_long_is_answered_503_and_finished_after_the_restart(stage: Stage, house: Quarters) -> None:
    users, text = [stage.user() for _ in range(3)], stage.t("lives in Lisbon")
    slow = stage.models.fail("embeddings", text, ENDLESS)
    with ThreadPoolExecutor(3) as pool:
        writes = [pool.submit(write, stage, user, text) for user in users]
        wait_until(lambda: stage.models.embedded(text), lambda count: count == 3)
        ended(house)
        for one in writes:
            assert_retryable(one.result())
            assert one.result().json()["code"] == "shutting_down"
    assert stage.value("SELECT count(*) FROM writes WHERE user_id = ANY($1) AND status = 'accepted'", users) == 3
    stage.models.heal(slow)
    house.processes[0].start()
    for user in users:
        finished(stage, in_the_end(lambda user=user: write(stage, user, text)).json()["write_id"])  # type: ignore[misc]
        assert stage.agent.texts(user) == [text]


def test_accepted_work_stays_and_is_finished_after_the_restart(stage: Stage, house: Quarters) -> None:
    users, text = [stage.user() for _ in range(8)], stage.t("lives in Lisbon")
    slow = stage.models.fail("embeddings", text, ENDLESS)
    writes = [write(stage, user, text, Prefer="respond-async").json()["write_id"] for user in users]
    wait_until(lambda: stage.models.embedded(text), lambda count: count == 4)  # so many at a time
    ended(house)
    working = "SELECT count(*) FROM writes WHERE user_id = ANY($1) AND running_until > clock_timestamp()"
    assert stage.value(working, users) == 0, "given back"
    stage.models.heal(slow)
    house.processes[0].start()
    for user, one in zip(users, writes, strict=True):
        assert [result["outcome"] for result in finished(stage, one)["results"]] == ["stored"]
        assert stage.agent.texts(user) == [text]


@pytest.mark.parametrize("number", range(10 if LONG else 1))
def test_an_end_in_a_burst_loses_and_doubles_nothing(stage: Stage, house: Quarters, number: int) -> None:
    with Burst(stage, house) as burst:
        time.sleep(random.Random(number).uniform(0.05, 0.6))  # noqa: S311 - no secret
        ended(house)
    burst.check_safe()
    house.processes[0].start()
    burst.check_finished()


@pytest.mark.skipif(not LONG, reason="takes twenty seconds of waiting: `make test-fault`")
def test_it_ends_in_time_though_the_database_is_silent(stage: Stage, house: Quarters) -> None:
    user, text = stage.user(), stage.t("lives in Lisbon")
    house.wire.stall()
    with ThreadPoolExecutor(1) as pool:
        sent = pool.submit(write, stage, user, text)
        time.sleep(0.5)
        ended(house)
        assert_retryable(sent.result())
    house.wire.restore()
    house.processes[0].start()
    finished(stage, in_the_end(lambda: write(stage, user, text)).json()["write_id"])
    assert stage.agent.texts(user) == [text]


def test_it_can_be_asked_to_end_while_it_starts(house: Quarters) -> None:
    for delay in (0.3, 1.0, 2.0):
        house.processes[0].kill()
        house.processes[0].launch()
        time.sleep(delay)
        house.processes[0].signal(signal.SIGTERM)
        assert house.processes[0].wait() in {0, -signal.SIGTERM}  # the latter before it read its first line
        assert "Traceback" not in house.processes[0].output


def test_an_idle_connection_is_closed_by_its_client(stage: Stage) -> None:
    """Where both sides end it after five seconds, as their defaults are, a write now and then meets a connection that has just gone."""
    address = stage.agent.http.base_url
    connection = http.client.HTTPConnection(address.host, address.port, timeout=10)
    connection.request("GET", "/livez")
    connection.getresponse().read()
    time.sleep(6.5)
    connection.auto_open = 0  # no new connection in silence
    connection.request("GET", "/livez")
    assert connection.getresponse().status == 200
    connection.close()
