"""The second layer: which rule applies, what it may do, what may become one (sections 2 and 6)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from app.charter.model import Article, ConflictType, MemoryType, Mode, Operation, Outcome, Resolution, Rule, Shape, Source, Strategy
from app.charter.policy import rule_on
from app.charter.rules import Precedent, learnable, may_answer, proposal_from, rule_for, shape_of
from tests.oracle.cases import ALICE, BEFORE, BOB, approved, draft, incoming, rule, stored, verdict

RETRACT, CONFIRM, COEXIST, AMEND = Resolution
CROSS: dict[str, Any] = {"operation": Operation.CROSS_CONTRADICT, "same_user": False}


def outcome_of(*rules: Rule, confidence: int = 90, bar: int = 70, new: dict[str, Any] | None = None, **old: Any) -> tuple[Outcome, int]:
    """The outcome of a CONTRADICT under these rules, and the number of the rule that decided (0: none)."""
    ruling = rule_on(verdict("CONTRADICT", confidence), incoming(**(new or {})), stored(**old), draft(*rules, low_confidence=bar))
    return ruling.outcome, ruling.rules[0].int if ruling.rules else 0


@pytest.mark.parametrize(
    ("resolution", "outcome"),
    [(COEXIST, Outcome.STORED), (RETRACT, Outcome.SUPERSEDED), (CONFIRM, Outcome.WITHDRAWN)],
)
@pytest.mark.parametrize("mode", Mode)
def test_a_rule_answers_and_is_named(resolution: Resolution, outcome: Outcome, mode: Mode) -> None:
    charter = (draft if mode is Mode.DEFER else approved)(rule(resolution))
    ruling = rule_on(verdict("CONTRADICT"), incoming(), stored(), charter)
    assert (ruling.outcome, ruling.operation, ruling.resolution) == (outcome, Operation.CONTRADICT, resolution)
    assert ruling.rules == (UUID(int=7),)
    assert (ruling.conflict_type, ruling.strategy) == (ConflictType.CONTRADICTION, Strategy.FLAGGED)
    assert not ruling.asks


def test_amend_is_no_rule() -> None:
    assert outcome_of(rule(AMEND)) == (Outcome.STORED, 0)


@pytest.mark.parametrize(
    ("confidence", "bar", "runs"),
    [(69, 70, False), (70, 70, True), (79, 80, False), (80, 80, True), (69, 0, False), (70, 0, True)],
)
def test_newest_wins_needs_c5s_bar(confidence: int, bar: int, runs: bool) -> None:  # noqa: FBT001
    expected = (Outcome.SUPERSEDED, 7) if runs else (Outcome.STORED, 0)
    assert outcome_of(rule(RETRACT), confidence=confidence, bar=bar) == expected


@pytest.mark.parametrize("resolution", [COEXIST, CONFIRM])
def test_the_others_rewrite_nothing_and_need_none(resolution: Resolution) -> None:
    assert outcome_of(rule(resolution), confidence=0)[1] == 7


@pytest.mark.parametrize(
    ("new", "old"),
    [
        pytest.param({"late": True}, {}, id="late"),
        pytest.param({"accepted_at": BEFORE}, {}, id="out of order"),
        pytest.param({"source": Source.TOOL}, {}, id="weaker source"),
        pytest.param({}, {"disputed": True}, id="disputed"),
        pytest.param({}, {"sibling": True}, id="sibling"),
        pytest.param({}, {"immutable": True}, id="final"),
    ],
)
def test_newest_wins_keeps_the_orders_and_c2(new: dict[str, Any], old: dict[str, Any]) -> None:
    assert outcome_of(rule(RETRACT), confidence=100, new=new, **old) == (Outcome.STORED, 0)
    assert outcome_of(rule(COEXIST), confidence=100, new=new, **old) == (Outcome.STORED, 7)


# Which rule


@pytest.mark.parametrize(
    ("rules", "decides"),
    [
        pytest.param([rule(COEXIST, number=1)], 1, id="the user's"),
        pytest.param([rule(COEXIST, number=1, user_id=None)], 1, id="the tenant's"),
        pytest.param([rule(COEXIST, number=1, user_id=BOB)], 0, id="another user's"),
        pytest.param([rule(COEXIST, number=1, user_id=None), rule(CONFIRM, number=2)], 2, id="the user's before the tenant's"),
        pytest.param([rule(CONFIRM, number=2), rule(COEXIST, number=1, user_id=None)], 2, id="the same, stored the other way round"),
        pytest.param([rule(COEXIST, number=3), rule(CONFIRM, number=2)], 2, id="of two the lowest id"),
        pytest.param([rule(COEXIST, number=1, new_type=MemoryType.SKILL)], 0, id="another new type"),
        pytest.param([rule(COEXIST, number=1, existing_type=MemoryType.SKILL)], 0, id="another stored type"),
        pytest.param([rule(COEXIST, number=1, operation=Operation.SUPERSEDE)], 0, id="another operation"),
        pytest.param([rule(COEXIST, number=1, same_user=False)], 0, id="across users"),
        pytest.param([], 0, id="none"),
    ],
)
def test_which_rule_decides(rules: list[Rule], decides: int) -> None:
    assert outcome_of(*rules)[1] == decides
    assert outcome_of(*reversed(rules))[1] == decides


def test_a_users_rule_that_may_not_answer_leaves_the_question_to_the_person() -> None:
    assert outcome_of(rule(RETRACT, number=2), rule(COEXIST, number=1, user_id=None), confidence=69) == (Outcome.STORED, 0)


def test_a_shape_names_types_and_users_only() -> None:
    shape = shape_of(Operation.CONTRADICT, incoming(memory_type=MemoryType.SKILL), stored())
    assert shape == Shape(Operation.CONTRADICT, MemoryType.SKILL, MemoryType.FACT, same_user=True)
    assert not shape_of(Operation.CROSS_CONTRADICT, incoming(), stored(user_id=BOB)).same_user
    assert rule_for(shape, ALICE, []) is None


# Across users


@pytest.mark.parametrize("resolution", Resolution)
def test_across_users_only_coexist(resolution: Resolution) -> None:
    ruling = rule_on(
        verdict("CROSS_CONTRADICT", 100), incoming(), stored(user_id=BOB, shared=True), draft(rule(resolution, user_id=None, **CROSS))
    )
    assert ruling.conflict_type is ConflictType.CROSS_USER_CONTRADICTION
    assert ruling.outcome is Outcome.STORED
    assert ruling.resolution is (COEXIST if resolution is COEXIST else None)
    assert may_answer(rule(resolution, **CROSS), 100, 70, stored()) is (resolution is COEXIST)


# Never under an article


@pytest.mark.parametrize("resolution", Resolution)
@pytest.mark.parametrize("operation", [Operation.CONTRADICT, Operation.UPDATE, Operation.SUPERSEDE, Operation.DELETE])
@pytest.mark.parametrize("charter", [draft, approved])
def test_under_an_article_a_rule_has_no_effect(resolution: Resolution, operation: Operation, charter: Any) -> None:
    stored_rule = rule(resolution, operation=operation, new_type=MemoryType.GOAL)
    tenants = rule(COEXIST, number=8, user_id=None, operation=operation, new_type=MemoryType.GOAL)
    with_rules = rule_on(verdict(operation, 100), incoming(memory_type=MemoryType.GOAL), stored(), charter(stored_rule, tenants))
    assert with_rules == rule_on(verdict(operation, 100), incoming(memory_type=MemoryType.GOAL), stored(), charter())
    assert with_rules.articles


@pytest.mark.parametrize("judged", ["new_type", "target_type"])
def test_a_judged_type_brings_the_article_back(judged: str) -> None:
    said = verdict("CONTRADICT", 100, **{judged: MemoryType.OPINION})
    ruling = rule_on(said, incoming(), stored(), draft(rule(RETRACT)))
    assert (ruling.articles, ruling.rules, ruling.asks) == ((Article.C3,), (), True)


@pytest.mark.parametrize("operation", [Operation.UPDATE, Operation.SUPERSEDE])
def test_no_rule_is_asked_about_the_orders(operation: Operation) -> None:
    said, new = verdict(operation, 100), incoming(late=True)
    ruled = rule_on(said, new, stored(), draft(rule(RETRACT, operation=operation), rule(COEXIST, number=9)))
    assert ruled == rule_on(said, new, stored(), draft())


# What may be learned


@pytest.mark.parametrize("resolution", Resolution)
@pytest.mark.parametrize("same_user", [True, False])
@pytest.mark.parametrize("operation", Operation)
@pytest.mark.parametrize("articles", [(), (Article.C3,), (Article.C1, Article.C5)])
def test_what_may_become_a_rule(operation: Operation, articles: tuple[Article, ...], resolution: Resolution, same_user: bool) -> None:  # noqa: FBT001
    expected = (
        not articles
        and operation in {Operation.CONTRADICT, Operation.CROSS_CONTRADICT}
        and (resolution is COEXIST or (same_user and resolution in {RETRACT, CONFIRM}))
    )
    assert learnable(operation, articles, resolution, same_user=same_user) is expected


def precedents(answers: list[tuple[Resolution, int]], **shape: Any) -> list[Precedent]:
    """Precedents of one shape, oldest first: the answer, and the number of the pair. Episodes are numbered from 1."""
    told = rule(COEXIST, **shape).shape
    return [
        Precedent(UUID(int=place), told, resolution, (UUID(int=100 + pair), UUID(int=200 + pair)))
        for place, (resolution, pair) in enumerate(answers, 1)
    ]


@pytest.mark.parametrize(
    ("answers", "episodes"),
    [
        pytest.param([], [], id="none"),
        pytest.param([(COEXIST, 1), (COEXIST, 2)], [], id="two"),
        pytest.param([(COEXIST, 1), (COEXIST, 2), (COEXIST, 3)], [1, 2, 3], id="three"),
        pytest.param([(COEXIST, 1), (COEXIST, 2), (COEXIST, 3), (COEXIST, 4)], [1, 2, 3, 4], id="four"),
        pytest.param([(COEXIST, 1), (COEXIST, 1), (COEXIST, 2)], [], id="the same pair counts once"),
        pytest.param([(COEXIST, 1), (COEXIST, 2), (CONFIRM, 3)], [], id="a contrary answer"),
        pytest.param([(COEXIST, 1), (CONFIRM, 2), (COEXIST, 3), (COEXIST, 4)], [], id="a contrary answer between"),
        pytest.param([(CONFIRM, 1), (COEXIST, 2), (COEXIST, 3), (COEXIST, 4)], [2, 3, 4], id="three since a contrary answer"),
        pytest.param([(CONFIRM, 1), (CONFIRM, 2), (CONFIRM, 3), (RETRACT, 4)], [], id="three before a contrary answer"),
        pytest.param([(RETRACT, 1), (RETRACT, 2), (RETRACT, 3)], [1, 2, 3], id="retract"),
        pytest.param([(AMEND, 1), (AMEND, 2), (AMEND, 3)], [], id="amend is no rule"),
    ],
)
def test_proposals(answers: list[tuple[Resolution, int]], episodes: list[int]) -> None:
    assert sorted(episode.int for episode in proposal_from(precedents(answers), 3)) == episodes


def test_a_proposal_takes_as_many_as_the_setting_says() -> None:
    told = precedents([(COEXIST, number) for number in range(5)])
    assert [bool(proposal_from(told[:count], 5)) for count in range(6)] == [False] * 5 + [True]


def test_each_pair_is_listed_once() -> None:
    found = proposal_from(precedents([(COEXIST, 1), (COEXIST, 2), (COEXIST, 1), (COEXIST, 3)]), 3)
    assert len(found) == len(set(found)) == 3


@pytest.mark.parametrize("resolution", [RETRACT, CONFIRM])
def test_across_users_nothing_but_coexist_is_proposed(resolution: Resolution) -> None:
    assert proposal_from(precedents([(resolution, 1), (resolution, 2), (resolution, 3)], **CROSS), 3) == ()
    assert len(proposal_from(precedents([(COEXIST, 1), (COEXIST, 2), (COEXIST, 3)], **CROSS), 3)) == 3


@pytest.mark.parametrize("operation", [Operation.UPDATE, Operation.SUPERSEDE, Operation.DELETE])
def test_no_rule_is_proposed_about_a_rewrite(operation: Operation) -> None:
    assert proposal_from(precedents([(COEXIST, 1), (COEXIST, 2), (COEXIST, 3)], operation=operation), 3) == ()
