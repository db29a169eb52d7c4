"""What a decision says about the engine's part in it, and the time that one write has for the engine in all."""

from __future__ import annotations

import time

from app.engine.prompt import read_prompt
from tests.integration.stage import Stage
from tests.model_stub import Reply

SETTINGS = {"engine": {"timeout_seconds": 30, "deadline_seconds": 3.0}, "intake": {"retry_seconds": 3600}}


def test_a_decision_names_the_prompt_and_counts_what_was_sent_again(stage: Stage) -> None:
    stage.models.fail("chat", stage.t("lives in Porto"), Reply(status=503), times=1)
    met = stage.meet("SUPERSEDE")
    assert met.result["outcome"] == "superseded"
    engine = stage.agent.ask("GET", f"/decisions/{met.result['decision_id']}")["engine"]
    assert (engine["calls"], engine["retries"]) == (1, 1)
    assert engine["prompt_sha256"] == read_prompt("decide").sha256


def test_a_write_waits_for_the_engine_no_longer_than_it_may(stage: Stage) -> None:
    fault = stage.models.fail("chat", stage.t("lives in Porto"), Reply.decisions(delay=20))
    started = time.monotonic()
    met = stage.meet("SUPERSEDE")
    took = time.monotonic() - started
    stage.models.heal(fault)
    assert 3 <= took < 15
    assert met.result["outcome"] == "undecided"
    decision = stage.agent.ask("GET", f"/decisions/{met.result['decision_id']}")
    assert decision["ruling"]["fault"] == "the write's time for the engine is used up"
    assert stage.agent.texts(met.user) == sorted([met.old_text, met.new_text])
