"""A hostile bench: whatever an engine may say, about whatever is stored, under whatever charter. Others may reuse it.

Half of it is arbitrary and half is near enough to sense to get past the check of verdicts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from hypothesis import strategies as st

from app.charter.defaults import Neighbour
from app.charter.model import (
    Charter,
    Incoming,
    Kind,
    MemoryType,
    Mode,
    Operation,
    Resolution,
    Rule,
    Shape,
    Source,
    Status,
    Target,
    Thresholds,
    Tier,
    Verdict,
)

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
IDS = tuple(UUID(int=number) for number in range(1, 7))
CONTRADICTIONS = (Operation.CONTRADICT, Operation.CROSS_CONTRADICT)

_TEXTS = (
    "Alice lives in Porto",
    "Alice lives in Lisbon",
    "Alice lives in Porto and Lisbon",
    "alice  lives in porto.",
    "Alice does not live in Porto",
    "Alice never drinks coffee",
    "Alice drinks coffee",
    "Alice drinks tea, coffee",
    "Alice runs 5 km",
    "Alice runs 5 miles",
    "Alice runs 5.5 km",
    "Alice runs .5 km",
    "Alice knows C++ since 2024-05-01",
    "Alice knows C since 2024-05-02",
    "It costs €5 - 5 %",
    "It costs $5 - 10²",
    "It is -5 °C",
    "我喜欢茶",
    "我不喜欢茶。",
    "Je n'aime pas le thé",
    "Je n'aime pas le the\u0301 .",
    "İstanbul straße",
    "",
    " \u00a0\t",
    ".",
    "。",
    "!?…",
    "\ud800 🙂",
    "don’t not a the an",
)

operations = st.sampled_from(Operation)
memory_types = st.sampled_from(MemoryType)
protected_types = st.sampled_from([MemoryType.PREFERENCE, MemoryType.GOAL, MemoryType.OPINION])
modes = st.sampled_from(Mode)
ids = st.sampled_from(IDS)
texts = st.sampled_from(_TEXTS)
_strange = st.text(max_size=8)
any_text = st.sampled_from([False] * 7 + [True]).flatmap(lambda strange: _strange if strange else texts)
_times = [NOW + timedelta(hours=hours) for hours in (-48, -24, -1, 0, 1, 24)]
_moments = st.sampled_from(_times)
_moments_or_none = st.sampled_from([None, None, None, *_times])
# Most of them unprotected, or C3 would hide the rest of the charter.
_types = st.sampled_from([MemoryType.FACT] * 8 + [MemoryType.SKILL] * 4 + list(MemoryType))
_judged_types = st.sampled_from([None] * 24 + list(MemoryType))
_seldom = st.sampled_from([False, False, False, True])
_rarely = st.sampled_from([False] * 12 + [True])
_mostly = st.sampled_from([True, True, True, False])
_users = st.sampled_from(("alice", "alice", "alice", "bob", "helixir"))

# A union of strategies is drawn from evenly, branch by branch: what is malformed is therefore drawn apart, and rarely.
sensible_confidences = st.sampled_from([0, 1, 69, 70, 71, 79, 80, 81, 89, 90, 91, 99, 100, 100, 100, 100])
malformed_confidences: st.SearchStrategy[object] = st.one_of(
    st.sampled_from([None, True, False, -1, 101, 10**30, 70.0, 88.5, float("nan"), "90", "", b"90", [], {}, object]),
    st.text(max_size=4),
    st.floats(),
)
_REWRITES = [Operation.UPDATE, Operation.UPDATE, Operation.UPDATE, Operation.SUPERSEDE, Operation.CONTRADICT, Operation.CONTRADICT]
operation_words = st.sampled_from([*Operation, *_REWRITES])
malformed_operations = st.sampled_from(["add", "ADD ", "", "MERGE", "DELETE\n", "UPDATE\x00"]) | st.text(max_size=8)

thresholds = st.builds(
    Thresholds,
    duplicate_at=st.sampled_from([0.9, 0.98, 1.0]),
    new_below=st.sampled_from([-1.0, 0.33, 0.7, 0.9]),
    low_confidence=st.sampled_from([0, 69, 70, 70, 70, 80, 90, 100]),
    origin=st.just("test"),
)
"""Any thresholds that may be set, and bars under 70 that may not: C5 holds without the settings' help."""

