"""The constitution, article by article: what triggers each, and the neighbours that must not (charter, section 2)."""

from __future__ import annotations

from typing import Any

import pytest

from app.charter.constitution import articles_on, conflict_of, touching_refusal
from app.charter.model import LOW_CONFIDENCE, Article, Charter, ConflictType, Kind, MemoryType, Mode, Operation, Outcome, Ruling, Strategy
from app.charter.policy import DELETE_INTENT, rule_on
from tests.oracle.cases import BOB, approved, draft, incoming, stored, verdict

C1, C2, C3, C4, C5 = Article
FACT, PREFERENCE, GOAL, OPINION = MemoryType.FACT, MemoryType.PREFERENCE, MemoryType.GOAL, MemoryType.OPINION
DESTRUCTIVE = (Operation.UPDATE, Operation.SUPERSEDE, Operation.DELETE)
HARMLESS = (Operation.NOOP, Operation.LINK_EXISTING)
CHARTERS = pytest.mark.parametrize("charter", [pytest.param(draft(), id="draft"), pytest.param(approved(), id="approved")])


def articles(ruling: Ruling) -> tuple[Article, ...]:
    assert ruling.fault is None
    return ruling.articles


def ruling_on(operation: Operation, confidence: int = 90, charter: Charter | None = None, **target: Any) -> Ruling:
    if operation.cross_user:
        target = {"user_id": BOB, "shared": True} | target
    return rule_on(verdict(operation, confidence), incoming(), stored(**target), charter or draft())


# C1


@CHARTERS
@pytest.mark.parametrize("confidence", [0, 69, 70, 100])
def test_c1_delete_is_a_question_at_every_confidence(charter: Charter, confidence: int) -> None:
    ruling = ruling_on(Operation.DELETE, confidence, charter)
    assert ruling.articles[0] is C1
    assert ruling.conflict_type is ConflictType.AUTO_DELETE
    assert ruling.operation is Operation.ADD
    assert ruling.pending_operation is Operation.DELETE
    assert ruling.asks


def test_c1_keeps_the_delete_intent_and_the_engines_reason() -> None:
    assert ruling_on(Operation.DELETE).reason == f"{DELETE_INTENT}: because"


@pytest.mark.parametrize("operation", [one for one in Operation if one not in {Operation.DELETE, Operation.ADD}])
def test_c1_is_about_delete_alone(operation: Operation) -> None:
    ruling = ruling_on(operation)
    assert C1 not in articles(ruling)
    assert DELETE_INTENT not in ruling.reason


# C2


@pytest.mark.parametrize("operation", DESTRUCTIVE)
@pytest.mark.parametrize(
    "target",
    [
        pytest.param({"immutable": True}, id="marked final"),
        pytest.param({"kind": Kind.SEED, "immutable": True}, id="seed"),
        pytest.param({"kind": Kind.RULE, "immutable": True}, id="rule"),
        pytest.param({"kind": Kind.SEED}, id="seed without its flag"),
        pytest.param({"kind": Kind.RULE}, id="rule without its flag"),
    ],
)
def test_c2_no_destructive_verdict_runs_on_a_final_memory(operation: Operation, target: dict[str, Any]) -> None:
    ruling = ruling_on(operation, 100, **target)
    assert C2 in articles(ruling)
    assert ruling.conflict_type is ConflictType.IMMUTABLE_TARGET
    assert (ruling.outcome, ruling.operation) == (Outcome.DEFERRED, Operation.ADD)


@pytest.mark.parametrize("operation", [*HARMLESS, Operation.CONTRADICT, Operation.CROSS_CONTRADICT])
def test_c2_what_rewrites_nothing_may_name_a_final_memory(operation: Operation) -> None:
    assert articles(ruling_on(operation, immutable=True)) == ()


@pytest.mark.parametrize("operation", [Operation.UPDATE, Operation.SUPERSEDE])
def test_c2_a_memory_that_is_not_final_is_rewritten(operation: Operation) -> None:
    ruling = ruling_on(operation, immutable=False)
    assert articles(ruling) == ()
    assert ruling.outcome in {Outcome.UPDATED, Outcome.SUPERSEDED}


# C3


@pytest.mark.parametrize("protected", [PREFERENCE, GOAL, OPINION])
@pytest.mark.parametrize("operation", [*DESTRUCTIVE, Operation.CONTRADICT])
@pytest.mark.parametrize("where", ["declared", "stored", "judged new", "judged target"])
def test_c3_protects_a_type_on_either_side(protected: MemoryType, operation: Operation, where: str) -> None:
    ruling = rule_on(
        verdict(
            operation,
            100,
            new_type=protected if where == "judged new" else FACT,
            target_type=protected if where == "judged target" else None,
        ),
        incoming(memory_type=protected if where == "declared" else FACT),
        stored(memory_type=protected if where == "stored" else FACT),
        draft(),
    )
    assert C3 in articles(ruling)
    assert ruling.asks
    expected = {
        Operation.CONTRADICT: ConflictType.CONTRADICTION,
        Operation.DELETE: ConflictType.AUTO_DELETE,
    }.get(operation, ConflictType.PROTECTED_TYPE_REWRITE)
    assert ruling.conflict_type is expected


