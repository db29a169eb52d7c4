"""What a request may say, to the letter of the limits."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from app.api import examples
from app.charter.model import Kind, MemoryType, Resolution, RuleScope, Source, Status
from app.services.graph import EdgeView, GraphView, NodeView
from app.services.requests import FactRequest
from app.services.views import Page
from tests.api_face import MEMORY_ID, Face, assert_problem, face, memory_view, write_view

__all__ = ["face"]

MEMORY = f"/memories/{MEMORY_ID}"
RESOLVE = f"/contradictions/{examples.CONTRADICTION_ID}/resolve"
FACT = {"content": "Alice prefers tea"}


def fault(face: Face, body: dict[str, Any], field: str, kind: str, **more: Any) -> None:
    document = assert_problem(face.write(body), 422, "invalid_input", "secret")
    wanted = {"field": field, "kind": kind, **more}
    assert any(wanted.items() <= error.items() for error in document["errors"]), document["errors"]
    assert face.calls == []


def with_fact(**more: Any) -> dict[str, Any]:
    return {"user_id": "alice", "facts": [{**FACT, **more}]}


def nested(levels: int) -> Any:
    value: Any = {}
    for _ in range(levels - 1):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    ("body", "field", "kind"),
    [
        ({"facts": [FACT]}, "body.user_id", "missing"),
        ({"user_id": "", "facts": [FACT]}, "body.user_id", "too_short"),
        ({"user_id": " \t", "facts": [FACT]}, "body.user_id", "blank"),
        ({"user_id": "helixir", "facts": [FACT]}, "body.user_id", "reserved"),
        ({"user_id": 1, "facts": [FACT]}, "body.user_id", "wrong_type"),
        ({"user_id": None, "facts": [FACT]}, "body.user_id", "wrong_type"),
        ({"user_id": "alice"}, "body", "exactly_one"),
        ({"user_id": "alice", "message": None, "facts": None}, "body", "exactly_one"),
        ({"user_id": "alice", "message": "secret", "facts": [FACT]}, "body", "exactly_one"),
        ({"user_id": "alice", "message": ""}, "body.message", "too_short"),
        ({"user_id": "alice", "message": "\u2003\n"}, "body.message", "blank"),
        ({"user_id": "alice", "facts": [FACT], "secret": 1}, "body", "unknown_field"),
        ({"user_id": "alice", "facts": [{**FACT, "secret": 1}]}, "body.facts.0", "unknown_field"),
        ({"user_id": "alice", "facts": {"0": FACT}}, "body.facts", "wrong_type"),
        ({"user_id": "alice", "facts": [FACT], "dry_run": "true"}, "body.dry_run", "wrong_type"),
        ({"user_id": "alice", "facts": [FACT], "shared": 1}, "body.shared", "wrong_type"),
        ({"user_id": "alice", "facts": [FACT], "metadata": None}, "body.metadata", "wrong_type"),
        ({"user_id": "alice", "facts": [FACT], "metadata": ["secret"]}, "body.metadata", "wrong_type"),
        ({"user_id": "alice", "facts": [FACT], "agent_id": ""}, "body.agent_id", "too_short"),
        (with_fact(content="  "), "body.facts.0.content", "blank"),
        (with_fact(content=["secret"]), "body.facts.0.content", "wrong_type"),
        (with_fact(shared="secret"), "body.facts.0.shared", "wrong_type"),
        (with_fact(valid_from="2026-05-01T00:00:00"), "body.facts.0.valid_from", "not_rfc_3339"),
        (with_fact(valid_from="2026-05-01"), "body.facts.0.valid_from", "not_rfc_3339"),
        (with_fact(valid_from="1746057600"), "body.facts.0.valid_from", "not_rfc_3339"),
        (with_fact(valid_from=1746057600), "body.facts.0.valid_from", "not_rfc_3339"),
        (with_fact(valid_from="0001-01-01T00:00:00+01:00"), "body.facts.0.valid_from", "not_rfc_3339"),
        (with_fact(valid_from="0000-01-01T00:00:00Z"), "body.facts.0.valid_from", "malformed"),
        (with_fact(valid_from="2026-02-30T00:00:00Z"), "body.facts.0.valid_from", "malformed"),
    ],
)
def test_what_cannot_be_is_refused(face: Face, body: dict[str, Any], field: str, kind: str) -> None:
    fault(face, body, field, kind)


def test_limits_name_their_number(face: Face) -> None:
    fault(face, with_fact(content="x" * 8_001), "body.facts.0.content", "too_long", limit=8_000)
    fault(face, {"user_id": "alice", "message": "x" * 100_001}, "body.message", "too_long", limit=100_000)
    fault(face, {"user_id": "a" * 257, "facts": [FACT]}, "body.user_id", "too_long", limit=256)
    fault(face, {"user_id": "alice", "facts": [FACT] * 51}, "body.facts", "too_many", limit=50)
    fault(face, {"user_id": "alice", "facts": []}, "body.facts", "too_few", limit=1)
    fault(face, with_fact(metadata=nested(33)), "body.facts.0.metadata", "too_deep", limit=32)
    fault(face, with_fact(metadata={"a": "é" * 8_190}), "body.facts.0.metadata", "too_large", limit=16_384)


def test_an_unknown_type_is_told_the_known_ones(face: Face) -> None:
    document = assert_problem(face.write(with_fact(memory_type="secret")), 422, "invalid_input", "secret")
    assert "'preference'" in document["errors"][0]["allowed"]


def test_an_answer_lists_a_hundred_errors_at_most(face: Face) -> None:
    body = {"user_id": "alice", "facts": [{"content": 1, "shared": 1, "source": 1} for _ in range(50)]}
    assert len(assert_problem(face.write(body), 422, "invalid_input")["errors"]) == 100


@pytest.mark.parametrize(
    "body",
    [
        {"user_id": "a" * 256, "message": "x" * 100_000},
        {"user_id": "Helixir", "facts": [FACT] * 50},
        with_fact(content="\U0001f375" * 8_000),
        with_fact(content="  not trimmed  "),
        with_fact(metadata=nested(32)),
        with_fact(metadata={"a": "é" * 8_188}),
        with_fact(metadata={"": [1, 1.5, None, True, "ü"], "ü": -(2**63)}),
        with_fact(memory_type=None, valid_from=None, metadata=None),
        with_fact(valid_from="2026-05-01t00:00:00.123456789z"),
        with_fact(valid_from="9999-12-31T23:59:59-00:00"),
    ],
)
def test_what_can_be_is_served(face: Face, body: dict[str, Any]) -> None:
    answer = face.write(body)
    assert answer.status_code == 201, answer.text


def test_a_write_reaches_the_service_as_it_came(face: Face) -> None:
    body = {
        "user_id": "alice",
        "facts": [
            {
                "content": " Alice prefers tea ",
                "memory_type": "preference",
                "valid_from": "2026-05-01T02:00:00+02:00",
                "source": "tool",
                "shared": True,
                "agent_id": "a",
                "session_id": "s",
                "metadata": {"k": [1]},
            },
            FACT,
        ],
        "source": "user",
        "metadata": {"m": None},
        "dry_run": True,
    }
    answer = face.write(body, Idempotency_Key="k-1", Prefer="wait=5, respond-async", Accept_Language="de-CH, en;q=0.5")
    assert answer.status_code == 201
    asked = face.asked
    assert asked.body == body
    assert asked.facts == (
        FactRequest(
            content=" Alice prefers tea ",
            memory_type=MemoryType.PREFERENCE,
            valid_from=datetime(2026, 5, 1, tzinfo=UTC),
            source=Source.TOOL,
            shared=True,
            agent_id="a",
            session_id="s",
            metadata={"k": [1]},
        ),
        FactRequest(content="Alice prefers tea"),
    )
    assert (asked.user_id, asked.source, asked.shared, asked.metadata) == ("alice", Source.USER, False, {"m": None})
    assert (asked.dry_run, asked.respond_async, asked.idempotency_key, asked.language) == (True, True, "k-1", "de")


def test_a_write_answers_with_the_status_of_the_service(face: Face) -> None:
    for status, replayed in ((200, False), (201, True), (202, False)):
        face.script["remember"] = write_view(http_status=status, replayed=replayed)
        answer = face.write(with_fact())
        assert answer.status_code == status
        assert answer.headers.get("idempotency-replayed") == ("true" if replayed else None)
        assert answer.headers["location"] == f"/writes/{examples.WRITE_ID}"


@pytest.mark.parametrize("key", ["", "a b", "é".encode().decode("latin-1"), "x" * 256])
def test_an_idempotency_key_is_visible_ascii(face: Face, key: str) -> None:
    headers = {b"Idempotency-Key": key.encode("latin-1")}
    answer = face.client.post("/memories", json=with_fact(), headers=headers)
    document = assert_problem(answer, 422, "invalid_input")
    assert document["errors"][0]["field"] == "header.Idempotency-Key"


@pytest.mark.parametrize(("header", "revision"), [("3", 3), ('"3"', 3), (" 12 ", 12)])
def test_if_match_names_the_revision(face: Face, header: str, revision: int) -> None:
    body = {"content": "Alice prefers green tea", "reason": "which tea"}
    answer = face.client.patch(MEMORY, json=body, headers={"If-Match": header})
    assert (answer.status_code, answer.headers["etag"]) == (200, '"2"')
    assert (face.asked.revision, face.asked.memory_id, face.asked.body) == (revision, MEMORY_ID, body)


@pytest.mark.parametrize("header", ["", "0", "*", 'W/"3"', '"3', "3, 4", "-1", "1.0", "x", "9" * 12])
def test_any_other_if_match_is_422(face: Face, header: str) -> None:
    answer = face.client.patch(MEMORY, json={"content": "x", "reason": "y"}, headers={"If-Match": header})
    assert_problem(answer, 422, "invalid_input")


def test_no_if_match_is_428(face: Face) -> None:
    assert_problem(face.client.patch(MEMORY, json={"content": "x", "reason": "y"}), 428, "revision_required")


def test_an_edit_that_waits_is_202_with_the_write(face: Face) -> None:
    face.script["edit"] = write_view(http_status=202, replayed=True)
    answer = face.client.patch(MEMORY, json={"content": "x", "reason": "y"}, headers={"If-Match": "1"})
    assert (answer.status_code, answer.json()["write_id"]) == (202, examples.WRITE_ID)
    assert answer.headers["idempotency-replayed"] == "true"


@pytest.mark.parametrize("act", ["finalize", "unfinalize", "withdraw", "restore"])
def test_an_owners_act_has_its_reason(face: Face, act: str) -> None:
    face.script[act] = memory_view()
    assert face.client.post(f"{MEMORY}/{act}", json={"reason": "because"}).status_code == 200
    assert face.calls == [(act, (MEMORY_ID, "because"))]
    for body in ({}, {"reason": ""}, {"reason": " "}, {"reason": "x" * 2_001}, {"reason": "x", "more": 1}):
        assert_problem(face.client.post(f"{MEMORY}/{act}", json=body), 422, "invalid_input")


def test_an_answer_reaches_the_service(face: Face) -> None:
    body = {
        "resolution": "coexist",
        "version": 2,
        "contexts": {"new": "at work"},
        "note": "both",
        "answered_by": "Alice",
        "always": True,
        "scope": "tenant",
    }
    face.client.post(RESOLVE, json=body, headers={"Accept-Language": "zh-Hans"})
    asked = face.asked
    assert (asked.resolution, asked.version, asked.contexts) == (Resolution.COEXIST, 2, {"new": "at work"})
    assert (asked.note, asked.answered_by, asked.always) == ("both", "Alice", True)
    assert (asked.scope, asked.language) == (RuleScope.TENANT, "zh")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"resolution": "secret"},
        {"resolution": "retract", "version": 0},
        {"resolution": "retract", "version": "1"},
        {"resolution": "retract", "version": True},
        {"resolution": "retract", "version": 2**31},
        {"resolution": "retract", "always": 1},
        {"resolution": "coexist", "contexts": {"secret": "x"}},
        {"resolution": "coexist", "contexts": {"new": ""}},
        {"resolution": "amend", "content": ""},
        {"resolution": "confirm", "note": "x" * 2_001},
        {"resolution": "confirm", "answered_by": "x" * 257},
    ],
)
def test_an_answer_that_cannot_be_is_refused(face: Face, body: dict[str, Any]) -> None:
    assert_problem(face.client.post(RESOLVE, json=body), 422, "invalid_input", "secret")
    assert face.calls == []


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=201",
        "limit=x",
        "limit=",
        "status=secret",
        "memory_type=secret",
        "kind=secret",
        "source=secret",
        "undecided=secret",
        "user_id=",
        "user_id=a%00b",
        "user_id=" + "a" * 257,
        "cursor=",
        "cursor=secret%20",
        "cursor=" + "a" * 1_025,
        "secret=1",
        "as_of=2026-05-01",
    ],
)
def test_a_query_that_cannot_be_is_refused(face: Face, query: str) -> None:
    assert_problem(face.client.get(f"/memories?{query}"), 422, "invalid_input", "secret")


def test_time_travel_reaches_the_services(face: Face) -> None:
    face.client.get("/memories", params={"as_of": "2026-05-01T02:00:00+02:00", "valid_at": "2025-05-01T00:00:00Z"})
    wanted, _ = face.calls[-1][1]
    assert (wanted.as_of, wanted.valid_at) == (datetime(2026, 5, 1, tzinfo=UTC), datetime(2025, 5, 1, tzinfo=UTC))
    times = {name: f"202{place}-05-01T00:00:00Z" for place, name in enumerate(("as_of", "valid_at", "time_from", "time_to"))}
    face.client.post("/memories/search", json={"query": "tea", "user_id": "alice", **times})
    (asked,) = face.calls[-1][1]
    assert [asked.as_of.year, asked.valid_at.year, asked.time_from.year, asked.time_to.year] == [2020, 2021, 2022, 2023]


def test_a_list_query_reaches_the_service(face: Face) -> None:
    face.client.get("/memories?user_id=alice&status=held&kind=atom&undecided=true&limit=200&cursor=abc")
    wanted, page = face.calls[-1][1]
    assert (wanted.user_id, wanted.status, wanted.kind, wanted.undecided) == ("alice", "held", "atom", True)
    assert (page.limit, page.cursor) == (200, "abc")


def test_a_search_reaches_the_service(face: Face) -> None:
    face.script["search"] = []
    body = {"query": "tea", "user_id": "alice", "scope": "collective", "memory_types": ["goal"], "include_held": True}
    assert face.client.post("/memories/search", json=body).json() == {"results": []}
    assert (face.asked.collective, face.asked.memory_types, face.asked.limit) == (True, (MemoryType.GOAL,), 10)
    assert (face.asked.include_held, face.asked.include_superseded) == (True, False)


def test_times_are_shown_in_utc_with_z(face: Face) -> None:
    face.script["get_memory"] = memory_view(valid_from=datetime.fromisoformat("2026-05-01T02:00:00+02:00"))
    body = face.client.get(MEMORY).json()
    assert (body["valid_from"], body["created_at"]) == ("2026-05-01T00:00:00Z", "2026-05-01T09:30:00Z")


def test_an_edge_leads_from_and_to(face: Face) -> None:
    nodes = [NodeView(MEMORY_ID, Kind.ATOM, "tea", Status.ACTIVE)]
    edges = [EdgeView(UUID(int=1), "SAME_AS", MEMORY_ID, UUID(int=2), "live")]
    face.script["get_graph"] = GraphView(nodes, edges)
    (edge,) = face.client.get(f"{MEMORY}/graph?depth=2").json()["edges"]
    assert (edge["type"], edge["from"], edge["to"], edge["status"]) == ("SAME_AS", str(MEMORY_ID), str(UUID(int=2)), "live")
    assert face.calls == [("get_graph", (MEMORY_ID, 2))]
    for depth in ("0", "6", "x", ""):
        assert_problem(face.client.get(f"{MEMORY}/graph?depth={depth}"), 422, "invalid_input")


def test_writes_are_listed_by_status_and_user(face: Face) -> None:
    face.script["list_writes"] = Page([write_view()], None)
    document = face.client.get("/writes?status=accepted&user_id=alice&limit=2").json()
    assert [write["write_id"] for write in document["items"]] == [examples.WRITE_ID]
    status, user_id, page, language = face.calls[-1][1]
    assert (status, user_id, page.limit, language) == ("accepted", "alice", 2, "en")
    assert_problem(face.client.get("/writes?status=running"), 422, "invalid_input")


@pytest.mark.parametrize("written", ["7", "7.0", "7e0"])
def test_an_integer_is_any_number_without_a_fraction(face: Face, written: str) -> None:
    assert search_limited(face, written).status_code == 200
    assert face.asked.limit == 7


@pytest.mark.parametrize("written", ["7.5", '"7"', "true", "[7]"])
def test_nothing_else_is_an_integer(face: Face, written: str) -> None:
    document = assert_problem(search_limited(face, written), 422, "invalid_input")
    assert document["errors"][0]["field"] == "body.limit"


def search_limited(face: Face, written: str) -> Any:
    face.script["search"] = []
    body = f'{{"query": "tea", "user_id": "alice", "limit": {written}}}'
    return face.client.post("/memories/search", content=body, headers={"Content-Type": "application/json"})
