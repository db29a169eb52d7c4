"""What `/metrics` counts, and that it names nobody."""

from __future__ import annotations

import re
from collections.abc import Callable

import asyncpg
import httpx
import pytest
from pydantic import SecretStr

from app.db import transaction
from app.db.pool import open_pool
from app.errors import UnavailableError
from app.metrics import REGISTRY
from app.settings import Settings
from tests.integration.stage import Stage, wait_until
from tests.model_stub import Reply
from tests.postgres import Database


def scraped(stage: Stage) -> dict[str, float]:
    answer = httpx.get(f"{stage.house.live.base_url}/metrics", trust_env=False)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain")
    lines = [line for line in answer.text.splitlines() if not line.startswith("#")]
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines}


def test_requests_rulings_and_tiers_are_counted_once_committed(stage: Stage) -> None:
    before = scraped(stage)
    met = stage.disputed()
    stage.agent.write(stage.user(), stage.t("has a cat"), expect=200, dry_run=True)
    after = scraped(stage)

    def more(name: str) -> float:
        return after.get(name, 0) - before.get(name, 0)

    assert more('helixir_rulings_total{articles="C3",operation="SUPERSEDE",outcome="deferred"}') == 1
    assert (more('helixir_tiers_total{tier="engine"}'), more('helixir_tiers_total{tier="new"}')) == (1, 1)
    assert more('helixir_requests_total{method="POST",route="/memories",status="201"}') == 2
    assert more("helixir_engine_calls_total") == 1
    assert after["helixir_pool_connections"] >= 1
    stage.agent.memory(met.new)
    assert 'helixir_requests_total{method="GET",route="/memories/{memory_id}",status="200"}' in scraped(stage)


def test_what_waits_is_what_the_database_holds(stage: Stage) -> None:
    met = stage.disputed()
    rows = {row["what"]: row for row in stage.rows("SELECT * FROM waiting()")}
    assert rows["disputes"]["waits"] == stage.value("SELECT count(*) FROM contradictions WHERE status = 'open'")
    assert rows["disputes"]["oldest"] > 0
    assert (rows["undecided"]["waits"], rows["accepted"]["waits"]) == (0, 0)
    assert 'helixir_waiting{what="disputes"}' in scraped(stage)
    assert met.dispute


def test_no_user_no_id_and_no_text_is_named(stage: Stage) -> None:
    met = stage.disputed()
    stage.agent.http.get(f"/{stage.name}/nowhere")
    stage.agent.http.request(stage.name[:6].upper(), "/memories")
    text = httpx.get(f"{stage.house.live.base_url}/metrics", trust_env=False).text
    assert not re.search(r"[0-9a-f]{8}-[0-9a-f]{4}-", text)
    assert stage.name not in text
    assert stage.name[:6].upper() not in text
    assert met.user not in text


def since(stage: Stage) -> Callable[[str], float]:
    """How much more a metric counts by then than now."""
    before = scraped(stage)
    return lambda name: scraped(stage).get(name, 0) - before.get(name, 0)


def test_model_servers_are_counted_by_the_status_of_each_request_and_tokens_whoever_asked(stage: Stage) -> None:
    more, text = since(stage), stage.t("likes cocoa")
    stage.models.extracts[f"{text}. Thanks!"] = [{"content": text, "memory_type": "preference", "valid_from": None}]
    stage.agent.say(stage.user(), f"{text}. Thanks!")
    assert (more('helixir_engine_tokens_total{kind="prompt"}'), more('helixir_engine_tokens_total{kind="completion"}')) == (7, 3)
    stage.models.fail("chat", stage.t("lives in Porto"), Reply(status=503), times=1)
    stage.meet("SUPERSEDE")
    assert more('helixir_model_calls_total{status="503",to="chat"}') == 1
    assert more('helixir_model_calls_total{status="200",to="chat"}') == 2
    assert more('helixir_model_calls_total{status="200",to="embeddings"}') == 3
    assert more('helixir_model_seconds_count{to="chat"}') == 3
    assert more("helixir_embedder_seconds_count") == 3
    assert more('helixir_engine_tokens_total{kind="prompt"}') == 14


def test_an_embedder_that_is_away_is_a_fault_and_its_writes_are_jobs(stage: Stage) -> None:
    live = stage.house.start(intake={"retry_seconds": 0.5})
    more, user, text = since(stage), stage.user(), stage.t("has a parrot")
    away = stage.models.fail("embeddings", text, Reply(status=500))
    body = {"user_id": user, "facts": [{"content": text, "memory_type": "fact"}]}
    assert live.agent.post("/memories", json=body).json()["status"] == "accepted"
    assert more("helixir_embedder_faults_total") >= 1
    wait_until(lambda: more('helixir_jobs_total{kind="write",outcome="postponed"}'), lambda count: count >= 1)
    stage.models.heal(away)
    wait_until(lambda: more('helixir_jobs_total{kind="write",outcome="done"}'), lambda count: count >= 1)
    assert stage.agent.texts(user) == [text]


def test_each_breaker_is_shown_by_itself(stage: Stage) -> None:
    live = stage.house.start(engine={"retries": 0, "breaker_failures": 2, "breaker_seconds": 600})
    more, old = since(stage), stage.t("lives in Lisbon")
    texts = [old, *(stage.t(f"lives in place {number}") for number in range(2))]
    stage.models.place(texts, 0.9)
    away = stage.models.fail("chat", stage.name, Reply(status=500))
    for text in texts[1:]:
        user = stage.user()
        stage.agent.store(user, old)
        write = live.agent.post("/memories", json={"user_id": user, "facts": [{"content": text, "memory_type": "fact"}]})
        assert write.json()["results"][0]["outcome"] == "undecided"
    stage.models.heal(away)
    assert more("helixir_engine_faults_total") == 2
    message = stage.t("likes rowing")
    stage.models.extracts[message] = [{"content": message, "memory_type": "preference", "valid_from": None}]
    assert live.agent.post("/memories", json={"user_id": stage.user(), "message": message}).status_code == 201
    now = scraped(stage)
    assert now['helixir_engine_breaker_open{by="engine"}'] == 1
    assert now['helixir_engine_breaker_open{by="extractor"}'] == 0


def test_refusals_by_a_limit_are_counted_by_their_code(stage: Stage) -> None:
    live = stage.house.start(limits={"rate": "5/minute"})
    more = since(stage)
    refused = [answer for answer in (live.agent.get("/me") for _ in range(10)) if answer.status_code == 429]
    assert refused
    assert more('helixir_limited_total{code="rate_limited"}') == len(refused)


async def test_a_wait_for_a_connection_that_was_in_vain_counts_too(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transaction, "ACQUIRE_SECONDS", 0.3)
    pool: asyncpg.Pool = await open_pool(Settings(database_url=SecretStr(database.service_dsn), pool_size=2))

    def count(name: str, **labels: str) -> float:
        return REGISTRY.get_sample_value(name, labels) or 0.0

    seconds = count("helixir_pool_wait_seconds_sum")
    faults = count("helixir_database_faults_total", code="pool_exhausted")
    try:
        async with pool.acquire(), pool.acquire():
            with pytest.raises(UnavailableError), transaction.domain_errors():
                async with transaction.acquired(pool):
                    raise AssertionError
    finally:
        await pool.close()
    assert count("helixir_pool_wait_seconds_sum") >= seconds + 0.3
    assert count("helixir_database_faults_total", code="pool_exhausted") == faults + 1
