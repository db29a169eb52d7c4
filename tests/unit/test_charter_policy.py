"""From a verdict to a ruling: the check, what runs, merges, edits, repeats, siblings, deferral and blocking (sections 3 and 4)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from app.charter.model import (
    Charter,
    ConflictType,
    Kind,
    MemoryType,
    Mode,
    Operation,
    Outcome,
    Resolution,
    Ruling,
    Source,
    Status,
    Strategy,
    Tier,
    Verdict,
)
from app.charter.policy import fault_of, rule_on
from tests.oracle.cases import ALICE, BOB, NEW, OLD, OTHER_ID, STORED_ID, approved, draft, incoming, rule, stored, verdict

PROTECTED = [MemoryType.PREFERENCE, MemoryType.GOAL, MemoryType.OPINION]
NEEDS_TARGET = [one for one in Operation if one is not Operation.ADD]
CHARTERS = pytest.mark.parametrize("charter", [pytest.param(draft(), id="draft"), pytest.param(approved(), id="approved")])
BOTH = f"{OLD} and {NEW}"


def others(operation: Operation) -> dict[str, Any]:
    """The target's user that this operation needs."""
    return {"user_id": BOB, "shared": True} if operation.cross_user else {"user_id": ALICE}


# The check


@pytest.mark.parametrize("word", ["", "add", "ADD ", "Delete", "MERGE", "UNDECIDED", "DELETE\n", "Operation.ADD"])
def test_an_unknown_operation_is_no_verdict(word: str) -> None:
    ruling = rule_on(verdict(word), incoming(), stored(), draft())
    assert (ruling.outcome, ruling.operation, ruling.fault) == (Outcome.UNDECIDED, None, "unknown operation")


@pytest.mark.parametrize(
    "confidence", [-1, 101, 10**30, 70.0, 88.5, float("nan"), float("inf"), True, False, None, "90", b"90", [], {}, object()]
)
@pytest.mark.parametrize("operation", Operation)
def test_confidence_is_a_whole_number_from_0_to_100(operation: Operation, confidence: object) -> None:
    target = None if operation is Operation.ADD else stored(**others(operation))
    ruling = rule_on(verdict(operation, confidence), incoming(), target, draft())
    assert (ruling.outcome, ruling.fault) == (Outcome.UNDECIDED, "confidence is no whole number from 0 to 100")


@pytest.mark.parametrize("confidence", [0, 1, 99, 100])
@pytest.mark.parametrize("operation", Operation)
def test_every_whole_number_from_0_to_100_is_one(operation: Operation, confidence: int) -> None:
    target = None if operation is Operation.ADD else stored(**others(operation))
    assert fault_of(verdict(operation, confidence), incoming(), target) is None


@pytest.mark.parametrize("operation", NEEDS_TARGET)
@pytest.mark.parametrize(
    ("named", "there"),
    [
        pytest.param(None, True, id="none named"),
        pytest.param(OTHER_ID, True, id="another than is shown"),
        pytest.param(STORED_ID, False, id="not there"),
        pytest.param(None, False, id="none at all"),
    ],
)
def test_a_target_is_named_where_one_is_needed(operation: Operation, named: UUID | None, there: bool) -> None:  # noqa: FBT001
    target = stored(**others(operation)) if there else None
    assert rule_on(verdict(operation, target=named), incoming(), target, draft()).outcome is Outcome.UNDECIDED


def test_add_names_no_target() -> None:
    assert rule_on(verdict(Operation.ADD), incoming(), None, draft()).outcome is Outcome.STORED
    assert rule_on(verdict(Operation.ADD, target=STORED_ID), incoming(), None, draft()).outcome is Outcome.UNDECIDED
    assert rule_on(verdict(Operation.ADD, target=STORED_ID), incoming(), stored(), draft()).outcome is Outcome.UNDECIDED
    assert rule_on(verdict(Operation.ADD), incoming(), stored(), draft()).outcome is Outcome.UNDECIDED


@pytest.mark.parametrize("operation", NEEDS_TARGET)
def test_whose_memory_an_operation_names(operation: Operation) -> None:
    own, other = stored(), stored(user_id=BOB, shared=True)
    assert (fault_of(verdict(operation), incoming(), own) is None) is not operation.cross_user
    assert (fault_of(verdict(operation), incoming(), other) is None) is operation.cross_user


