"""Request ids, logs, negotiation, health and the charter as a document."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
import structlog

from app.api import examples
from app.api.charter_markdown import render
from app.api.negotiation import asks_for_async, preferred_language, prefers_markdown
from app.charter.model import Article, CharterStatus, Mode
from app.logs import configure_logs
from app.services.views import ArticleView, CharterView, Check
from tests.api_face import KEY, MEMORY_ID, PRINCIPAL, Face, assert_problem, face

__all__ = ["face"]

CHARTER = CharterView(
    version=1,
    sha256="ab" * 32,
    status=CharterStatus.APPROVED,
    mode=Mode.BLOCK,
    approved_by=UUID(int=7),
    approved_at=datetime(2026, 5, 1, tzinfo=UTC),
    articles=(ArticleView(Article.C1, "Never auto-delete.", "It forgets nothing silently."),),
    rules=(examples.CHARTER["rules"][0],),
    thresholds={"duplicate_at": 0.98, "new_below": 0.7, "low_confidence": 70, "origin": "charter default"},
    refinements=("The divergence guard.",),
    defaults=("An exact duplicate is not stored.",),
)


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """What is logged, from debug on; the process's own set-up comes back afterwards."""
    stream = io.StringIO()
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    configure_logs(logging.DEBUG, stream)
    yield stream
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_request_id_is_kept_or_made(face: Face) -> None:
    assert face.client.get("/me", headers={"X-Request-ID": "abc-1"}).headers["x-request-id"] == "abc-1"
    for bad in ("", "a b", "x" * 129):
        made = face.client.get("/me", headers={"X-Request-ID": bad}).headers["x-request-id"]
        assert UUID(made).version == 7


def test_answers_are_not_sniffed_and_not_cached(face: Face) -> None:
    for path in ("/me", "/nowhere"):
        headers = face.client.get(path).headers
        assert (headers["x-content-type-options"], headers["cache-control"]) == ("nosniff", "no-store")


def test_answers_are_framed_nowhere_and_run_nothing(face: Face) -> None:
    for path in ("/me", "/nowhere", "/livez", "/metrics", "/openapi.json"):
        headers = face.client.get(path).headers
        assert headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
        assert (headers["x-frame-options"], headers["referrer-policy"]) == ("DENY", "no-referrer")
    assert face.client.get("/docs").headers["content-security-policy"] == "frame-ancestors 'none'"


def test_no_other_origin_is_let_in(face: Face) -> None:
    asked = {
        "Origin": "https://elsewhere.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization",
    }
    answers = [
        face.client.options("/memories", headers=asked),
        face.client.get("/me", headers=asked),
        face.client.get("/livez", headers=asked),
    ]
    assert [answer.status_code for answer in answers] == [405, 200, 200]
    assert not [name for answer in answers for name in answer.headers if name.startswith("access-control-")]


def test_the_access_line_tells_the_route_and_nothing_of_the_request(face: Face, log: io.StringIO) -> None:
    face.client.get(f"/memories/{MEMORY_ID}?secret=1", headers={"X-Request-ID": "r-1"})
    (line,) = [line for line in lines(log) if line["event"] == "request"]
    assert (line["method"], line["route"], line["status"]) == ("GET", "/memories/{memory_id}", 200)
    assert (line["request_id"], line["level"]) == ("r-1", "info")
    assert line["key_id"] == str(PRINCIPAL.key_id)
    assert line["duration_ms"] >= 0
    assert not [word for word in ("secret", KEY, str(MEMORY_ID)) if word in log.getvalue()]


def test_an_unknown_path_is_not_logged(face: Face, log: io.StringIO) -> None:
    face.client.get("/secret")
    assert "secret" not in log.getvalue()
    assert lines(log)[-1]["route"] == "unmatched"


def test_health_checks_are_quiet_while_they_succeed(face: Face, log: io.StringIO) -> None:
    face.script["check"] = [Check("database", ok=False, detail="no answer")]
    face.client.get("/livez")
    face.client.get("/readyz")
    assert [line["level"] for line in lines(log) if line["event"] == "request"] == ["debug", "info"]


