"""The words of the charter (section 1)."""

from __future__ import annotations

from enum import StrEnum

import pytest

from app.charter.model import (
    LOW_CONFIDENCE,
    PROTECTED_TYPES,
    SYSTEM_USER,
    Article,
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
)
from tests.oracle.cases import stored


def words(enum: type[StrEnum]) -> str:
    return " ".join(enum)


def test_the_words() -> None:
    assert words(MemoryType) == "fact preference skill goal opinion experience achievement action"
    assert words(Kind) == "atom raw_input seed rule episode"
    assert words(Status) == "active superseded withdrawn held"
    assert words(Operation) == "ADD NOOP LINK_EXISTING UPDATE SUPERSEDE CONTRADICT CROSS_CONTRADICT DELETE"
    assert words(Article) == "C1 C2 C3 C4 C5"
    assert words(Strategy) == "charter_deferred charter_held charter_flagged"
    assert words(Resolution) == "retract confirm coexist amend"
    assert words(Mode) == "defer block"
    assert words(Outcome) == "stored linked updated superseded deduplicated deferred held undecided withdrawn previously_withdrawn"
    assert words(ConflictType) == (
        "raw_input_target immutable_target auto_delete protected_type_rewrite low_confidence_rewrite late_decision out_of_order "
        "weaker_source disputed_target contradiction cross_user_contradiction"
    )
    assert (SYSTEM_USER, LOW_CONFIDENCE) == ("helixir", 70)


@pytest.mark.parametrize("memory_type", MemoryType)
def test_protected_types(memory_type: MemoryType) -> None:
    assert memory_type.protected is (memory_type in {"preference", "goal", "opinion"})
    assert (memory_type in PROTECTED_TYPES) is memory_type.protected


@pytest.mark.parametrize("operation", Operation)
def test_kinds_of_operations(operation: Operation) -> None:
    assert operation.destructive is (operation in {"UPDATE", "SUPERSEDE", "DELETE"})
    assert operation.cross_user is (operation in {"LINK_EXISTING", "CROSS_CONTRADICT"})


def test_source_order() -> None:
    assert Source.USER.strength > Source.AGENT.strength > Source.TOOL.strength == Source.DOCUMENT.strength


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("immutable", [True, False])
def test_every_seed_and_rule_is_final(kind: Kind, immutable: bool) -> None:  # noqa: FBT001
    assert stored(kind=kind, immutable=immutable).final is (immutable or kind in {"seed", "rule"})


def test_a_ruling_asks_when_it_opens_a_contradiction_that_no_rule_answered() -> None:
    assert not Ruling(Outcome.STORED, Operation.ADD).asks
    assert Ruling(Outcome.STORED, Operation.CONTRADICT, conflict_type=ConflictType.CONTRADICTION).asks
    answered = Ruling(Outcome.STORED, Operation.CONTRADICT, conflict_type=ConflictType.CONTRADICTION, resolution=Resolution.COEXIST)
    assert not answered.asks