@pytest.mark.parametrize("operation", [Operation.LINK_EXISTING, Operation.CROSS_CONTRADICT])
def test_a_private_memory_never_meets_another_user(operation: Operation) -> None:
    assert fault_of(verdict(operation), incoming(), stored(user_id=BOB)) is not None


@pytest.mark.parametrize("operation", NEEDS_TARGET)
@pytest.mark.parametrize("status", [Status.SUPERSEDED, Status.WITHDRAWN, Status.HELD])
def test_only_what_is_current_is_a_candidate(operation: Operation, status: Status) -> None:
    assert rule_on(verdict(operation), incoming(), stored(status=status, **others(operation)), draft()).outcome is Outcome.UNDECIDED


def test_a_held_memory_takes_the_exact_tiers_repeat_and_its_own_writes() -> None:
    said = verdict(Operation.NOOP, 100, tier=Tier.EXACT)
    assert rule_on(said, incoming(content=OLD), stored(status=Status.HELD), approved()).outcome is Outcome.DEDUPLICATED
    sibling = stored(status=Status.HELD, sibling=True)
    assert rule_on(verdict(Operation.NOOP), incoming(content=OLD), sibling, approved()).outcome is Outcome.DEDUPLICATED


def test_an_error_is_never_a_verdict() -> None:
    ruling = rule_on(Verdict("UNDECIDED", confidence=None), incoming(), None, approved())
    assert ruling == Ruling(Outcome.UNDECIDED, None, reason="no usable verdict", fault="unknown operation")
    assert not ruling.asks


def test_a_fault_quotes_no_memory() -> None:
    faults = [
        fault_of(verdict(Operation.SUPERSEDE), incoming(user_id=BOB), stored()),
        fault_of(verdict(Operation.UPDATE, merged_content="Alice fled"), incoming(), stored()),
        fault_of(verdict("Alice"), incoming(), stored()),
    ]
    assert all(fault and "Alice" not in fault and "alice" not in fault for fault in faults)


# What runs


@CHARTERS
@pytest.mark.parametrize(
    ("said", "outcome", "operation"),
    [
        pytest.param(verdict("ADD"), Outcome.STORED, Operation.ADD, id="ADD"),
        pytest.param(verdict("NOOP"), Outcome.DEDUPLICATED, Operation.NOOP, id="NOOP"),
        pytest.param(verdict("LINK_EXISTING"), Outcome.LINKED, Operation.LINK_EXISTING, id="LINK_EXISTING"),
        pytest.param(verdict("UPDATE"), Outcome.UPDATED, Operation.UPDATE, id="UPDATE"),
        pytest.param(verdict("SUPERSEDE"), Outcome.SUPERSEDED, Operation.SUPERSEDE, id="SUPERSEDE"),
    ],
)
def test_these_run_silently(charter: Charter, said: Verdict, outcome: Outcome, operation: Operation) -> None:
    target = None if operation is Operation.ADD else stored(**others(operation))
    ruling = rule_on(said, incoming(), target, charter)
    content = BOTH if operation is Operation.UPDATE else None
    assert ruling == Ruling(outcome, operation, content=content, reason="because")
    assert not ruling.asks


@CHARTERS
@pytest.mark.parametrize(
    ("operation", "conflict"),
    [
        (Operation.CONTRADICT, ConflictType.CONTRADICTION),
        (Operation.CROSS_CONTRADICT, ConflictType.CROSS_USER_CONTRADICTION),
    ],
)
@pytest.mark.parametrize("confidence", [0, 69, 70, 100])
def test_these_run_and_are_flagged(charter: Charter, operation: Operation, conflict: ConflictType, confidence: int) -> None:
    ruling = rule_on(verdict(operation, confidence), incoming(), stored(**others(operation)), charter)
    assert ruling == Ruling(
        Outcome.STORED, operation, conflict_type=conflict, strategy=Strategy.FLAGGED, pending_operation=operation, reason="because"
    )
    assert ruling.asks


@pytest.mark.parametrize("memory_type", MemoryType)
@pytest.mark.parametrize("operation", [Operation.ADD, Operation.LINK_EXISTING])
def test_what_adds_is_free_for_every_type(operation: Operation, memory_type: MemoryType) -> None:
    target = None if operation is Operation.ADD else stored(memory_type=memory_type, immutable=True, **others(operation))
    ruling = rule_on(verdict(operation, 0), incoming(memory_type=memory_type, late=True), target, approved())
    assert ruling.outcome in {Outcome.STORED, Outcome.LINKED}
    assert not ruling.asks


