"""The third layer: the tiers in their order with their guards, and the orders of time, source and disputes (section 2)."""

from __future__ import annotations

from datetime import UTC, timedelta, timezone
from itertools import permutations
from typing import Any
from uuid import UUID

import pytest

from app.charter.defaults import Neighbour, another_beginning, may_be_duplicate, order_conflict, same_text, tier_of
from app.charter.model import ConflictType, Kind, MemoryType, Mode, Operation, Outcome, Source, Status, Tier
from app.charter.policy import rule_on
from app.charter.refinements import DEFAULTS, REFINEMENTS
from tests.oracle.cases import (
    AFTER,
    ALICE,
    BEFORE,
    BOB,
    NEW,
    NOW,
    OLD,
    OTHER_ID,
    STORED_ID,
    approved,
    draft,
    incoming,
    stored,
    thresholds,
    verdict,
)

PROTECTED = [MemoryType.PREFERENCE, MemoryType.GOAL, MemoryType.OPINION]
FREE = [one for one in MemoryType if one not in PROTECTED]


# The exact tier


@pytest.mark.parametrize(
    ("new", "old", "same"),
    [
        pytest.param({}, {}, True, id="the same"),
        pytest.param({"content": f" {OLD.upper()}."}, {}, True, id="folded"),
        pytest.param({"content": NEW}, {}, False, id="another text"),
        pytest.param({"memory_type": MemoryType.SKILL}, {}, False, id="another type"),
        pytest.param({}, {"user_id": BOB, "shared": True}, False, id="another user"),
        pytest.param({}, {"status": Status.HELD}, True, id="held"),
        pytest.param({}, {"disputed": True}, True, id="disputed"),
        pytest.param({}, {"status": Status.SUPERSEDED}, False, id="superseded: news"),
        pytest.param({}, {"status": Status.WITHDRAWN}, False, id="withdrawn"),
        pytest.param({}, {"kind": Kind.RAW_INPUT}, False, id="raw input"),
        pytest.param({}, {"kind": Kind.SEED}, False, id="seed"),
        pytest.param({"valid_from": BEFORE}, {}, False, id="another beginning"),
        pytest.param({"valid_from": BEFORE}, {"valid_from": NOW}, False, id="two beginnings"),
        pytest.param({"valid_from": BEFORE}, {"valid_from": BEFORE}, True, id="the same beginning"),
        pytest.param({}, {"valid_from": BEFORE}, True, id="a beginning left out says nothing new"),
    ],
)
def test_the_same_text(new: dict[str, Any], old: dict[str, Any], same: bool) -> None:  # noqa: FBT001
    statement, target = incoming(**{"content": OLD} | new), stored(**old)
    assert same_text(statement, target) is same
    answer = tier_of(statement, target, [Neighbour(target, 0.8)], thresholds())
    assert (answer is not None and answer.tier is Tier.EXACT) is same


@pytest.mark.parametrize("memory_type", MemoryType)
def test_case_counts_for_protected_types(memory_type: MemoryType) -> None:
    statement, target = (
        incoming(content="Alice likes Go", memory_type=memory_type),
        stored(content="Alice likes go", memory_type=memory_type),
    )
    assert same_text(statement, target) is (memory_type in FREE)


@pytest.mark.parametrize("memory_type", PROTECTED)
def test_the_exact_tier_is_open_to_protected_types(memory_type: MemoryType) -> None:
    statement, target = incoming(content=OLD + ".", memory_type=memory_type), stored(memory_type=memory_type)
    answer = tier_of(statement, target, [], thresholds())
    assert answer is not None
    assert (answer.tier, answer.operation, answer.target, answer.confidence) == (Tier.EXACT, Operation.NOOP, STORED_ID, 100)
    assert rule_on(answer, statement, target, draft()).outcome is Outcome.DEDUPLICATED


# The table of the defaults, in its order


def tier(content: str, similarity: float, *, twin: bool = False, **target: Any) -> Tier | None:
    met = stored(**target)
    answer = tier_of(incoming(content=content), met if twin else None, [Neighbour(met, similarity)], thresholds())
    return None if answer is None else answer.tier


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param(tier(OLD, 0.1, twin=True), Tier.EXACT, id="row 1 before row 2"),
        pytest.param(tier(OLD, 1.0, twin=True), Tier.EXACT, id="row 1 before row 3"),
        pytest.param(tier(NEW, 0.69999), Tier.NEW, id="row 2: under 0.70"),
        pytest.param(tier(NEW, -1.0), Tier.NEW, id="row 2: opposite"),
        pytest.param(tier(NEW, 0.70), None, id="row 2: 0.70 itself is not under it"),
        pytest.param(tier("The " + OLD, 0.98), Tier.DUPLICATE, id="row 3: 0.98 itself"),
        pytest.param(tier("The " + OLD, 0.97999), None, id="row 3: under 0.98"),
        pytest.param(tier(NEW, 1.0), None, id="row 3: the guard disagrees"),
        pytest.param(tier(OLD, 1.0, user_id=BOB, shared=True), None, id="row 3: another's memory"),
        pytest.param(tier(OLD, 1.0, status=Status.HELD), None, id="row 3: held"),
        pytest.param(tier(OLD, 1.0, status=Status.SUPERSEDED), None, id="row 3: superseded is news"),
        pytest.param(tier(OLD, 1.0, kind=Kind.RAW_INPUT), None, id="row 3: raw input"),
        pytest.param(tier(NEW, 0.9), None, id="row 4: the engine decides"),
    ],
)
def test_the_tiers_in_order(found: Tier | None, expected: Tier | None) -> None:
    assert found is expected