@pytest.mark.parametrize("harmless", [one for one in MemoryType if one not in {PREFERENCE, GOAL, OPINION}])
@pytest.mark.parametrize("operation", [Operation.UPDATE, Operation.SUPERSEDE, Operation.CONTRADICT])
def test_c3_the_other_types_are_free(harmless: MemoryType, operation: Operation) -> None:
    said = verdict(operation, new_type=harmless, target_type=harmless)
    assert articles(rule_on(said, incoming(memory_type=harmless), stored(memory_type=harmless), draft())) == ()


@pytest.mark.parametrize("judged", [FACT, None])
def test_c3_the_engines_view_never_takes_protection_away(judged: MemoryType | None) -> None:
    said = verdict(Operation.SUPERSEDE, 100, new_type=judged, target_type=judged)
    assert articles(rule_on(said, incoming(), stored(memory_type=GOAL), draft())) == (C3,)


@CHARTERS
def test_c3_a_contradiction_is_reported_as_one(charter: Charter) -> None:
    ruling = ruling_on(Operation.CONTRADICT, 100, charter, memory_type=PREFERENCE)
    assert (ruling.conflict_type, ruling.articles) == (ConflictType.CONTRADICTION, (C3,))


@CHARTERS
@pytest.mark.parametrize("memory_type", MemoryType)
def test_c3_cross_contradict_comes_under_no_article(charter: Charter, memory_type: MemoryType) -> None:
    said = verdict(Operation.CROSS_CONTRADICT, 10, new_type=memory_type)
    ruling = rule_on(said, incoming(memory_type=memory_type), stored(memory_type=memory_type, user_id=BOB, shared=True), charter)
    assert articles(ruling) == ()
    assert (ruling.outcome, ruling.operation) == (Outcome.STORED, Operation.CROSS_CONTRADICT)
    assert (ruling.conflict_type, ruling.strategy) == (ConflictType.CROSS_USER_CONTRADICTION, Strategy.FLAGGED)


# C4


@CHARTERS
@pytest.mark.parametrize("operation", [*DESTRUCTIVE, Operation.CONTRADICT])
@pytest.mark.parametrize("immutable", [True, False])
def test_c4_a_raw_input_stands(charter: Charter, operation: Operation, immutable: bool) -> None:  # noqa: FBT001
    ruling = ruling_on(operation, 100, charter, kind=Kind.RAW_INPUT, immutable=immutable)
    assert C4 in articles(ruling)
    assert ruling.conflict_type is ConflictType.RAW_INPUT_TARGET
    assert ruling.outcome in {Outcome.DEFERRED, Outcome.HELD, Outcome.STORED}


@pytest.mark.parametrize("operation", [*HARMLESS, Operation.CROSS_CONTRADICT])
@pytest.mark.parametrize("kind", [one for one in Kind if one is not Kind.ATOM])
def test_c4_what_is_no_atom_is_no_candidate(operation: Operation, kind: Kind) -> None:
    assert ruling_on(operation, kind=kind).outcome is Outcome.UNDECIDED


@pytest.mark.parametrize("operation", [*DESTRUCTIVE, Operation.CONTRADICT])
def test_c4_an_episode_is_no_candidate_at_all(operation: Operation) -> None:
    assert ruling_on(operation, kind=Kind.EPISODE).outcome is Outcome.UNDECIDED


# C5


@pytest.mark.parametrize(
    ("bar", "confidence", "escalates"),
    [
        pytest.param(70, 0, True, id="0"),
        pytest.param(70, 69, True, id="69"),
        pytest.param(70, 70, False, id="70 itself passes"),
        pytest.param(70, 71, False, id="71"),
        pytest.param(80, 70, True, id="raised to 80: 70"),
        pytest.param(80, 79, True, id="raised to 80: 79"),
        pytest.param(80, 80, False, id="raised to 80: 80"),
        pytest.param(100, 99, True, id="raised to 100: 99"),
        pytest.param(0, 69, True, id="never lowered: 69"),
        pytest.param(0, 70, False, id="never lowered: 70"),
    ],
)
@pytest.mark.parametrize("operation", [Operation.UPDATE, Operation.SUPERSEDE])
def test_c5_the_bar(operation: Operation, bar: int, confidence: int, escalates: bool) -> None:  # noqa: FBT001
    ruling = ruling_on(operation, confidence, draft(low_confidence=bar))
    assert articles(ruling) == ((C5,) if escalates else ())
    assert ruling.conflict_type is (ConflictType.LOW_CONFIDENCE_REWRITE if escalates else None)


def test_c5_counts_for_delete_too() -> None:
    assert articles(ruling_on(Operation.DELETE, 69)) == (C1, C5)
    assert articles(ruling_on(Operation.DELETE, 70)) == (C1,)


