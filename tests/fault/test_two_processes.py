"""Two real processes on one database: the same races as in one, work done once, and taken over when one of them dies."""

from __future__ import annotations

import signal
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.concurrency import test_same_moment as races
from tests.fault.answers import in_the_end
from tests.fault.burst import Burst
from tests.fault.quarters import Quarters
from tests.integration.models import DIMENSIONS
from tests.integration.stage import Json, Stage, wait_until
from tests.model_stub import Reply

SLOW = Reply.vectors([1.0] * DIMENSIONS, delay=20.0)
SETTINGS = {"embedding": {"timeout_seconds": 30}}


@pytest.fixture(autouse=True)
def two(house: Quarters) -> None:
    """Two processes, whatever a test before did to them."""
    if len(house.processes) < 2:
        house.start()
    for process in house.processes:
        if not process.running:
            process.start()


def later(house: Quarters, server: int, user: str, text: str) -> str:
    """The id of a write that one process accepted, to be finished in the background."""
    body = {"user_id": user, "facts": [{"content": text, "memory_type": "fact"}]}
    response = house.caller(server=server).http.post("/memories", json=body, headers={"Prefer": "respond-async"})
    assert response.status_code == 202
    return str(response.json()["write_id"])


def finished(stage: Stage, write_ids: list[str], seconds: float = 60.0) -> list[Json]:
    """The writes, once all are completed."""
    return wait_until(
        lambda: [stage.agent.ask("GET", f"/writes/{one}") for one in write_ids],
        lambda writes: all(write["status"] == "completed" for write in writes),
        seconds,
    )


def rulings(house: Quarters, server: int) -> float:
    """How many facts a process ruled on and committed."""
    text = httpx.get(f"{house.processes[server].base_url}/metrics", trust_env=False).text
    return sum(float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith("helixir_rulings_total{"))


def test_thirty_two_identical_writes_are_one_memory(stage: Stage) -> None:
    races.test_thirty_two_identical_writes_are_one_memory(stage, servers=2)


def test_sixteen_supersessions_of_one_memory_are_one_chain(stage: Stage) -> None:
    races.test_sixteen_supersessions_of_one_memory_are_one_chain(stage, servers=2)


def test_writes_answers_and_edits_on_one_user_lose_nothing(stage: Stage) -> None:
    races.test_writes_answers_and_edits_on_one_user_lose_nothing(stage, servers=2)


def test_accepted_writes_are_shared_between_the_workers_and_finished_once(stage: Stage, house: Quarters) -> None:
    users, texts = [stage.user() for _ in range(30)], [stage.t(f"lives in place {number}") for number in range(30)]
    before = [rulings(house, server) for server in range(2)]
    writes = [later(house, number % 2, user, text) for number, (user, text) in enumerate(zip(users, texts, strict=True))]
    for user, text, write in zip(users, texts, finished(stage, writes), strict=True):
        assert [(one["content"], one["outcome"]) for one in write["results"]] == [(text, "stored")]
        assert stage.agent.texts(user) == [text]
    shares = [rulings(house, server) - before[server] for server in range(2)]
    assert sum(shares) == 30
    assert all(share > 0 for share in shares), shares
    told = stage.rows("SELECT payload ->> 'write_id' AS id FROM outbox WHERE type = 'write.completed' AND user_id = ANY($1)", users)
    assert Counter(row["id"] for row in told) == dict.fromkeys(writes, 1)


def test_what_a_killed_process_was_doing_is_taken_over(stage: Stage, house: Quarters) -> None:
    user, text = stage.user(), stage.t("lives in Lisbon")
    fault = stage.models.fail("embeddings", text, SLOW)
    house.processes[1].signal(signal.SIGSTOP)  # so that the first process claims it
    try:
        write = later(house, 0, user, text)
        wait_until(lambda: stage.models.embedded(text), lambda count: count == 1)
        claimed = "SELECT attempts FROM writes WHERE write_id = $1 AND running_until > clock_timestamp()"
        assert stage.value(claimed, write) == 1
        house.processes[0].kill()
        stage.models.heal(fault)
    finally:
        house.processes[1].signal(signal.SIGCONT)
    other = Stage(house)
    other.agent = house.caller(server=1)
    (done,) = finished(other, [write])
    assert [one["outcome"] for one in done["results"]] == ["stored"]
    assert stage.value("SELECT attempts FROM writes WHERE write_id = $1", write) == 2
    assert other.agent.texts(user) == [text]


