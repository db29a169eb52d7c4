"""Approval, learned rules and proposals: what they take, and how they answer."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from app.api import examples
from app.charter.model import CharterStatus, MemoryType, Mode, Operation, Resolution, RuleScope, Shape
from app.db.rules import ProposalRow, RuleRow
from app.errors import ConflictError, ForbiddenError, NotFoundError
from app.services.approval import ApprovalView, CharterActView, VersionView
from app.services.precedents import Answered
from app.services.views import CharterStamp, Page
from tests.api_face import PRINCIPAL, Face, assert_problem, face

__all__ = ["face"]

AT = datetime(2026, 6, 13, 10, tzinfo=UTC)
RULE_ID, PROPOSAL_ID = UUID(examples.RULE_ID), UUID(examples.PROPOSAL_ID)
EPISODE = UUID(examples.EPISODE_ID)
SHAPE = Shape(Operation.CONTRADICT, MemoryType.FACT, MemoryType.FACT, same_user=True)
STAMP = CharterStamp(3, CharterStatus.APPROVED, Mode.BLOCK)
SHA256 = "ab" * 32

RULE = RuleRow(
    id=RULE_ID,
    shape=SHAPE,
    resolution=Resolution.COEXIST,
    scope=RuleScope.USER,
    user_id="alice",
    episodes=(EPISODE,),
    uses=2,
    status="live",
    created_at=AT,
    created_by=PRINCIPAL.key_id,
    revoked_at=None,
    revoked_by=None,
)
PROPOSAL = ProposalRow(PROPOSAL_ID, "alice", SHAPE, Resolution.COEXIST, (EPISODE,), "open", AT, None, None, None, None)

APPROVE = f"/rule-proposals/{PROPOSAL_ID}/approve"
REJECT = f"/rule-proposals/{PROPOSAL_ID}/reject"
RESOLVE = f"/contradictions/{examples.CONTRADICTION_ID}/resolve"


def test_an_approval_names_its_text_and_answers_flat(face: Face) -> None:
    face.script["approve"] = ApprovalView(3, SHA256, STAMP, 5, 2)
    answer = face.client.post("/charter/approve", json={"version": 3, "sha256": SHA256})
    assert answer.json() == {"version": 3, "sha256": SHA256, "status": "approved", "mode": "block", "open": 5, "held": 2}
    assert face.calls == [("approve", (3, SHA256))]


def test_a_withdrawal_has_its_reason(face: Face) -> None:
    face.script["withdraw_approval"] = ApprovalView(3, SHA256, CharterStamp(3, CharterStatus.DRAFT, Mode.DEFER), 5, 2)
    answer = face.client.post("/charter/withdraw", json={"reason": "because"})
    assert (answer.json()["status"], answer.json()["mode"], answer.json()["held"]) == ("draft", "defer", 2)
    assert face.calls == [("withdraw_approval", ("because",))]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"version": 1},
        {"sha256": SHA256},
        {"version": "1", "sha256": SHA256},
        {"version": True, "sha256": SHA256},
        {"version": 0, "sha256": SHA256},
        {"version": 2**31, "sha256": SHA256},
        {"version": 1, "sha256": ""},
        {"version": 1, "sha256": None},
        {"version": 1, "sha256": "secret" * 50},
        {"version": 1, "sha256": SHA256, "secret": 1},
    ],
)
def test_an_approval_that_cannot_be_is_refused(face: Face, body: dict[str, Any]) -> None:
    assert_problem(face.client.post("/charter/approve", json=body), 422, "invalid_input", "secret")
    assert face.calls == []


def test_another_text_is_409_with_the_current_one(face: Face) -> None:
    face.script["approve"] = ConflictError("not this one", code="not_current", extra={"version": 3, "sha256": SHA256})
    answer = face.client.post("/charter/approve", json={"version": 1, "sha256": "cd"})
    document = assert_problem(answer, 409, "not_current")
    assert (document["version"], document["sha256"]) == (3, SHA256)


def test_the_texts_are_listed_with_the_acts_on_them(face: Face) -> None:
    acts = [CharterActView("approve", PRINCIPAL.key_id, AT, None), CharterActView("withdraw", PRINCIPAL.key_id, AT, "why")]
    face.script["list_versions"] = Page([VersionView(1, SHA256, AT, current=True, status=CharterStatus.DRAFT, acts=acts)], None)
    document = face.client.get("/charter/versions").json()
    assert document["next_cursor"] is None
    (version,) = document["items"]
    assert (version["version"], version["sha256"], version["current"], version["status"]) == (1, SHA256, True, "draft")
    assert [(act["act"], act["reason"], act["at"]) for act in version["acts"]] == [
        ("approve", None, "2026-06-13T10:00:00Z"),
        ("withdraw", "why", "2026-06-13T10:00:00Z"),
    ]


def test_a_rule_is_shown_whole(face: Face) -> None:
    face.script["get_rule"] = RULE
    assert face.client.get(f"/rules/{RULE_ID}").json() == {
        "id": examples.RULE_ID,
        "shape": {"operation": "CONTRADICT", "new_type": "fact", "existing_type": "fact", "same_user": True},
        "resolution": "coexist",
        "scope": "user",
        "user_id": "alice",
        "episodes": [examples.EPISODE_ID],
        "uses": 2,
        "status": "live",
        "created_by": examples.KEY_ID,
        "created_at": "2026-06-13T10:00:00Z",
        "revoked_at": None,
        "revoked_by": None,
    }


def test_rules_are_paged(face: Face) -> None:
    face.script["list_rules"] = Page([RULE], "next")
    document = face.client.get("/rules?limit=1&cursor=abc").json()
    assert ([rule["id"] for rule in document["items"]], document["next_cursor"]) == ([examples.RULE_ID], "next")
    assert (face.asked.limit, face.asked.cursor) == (1, "abc")
    assert_problem(face.client.get("/rules?status=secret"), 422, "invalid_input", "secret")


def test_revoking_has_its_reason(face: Face) -> None:
    face.script["revoke_rule"] = RULE
    assert face.client.post(f"/rules/{RULE_ID}/revoke", json={"reason": "because"}).status_code == 200
    assert face.calls == [("revoke_rule", (RULE_ID, "because"))]
    for body in ({}, {"reason": " "}, {"reason": 1}, {"reason": "x", "more": 1}):
        assert_problem(face.client.post(f"/rules/{RULE_ID}/revoke", json=body), 422, "invalid_input")


@pytest.mark.parametrize("status", [None, "open", "approved", "rejected", "lapsed"])
def test_proposals_are_listed_by_status(face: Face, status: str | None) -> None:
    face.script["list_proposals"] = Page([PROPOSAL], None)
    document = face.client.get("/rule-proposals", params={"status": status} if status else None).json()
    assert document["items"][0]["status"] == "open"
    assert (document["items"][0]["user_id"], document["next_cursor"]) == ("alice", None)
    wanted, page = face.calls[-1][1]
    assert (wanted, page.limit) == (status, 50)


def test_an_unknown_status_of_proposals_is_refused(face: Face) -> None:
    assert_problem(face.client.get("/rule-proposals?status=secret"), 422, "invalid_input", "secret")


@pytest.mark.parametrize(
    ("sent", "wanted"),
    [
        ({}, (PROPOSAL_ID, RuleScope.USER, None)),
        ({"json": {}}, (PROPOSAL_ID, RuleScope.USER, None)),
        ({"json": {"reason": "both"}}, (PROPOSAL_ID, RuleScope.USER, "both")),
        ({"json": {"scope": "tenant", "reason": None}}, (PROPOSAL_ID, RuleScope.TENANT, None)),
    ],
)
def test_a_proposal_is_approved_with_or_without_a_body(face: Face, sent: dict[str, Any], wanted: tuple[Any, ...]) -> None:
    face.script["approve_proposal"] = (PROPOSAL, RULE)
    answer = face.client.post(APPROVE, **sent)
    assert answer.status_code == 200, answer.text
    assert (answer.json()["proposal"]["id"], answer.json()["rule"]["id"]) == (examples.PROPOSAL_ID, examples.RULE_ID)
    assert face.calls == [("approve_proposal", wanted)]


@pytest.mark.parametrize(("sent", "reason"), [({}, None), ({"json": {}}, None), ({"json": {"reason": "no"}}, "no")])
def test_a_proposal_is_rejected_with_or_without_a_reason(face: Face, sent: dict[str, Any], reason: str | None) -> None:
    face.script["reject_proposal"] = PROPOSAL
    answer = face.client.post(REJECT, **sent)
    assert (answer.status_code, answer.json()["id"]) == (200, examples.PROPOSAL_ID)
    assert face.calls == [("reject_proposal", (PROPOSAL_ID, reason))]


@pytest.mark.parametrize("path", [APPROVE, REJECT])
@pytest.mark.parametrize("body", [[], "secret", {"reason": ""}, {"reason": "x" * 2_001}, {"scope": "secret"}, {"secret": 1}])
def test_a_decision_that_cannot_be_is_refused(face: Face, path: str, body: Any) -> None:
    assert_problem(face.client.post(path, json=body), 422, "invalid_input", "secret")
    assert face.calls == []


@pytest.mark.parametrize(
    ("service", "path", "body"),
    [
        ("approve", "/charter/approve", examples.APPROVAL),
        ("withdraw_approval", "/charter/withdraw", examples.ACT),
        ("revoke_rule", f"/rules/{RULE_ID}/revoke", examples.ACT),
        ("approve_proposal", APPROVE, {}),
        ("reject_proposal", REJECT, {}),
        ("resolve", RESOLVE, examples.ANSWER_ALWAYS),
    ],
)
def test_what_only_an_owner_may_do_is_403_for_others(face: Face, service: str, path: str, body: dict[str, Any]) -> None:
    face.script[service] = ForbiddenError("only an owner's key may do this", code="role")
    assert_problem(face.client.post(path, json=body), 403, "role")


def test_what_is_not_there_is_404(face: Face) -> None:
    for service, path in (("get_rule", f"/rules/{RULE_ID}"), ("revoke_rule", f"/rules/{RULE_ID}/revoke")):
        face.script[service] = NotFoundError("no such rule")
        answer = face.client.get(path) if service == "get_rule" else face.client.post(path, json=examples.ACT)
        assert_problem(answer, 404, "not_found")
    assert_problem(face.client.get("/rules/secret"), 422, "invalid_input", "secret")
    assert_problem(face.client.post("/rule-proposals/secret/approve"), 422, "invalid_input", "secret")


def test_a_second_rule_of_a_shape_is_409_with_the_first(face: Face) -> None:
    face.script["resolve"] = ConflictError("a live rule exists", code="rule_conflict", extra={"rule_id": str(RULE_ID)})
    document = assert_problem(face.client.post(RESOLVE, json=examples.ANSWER_ALWAYS), 409, "rule_conflict")
    assert document["rule_id"] == examples.RULE_ID


@pytest.mark.parametrize("example", [examples.RESOLVED_RULE, examples.RESOLVED_REFUSED, examples.RESOLVED_PROPOSAL])
def test_what_an_answer_taught_is_shown(face: Face, example: dict[str, Any]) -> None:
    face.script["resolve"] = example
    assert face.client.post(RESOLVE, json=examples.ANSWER_ALWAYS).json() == example


def test_earlier_answers_are_shown_with_a_dispute(face: Face) -> None:
    face.script["get_contradiction"] = {**examples.CONTRADICTION, "precedents": [Answered(Resolution.COEXIST, 2, (EPISODE,))]}
    document = face.client.get(f"/contradictions/{examples.CONTRADICTION_ID}").json()
    assert document["precedents"] == [{"resolution": "coexist", "times": 2, "episodes": [examples.EPISODE_ID]}]