# Merges


@pytest.mark.parametrize("merged", [None, "", " \n", 5, ["Alice"]])
@pytest.mark.parametrize("edit", [True, False])
def test_an_update_carries_a_merge(merged: Any, edit: bool) -> None:  # noqa: FBT001
    said = verdict(Operation.UPDATE, merged_content=merged, edit=edit)
    assert rule_on(said, incoming(), stored(), draft()).fault == "UPDATE needs merged_content"


RAN = "Alice runs 5 km"


@pytest.mark.parametrize(
    ("merged", "new", "old"),
    [
        pytest.param("Alice lives happily in Porto and Lisbon", NEW, OLD, id="adds a word"),
        pytest.param("Alice runs 6 km", "Alice runs", RAN, id="adds a number"),
        pytest.param("Alice never lives in Porto", NEW, OLD, id="adds a negation"),
        pytest.param("Alice runs 5 miles", "Alice runs 3 miles", RAN, id="gives a number another unit"),
        pytest.param("Alice runs km", "Alice runs 5 km", "Alice runs km", id="drops a number"),
        pytest.param("Alice lives in Porto", "Alice does not live in Porto", OLD, id="drops a negation"),
    ],
)
def test_a_merge_at_fault_is_no_verdict(merged: str, new: str, old: str) -> None:
    ruling = rule_on(verdict(Operation.UPDATE, 100, merged_content=merged), incoming(content=new), stored(content=old), draft())
    assert ruling.outcome is Outcome.UNDECIDED


@pytest.mark.parametrize("operation", [one for one in NEEDS_TARGET if one is not Operation.UPDATE])
def test_only_an_update_has_a_merge(operation: Operation) -> None:
    said = verdict(operation, merged_content="Bob fled")
    ruling = rule_on(said, incoming(), stored(**others(operation)), draft())
    assert ruling.fault is None
    assert (ruling.content, ruling.pending_content) == (None, None)


def test_a_merge_that_drops_words_of_the_stored_text_is_a_supersede_by_it() -> None:
    ruling = rule_on(verdict(Operation.UPDATE, merged_content=NEW), incoming(), stored(), draft())
    assert (ruling.outcome, ruling.operation, ruling.content) == (Outcome.SUPERSEDED, Operation.SUPERSEDE, NEW)


@CHARTERS
@pytest.mark.parametrize("target", [{"memory_type": MemoryType.GOAL}, {"source": Source.USER}, {"immutable": True}])
def test_also_as_the_pending_operation(charter: Charter, target: dict[str, Any]) -> None:
    ruling = rule_on(verdict(Operation.UPDATE, merged_content=NEW), incoming(), stored(**target), charter)
    assert (ruling.pending_operation, ruling.pending_content, ruling.content) == (Operation.SUPERSEDE, NEW, None)


@CHARTERS
def test_a_whole_merge_stays_an_update_as_the_pending_operation(charter: Charter) -> None:
    ruling = rule_on(verdict(Operation.UPDATE, 69), incoming(), stored(), charter)
    assert (ruling.pending_operation, ruling.pending_content, ruling.content) == (Operation.UPDATE, BOTH, None)


# Edits: an agent's PATCH


def edit(content: str = "Bob never slept on 7 boats", **target: Any) -> Ruling:
    return rule_on(verdict(Operation.UPDATE, 100, merged_content=content, edit=True), incoming(content=content), stored(**target), draft())


def test_an_edit_is_never_judged_as_a_merge() -> None:
    ruling = edit()
    assert (ruling.outcome, ruling.operation) == (Outcome.UPDATED, Operation.UPDATE)
    assert ruling.content == "Bob never slept on 7 boats"


@pytest.mark.parametrize(
    ("target", "conflict"),
    [
        ({"memory_type": MemoryType.OPINION}, ConflictType.PROTECTED_TYPE_REWRITE),
        ({"immutable": True}, ConflictType.IMMUTABLE_TARGET),
        ({"kind": Kind.RAW_INPUT, "immutable": True}, ConflictType.RAW_INPUT_TARGET),
        ({"source": Source.USER}, ConflictType.WEAKER_SOURCE),
        ({"disputed": True}, ConflictType.DISPUTED_TARGET),
    ],
)
def test_an_edit_takes_the_charters_way(target: dict[str, Any], conflict: ConflictType) -> None:
    ruling = edit(**target)
    assert (ruling.outcome, ruling.conflict_type) == (Outcome.DEFERRED, conflict)
    assert (ruling.pending_operation, ruling.pending_content) == (Operation.UPDATE, "Bob never slept on 7 boats")