def test_nothing_stored_is_genuinely_new() -> None:
    answer = tier_of(incoming(), None, [], thresholds())
    assert answer is not None
    assert (answer.tier, answer.operation, answer.target) == (Tier.NEW, Operation.ADD, None)


def test_new_means_new_against_everything() -> None:
    own, other = Neighbour(stored(), 0.1), Neighbour(stored(memory_id=OTHER_ID, user_id=BOB, shared=True), 0.7)
    assert tier_of(incoming(), None, [own, other], thresholds()) is None


@pytest.mark.parametrize("memory_type", PROTECTED)
@pytest.mark.parametrize("side", ["new", "stored"])
def test_protected_types_never_take_the_cosine_noop(memory_type: MemoryType, side: str) -> None:
    statement = incoming(content=OLD, memory_type=memory_type if side == "new" else MemoryType.FACT)
    target = stored(memory_type=memory_type if side == "stored" else MemoryType.FACT)
    assert not may_be_duplicate(statement, target)
    assert tier_of(statement, None, [Neighbour(target, 1.0)], thresholds()) is None


@pytest.mark.parametrize("memory_type", FREE)
def test_the_other_types_do(memory_type: MemoryType) -> None:
    assert may_be_duplicate(incoming(content=OLD, memory_type=memory_type), stored(memory_type=MemoryType.FACT))


def test_a_repeat_with_another_beginning_is_no_duplicate() -> None:
    assert another_beginning(NOW, None)
    assert another_beginning(NOW, BEFORE)
    assert not another_beginning(NOW, NOW)
    assert not another_beginning(NOW, NOW.astimezone(timezone(timedelta(hours=5))))
    assert not another_beginning(None, NOW)
    assert not may_be_duplicate(incoming(content=OLD, valid_from=NOW), stored())


def test_thresholds_are_those_given() -> None:
    target = stored()
    lower = thresholds(duplicate_at=0.9, new_below=0.3)
    answers = {cosine: tier_of(incoming(content="the " + OLD), None, [Neighbour(target, cosine)], lower) for cosine in (0.29, 0.3, 0.9)}
    assert {cosine: answer and answer.tier for cosine, answer in answers.items()} == {0.29: Tier.NEW, 0.3: None, 0.9: Tier.DUPLICATE}


def test_the_nearest_duplicate_wins_then_the_lowest_id() -> None:
    met = [Neighbour(stored(memory_id=UUID(int=number)), cosine) for number, cosine in ((4, 0.99), (3, 0.995), (2, 0.995), (1, 0.98))]
    for order in permutations(met):
        answer = tier_of(incoming(content=OLD), None, order, thresholds())
        assert answer is not None
        assert answer.target == UUID(int=2)


def test_a_duplicate_behind_a_nearer_divergent_one_is_found() -> None:
    near, other = stored(content="Alice lives in Faro"), stored(memory_id=OTHER_ID)
    answer = tier_of(incoming(content=OLD), None, [Neighbour(near, 1.0), Neighbour(other, 0.985)], thresholds())
    assert answer is not None
    assert answer.target == OTHER_ID


def test_a_cosine_that_is_no_number_drops_nothing() -> None:
    assert tier_of(incoming(content=OLD), None, [Neighbour(stored(), float("nan"))], thresholds()) is None


# The orders of time, source and disputes