incomings = st.builds(
    Incoming,
    user_id=_users,
    content=any_text,
    memory_type=_types,
    source=st.sampled_from(Source),
    accepted_at=_moments,
    valid_from=_moments_or_none,
    late=_seldom,
)

targets = st.builds(
    Target,
    memory_id=ids,
    user_id=_users,
    kind=st.sampled_from([Kind.ATOM] * 5 + list(Kind)),
    content=any_text,
    memory_type=_types,
    status=st.sampled_from([Status.ACTIVE] * 5 + list(Status)),
    immutable=_seldom,
    source=st.sampled_from(Source),
    recorded_at=_moments,
    valid_from=_moments_or_none,
    shared=st.booleans(),
    disputed=_seldom,
    sibling=_seldom,
)
"""Any stored memory: also such as the database would refuse (a seed that is not final)."""

_verdicts = st.builds(
    Verdict,
    operation=operation_words,
    target=ids,
    confidence=sensible_confidences,
    reasoning=texts,
    merged_content=st.sampled_from([None, "", "  ", *_TEXTS]),
    new_type=_judged_types,
    target_type=_judged_types,
    tier=st.sampled_from([Tier.ENGINE, Tier.ENGINE, *Tier]),
    edit=_seldom,
)

_shapes = st.builds(Shape, operations, _types, _types, same_user=st.booleans())
rules = st.builds(Rule, ids, _shapes, st.sampled_from(Resolution), st.sampled_from(["alice", "alice", "bob", None, None]))
_rule_sets = st.lists(st.tuples(rules, _mostly), max_size=2, unique_by=lambda pair: pair[0].rule_id)
_merges = st.sampled_from(["as it is", "both", "both", "target", "incoming"])


@dataclass(frozen=True)
class Bench:
    """All that one ruling is made of."""

    verdict: Verdict
    incoming: Incoming
    target: Target | None
    charter: Charter


@st.composite
def benches(draw: st.DrawFn) -> Bench:
    """A verdict of any sense on any pair, under any rules: most of them of the very shape of the case."""
    verdict, incoming = draw(_verdicts), draw(incomings)
    if draw(_rarely):
        verdict = replace(verdict, operation=draw(malformed_operations))
    if draw(_rarely):
        verdict = replace(verdict, confidence=draw(malformed_confidences))
    target = draw(targets) if draw(_mostly) else None
    if not draw(_rarely):
        verdict, incoming, target = _made_near(draw, verdict, incoming, target)
    old = "" if target is None else target.content
    merges = {"both": f"{old} {incoming.content}", "target": old, "incoming": incoming.content}
    verdict = replace(verdict, merged_content=merges.get(draw(_merges), verdict.merged_content))
    fitting = None if target is None else _shape_of(incoming, target)
    some = tuple(replace(rule, shape=fitting) if fits and fitting else rule for rule, fits in draw(_rule_sets))
    return Bench(verdict, incoming, target, Charter(draw(modes), draw(thresholds), some))


