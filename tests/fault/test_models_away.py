"""Model endpoints that are slow, reset, refuse, fail, talk garbage or flap; and clients that hang up: nothing is lost."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import cycle, islice

import pytest

from tests.fault.answers import in_the_end
from tests.fault.quarters import Quarters
from tests.integration.models import DIMENSIONS
from tests.integration.stage import Json, Stage, at_once, wait_until
from tests.model_stub import Endpoint, Reply

SETTINGS = {
    "embedding": {"timeout_seconds": 1.5},
    "engine": {"timeout_seconds": 1.5, "retries": 1, "breaker_failures": 3, "breaker_seconds": 0.5},
    "intake": {"retry_seconds": 0.3},
}
ENDPOINTS: tuple[Endpoint, Endpoint] = ("embeddings", "chat")
FAULTS = {
    "slow": Reply({}, delay=4.0),
    "reset": Reply(reset=True),
    "too-many": Reply({"error": "slow down"}, status=429, headers={"Retry-After": "1"}),
    "failing": Reply({"error": "boom"}, status=500),
    "garbage": Reply(b"<html>", headers={"Content-Type": "text/html"}),
    "empty": Reply({"data": [], "choices": []}),
}
faults = pytest.mark.parametrize("reply", FAULTS.values(), ids=FAULTS)


def finished(stage: Stage, write_id: str) -> Json:
    """The write, once it is completed."""
    return wait_until(lambda: stage.agent.ask("GET", f"/writes/{write_id}"), lambda write: write["status"] == "completed")


def decided(stage: Stage, memory_id: str) -> Json:
    """The memory, once it is decided."""
    return wait_until(lambda: stage.agent.memory(memory_id), lambda memory: not memory["undecided"])


@pytest.mark.parametrize(
    "reply",
    [*FAULTS.values(), Reply.vectors([1.0] * (DIMENSIONS + 1)), Reply.vectors([1.0])],
    ids=[*FAULTS, "too-long", "too-short"],
)
def test_while_the_embedder_is_away_writes_are_kept_and_finished_once_it_is_back(stage: Stage, reply: Reply) -> None:
    user, text, message = stage.user(), stage.t("lives in Lisbon"), stage.t("has a cat")
    faults = [stage.models.fail("embeddings", one, reply) for one in (text, message)]
    facts, said = at_once([lambda: stage.agent.write(user, text, expect=202), lambda: stage.agent.say(user, message, expect=202)])
    assert [one["status"] for one in (facts, said)] == ["accepted", "accepted"]
    assert stage.agent.listed(user) == []
    tries = stage.models.embedded(text)
    wait_until(lambda: stage.models.embedded(text), lambda count: count > tries)
    assert stage.agent.listed(user) == [], "tried again, and not decided by an outage"
    for fault in faults:
        stage.models.heal(fault)
    assert [finished(stage, one["write_id"])["results"][0]["outcome"] for one in (facts, said)] == ["stored", "stored"]
    assert stage.agent.texts(user) == sorted([text, message])
    assert stage.value("SELECT count(*) FROM embeddings WHERE vector_dims(embedding::vector) <> $1", DIMENSIONS) == 0


@faults
def test_while_the_engine_is_away_facts_are_kept_undecided_and_decided_once_it_is_back(stage: Stage, reply: Reply) -> None:
    fault = stage.models.fail("chat", stage.t("lives in Porto"), reply)
    met = stage.meet("SUPERSEDE")
    assert met.result["outcome"] == "undecided"
    asked = len(stage.models.asked(met.new_text))
    wait_until(lambda: len(stage.models.asked(met.new_text)), lambda count: count > asked)
    assert stage.agent.texts(met.user) == sorted([met.old_text, met.new_text]), "an outage is never a verdict"
    stage.models.heal(fault)
    decided(stage, met.new)
    (dispute,) = stage.agent.disputes(met.user)
    assert (dispute["conflict_type"], dispute["pending_operation"]) == ("late_decision", "SUPERSEDE")
    assert stage.agent.memory(met.old)["revision"] == 1


@faults
def test_while_the_extractor_is_away_messages_are_kept_and_finished_once_it_is_back(stage: Stage, reply: Reply) -> None:
    user, message = stage.user(), stage.t("moved to Lisbon")
    fault = stage.models.fail("chat", message, reply)
    said = stage.agent.say(user, message, expect=202)
    assert stage.agent.memory(said["raw_input_id"])["content"] == message
    assert stage.agent.listed(user) == []
    stage.models.heal(fault)
    assert [one["content"] for one in finished(stage, said["write_id"])["results"]] == [message]
    assert stage.agent.texts(user) == [message]


def test_endpoints_that_flap_lose_nothing_and_decide_nothing_by_themselves(stage: Stage) -> None:
    """The first dozen calls to each endpoint fail, each time in another way, over ten writes and their later tries."""
    users = [stage.user() for _ in range(10)]
    pairs = [(stage.t(f"lives in place {number}"), stage.t(f"moved to place {number}")) for number in range(10)]
    for (old, new), user in zip(pairs, users, strict=True):
        stage.models.place([old, new], 0.9)
        stage.expect(new, "CONTRADICT", old)
        stage.agent.store(user, old)
    for name in islice(cycle(["reset", "failing", "garbage", "too-many"]), 12):
        for endpoint in ENDPOINTS:
            stage.models.fail(endpoint, stage.t("moved to place"), FAULTS[name], times=1)

    def write(number: int) -> Json:
        return stage.agent.write(users[number], pairs[number][1], expect=(201, 202))

    bodies = at_once([partial(write, number) for number in range(10)])
    for user, (old, new), body in zip(users, pairs, bodies, strict=True):
        decided(stage, finished(stage, body["write_id"])["results"][0]["memory_id"])
        assert stage.agent.texts(user) == sorted([old, new])
        (dispute,) = stage.agent.disputes(user)
        assert dispute["conflict_type"] == "contradiction"
    assert all(fault.times == 0 for fault in stage.models.faults if fault.needle == stage.t("moved to place"))


@contextmanager
def begun(house: Quarters, body: Json, key: str, *, whole: bool) -> Iterator[None]:
    """Send a request, or half of it, and close the socket at the end of the block without reading an answer."""
    payload = json.dumps(body).encode()
    head = (
        f"POST /memories HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {house.live.agent_key}\r\nIdempotency-Key: {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(payload)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", house.processes[0].port)) as wire:
        wire.sendall(head.encode() + (payload if whole else payload[: len(payload) // 2]))
        yield


@pytest.mark.parametrize("kind", ["facts", "message"])
def test_a_write_whose_client_hangs_up_is_finished(stage: Stage, house: Quarters, kind: str) -> None:
    """The client closes its socket while the embedder is slow: the write is finished all the same, and its key answers."""
    user, text = stage.user(), stage.t("lives in Lisbon")
    stage.models.fail("embeddings", text, Reply.vectors(stage.models.vector(text), delay=1.0))
    said = {"message": text} if kind == "message" else {"facts": [{"content": text, "memory_type": "fact"}]}
    with begun(house, {"user_id": user, **said}, stage.name, whole=True):
        wait_until(lambda: stage.models.embedded(text), lambda count: count == 1)
        assert stage.agent.texts(user) == []
    wait_until(lambda: stage.agent.texts(user), lambda texts: texts == [text])
    (row,) = stage.rows("SELECT write_id FROM writes WHERE user_id = $1", user)
    finished(stage, str(row["write_id"]))
    again = stage.agent.ask("POST", "/memories", 201, json={"user_id": user, **said}, headers={"Idempotency-Key": stage.name})
    assert again["write_id"] == str(row["write_id"])
    assert stage.agent.texts(user) == [text]


@pytest.mark.parametrize("kind", ["facts", "message"])
def test_a_client_that_hangs_up_at_any_moment_leaves_a_write_or_none(stage: Stage, house: Quarters, kind: str) -> None:
    """Twelve clients close their sockets a little later each; each write, repeated with its key, is there once."""
    users = [stage.user() for _ in range(12)]
    for number, user in enumerate(users):
        said = {"message": stage.t("is here")} if kind == "message" else {"facts": [{"content": stage.t("is here"), "memory_type": "fact"}]}
        with begun(house, {"user_id": user, **said}, user, whole=True):
            time.sleep(number * 0.004)
        house.check_invariants()
        write = in_the_end(
            lambda user=user, said=said: stage.agent.http.post(  # type: ignore[misc]
                "/memories", json={"user_id": user, **said}, headers={"Idempotency-Key": user}
            )
        ).json()
        finished(stage, write["write_id"])
        assert stage.agent.texts(user) == [stage.t("is here")]
        assert stage.value("SELECT count(*) FROM writes WHERE user_id = $1", user) == 1


def test_half_a_request_is_none(stage: Stage, house: Quarters) -> None:
    user, text = stage.user(), stage.t("lives in Lisbon")
    body = {"user_id": user, "facts": [{"content": text, "memory_type": "fact"}]}
    for _ in range(8):
        with begun(house, body, stage.name, whole=False):
            pass
    assert stage.agent.store(user, stage.t("has a cat"))
    assert stage.value("SELECT count(*) FROM writes WHERE user_id = $1", user) == 1
    again = stage.agent.http.post("/memories", json=body, headers={"Idempotency-Key": stage.name})
    assert (again.status_code, "Idempotency-Replayed" in again.headers) == (201, False)