EARLIER = BEFORE - timedelta(days=9)
ORDERS = [
    pytest.param({}, {}, None, id="in order"),
    pytest.param({"accepted_at": BEFORE + timedelta(microseconds=1)}, {}, None, id="time: accepted just after"),
    pytest.param({"accepted_at": BEFORE}, {}, "out_of_order", id="time: the same instant"),
    pytest.param({"accepted_at": EARLIER}, {}, "out_of_order", id="time: accepted before"),
    pytest.param({"valid_from": BEFORE}, {"valid_from": BEFORE}, None, id="time: both begin at once"),
    pytest.param({"valid_from": NOW}, {"valid_from": BEFORE}, None, id="time: begins later"),
    pytest.param({"valid_from": EARLIER}, {"valid_from": BEFORE}, "out_of_order", id="time: begins earlier"),
    pytest.param({"valid_from": EARLIER}, {}, None, id="time: only the new one says when"),
    pytest.param({}, {"valid_from": AFTER}, None, id="time: only the stored one says when"),
    pytest.param({"valid_from": NOW}, {}, None, id="time: begins now"),
    pytest.param({"valid_from": NOW + timedelta(microseconds=1)}, {}, "out_of_order", id="time: begins in the future"),
    pytest.param({"valid_from": AFTER}, {"valid_from": BEFORE}, "out_of_order", id="time: begins in the future, both say when"),
    pytest.param({"source": Source.USER}, {"source": Source.AGENT}, None, id="source: stronger"),
    pytest.param({"source": Source.AGENT}, {"source": Source.AGENT}, None, id="source: the same"),
    pytest.param({"source": Source.TOOL}, {"source": Source.DOCUMENT}, None, id="source: tool and document are equal"),
    pytest.param({"source": Source.DOCUMENT}, {"source": Source.TOOL}, None, id="source: document and tool are equal"),
    pytest.param({"source": Source.AGENT}, {"source": Source.USER}, "weaker_source", id="source: agent under user"),
    pytest.param({"source": Source.TOOL}, {"source": Source.AGENT}, "weaker_source", id="source: tool under agent"),
    pytest.param({"source": Source.DOCUMENT}, {"source": Source.AGENT}, "weaker_source", id="source: document under agent"),
    pytest.param({}, {"disputed": True}, "disputed_target", id="disputed"),
    pytest.param({"late": True}, {}, "late_decision", id="late"),
    pytest.param({"late": True, "accepted_at": BEFORE}, {}, "late_decision", id="late before time"),
    pytest.param({"accepted_at": BEFORE, "source": Source.TOOL}, {}, "out_of_order", id="time before source"),
    pytest.param({"source": Source.TOOL}, {"disputed": True}, "weaker_source", id="source before dispute"),
]


@pytest.mark.parametrize(("new", "old", "conflict"), ORDERS)
def test_the_orders(new: dict[str, Any], old: dict[str, Any], conflict: str | None) -> None:
    assert order_conflict(incoming(**new), stored(**old)) == conflict


@pytest.mark.parametrize(("new", "old", "conflict"), ORDERS)
@pytest.mark.parametrize("operation", [Operation.UPDATE, Operation.SUPERSEDE])
@pytest.mark.parametrize("mode", Mode)
def test_a_rewrite_out_of_order_escalates_like_c5(
    new: dict[str, Any], old: dict[str, Any], conflict: str | None, operation: Operation, mode: Mode
) -> None:
    ruling = rule_on(verdict(operation, 100), incoming(**new), stored(**old), draft() if mode is Mode.DEFER else approved())
    assert (ruling.articles, ruling.rules) == ((), ())
    assert ruling.conflict_type == conflict
    if conflict is None:
        assert ruling.outcome in {Outcome.UPDATED, Outcome.SUPERSEDED}
    else:
        assert ruling.outcome is (Outcome.DEFERRED if mode is Mode.DEFER else Outcome.HELD)
        assert (ruling.operation, ruling.pending_operation) == (Operation.ADD, operation)


@pytest.mark.parametrize("operation", [Operation.CONTRADICT, Operation.CROSS_CONTRADICT, Operation.LINK_EXISTING, Operation.NOOP])
def test_what_rewrites_nothing_keeps_no_order(operation: Operation) -> None:
    other = {"user_id": BOB, "shared": True} if operation.cross_user else {"user_id": ALICE}
    first = rule_on(verdict(operation), incoming(), stored(**other), approved())
    late = rule_on(verdict(operation), incoming(late=True, source=Source.TOOL), stored(disputed=True, **other), approved())
    assert late == first


def test_time_zones_do_not_matter() -> None:
    elsewhere = timezone(timedelta(hours=-9))
    assert order_conflict(incoming(accepted_at=BEFORE.astimezone(elsewhere)), stored()) is ConflictType.OUT_OF_ORDER
    assert order_conflict(incoming(accepted_at=NOW.astimezone(elsewhere)), stored(recorded_at=BEFORE.astimezone(UTC))) is None


def test_the_charter_shows_its_guards() -> None:
    shown = " ".join((*DEFAULTS, *REFINEMENTS))
    for word in ("new_below", "duplicate_at", "divergence guard", "Protected types", "Time order", "Source order", "SUPERSEDE"):
        assert word.lower() in shown.lower()
