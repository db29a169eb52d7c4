"""The document is the contract: complete, equal to its snapshot, and without a way to delete."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from app.api.schemas.problem import Problem
from app.api.schemas.texts import Content
from app.main import create_app
from app.settings import Settings

SNAPSHOT = Path(__file__).parents[2] / "openapi" / "openapi.json"
DOCUMENT: dict[str, Any] = create_app(Settings()).openapi()
OPERATIONS = {
    f"{method.upper()} {path}": operation for path, operations in DOCUMENT["paths"].items() for method, operation in operations.items()
}
OPEN = {"GET /livez", "GET /readyz", "GET /metrics"}
BODY_OPTIONAL = {"POST /rule-proposals/{proposal_id}/approve", "POST /rule-proposals/{proposal_id}/reject"}


def examples_in(content: dict[str, Any]) -> list[Any]:
    """The one example of a media type, or all its named ones."""
    named = content.get("examples", {})
    return [content["example"]] if "example" in content else [each["value"] for each in named.values()]


every_operation = pytest.mark.parametrize("name", OPERATIONS)


def test_the_snapshot_is_what_the_code_says() -> None:
    assert json.loads(SNAPSHOT.read_text(encoding="utf-8")) == DOCUMENT, "run `make openapi` and look at the change"


def test_all_routes_of_the_contract_are_there() -> None:
    assert set(OPERATIONS) >= {
        "POST /memories",
        "GET /memories",
        "POST /memories/search",
        "GET /memories/{memory_id}",
        "PATCH /memories/{memory_id}",
        "GET /memories/{memory_id}/history",
        "GET /memories/{memory_id}/graph",
        "POST /memories/{memory_id}/finalize",
        "POST /memories/{memory_id}/unfinalize",
        "POST /memories/{memory_id}/withdraw",
        "POST /memories/{memory_id}/restore",
        "GET /writes",
        "GET /writes/{write_id}",
        "GET /contradictions",
        "GET /contradictions/{contradiction_id}",
        "POST /contradictions/{contradiction_id}/resolve",
        "GET /decisions",
        "GET /decisions/{decision_id}",
        "GET /charter",
        "GET /charter/versions",
        "POST /charter/approve",
        "POST /charter/withdraw",
        "GET /rules",
        "GET /rules/{rule_id}",
        "POST /rules/{rule_id}/revoke",
        "GET /rule-proposals",
        "POST /rule-proposals/{proposal_id}/approve",
        "POST /rule-proposals/{proposal_id}/reject",
        "GET /me",
        "GET /livez",
        "GET /readyz",
        "GET /metrics",
    }


def test_c1_nothing_deletes() -> None:
    assert not [name for name in OPERATIONS if name.startswith("DELETE")]
    assert not [name for name, operation in OPERATIONS.items() if "delete" in operation["operationId"]]


def test_operation_ids_are_unique_verbs_and_nouns() -> None:
    ids = [operation["operationId"] for operation in OPERATIONS.values()]
    assert len(set(ids)) == len(ids)
    assert not [name for name in ids if not re.fullmatch(r"[a-z]+(_[a-z]+)+", name)]


@every_operation
def test_an_operation_is_described(name: str) -> None:
    operation = OPERATIONS[name]
    assert all(operation[member] for member in ("summary", "description", "tags"))
    assert set(operation["tags"]) <= {tag["name"] for tag in DOCUMENT["tags"]}


@every_operation
def test_every_response_has_an_example(name: str) -> None:
    for status, response in OPERATIONS[name]["responses"].items():
        assert response["description"]
        for media_type, content in response["content"].items():
            assert examples_in(content), (status, media_type)
            assert content["schema"], (status, media_type)


@every_operation
def test_problems_are_problem_documents(name: str) -> None:
    for status, response in OPERATIONS[name]["responses"].items():
        if int(status) >= 400:
            (media_type, content) = next(iter(response["content"].items()))
            assert media_type == "application/problem+json"
            assert content["schema"] == {"$ref": "#/components/schemas/Problem"}
            for example in examples_in(content):
                assert Problem.model_validate(example).status == int(status)
                assert example["type"] == f"/problems/{example['code']}"


@every_operation
def test_an_operation_declares_what_it_may_refuse(name: str) -> None:
    operation = OPERATIONS[name]
    declared = set(operation["responses"])
    if name in OPEN:
        assert "security" not in operation
        return
    assert operation["security"] == [{"key": []}]
    assert {"401", "503"} <= declared
    if "requestBody" in operation:
        assert {"413", "415", "422"} <= declared
        assert "403" in declared or name == "POST /memories/search"
    if "{" in name:
        assert {"404", "422"} <= declared
    if operation.get("parameters"):
        assert "422" in declared


@every_operation
def test_a_body_has_an_example(name: str) -> None:
    body = OPERATIONS[name].get("requestBody")
    if body:
        assert body.get("required", False) is (name not in BODY_OPTIONAL)
        assert body["content"]["application/json"]["examples"]


@every_operation
def test_parameters_are_described_and_never_null(name: str) -> None:
    for parameter in OPERATIONS[name].get("parameters", ()):
        assert parameter["description"], parameter["name"]
        assert "null" not in json.dumps(parameter["schema"]), parameter["name"]


def test_the_headers_that_mean_something_are_declared() -> None:
    headers = {
        name: {p["name"]: p["required"] for p in operation.get("parameters", ()) if p["in"] == "header"}
        for name, operation in OPERATIONS.items()
    }
    assert headers["POST /memories"] == {"Idempotency-Key": False, "Accept-Language": False, "Prefer": False}
    edit = headers["PATCH /memories/{memory_id}"]
    assert edit == {"Idempotency-Key": False, "If-Match": True, "Accept-Language": False}
    assert {"412", "428"} <= set(OPERATIONS["PATCH /memories/{memory_id}"]["responses"])


def test_what_a_conflict_may_be_is_named() -> None:
    def codes(name: str, status: str) -> set[str]:
        content = OPERATIONS[name]["responses"][status]["content"]["application/problem+json"]
        return {example["code"] for example in examples_in(content)}

    answer = "POST /contradictions/{contradiction_id}/resolve"
    assert codes(answer, "409") == {"dispute_changed", "already_resolved", "dispute_moot", "rule_conflict", "same_text", "still_running"}
    assert {"role", "no_answer", "charter_refusal"} <= codes(answer, "403")
    assert codes("POST /charter/approve", "409") == {"not_current", "still_running"}
    assert codes("POST /rule-proposals/{proposal_id}/approve", "409") == {"proposal_decided", "rule_conflict", "still_running"}
    assert codes("POST /memories", "409") == {"still_running"}


def test_the_idempotency_key_is_declared_only_where_it_works() -> None:
    declared = {
        name for name, operation in OPERATIONS.items() if any(p["name"] == "Idempotency-Key" for p in operation.get("parameters", ()))
    }
    assert declared == {name for name in OPERATIONS if name.startswith(("POST", "PATCH"))} - {"POST /memories/search"}


def test_limits_are_said_in_the_words_of_json_schema() -> None:
    assert not re.findall(r'"(?:ge|gt|le|lt|max_length|min_length)":', json.dumps(DOCUMENT))


def test_every_field_of_every_schema_is_described() -> None:
    bare = [
        f"{name}.{field}"
        for name, schema in DOCUMENT["components"]["schemas"].items()
        for field, member in schema.get("properties", {}).items()
        if not member.get("description")
    ]
    assert bare == []


def test_the_charter_comes_in_two_forms() -> None:
    assert set(OPERATIONS["GET /charter"]["responses"]["200"]["content"]) == {"application/json", "text/markdown"}


def test_every_reference_leads_somewhere() -> None:
    for reference in re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(DOCUMENT)):
        assert reference in DOCUMENT["components"]["schemas"]


def links() -> list[tuple[str, dict[str, Any]]]:
    """Every link of every response, with its operation and the reference followed."""
    found = []
    for name, operation in OPERATIONS.items():
        for response in operation["responses"].values():
            for link in response.get("links", {}).values():
                (_, _, key) = link["$ref"].rpartition("/")
                found.append((name, DOCUMENT["components"]["links"][key]))
    return found


def test_every_link_leads_to_an_operation_that_takes_what_it_gives() -> None:
    by_id = {operation["operationId"]: operation for operation in OPERATIONS.values()}
    for name, link in links():
        target = by_id[link["operationId"]]
        taken = {parameter["name"]: parameter.get("required", False) for parameter in target.get("parameters", ())}
        given = link.get("parameters", {})
        assert set(given) <= set(taken), (name, link)
        assert {parameter for parameter, required in taken.items() if required} <= set(given), (name, link)
        assert "requestBody" in link or not target.get("requestBody", {}).get("required", False), (name, link)


def test_a_write_leads_to_all_that_became_of_it() -> None:
    led = {link["operationId"] for name, link in links() if name == "POST /memories"}
    assert led == {"get_write", "get_memory", "get_decision", "get_contradiction", "resolve_contradiction"}


@pytest.mark.parametrize("text", ["a", " a\n", "\0", "a\0", *(chr(code) for code in range(0x3001) if chr(code).isspace())])
def test_the_documents_pattern_of_a_text_is_what_is_checked(text: str) -> None:
    schema = TypeAdapter(Content).json_schema()
    try:
        TypeAdapter(Content).validate_python(text)
    except ValidationError:
        taken = False
    else:
        taken = True
    assert bool(re.search(schema["pattern"], text)) is taken
