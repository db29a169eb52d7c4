"""The embedder or the extractor is out of reach, or answers what is no vector: the write is safe, and says so honestly."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.models import DIMENSIONS
from tests.integration.stage import Stage
from tests.model_stub import Reply

SETTINGS = {"embedding": {"timeout_seconds": 0.6}, "engine": {"timeout_seconds": 0.6}, "intake": {"retry_seconds": 3600}}
NAN = b'{"data": [{"index": 0, "embedding": [NaN' + b", 0.5" * (DIMENSIONS - 1) + b"]}]}"


@pytest.mark.parametrize(
    "reply",
    [
        Reply({"error": "boom"}, status=500),
        Reply({"error": "no"}, status=401),
        Reply.vectors([1.0] * DIMENSIONS, delay=1.5),
        Reply(reset=True),
        Reply.vectors([1.0] * (DIMENSIONS - 1)),
        Reply.vectors([1.0] * (DIMENSIONS + 1)),
        Reply.vectors([0.0] * DIMENSIONS),
        Reply.vectors([None] * DIMENSIONS),
        Reply.vectors(["0.5"] * DIMENSIONS),
        Reply.vectors(*[[1.0] * DIMENSIONS] * 2),
        Reply({"data": []}),
        Reply(NAN),
        Reply(NAN.replace(b"NaN", b"1e999")),
    ],
    ids=["500", "401", "slow", "cut", "short", "long", "zero", "null", "text", "two", "none", "nan", "infinite"],
)
def test_without_a_sound_vector_a_write_is_accepted_and_no_vector_is_stored(stage: Stage, reply: Reply) -> None:
    user, text = stage.user(), stage.t("lives in Lisbon")
    stage.models.fail("embeddings", text, reply)
    body = stage.agent.write(user, text, expect=202)
    assert (body["status"], body["results"], body["needs_clarification"]) == ("accepted", [], [])
    assert stage.agent.ask("GET", f"/writes/{body['write_id']}") == body
    assert stage.agent.listed(user) == []
    kept = stage.value("SELECT body -> 'facts' -> 0 ->> 'content' FROM writes WHERE write_id = $1", body["write_id"])
    assert kept == text
    assert stage.value("SELECT count(*) FROM embeddings e JOIN memories m USING (tenant_id, memory_id) WHERE m.user_id = $1", user) == 0


def test_a_message_is_readable_at_once_while_the_embedder_is_away(stage: Stage) -> None:
    user, message, fact = stage.user(), stage.t("lives in Lisbon, they say"), stage.t("lives in Lisbon")
    stage.models.extracts[message] = [{"content": fact, "memory_type": "fact", "valid_from": None}]
    stage.models.fail("embeddings", fact, Reply(status=503))
    body = stage.agent.say(user, message, expect=202)
    assert stage.agent.memory(body["raw_input_id"])["content"] == message
    assert stage.agent.ask("GET", f"/writes/{body['write_id']}")["raw_input_id"] == body["raw_input_id"]


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=500),
        Reply(reset=True),
        Reply.completion("Sorry."),
        Reply.completion('{"facts": "none"}'),
        Reply.completion('{"facts": [{"content": 7}]}'),
        Reply.completion('{"facts": []}', delay=1.5),
    ],
    ids=["500", "cut", "prose", "no-list", "no-text", "slow"],
)
def test_without_an_extractor_a_message_is_accepted_and_kept(stage: Stage, reply: Reply) -> None:
    user, message = stage.user(), stage.t("moved to Lisbon")
    stage.models.fail("chat", message, reply)
    body = stage.agent.say(user, message, expect=202)
    assert (body["status"], body["results"]) == ("accepted", [])
    assert stage.agent.memory(body["raw_input_id"])["content"] == message
    assert stage.agent.listed(user) == []


def test_a_merge_that_cannot_be_embedded_changes_nothing(stage: Stage) -> None:
    merged = stage.t("lives in Lisbon by the river")
    stage.models.fail("embeddings", merged, Reply(status=500))
    met = stage.meet("UPDATE", new="lives by the river", merged=merged)
    assert met.result["outcome"] == "undecided"
    assert stage.agent.memory(met.old)["content"] == met.old_text


@pytest.mark.parametrize("path", ["dry_run", "search", "edit", "amend"])
def test_what_cannot_be_kept_for_later_answers_503_and_changes_nothing(stage: Stage, path: str) -> None:
    met, text = stage.disputed(), stage.t("prefers water")
    stage.models.fail("embeddings", text, Reply(status=500))
    calls: dict[str, tuple[str, str, dict[str, Any]]] = {
        "dry_run": ("POST", "/memories", {"json": {"user_id": met.user, "facts": [{"content": text}], "dry_run": True}}),
        "search": ("POST", "/memories/search", {"json": {"user_id": met.user, "query": text}}),
        "edit": ("PATCH", f"/memories/{met.old}", {"json": {"content": text, "reason": "better"}, "headers": {"If-Match": "1"}}),
        "amend": ("POST", f"/contradictions/{met.dispute}/resolve", {"json": {"resolution": "amend", "content": text}}),
    }
    method, where, more = calls[path]
    answer = stage.owner.http.request(method, where, **more)
    assert (answer.status_code, int(answer.headers["Retry-After"]) >= 1) == (503, True)
    body = answer.json()
    assert (body["code"], body["retryable"], stage.name in str(body)) == ("embedder_unavailable", True, False)
    assert stage.agent.dispute(met.dispute)["status"] == "open"
    assert stage.agent.texts(met.user) == sorted([met.old_text, met.new_text])


def test_a_retried_request_with_its_key_gets_the_accepted_write(stage: Stage) -> None:
    user, text = stage.user(), stage.t("lives in Lisbon")
    stage.models.fail("embeddings", text, Reply(status=500))
    first = stage.agent.write(user, text, expect=202, key=stage.name)
    again = stage.agent.write(user, text, expect=202, key=stage.name)
    assert first == again