# Repeats


@pytest.mark.parametrize(
    ("confidence", "outcome", "operation"),
    [
        (0, Outcome.STORED, Operation.ADD),
        (69, Outcome.STORED, Operation.ADD),
        (70, Outcome.DEDUPLICATED, Operation.NOOP),
        (100, Outcome.DEDUPLICATED, Operation.NOOP),
    ],
)
@pytest.mark.parametrize("bar", [70, 90])
def test_the_engines_noop_needs_70(confidence: int, outcome: Outcome, operation: Operation, bar: int) -> None:
    ruling = rule_on(verdict(Operation.NOOP, confidence), incoming(), stored(), draft(low_confidence=bar))
    assert (ruling.outcome, ruling.operation) == (outcome, operation)
    assert not ruling.asks


@pytest.mark.parametrize("where", ["declared", "stored", "judged new", "judged target"])
@pytest.mark.parametrize("protected", PROTECTED)
def test_where_a_side_is_protected_a_repeat_in_other_words_is_kept_and_linked(where: str, protected: MemoryType) -> None:
    fact = MemoryType.FACT
    said = verdict(
        Operation.NOOP,
        100,
        new_type=protected if where == "judged new" else None,
        target_type=protected if where == "judged target" else None,
    )
    target = stored(memory_type=protected if where == "stored" else fact)
    declared = protected if where == "declared" else fact
    linked = rule_on(said, incoming(memory_type=declared), target, draft())
    assert (linked.outcome, linked.operation, linked.asks) == (Outcome.LINKED, Operation.NOOP, False)
    shouted = rule_on(said, incoming(content=OLD.upper(), memory_type=declared), target, draft())
    assert shouted.outcome is Outcome.LINKED
    repeated = rule_on(said, incoming(content=f"{OLD}. ", memory_type=declared), target, draft())
    assert repeated.outcome is Outcome.DEDUPLICATED
    low = rule_on(verdict(Operation.NOOP, 69, new_type=protected), incoming(memory_type=declared), target, draft())
    assert (low.outcome, low.operation) == (Outcome.STORED, Operation.ADD)


@pytest.mark.parametrize("memory_type", [one for one in MemoryType if one not in PROTECTED])
def test_where_none_is_protected_the_engines_repeat_stores_nothing(memory_type: MemoryType) -> None:
    ruling = rule_on(verdict(Operation.NOOP), incoming(memory_type=memory_type), stored(memory_type=memory_type), draft())
    assert ruling.outcome is Outcome.DEDUPLICATED


@pytest.mark.parametrize(
    ("tier", "new", "target", "outcome"),
    [
        pytest.param(Tier.EXACT, {"content": OLD}, {}, Outcome.DEDUPLICATED, id="exact: the same"),
        pytest.param(Tier.EXACT, {"content": "the " + OLD}, {}, Outcome.STORED, id="exact: only alike"),
        pytest.param(Tier.EXACT, {"content": OLD, "memory_type": MemoryType.SKILL}, {}, Outcome.STORED, id="exact: another type"),
        pytest.param(Tier.DUPLICATE, {"content": "the " + OLD}, {}, Outcome.DEDUPLICATED, id="duplicate: the same words"),
        pytest.param(Tier.DUPLICATE, {"content": NEW}, {}, Outcome.STORED, id="duplicate: other words"),
        pytest.param(Tier.DUPLICATE, {"content": OLD}, {"memory_type": MemoryType.GOAL}, Outcome.STORED, id="duplicate: protected"),
        pytest.param(Tier.DUPLICATE, {"content": OLD}, {"status": Status.HELD}, Outcome.STORED, id="duplicate: held"),
        pytest.param(Tier.NEW, {"content": NEW}, {}, Outcome.DEDUPLICATED, id="a repeat is ruled on whatever the tier's name"),
    ],
)
def test_the_tiers_are_checked_again(tier: Tier, new: dict[str, Any], target: dict[str, Any], outcome: Outcome) -> None:
    ruling = rule_on(verdict(Operation.NOOP, 100, tier=tier), incoming(**new), stored(**target), draft())
    assert ruling.outcome is outcome
    assert ruling.operation is (Operation.ADD if outcome is Outcome.STORED else Operation.NOOP)


# Siblings: an earlier fact of the same write


