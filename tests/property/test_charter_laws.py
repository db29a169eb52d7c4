"""The laws of the charter (section 7) that are pure, each under a hostile engine and any charter."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.charter.defaults import Neighbour, tier_of
from app.charter.dispute import Side, Step, legal_resolutions, refusal, step_for
from app.charter.model import (
    Article,
    Charter,
    ConflictType,
    Incoming,
    Kind,
    MemoryType,
    Mode,
    Operation,
    Outcome,
    Resolution,
    Ruling,
    Status,
    Strategy,
    Target,
    Thresholds,
    Tier,
)
from app.charter.policy import DELETE_INTENT, fault_of, rule_on
from app.charter.wording import agree, fold, merge_drops, merge_fault, tokens
from tests.oracle.cases import AFTER, approved, draft, incoming, rule, stored, verdict
from tests.oracle.ruling import PROTECTED, ruling_of, tier_for
from tests.property import strategies as some
from tests.property.strategies import Bench

REWRITES = {Outcome.UPDATED, Outcome.SUPERSEDED}
"""The outcomes by which a stored memory changes its content or leaves `active`."""
DISORDERS = {
    ConflictType.LATE_DECISION,
    ConflictType.OUT_OF_ORDER,
    ConflictType.WEAKER_SOURCE,
    ConflictType.DISPUTED_TARGET,
}
Neighbourhood = tuple[Incoming, Target | None, list[Neighbour], Thresholds]


def ruling_on(bench: Bench) -> Ruling:
    return rule_on(bench.verdict, bench.incoming, bench.target, bench.charter)


def without_prose(ruling: Ruling) -> Ruling:
    return replace(ruling, reason="", fault=None if ruling.fault is None else "unusable")


def protect(bench: Bench, protected: MemoryType, where: str) -> Bench:
    """The bench with one of its four types protected."""
    match where:
        case "new":
            return replace(bench, incoming=replace(bench.incoming, memory_type=protected))
        case "target":
            return replace(bench, target=bench.target and replace(bench.target, memory_type=protected))
        case "judged new":
            return replace(bench, verdict=replace(bench.verdict, new_type=protected))
        case _:
            return replace(bench, verdict=replace(bench.verdict, target_type=protected))


@settings(max_examples=300)
@given(some.benches() | some.near_rewrites())
@example(Bench(verdict("CONTRADICT"), incoming(), stored(kind=Kind.SEED), draft(rule(Resolution.RETRACT))))
@example(Bench(verdict("UPDATE"), incoming(valid_from=AFTER), stored(), approved()))
def test_the_policy_rules_as_the_page_reads(bench: Bench) -> None:
    assert without_prose(ruling_on(bench)) == ruling_of(bench.verdict, bench.incoming, bench.target, bench.charter)


@given(some.neighbourhoods())
def test_the_tiers_answer_as_the_page_reads(case: Neighbourhood) -> None:
    new, twin, neighbours, thresholds = case
    answer = tier_of(new, twin, neighbours, thresholds)
    expected = tier_for(new, twin, [(one.target, one.similarity) for one in neighbours], thresholds)
    assert (None if answer is None else (answer.tier, answer.target)) == expected


@given(some.benches(), st.data())
def test_ruling_is_total_and_deterministic(bench: Bench, data: st.DataObject) -> None:
    ruling = ruling_on(bench)
    shuffled = tuple(data.draw(st.permutations(bench.charter.rules)))
    assert ruling_on(replace(bench, charter=replace(bench.charter, rules=shuffled))) == ruling
    assert ruling_on(replace(bench, verdict=replace(bench.verdict))) == ruling
    assert (ruling.fault is not None) is (ruling.outcome is Outcome.UNDECIDED) is (ruling.operation is None)


@given(some.benches())
def test_a_ruling_opens_a_contradiction_whole_or_not_at_all(bench: Bench) -> None:
    ruling = ruling_on(bench)
    parts = (ruling.conflict_type, ruling.strategy, ruling.pending_operation)
    assert all(part is None for part in parts) or all(part is not None for part in parts)
    assert ruling.conflict_type is not None or not (ruling.articles or ruling.rules or ruling.resolution)
    assert bool(ruling.rules) is (ruling.resolution is not None)
    assert ruling.asks is (ruling.conflict_type is not None and not ruling.rules)
    assert list(ruling.articles) == sorted(ruling.articles)


@given(some.neighbourhoods(), st.data())
def test_the_order_of_candidates_does_not_matter(case: Neighbourhood, data: st.DataObject) -> None:
    new, twin, neighbours, thresholds = case
    answer = tier_of(new, twin, neighbours, thresholds)
    assert tier_of(new, twin, data.draw(st.permutations(neighbours)), thresholds) == answer


@given(some.neighbourhoods(), st.sampled_from(Mode))
def test_a_tier_never_drops_what_the_policy_would_keep(case: Neighbourhood, mode: Mode) -> None:
    new, twin, neighbours, thresholds = case
    answer = tier_of(new, twin, neighbours, thresholds)
    if answer is None or answer.operation != Operation.NOOP:
        return
    met = [*(one.target for one in neighbours), *([twin] if twin is not None else [])]
    target = next(one for one in met if one.memory_id == answer.target and (answer.tier is not Tier.EXACT or one == twin))
    assert rule_on(answer, new, target, Charter(mode, thresholds)).outcome is Outcome.DEDUPLICATED
    if answer.tier is Tier.DUPLICATE:
        assert not {new.memory_type, target.memory_type} & PROTECTED


@given(some.benches() | some.near_rewrites(), st.sampled_from([Kind.ATOM, Kind.SEED, Kind.RULE]))
def test_immutable_is_immutable(bench: Bench, kind: Kind) -> None:
    target = bench.target and replace(bench.target, kind=kind, immutable=True if kind is Kind.ATOM else bench.target.immutable)
    ruling = ruling_on(replace(bench, target=target))
    assert ruling.outcome not in REWRITES
    usable = ruling.outcome is not Outcome.UNDECIDED
    if usable and bench.verdict.operation == Operation.DELETE:
        assert Article.C2 in ruling.articles


@given(some.benches() | some.near_rewrites())
def test_raw_input_is_sacred(bench: Bench) -> None:
    ruling = ruling_on(replace(bench, target=bench.target and replace(bench.target, kind=Kind.RAW_INPUT)))
    assert ruling.outcome in {Outcome.UNDECIDED, Outcome.STORED, Outcome.DEFERRED, Outcome.HELD}
    if ruling.conflict_type is not None:
        assert ruling.conflict_type is ConflictType.RAW_INPUT_TARGET
        assert Article.C4 in ruling.articles
        assert not ruling.rules


@settings(max_examples=300)
@given(some.near_rewrites())
def test_a_rewrite_touches_an_active_atom_of_the_same_user_alone(bench: Bench) -> None:
    if ruling_on(bench).outcome in REWRITES:
        assert bench.target is not None
        assert (bench.target.kind, bench.target.status) == (Kind.ATOM, Status.ACTIVE)
        assert bench.target.user_id == bench.incoming.user_id
        assert bench.target.memory_id == bench.verdict.target


@settings(max_examples=300)
@given(some.near_rewrites(), some.protected_types, st.sampled_from(["new", "target", "judged new", "judged target"]))
def test_no_silent_protected_rewrite(bench: Bench, protected: MemoryType, where: str) -> None:
    bench = protect(bench, protected, where)
    ruling = ruling_on(bench)
    if bench.target is None:
        return
    assert ruling.outcome not in REWRITES
    crossing = bench.verdict.operation == Operation.CROSS_CONTRADICT
    if ruling.conflict_type is not None and not crossing:
        assert Article.C3 in ruling.articles
        assert ruling.asks
    if ruling.outcome is Outcome.DEDUPLICATED:
        assert fold(bench.incoming.content, keep_case=True) == fold(bench.target.content, keep_case=True)


@settings(max_examples=300)
@given(some.near_rewrites())
def test_no_low_confidence_rewrite(bench: Bench) -> None:
    ruling = ruling_on(bench)
    if ruling.outcome in REWRITES:
        assert isinstance(bench.verdict.confidence, int)
        assert bench.verdict.confidence >= max(70, bench.charter.thresholds.low_confidence)
    if ruling.outcome is Outcome.DEDUPLICATED and bench.verdict.tier is Tier.ENGINE:
        assert isinstance(bench.verdict.confidence, int)
        assert bench.verdict.confidence >= 70


@settings(max_examples=300)
@given(some.near_rewrites())
def test_no_silent_rewrite_out_of_order(bench: Bench) -> None:
    if ruling_on(bench).outcome in REWRITES and bench.target is not None:
        new, old = bench.incoming, bench.target
        assert not new.late
        assert not old.disputed
        assert not old.sibling
        assert new.accepted_at > old.recorded_at
        assert new.source.strength >= old.source.strength
        assert new.valid_from is None or new.valid_from <= new.accepted_at
        assert None in {new.valid_from, old.valid_from} or new.valid_from >= old.valid_from  # type: ignore[operator]


@given(some.benches() | some.near_rewrites())
def test_deferral_keeps_both(bench: Bench) -> None:
    ruling = ruling_on(replace(bench, charter=replace(bench.charter, mode=Mode.DEFER)))
    assert ruling.outcome is not Outcome.HELD
    escalated = ruling.articles or ruling.conflict_type in DISORDERS
    if escalated:
        kept = Operation.CONTRADICT if ruling.pending_operation is Operation.CONTRADICT else Operation.ADD
        assert ruling.operation is kept
        assert ruling.outcome is (Outcome.STORED if kept is Operation.CONTRADICT else Outcome.DEFERRED)
        assert ruling.strategy is (Strategy.FLAGGED if kept is Operation.CONTRADICT else Strategy.DEFERRED)
        assert ruling.asks
        assert ruling.content is None


@given(some.benches() | some.near_rewrites())
def test_an_approved_charter_blocks_what_a_draft_defers(bench: Bench) -> None:
    first = ruling_on(replace(bench, charter=replace(bench.charter, mode=Mode.DEFER)))
    second = ruling_on(replace(bench, charter=replace(bench.charter, mode=Mode.BLOCK)))
    if first.articles or first.conflict_type in DISORDERS:
        assert (second.outcome, second.operation, second.strategy) == (Outcome.HELD, Operation.ADD, Strategy.HELD)
        assert replace(second, outcome=first.outcome, operation=first.operation, strategy=first.strategy) == first
    else:
        assert second == first


@given(some.benches() | some.near_rewrites())
def test_rules_never_outrank_the_constitution(bench: Bench) -> None:
    ruling = ruling_on(bench)
    without = ruling_on(replace(bench, charter=replace(bench.charter, rules=())))
    if without.articles or without.conflict_type not in {ConflictType.CONTRADICTION, ConflictType.CROSS_USER_CONTRADICTION}:
        assert ruling == without
    if ruling.rules:
        assert without.asks
        assert not without.articles
        assert without.operation in {Operation.CONTRADICT, Operation.CROSS_CONTRADICT}
        (decider,) = (one for one in bench.charter.rules if one.rule_id == ruling.rules[0])
        assert decider.user_id in {None, bench.incoming.user_id}
        assert decider.resolution is Resolution.COEXIST or decider.shape.same_user


@given(some.benches())
def test_delete_is_never_more_than_a_question(bench: Bench) -> None:
    asked = replace(bench, verdict=replace(bench.verdict, operation="DELETE"))
    ruling = ruling_on(asked)
    if ruling.outcome is not Outcome.UNDECIDED:
        assert ruling.outcome in {Outcome.DEFERRED, Outcome.HELD}
        assert ruling.pending_operation is Operation.DELETE
        assert ruling.articles[0] is Article.C1
        assert ruling.asks
        assert ruling.reason == f"{DELETE_INTENT}: {bench.verdict.reasoning}"
    assert ruling_on(bench).operation is not Operation.DELETE


@given(some.benches())
def test_an_error_is_never_a_verdict(bench: Bench) -> None:
    fault = fault_of(bench.verdict, bench.incoming, bench.target)
    ruling = ruling_on(bench)
    assert ruling.fault == fault
    if fault is not None:
        assert ruling == Ruling(Outcome.UNDECIDED, None, reason=ruling.reason, fault=fault)


@given(some.benches())
def test_what_would_run_after_an_answer_is_whole(bench: Bench) -> None:
    ruling = ruling_on(bench)
    if ruling.pending_operation is Operation.UPDATE:
        assert ruling.pending_content == bench.verdict.merged_content
    if ruling.outcome is Outcome.UPDATED and bench.target is not None and not bench.verdict.edit:
        assert ruling.content is not None
        assert not merge_drops(ruling.content, bench.target.content)


@given(some.any_text, some.any_text, some.any_text)
def test_the_comparison_of_texts_is_total_and_even(one: str, two: str, three: str) -> None:
    assert agree(one, one)
    assert agree(one, two) is agree(two, one)
    assert not (agree(one, two) and agree(two, three)) or agree(one, three)
    assert merge_fault(one, one, two) is None or tokens(one) == ()
    assert not merge_drops(one, one)
    if fold(one, keep_case=True) == fold(two, keep_case=True):
        assert fold(one, keep_case=False) == fold(two, keep_case=False)
        assert agree(one, two)


sides = st.builds(Side, user_id=st.sampled_from(("alice", "bob")), kind=st.sampled_from(Kind), immutable=st.booleans())


@given(sides, sides, some.operations)
def test_no_offered_answer_breaks_c2_or_c4(new: Side, existing: Side, pending: Operation) -> None:
    offered = legal_resolutions(new, existing)
    assert Resolution.COEXIST in offered
    for resolution in Resolution:
        assert (refusal(resolution, new, existing) is None) is (resolution in offered)
    for resolution in offered:
        step = step_for(resolution, pending)
        if step in {Step.REVISE_EXISTING, Step.SUPERSEDE_EXISTING, Step.SUPERSEDE_BOTH}:
            assert (existing.kind, existing.immutable, existing.user_id) == (Kind.ATOM, False, new.user_id)
        if step in {Step.WITHDRAW_NEW, Step.SUPERSEDE_BOTH}:
            assert (new.kind, new.immutable) == (Kind.ATOM, False)
