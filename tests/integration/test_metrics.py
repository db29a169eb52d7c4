"""What `/metrics` counts, and that it names nobody."""

from __future__ import annotations

import re

import httpx

from tests.integration.stage import Stage


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
