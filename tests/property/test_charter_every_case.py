"""Every combination of what the constitution, the rules and the orders look at, against the second reading: no sampling."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import product
from typing import Any

import pytest

from app.charter.model import Charter, Incoming, Kind, MemoryType, Mode, Operation, Resolution, Rule, Source, Target, Verdict
from app.charter.policy import rule_on
from tests.oracle.cases import AFTER, ALICE, BEFORE, BOB, incoming, rule, stored, thresholds, verdict
from tests.oracle.ruling import ruling_of

FACT, GOAL = MemoryType.FACT, MemoryType.GOAL
TYPES: tuple[tuple[MemoryType, MemoryType, MemoryType | None, MemoryType | None], ...] = (
    (FACT, FACT, None, None),
    (FACT, MemoryType.SKILL, MemoryType.ACTION, MemoryType.EXPERIENCE),
    (GOAL, FACT, None, None),
    (FACT, GOAL, FACT, FACT),
    (FACT, FACT, GOAL, None),
    (FACT, FACT, None, GOAL),
)
INCOMING: tuple[dict[str, Any], ...] = (
    {},
    {"late": True},
    {"accepted_at": BEFORE},
    {"valid_from": BEFORE - timedelta(days=9)},
    {"valid_from": AFTER},
    {"source": Source.TOOL},
)
TARGET: tuple[dict[str, Any], ...] = (
    {},
    {"immutable": True},
    {"disputed": True, "valid_from": BEFORE},
    {"sibling": True},
    {"sibling": True, "disputed": True, "immutable": True},
)


def cases(operation: Operation) -> Iterator[tuple[Verdict, Incoming, Target, Charter]]:
    # The merge of an UPDATE is dear to judge, and its bar is SUPERSEDE's.
    bars, confidences = ((70,), (69, 70)) if operation is Operation.UPDATE else ((70, 80), (69, 70, 79, 80))
    charters = [Charter(mode, thresholds(low_confidence=bar)) for mode, bar in product(Mode, bars)]
    for types, kind, new, old, confidence in product(TYPES, Kind, INCOMING, TARGET, confidences):
        said = verdict(operation, confidence, new_type=types[2], target_type=types[3])
        statement = incoming(memory_type=types[0], **new)
        crossing = operation.cross_user
        target = stored(memory_type=types[1], kind=kind, user_id=BOB if crossing else ALICE, shared=crossing, **old)
        for charter in charters:
            yield said, statement, target, charter


def rules_of(operation: Operation, new: MemoryType, old: MemoryType) -> Iterator[tuple[Rule, ...]]:
    """Rule sets of the very shape of a case: one of each resolution for the user, and one of each against the tenant's."""
    shape: dict[str, Any] = {"operation": operation, "new_type": new, "existing_type": old, "same_user": not operation.cross_user}
    for resolution in Resolution:
        yield (rule(resolution, **shape),)
        yield (rule(Resolution.COEXIST, user_id=None, number=3, **shape), rule(resolution, **shape))


def differs(said: Verdict, statement: Incoming, target: Target, charter: Charter) -> bool:
    ruling = rule_on(said, statement, target, charter)
    plain = replace(ruling, reason="", fault=None if ruling.fault is None else "unusable")
    return plain != ruling_of(said, statement, target, charter)


@pytest.mark.parametrize("operation", [one for one in Operation if one is not Operation.ADD])
def test_without_rules(operation: Operation) -> None:
    assert not [case for case in cases(operation) if differs(*case)][:3]


@pytest.mark.parametrize("operation", [Operation.CONTRADICT, Operation.CROSS_CONTRADICT])
def test_with_every_rule_of_the_shape(operation: Operation) -> None:
    found = []
    for said, statement, target, charter in cases(operation):
        if target.kind is Kind.ATOM and charter.mode is Mode.DEFER:
            for rules in rules_of(operation, statement.memory_type, target.memory_type):
                ruled = replace(charter, rules=rules)
                found += [(said, statement, target, ruled)] if differs(said, statement, target, ruled) else []
    assert not found[:3]