def test_a_claim_is_nobody_elses_while_its_process_lives(stage: Stage, house: Quarters) -> None:
    """The embedder takes twice as long as a lease lasts, and the lease is renewed: the other process leaves the write alone."""
    user, text = stage.user(), stage.t("lives in Lisbon")
    stage.models.fail("embeddings", text, Reply.vectors([1.0] * DIMENSIONS, delay=6.0))
    write = later(house, 0, user, text)
    finished(stage, [write])
    assert stage.models.embedded(text) == 1
    assert stage.value("SELECT attempts FROM writes WHERE write_id = $1", write) == 1


def test_of_two_processes_that_work_on_one_write_after_all_one_finishes_it(stage: Stage, house: Quarters) -> None:
    """A process that stood still for longer than its lease: both work on it, which costs a call and doubles nothing."""
    user, text = stage.user(), stage.t("lives in Lisbon")
    slow = stage.models.fail("embeddings", text, Reply.vectors([1.0] * DIMENSIONS, delay=3.0))
    house.processes[1].signal(signal.SIGSTOP)  # so that the first one claims it
    write = later(house, 0, user, text)
    wait_until(lambda: stage.models.embedded(text), lambda count: count == 1)
    house.processes[0].signal(signal.SIGSTOP)
    house.processes[1].signal(signal.SIGCONT)
    wait_until(lambda: stage.models.embedded(text), lambda count: count == 2)
    house.processes[0].signal(signal.SIGCONT)
    stage.models.heal(slow)
    finished(stage, [write])
    assert stage.agent.texts(user) == [text]
    assert stage.value("SELECT count(*) FROM decisions WHERE write_id = $1", write) == 1


def test_when_one_process_dies_in_a_burst_the_other_goes_on(stage: Stage, house: Quarters) -> None:
    with Burst(stage, house) as burst:
        house.processes[0].kill()
    burst.check_safe()
    burst.check_finished(server=1)


def test_a_turn_of_a_killed_process_ends_with_its_lease(stage: Stage, house: Quarters) -> None:
    """Rewrites of one memory queue for the user's turn; the process that holds it dies, and the other's go on."""
    user, texts = stage.user(), [stage.t(f"lives in place {number}") for number in range(9)]
    stage.models.place(texts, 0.9)
    stage.agent.store(user, texts[0])
    said = {"i": 0, "operation": "SUPERSEDE", "target": "c1", "confidence": 95, "reasoning": "", "merged_content": None}
    slow = stage.models.fail("chat", stage.name, Reply.decisions(said, delay=1.0))
    for text in texts[1:]:
        stage.expect(text, "SUPERSEDE")

    def write(server: int, text: str) -> Json:
        http, key = house.caller(server=server).http, {"Idempotency-Key": text[-8:].replace(" ", "-") + stage.name}
        body = {"user_id": user, "facts": [{"content": text, "memory_type": "fact"}]}
        answer: Json = in_the_end(lambda: http.post("/memories", json=body, headers=key), 60).json()
        return answer

    turns = "SELECT count(*) FROM user_turns WHERE user_id = $1 AND expires_at > clock_timestamp()"
    with ThreadPoolExecutor(8) as pool:
        lost = [pool.submit(write, 0, text) for text in texts[1:5]]
        wait_until(lambda: stage.value(turns, user), lambda count: count == 1)
        others = [pool.submit(write, 1, text) for text in texts[5:]]
        house.processes[0].kill()
        stage.models.heal(slow)
        assert any(isinstance(one.exception(), httpx.TransportError) for one in lost)
        writes = [one.result()["write_id"] for one in others]
    other = Stage(house)
    other.agent = house.caller(server=1)
    results = [write["results"][0]["outcome"] for write in finished(other, writes)]
    assert set(results) <= {"superseded", "deferred"}
    wait_until(lambda: stage.value("SELECT count(*) FROM writes WHERE status <> 'completed'"), lambda count: count == 0)
    assert stage.value("SELECT count(DISTINCT content) FROM memories WHERE user_id = $1 AND content = ANY($2)", user, texts[5:]) == 4
