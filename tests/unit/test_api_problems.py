"""Every error is a problem document that quotes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from app import errors
from app.api import examples
from app.api.schemas.clarification import Clarification
from app.services.views import ClarificationView
from tests.api_face import Face, assert_problem, face

__all__ = ["face"]

MEMORY = f"/memories/{examples.MEMORY_TEA}"


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (errors.UnauthenticatedError("no"), 401, "unauthenticated"),
        (errors.ForbiddenError("no"), 403, "forbidden"),
        (errors.NotFoundError("no"), 404, "not_found"),
        (errors.ConflictError("no", code="dispute_changed"), 409, "dispute_changed"),
        (errors.StaleRevisionError("no"), 412, "stale_revision"),
        (errors.InvalidInputError("no"), 422, "invalid_input"),
        (errors.RevisionRequiredError("no"), 428, "revision_required"),
        (errors.UnavailableError("no"), 503, "unavailable"),
        (errors.EmbedderUnavailableError("no"), 503, "embedder_unavailable"),
    ],
)
def test_each_domain_error_has_its_status(face: Face, error: Exception, status: int, code: str) -> None:
    face.script["get_memory"] = error
    document = assert_problem(face.client.get(MEMORY), status, code)
    assert (document["detail"], document["instance"]) == ("no", MEMORY)
    assert document["retryable"] is (status == 503)


def test_a_refusal_names_its_articles_and_further_members(face: Face) -> None:
    face.script["get_memory"] = errors.ForbiddenError("final", articles=("C2",), extra={"memory_id": 7, "status": 1})
    document = assert_problem(face.client.get(MEMORY), 403, "forbidden")
    assert (document["articles"], document["memory_id"], document["status"]) == (["C2"], 7, 403)


def test_retry_after_and_the_challenge_are_headers(face: Face) -> None:
    face.script["get_memory"] = errors.UnavailableError("later", retry_after=3)
    assert face.client.get(MEMORY).headers["retry-after"] == "3"
    assert face.client.get(MEMORY, headers={"Authorization": "Bearer x"}).headers["www-authenticate"] == "Bearer"


def test_a_conflict_may_be_retryable(face: Face) -> None:
    face.script["get_memory"] = errors.ConflictError("still running", retry_after=1)
    assert assert_problem(face.client.get(MEMORY), 409, "conflict")["retryable"] is True


def test_a_changed_dispute_comes_as_the_clarification_to_ask_again(face: Face) -> None:
    asked = Clarification.model_validate({**examples.CLARIFICATION, "version": 2})
    view = ClarificationView(**{name: getattr(asked, name) for name in Clarification.model_fields})
    face.script["resolve"] = errors.ConflictError("it changed", code="dispute_changed", extra={"contradiction": view})
    answer = face.client.post(f"/contradictions/{examples.CONTRADICTION_ID}/resolve", json=examples.ANSWER_RETRACT)
    document = assert_problem(answer, 409, "dispute_changed")
    assert document["contradiction"] == {**examples.CLARIFICATION, "version": 2}


def test_an_unexpected_error_says_nothing_and_logs_no_text(face: Face, capfd: pytest.CaptureFixture[str]) -> None:
    face.script["get_memory"] = RuntimeError("Alice's secret")
    assert_problem(face.client.get(MEMORY), 500, "internal", "secret", "RuntimeError")
    logged = capfd.readouterr()
    assert "secret" not in logged.out + logged.err


def test_an_error_without_a_status_is_internal(face: Face) -> None:
    face.script["get_memory"] = errors.ConfigurationError("the secret setting")
    assert_problem(face.client.get(MEMORY), 500, "internal", "secret")


def test_a_view_that_breaks_its_schema_is_internal(face: Face) -> None:
    face.script["get_memory"] = {"content": "Alice's secret"}
    assert_problem(face.client.get(MEMORY), 500, "internal", "secret")


@pytest.mark.parametrize("path", ["/nowhere/secret", "/memories/", "/", "/memories/a/b/c"])
def test_an_unknown_path_is_404_and_quoted_nowhere(face: Face, path: str) -> None:
    document = assert_problem(face.client.get(path), 404, "not_found", "secret")
    assert document["instance"] == "/"


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "/memories", "GET, POST"),
        ("DELETE", MEMORY, "GET, PATCH"),
        ("PUT", MEMORY, "GET, PATCH"),
        ("DELETE", f"{MEMORY}/history", "GET"),
        ("GET", "/memories/x/finalize", "POST"),
        ("GET", "/memories/search", "POST"),
        ("PATCH", "/memories/search", "POST"),
        ("POST", "/charter/versions", "GET"),
    ],
)
def test_a_wrong_method_names_the_right_ones(face: Face, method: str, path: str, allowed: str) -> None:
    answer = face.client.request(method, path)
    assert_problem(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == allowed


def test_a_malformed_id_is_422_and_quoted_nowhere(face: Face) -> None:
    document = assert_problem(face.client.get("/memories/secret"), 422, "invalid_input", "secret")
    assert document["errors"] == [{"field": "path.memory_id", "kind": "malformed"}]
    assert document["instance"] == "/memories/{memory_id}"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'{"user_id": "secret"', "invalid_json"),
        (b"secret", "invalid_json"),
        (b'{"user_id": "\xff secret"}', "invalid_json"),
        (b'\xef\xbb\xbf{"user_id": "secret"}', "invalid_json"),
        (b'{"user_id": "secret", "message": "a\nb"}', "invalid_json"),
        (b'{"metadata": {"a": NaN}}', "invalid_number"),
        (b'{"metadata": {"a": -Infinity}}', "invalid_number"),
        (b'{"metadata": {"a": 1e999}}', "invalid_number"),
        (b'{"metadata": {"a": 1e-400}}', "invalid_number"),
        (b'{"metadata": {"a": -0.001e-400}}', "invalid_number"),
        (b'{"user_id": "secret", "user_id": "alice"}', "invalid_json"),
        (b'{"metadata": [{"a": {"secret": 1, "\\u0073ecret": 1}}]}', "invalid_json"),
        (b'{"metadata": {"a": 9223372036854775808}}', "invalid_number"),
        (b'{"metadata": {"a": ' + b"9" * 5_000 + b"}}", "invalid_number"),
        (b'{"user_id": "secret\\u0000"}', "invalid_text"),
        (b'{"metadata": {"secret\\u0000": 1}}', "invalid_text"),
        (b'{"metadata": {"secret\\ud800": 1}}', "invalid_text"),
        (b'{"secret\\udfff": 1}', "invalid_text"),
        (b'{"message": ["secret \\udc00"]}', "invalid_text"),
        (b'{"metadata": ' + b"[" * 65 + b"]" * 65 + b"}", "too_deep"),
        (b'{"metadata": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "too_deep"),
        (b'{"a":' * 100_000, "too_deep"),
    ],
)
def test_a_broken_body_is_422(face: Face, body: bytes, code: str) -> None:
    assert_problem(face.write_raw(body), 422, code, "secret")


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("user_id=%FF", "invalid_text"),
        ("user_id=%ED%A0%80", "invalid_text"),
        ("secret%80=1", "invalid_text"),
        ("user_id=alice&user_id=secret", "repeated"),
        ("user_id=&user_id=secret", "repeated"),
        ("limit=1&l%69mit=2", "repeated"),
    ],
)
def test_a_query_that_can_be_read_in_two_ways_is_422(face: Face, query: str, code: str) -> None:
    assert_problem(face.client.get(f"/memories?{query}"), 422, code, "secret")


@pytest.mark.parametrize("name", ["Idempotency-Key", "If-Match"])
def test_a_header_that_counts_is_given_once(face: Face, name: str) -> None:
    headers = [(name, "1"), (name, "2"), ("If-Match", "1"), ("Content-Type", "application/json")]
    assert_problem(face.client.patch(MEMORY, json={"content": "a", "reason": "b"}, headers=headers), 422, "repeated")
    assert face.calls == []


@pytest.mark.parametrize("value", [[], "secret", 7, None, True])
def test_a_body_that_is_no_object_is_422(face: Face, value: Any) -> None:
    assert_problem(face.write(value), 422, "invalid_input", "secret")


def test_no_body_is_422(face: Face) -> None:
    document = assert_problem(face.client.post("/memories"), 422, "invalid_input")
    assert document["errors"] == [{"field": "body", "kind": "missing"}]


@pytest.mark.parametrize("content_type", ["text/plain", "", "application/x-www-form-urlencoded", "multipart/json"])
def test_a_body_that_is_not_declared_as_json_is_415(face: Face, content_type: str) -> None:
    assert_problem(face.write_raw(b'{"user_id": "secret"}', content_type), 415, "unsupported_media_type", "secret")


@pytest.mark.parametrize("content_type", ["application/json; charset=utf-8", "application/merge-patch+json"])
def test_other_names_of_json_are_served(face: Face, content_type: str) -> None:
    assert face.write_raw(b'{"user_id": "alice", "message": "hello"}', content_type).status_code == 201


def test_an_overlong_body_is_413_whether_declared_or_not(face: Face) -> None:
    url = f"{MEMORY}/finalize"
    body = b'{"reason": "' + b"x" * (1024 * 1024) + b'"}'
    headers = {"Content-Type": "application/json"}
    assert_problem(face.client.post(url, content=body, headers=headers), 413, "body_too_large")
    pieces = (body[start : start + 65_536] for start in range(0, len(body), 65_536))
    assert_problem(face.client.post(url, content=pieces, headers=headers), 413, "body_too_large")


def test_the_largest_legal_write_is_served(face: Face) -> None:
    fact = {"content": "\U0001f375" * 8_000, "metadata": {"é" * 8_180: 1}, "agent_id": "\U0001f375" * 256}
    write = {"user_id": "\U0001f375" * 256, "facts": [fact] * 50, "metadata": fact["metadata"]}
    answer = face.write(write)  # every character escaped
    assert answer.status_code == 201, answer.text
    assert len(face.asked.facts) == 50
