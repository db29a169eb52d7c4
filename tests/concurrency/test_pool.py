"""Slow models and busy users must not take the database's connections from everybody else."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor

from tests.integration.stage import Json, Stage, wait_until
from tests.model_stub import Reply

_SLOW = 8.0  # seconds in which forty writes get to the engine and ten reads are served, on a busy machine too
_ENGINE = 15.0  # seconds; at least five are left for the reads once all writes wait
SETTINGS = {"pool_size": 4, "engine": {"timeout_seconds": 20}}


def test_reads_are_served_while_forty_writes_wait_for_a_slow_engine(stage: Stage) -> None:
    user, texts = stage.user(), [stage.t(f"lives in place {number}") for number in range(2)]
    stage.models.place(texts, 0.9)
    stage.agent.store(user, texts[0])
    others = [stage.user(f"u{number}") for number in range(40)]
    for other in others:
        stage.agent.store(other, texts[0])
    answer = {"i": 0, "operation": "CONTRADICT", "target": "c1", "confidence": 90, "reasoning": "", "merged_content": None}
    slow = stage.models.fail("chat", texts[1], Reply.decisions(answer, delay=_SLOW))
    with ThreadPoolExecutor(40) as pool:
        writes = [pool.submit(stage.agent.write, other, texts[1]) for other in others]
        wait_until(lambda: asked_so_far(stage, texts[1], writes), lambda asked: asked == 40)
        for _ in range(10):
            stage.owner.memory(stage.owner.listed(user)[0]["id"])
            stage.owner.search(user, texts[0])
        assert not all(write.done() for write in writes), "the reads waited for the writes"
        bodies = [write.result() for write in writes]
    stage.models.heal(slow)
    assert [body["results"][0]["outcome"] for body in bodies] == ["stored"] * 40


def asked_so_far(stage: Stage, text: str, writes: list[Future[Json]]) -> int:
    """How many writes of this text have got to the engine. One that failed says here why, and is not waited for in vain."""
    for write in writes:
        if write.done():
            write.result()
    return len(stage.models.asked(text))


def p95_of_reads(stage: Stage, memory: str, reads: int = 60) -> float:
    """Seconds within which 95 of 100 reads are answered."""
    took = []
    for _ in range(reads):
        began = time.monotonic()
        stage.owner.memory(memory)
        took.append(time.monotonic() - began)
    return sorted(took)[int(reads * 0.95)]


def test_reads_stay_fast_while_sixty_four_writes_wait_for_the_engine(stage: Stage) -> None:
    texts = [stage.t(f"works in place {number}") for number in range(2)]
    stage.models.place(texts, 0.9)
    users = [stage.user(f"w{number}") for number in range(64)]
    memories = [stage.agent.store(user, texts[0]) for user in users]
    idle = p95_of_reads(stage, memories[0])
    answer = {"i": 0, "operation": "CONTRADICT", "target": "c1", "confidence": 90, "reasoning": "", "merged_content": None}
    slow = stage.models.fail("chat", texts[1], Reply.decisions(answer, delay=_ENGINE))
    with ThreadPoolExecutor(64) as pool:
        writes = [pool.submit(stage.agent.write, user, texts[1]) for user in users]
        wait_until(lambda: asked_so_far(stage, texts[1], writes), lambda asked: asked == 64)
        waiting = p95_of_reads(stage, memories[0])
        assert not any(write.done() for write in writes), "the reads waited for the writes"
        assert {write.result()["results"][0]["outcome"] for write in writes} == {"stored"}
    stage.models.heal(slow)
    idle = max(idle, p95_of_reads(stage, memories[0]))
    assert waiting < 1.0
    assert waiting <= 5 * idle


def test_one_user_with_many_writers_does_not_hold_up_another(stage: Stage) -> None:
    user, texts = stage.user(), [stage.t(f"lives in place {number}") for number in range(25)]
    stage.models.place(texts, 0.9)
    stage.agent.store(user, texts[0])
    for text in texts[1:]:
        stage.expect(text, "SUPERSEDE")
    slowest = 0.0
    with ThreadPoolExecutor(24) as pool:
        writes = [pool.submit(stage.agent.write, user, text) for text in texts[1:]]
        while not all(write.done() for write in writes):
            began = time.monotonic()
            stage.owner.listed(stage.user("carol"))
            slowest = max(slowest, time.monotonic() - began)
            time.sleep(0.02)
    assert slowest < 5.0
    assert {write.result()["results"][0]["outcome"] for write in writes} == {"superseded"}
    assert len(stage.agent.texts(user)) == 1