@CHARTERS
@pytest.mark.parametrize("said", [verdict("UPDATE"), verdict("UPDATE", merged_content=NEW), verdict("SUPERSEDE"), verdict("SUPERSEDE", 10)])
def test_a_rewrite_of_a_sibling_is_a_flagged_contradict(charter: Charter, said: Verdict) -> None:
    ruling = rule_on(said, incoming(), stored(sibling=True), charter)
    assert ruling == rule_on(verdict("CONTRADICT"), incoming(), stored(sibling=True), charter)
    assert (ruling.outcome, ruling.operation, ruling.pending_operation) == (Outcome.STORED, Operation.CONTRADICT, Operation.CONTRADICT)
    assert (ruling.conflict_type, ruling.strategy, ruling.content) == (ConflictType.CONTRADICTION, Strategy.FLAGGED, None)


def test_a_protected_sibling_comes_under_c3() -> None:
    target = stored(sibling=True, memory_type=MemoryType.GOAL)
    assert rule_on(verdict("SUPERSEDE"), incoming(), target, draft()).articles == ("C3",)
    assert rule_on(verdict("SUPERSEDE"), incoming(), target, approved()).outcome is Outcome.HELD


def test_a_delete_of_a_sibling_is_still_c1s() -> None:
    ruling = rule_on(verdict("DELETE"), incoming(), stored(sibling=True), draft())
    assert (ruling.conflict_type, ruling.pending_operation) == (ConflictType.AUTO_DELETE, Operation.DELETE)


def test_a_rule_does_not_let_a_sibling_be_rewritten() -> None:
    ruling = rule_on(verdict("SUPERSEDE", 100), incoming(), stored(sibling=True), draft(rule(Resolution.RETRACT)))
    assert (ruling.outcome, ruling.rules) == (Outcome.STORED, ())


# Deferral and blocking


ESCALATIONS = [
    pytest.param(verdict("DELETE"), {}, {}, id="C1"),
    pytest.param(verdict("SUPERSEDE"), {}, {"immutable": True}, id="C2"),
    pytest.param(verdict("UPDATE"), {"memory_type": MemoryType.PREFERENCE}, {}, id="C3"),
    pytest.param(verdict("SUPERSEDE"), {}, {"kind": Kind.RAW_INPUT}, id="C4"),
    pytest.param(verdict("UPDATE", 69), {}, {}, id="C5"),
    pytest.param(verdict("SUPERSEDE"), {"late": True}, {}, id="late"),
    pytest.param(verdict("SUPERSEDE"), {"source": Source.TOOL}, {}, id="source"),
    pytest.param(verdict("UPDATE"), {}, {"disputed": True}, id="dispute"),
]


@pytest.mark.parametrize(("said", "new", "old"), ESCALATIONS)
@pytest.mark.parametrize("mode", Mode)
def test_an_escalation_waits_with_everything_it_needs(said: Verdict, new: dict[str, Any], old: dict[str, Any], mode: Mode) -> None:
    deferred = mode is Mode.DEFER
    ruling = rule_on(said, incoming(**new), stored(**old), draft() if deferred else approved())
    assert ruling.operation is Operation.ADD
    assert ruling.outcome is (Outcome.DEFERRED if deferred else Outcome.HELD)
    assert ruling.strategy is (Strategy.DEFERRED if deferred else Strategy.HELD)
    assert ruling.pending_operation == said.operation
    assert ruling.pending_content == (said.merged_content if said.operation == "UPDATE" else None)
    assert ruling.asks
    assert said.reasoning in ruling.reason
    assert ruling.content is None


def test_blocking_holds_an_escalated_contradict_too() -> None:
    goal = {"memory_type": MemoryType.GOAL}
    assert rule_on(verdict("CONTRADICT"), incoming(**goal), stored(), draft()).outcome is Outcome.STORED
    held = rule_on(verdict("CONTRADICT"), incoming(**goal), stored(), approved())
    assert (held.outcome, held.strategy, held.pending_operation) == (Outcome.HELD, Strategy.HELD, Operation.CONTRADICT)


def test_blocking_leaves_a_cross_contradict_alone() -> None:
    goal, other = {"memory_type": MemoryType.GOAL}, stored(user_id=BOB, shared=True, memory_type=MemoryType.GOAL)
    ruling = rule_on(verdict("CROSS_CONTRADICT"), incoming(**goal), other, approved())
    assert (ruling.outcome, ruling.strategy) == (Outcome.STORED, Strategy.FLAGGED)