def test_an_unexpected_error_is_logged_by_type_and_place(face: Face, log: io.StringIO) -> None:
    failure = RuntimeError("secret")
    failure.__cause__ = ValueError("secret")
    face.script["get_memory"] = failure
    face.client.get(f"/memories/{MEMORY_ID}")
    (line,) = [line for line in lines(log) if line["event"] == "unexpected error"]
    assert (line["error"], line["causes"]) == ("RuntimeError", ["ValueError"])
    assert any("get_memory" in frame for frame in line["frames"])
    assert "secret" not in log.getvalue()


def test_libraries_log_without_the_message_of_their_errors(log: io.StringIO) -> None:
    try:
        raise ValueError("secret")  # noqa: TRY301 - what is logged of it is the test
    except ValueError:
        logging.getLogger("uvicorn.error").exception("something %s", "broke")
    line = lines(log)[-1]
    assert (line["event"], line["error"], line["logger"]) == ("something broke", "ValueError", "uvicorn.error")
    assert "secret" not in log.getvalue()


def test_setting_up_twice_logs_once(log: io.StringIO) -> None:
    configure_logs(logging.DEBUG, log)
    logging.getLogger("x").warning("once")
    assert len(lines(log)) == 1


@pytest.mark.parametrize(
    ("header", "language"),
    [
        (None, "en"),
        ("", "en"),
        ("ru", "ru"),
        ("DE-ch", "de"),
        ("fr, es;q=0.5, de;q=0.4", "es"),
        ("zh-Hans-CN;q=0.9, en;q=0.8", "zh"),
        ("de;q=0, fr", "en"),
        ("*, de", "en"),
        ("fr;q=x, ;;,,", "en"),
        ("de;q=0.1, ru;q=nan", "de"),
    ],
)
def test_the_best_known_language(header: str | None, language: str) -> None:
    assert preferred_language(header) == language


@pytest.mark.parametrize(
    ("header", "markdown"),
    [
        (None, False),
        ("*/*", False),
        ("text/markdown", True),
        ("text/markdown, */*;q=0.1", True),
        ("application/json, text/markdown", False),
        ("application/json;q=0.5, text/markdown", True),
        ("text/markdown;q=0", False),
    ],
)
def test_markdown_is_for_those_who_ask(*, header: str | None, markdown: bool) -> None:
    assert prefers_markdown(header) is markdown


def test_respond_async_among_other_preferences() -> None:
    assert asks_for_async(["wait=10", "Respond-Async; foo"])
    assert not asks_for_async(["respond-asynchronously", "return=minimal"])


def test_readiness_is_503_until_all_checks_hold(face: Face) -> None:
    face.script["check"] = [Check("database", ok=True, detail="answers"), Check("embedder", ok=False, detail="loading")]
    answer = face.client.get("/readyz")
    document = assert_problem(answer, 503, "not_ready")
    assert document["checks"][1] == {"name": "embedder", "ok": False, "detail": "loading"}
    assert (document["retryable"], answer.headers["retry-after"]) == (True, "1")
    face.script["check"] = [Check("database", ok=True, detail="answers")]
    assert face.client.get("/readyz").json()["status"] == "ready"


def test_before_the_lifespan_everything_but_liveness_is_503(face: Face) -> None:
    del face.client.app.state.parts  # type: ignore[attr-defined]
    assert face.client.get("/livez").json() == {"status": "alive"}
    for path in ("/readyz", "/me"):
        assert_problem(face.client.get(path), 503, "not_ready")


def test_the_charter_comes_in_two_forms(face: Face) -> None:
    face.script["get_charter"] = CHARTER
    assert face.client.get("/charter").json()["articles"][0]["id"] == "C1"
    answer = face.client.get("/charter", headers={"Accept": "text/markdown"})
    assert answer.headers["content-type"].startswith("text/markdown")
    assert answer.text == render(CHARTER)


def test_the_document_shows_the_three_layers_in_order() -> None:
    text = render(CHARTER)
    order = [
        "approved",
        "1. Constitution",
        "C1",
        CHARTER.sha256,
        "2. Learned rules",
        "both stay",
        "3. Defaults",
        "0.98",
        "guard",
    ]
    places = [text.index(word) for word in order]
    assert places == sorted(places)
