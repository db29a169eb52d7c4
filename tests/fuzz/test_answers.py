"""The texts of answers, notes, reasons and rules: kept verbatim in what is shown later, or refused precisely."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest

from tests.fuzz.http import problem, send
from tests.fuzz.texts import HARD, REFUSED
from tests.integration.house import House, open_house
from tests.integration.stage import Stage

Json = dict[str, Any]
every_hard_text = pytest.mark.parametrize("text", HARD.values(), ids=HARD)
some_hard_texts = pytest.mark.parametrize("text", [HARD[name] for name in ("planes", "bidi", "sql", "header", "longest")])
every_refused_text = pytest.mark.parametrize(("text", "kind"), REFUSED.values(), ids=REFUSED)


@pytest.fixture(scope="module")
def house(postgres_home: Any, template_database: str) -> Iterator[House]:
    """Models that say what a test tells them, and two answers make a proposal."""
    with open_house(postgres_home, template_database, {"limits": {"rate": "off"}, "rules": {"propose_after": 2}}) as opened:
        yield opened
        opened.check_invariants()


@pytest.fixture
def stage(house: House) -> Stage:
    return Stage(house)


def resolve(stage: Stage, dispute: str, **body: Any) -> Any:
    return send(stage.owner.http, "POST", f"/contradictions/{dispute}/resolve", {"version": 1, **body})


@every_hard_text
def test_a_note_and_who_answered_are_kept(stage: Stage, text: str) -> None:
    dispute, note, name = stage.disputed().dispute, text[:2_000], text[:256]
    answer = resolve(stage, dispute, resolution="retract", note=note, answered_by=name)
    assert answer.status_code == 200, answer.text
    for shown in (answer.json()["contradiction"], stage.owner.dispute(dispute)):
        assert (shown["note"], shown["answered_by"]) == (note, name)


@every_hard_text
def test_the_contexts_of_both_sides_are_kept(stage: Stage, text: str) -> None:
    dispute = stage.disputed().dispute
    contexts = {"new": text[:2_000], "existing": text[:2_000]}
    assert resolve(stage, dispute, resolution="coexist", contexts=contexts).status_code == 200
    assert stage.owner.dispute(dispute)["contexts"] == contexts


@every_hard_text
def test_an_amended_wording_is_kept(stage: Stage, text: str) -> None:
    answer = resolve(stage, stage.disputed().dispute, resolution="amend", content=text)
    assert answer.status_code == 200, answer.text
    (created,) = answer.json()["effects"]["created"]
    assert stage.owner.memory(created)["content"] == text


@every_refused_text
def test_an_answer_that_cannot_be_kept_is_refused_and_the_dispute_stays(stage: Stage, text: str, kind: str) -> None:
    dispute = stage.disputed().dispute
    for body in (
        {"resolution": "retract", "note": text},
        {"resolution": "retract", "answered_by": text},
        {"resolution": "amend", "content": text},
        {"resolution": "coexist", "contexts": {"new": text}},
        {"resolution": "coexist", "contexts": {"existing": text}},
    ):
        answer = resolve(stage, dispute, **body)
        assert answer.status_code == 422, answer.text
        code, kinds = problem(answer)
        assert kind in {code, *kinds}
    assert stage.owner.dispute(dispute)["status"] == "open"


def rule(stage: Stage) -> str:
    asked = stage.meet("CONTRADICT", old="the lift works", new="the lift is broken")
    return str(stage.owner.answer(asked.dispute, "retract", version=1, always=True)["rule"]["id"])


def proposal(stage: Stage) -> str:
    user, answered = stage.user(), {}
    for number in range(2):
        asked = stage.meet("CONTRADICT", old=f"lamp {number} is on", new=f"lamp {number} is off", user=user)
        answered = stage.owner.answer(asked.dispute, "confirm", version=1)
    return str(answered["rule_proposal"]["id"])


def reasons(stage: Stage, query: str, *arguments: UUID) -> list[str]:
    return [row["reason"] for row in stage.rows(query, *arguments)]


@some_hard_texts
def test_the_reasons_about_rules_and_the_charter_are_kept(stage: Stage, text: str) -> None:
    reason = text[:2_000]
    revoked, approved, rejected = rule(stage), proposal(stage), proposal(stage)
    for subject, path, query in (
        (revoked, f"/rules/{revoked}/revoke", "SELECT reason FROM audit WHERE subject = ($1::uuid)::text AND act = 'revoke_rule'"),
        (approved, f"/rule-proposals/{approved}/approve", "SELECT reason FROM rule_proposals WHERE proposal_id = $1"),
        (rejected, f"/rule-proposals/{rejected}/reject", "SELECT reason FROM rule_proposals WHERE proposal_id = $1"),
    ):
        answer = send(stage.owner.http, "POST", path, {"reason": reason})
        assert answer.status_code == 200, answer.text
        assert reasons(stage, query, UUID(subject)) == [reason]
    charter = stage.owner.ask("GET", "/charter")
    stage.owner.ask("POST", "/charter/approve", json={"version": charter["version"], "sha256": charter["sha256"]})
    assert send(stage.owner.http, "POST", "/charter/withdraw", {"reason": reason}).status_code == 200
    assert reason in reasons(stage, "SELECT reason FROM charter_acts WHERE act = 'withdraw'")


@every_refused_text
def test_a_reason_about_rules_that_cannot_be_kept_is_refused(stage: Stage, text: str, kind: str) -> None:
    revoked, decided = rule(stage), proposal(stage)
    paths = (f"/rules/{revoked}/revoke", f"/rule-proposals/{decided}/approve", f"/rule-proposals/{decided}/reject", "/charter/withdraw")
    for path in paths:
        answer = send(stage.owner.http, "POST", path, {"reason": text})
        assert answer.status_code == 422, answer.text
        code, kinds = problem(answer)
        assert kind in {code, *kinds}
    assert stage.owner.ask("GET", f"/rules/{revoked}")["status"] == "live"