@pytest.mark.parametrize("operation", [Operation.CONTRADICT, Operation.CROSS_CONTRADICT, Operation.LINK_EXISTING])
def test_c5_is_about_rewrites_alone(operation: Operation) -> None:
    assert articles(ruling_on(operation, 0)) == ()


def test_c5_bar_is_the_owners_number() -> None:
    assert LOW_CONFIDENCE == 70


# All of them together


@pytest.mark.parametrize(
    ("operation", "confidence", "target", "expected", "conflict"),
    [
        pytest.param(
            Operation.DELETE,
            10,
            {"kind": Kind.RAW_INPUT, "immutable": True, "memory_type": GOAL},
            (C1, C2, C3, C4, C5),
            "raw_input_target",
            id="all five: C4",
        ),
        pytest.param(
            Operation.DELETE, 10, {"immutable": True, "memory_type": GOAL}, (C1, C2, C3, C5), "immutable_target", id="without C4: C2"
        ),
        pytest.param(Operation.DELETE, 10, {"memory_type": GOAL}, (C1, C3, C5), "auto_delete", id="without C2: C1"),
        pytest.param(Operation.SUPERSEDE, 10, {"memory_type": GOAL}, (C3, C5), "protected_type_rewrite", id="without C1: C3"),
        pytest.param(Operation.SUPERSEDE, 10, {}, (C5,), "low_confidence_rewrite", id="C5 alone"),
        pytest.param(Operation.UPDATE, 10, {"immutable": True}, (C2, C5), "immutable_target", id="C2 before C5"),
        pytest.param(Operation.UPDATE, 90, {"kind": Kind.RAW_INPUT, "immutable": True}, (C2, C4), "raw_input_target", id="C4 before C2"),
        pytest.param(
            Operation.CONTRADICT,
            10,
            {"kind": Kind.RAW_INPUT, "immutable": True, "memory_type": GOAL},
            (C3, C4),
            "raw_input_target",
            id="CONTRADICT: C4 before C3",
        ),
        pytest.param(Operation.CONTRADICT, 10, {"immutable": True, "memory_type": GOAL}, (C3,), "contradiction", id="CONTRADICT: C3"),
    ],
)
def test_all_articles_are_reported_and_the_conflict_is_the_strongest(
    operation: Operation, confidence: int, target: dict[str, Any], expected: tuple[Article, ...], conflict: str
) -> None:
    ruling = ruling_on(operation, confidence, **target)
    assert (articles(ruling), ruling.conflict_type) == (expected, conflict)


def test_the_article_outranks_the_orders() -> None:
    ruling = rule_on(verdict(Operation.SUPERSEDE, 10), incoming(late=True), stored(disputed=True), draft())
    assert (ruling.conflict_type, ruling.articles) == (ConflictType.LOW_CONFIDENCE_REWRITE, (C5,))


def test_no_article_no_conflict() -> None:
    assert conflict_of(Operation.SUPERSEDE, ()) is None
    assert articles_on(Operation.ADD, 0, 70, frozenset(MemoryType), stored(immutable=True, kind=Kind.RAW_INPUT)) == ()


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("immutable", [True, False])
def test_touching_a_memory_is_refused_by_c4_then_c2(kind: Kind, immutable: bool) -> None:  # noqa: FBT001
    refused = touching_refusal(kind, immutable=immutable)
    if kind is Kind.RAW_INPUT:
        assert refused == (C4,)
    elif immutable or kind in {Kind.SEED, Kind.RULE}:
        assert refused == (C2,)
    else:
        assert refused == ()


# Section 4: what an escalation does in each mode


@pytest.mark.parametrize("operation", DESTRUCTIVE)
@pytest.mark.parametrize("mode", Mode)
def test_a_draft_defers_and_an_approved_charter_blocks(operation: Operation, mode: Mode) -> None:
    ruling = ruling_on(operation, 90, draft() if mode is Mode.DEFER else approved(), memory_type=OPINION)
    waits = (Outcome.DEFERRED, Strategy.DEFERRED) if mode is Mode.DEFER else (Outcome.HELD, Strategy.HELD)
    assert (ruling.outcome, ruling.strategy) == waits
    assert (ruling.operation, ruling.pending_operation) == (Operation.ADD, operation)


def test_an_escalated_contradict_runs_in_a_draft_and_waits_once_approved() -> None:
    first = ruling_on(Operation.CONTRADICT, memory_type=OPINION)
    assert (first.outcome, first.operation, first.strategy) == (Outcome.STORED, Operation.CONTRADICT, Strategy.FLAGGED)
    second = ruling_on(Operation.CONTRADICT, charter=approved(), memory_type=OPINION)
    assert (second.outcome, second.operation, second.strategy) == (Outcome.HELD, Operation.ADD, Strategy.HELD)
    assert first.pending_operation is second.pending_operation is Operation.CONTRADICT


def test_a_contradict_under_no_article_runs_in_both_modes() -> None:
    assert ruling_on(Operation.CONTRADICT) == ruling_on(Operation.CONTRADICT, charter=approved())