_twists: st.SearchStrategy[tuple[dict[str, Any], dict[str, Any]]] = st.sampled_from(
    [
        ({}, {}),
        ({}, {}),
        ({"late": True}, {}),
        ({"accepted_at": NOW - timedelta(days=1)}, {}),
        ({"accepted_at": NOW - timedelta(days=2)}, {}),
        ({"valid_from": NOW + timedelta(hours=1)}, {}),
        ({"valid_from": NOW - timedelta(hours=2)}, {"valid_from": NOW - timedelta(hours=1)}),
        ({"source": Source.TOOL}, {}),
        ({}, {"disputed": True}),
        ({}, {"sibling": True}),
        ({}, {"immutable": True}),
        ({}, {"kind": Kind.RAW_INPUT}),
        ({}, {"kind": Kind.SEED}),
        ({}, {"status": Status.SUPERSEDED}),
    ]
)
_near_operations = st.sampled_from([Operation.UPDATE, Operation.SUPERSEDE, Operation.CONTRADICT, Operation.NOOP])
_near_confidences = st.sampled_from([0, 69, 70, 79, 80, 100, 100, 100])


@st.composite
def near_rewrites(draw: st.DrawFn) -> Bench:
    """A verdict that would run in silence, but for one thing that may be wrong with it (and its confidence, and its bar)."""
    new, old = draw(_twists)
    incoming = Incoming("alice", draw(texts), MemoryType.FACT, Source.AGENT, NOW)
    target = Target(
        memory_id=IDS[0],
        user_id="alice",
        kind=Kind.ATOM,
        content=draw(texts),
        memory_type=MemoryType.FACT,
        status=Status.ACTIVE,
        immutable=False,
        source=Source.AGENT,
        recorded_at=NOW - timedelta(days=1),
    )
    incoming, target = replace(incoming, **new), replace(target, **old)
    verdict = Verdict(draw(_near_operations), IDS[0], draw(_near_confidences), "because", f"{target.content} {incoming.content}")
    shape = _shape_of(incoming, target)
    some = tuple(replace(rule, shape=shape) for rule, _ in draw(_rule_sets))
    return Bench(verdict, incoming, target, Charter(draw(modes), draw(thresholds), some))


def _made_near(draw: st.DrawFn, verdict: Verdict, incoming: Incoming, target: Target | None) -> tuple[Verdict, Incoming, Target | None]:
    """The case bent so that its verdict passes the check: the right user, a target where one is needed."""
    if verdict.operation == Operation.ADD:
        return replace(verdict, target=None), incoming, None
    target = target or draw(targets)
    crossing = verdict.operation in {Operation.LINK_EXISTING, Operation.CROSS_CONTRADICT}
    other = "bob" if incoming.user_id == "alice" else "alice"
    target = replace(target, user_id=other if crossing else incoming.user_id, shared=target.shared or crossing)
    if draw(_mostly):
        incoming = replace(incoming, accepted_at=NOW, late=False, valid_from=None)
        target = replace(target, recorded_at=NOW - timedelta(days=1), status=Status.ACTIVE)
    if draw(_seldom):
        incoming = replace(incoming, content=target.content, memory_type=target.memory_type)
    return replace(verdict, target=target.memory_id), incoming, target


def _shape_of(incoming: Incoming, target: Target) -> Shape:
    same = incoming.user_id == target.user_id
    return Shape(CONTRADICTIONS[not same], incoming.memory_type, target.memory_type, same)


_cosines = st.sampled_from([-1.0, 0.0, 0.33, 0.69999, 0.7, 0.9, 0.97999, 0.98, 1.0])
_met = st.lists(st.tuples(targets, _cosines, st.booleans()), max_size=4, unique_by=lambda met: met[0].memory_id)


@st.composite
def neighbourhoods(draw: st.DrawFn) -> tuple[Incoming, Target | None, list[Neighbour], Thresholds]:
    """An incoming statement, perhaps its twin, and the neighbours that it meets, each memory once."""
    incoming = draw(incomings)

    def near(target: Target) -> Target:
        return replace(target, content=incoming.content, user_id=incoming.user_id, status=Status.ACTIVE, memory_type=incoming.memory_type)

    neighbours = [Neighbour(near(target) if alike else target, cosine) for target, cosine, alike in draw(_met)]
    twin = None
    if draw(_seldom):
        twin = draw(targets)
        twin = near(twin) if draw(st.booleans()) else twin
    return incoming, twin, neighbours, draw(thresholds)
