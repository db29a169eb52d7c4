"""Rulings made up by chance: whatever a verdict may say, about whatever is stored, under whatever charter.

Plain random and no Hypothesis, for there are hundreds of thousands of them; some arbitrary, most near enough to sense.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Final
from uuid import UUID

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
from tests.hostile.chance import EDGES, MALFORMED, NONSENSE, OPERATIONS

NOW: Final = datetime(2026, 5, 1, 12, tzinfo=UTC)
_MOMENTS: Final = tuple(NOW + timedelta(seconds=seconds) for seconds in (-86400, -1, 0, 1, 86400))
_IDS: Final = tuple(UUID(int=number) for number in range(1, 7))
_USERS: Final = ("alice", "alice", "alice", "bob", "helixir")
_TYPES: Final = (*[MemoryType.FACT] * 12, *MemoryType)
_JUDGED: Final = (*[None] * 30, *MemoryType)
_SOURCES: Final = (*[Source.AGENT] * 3, *Source)
_KINDS: Final = (*[Kind.ATOM] * 40, *Kind)
_STATUSES: Final = (*[Status.ACTIVE] * 40, *Status)
_RARELY: Final = (*[False] * 7, True)
_BARS: Final = (70, 70, 70, 80, 100, 69, 0)
_TEXTS: Final = (
    "Alice lives in Porto",
    "Alice lives in Lisbon",
    "alice LIVES  in Porto.",
    "Alice does not live in Porto",
    "Alice lives in Porto with 2 cats",
    "Alice lives in Porto with 3 cats",
    "Alice likes C++ 5 % of the time",
    "爱丽丝不喜欢茶。",
    "",
    " . ",
)
_MERGES: Final = (*["both"] * 8, "old", "new", "foreign", "blank", None)


@dataclass(frozen=True, slots=True)
class Case:
    """All that one ruling is made of."""

    verdict: Verdict
    incoming: Incoming
    target: Target | None
    charter: Charter


def case(random: Random) -> Case:
    """One case; seven of eight bent so that the verdict passes its check."""
    choice = random.choice
    operation = choice(NONSENSE) if random.randrange(40) == 0 else choice(OPERATIONS)
    near = random.randrange(8) > 0
    crossing = operation in {Operation.LINK_EXISTING, Operation.CROSS_CONTRADICT}
    user = choice(_USERS)
    owner = choice(_USERS) if not near else ("bob" if user == "alice" else "alice") if crossing else user
    new = Incoming(
        user_id=user,
        content=choice(_TEXTS),
        memory_type=choice(_TYPES),
        source=choice(_SOURCES),
        accepted_at=NOW if near else choice(_MOMENTS),
        valid_from=choice(_MOMENTS) if choice(_RARELY) else None,
        late=choice(_RARELY) and choice(_RARELY),
    )
    target = None
    if (operation != Operation.ADD) is near or random.randrange(40) == 0:
        target = Target(
            memory_id=choice(_IDS),
            user_id=owner,
            kind=choice(_KINDS),
            content=choice(_TEXTS),
            memory_type=choice(_TYPES),
            status=choice(_STATUSES),
            immutable=choice(_RARELY),
            source=choice(_SOURCES),
            recorded_at=choice(_MOMENTS[:2] if near else _MOMENTS),
            valid_from=choice(_MOMENTS) if choice(_RARELY) else None,
            shared=crossing or choice(_RARELY),
            disputed=choice(_RARELY),
            sibling=choice(_RARELY) and choice(_RARELY),
        )
    return Case(_verdict(random, operation, new, target, near=near), new, target, _charter(random, new, target))


def _verdict(random: Random, operation: str, new: Incoming, target: Target | None, *, near: bool) -> Verdict:
    choice = random.choice
    old = target.content if target else ""
    named = target.memory_id if target and near else choice((None, *_IDS))
    merge = choice(_MERGES)
    merges = {"both": f"{old} and {new.content}", "old": old, "new": new.content, "foreign": "Bob is 7", "blank": " "}
    return Verdict(
        operation=operation,
        target=named,
        confidence=choice(MALFORMED) if random.randrange(30) == 0 else choice(EDGES),
        reasoning="because",
        merged_content=merges.get(merge) if merge else None,
        new_type=choice(_JUDGED),
        target_type=choice(_JUDGED),
        tier=choice((Tier.ENGINE, Tier.ENGINE, Tier.ENGINE, *Tier)),
        edit=choice(_RARELY),
    )


def _charter(random: Random, new: Incoming, target: Target | None) -> Charter:
    """Any charter, with rules that fit this case and rules that do not."""
    choice = random.choice
    rules = []
    for number in range(choice((0, 0, 1, 1, 2, 3))):
        shape = Shape(choice(tuple(Operation)), choice(_TYPES), choice(_TYPES), same_user=choice((True, False)))
        if target is not None and random.randrange(4):
            same = new.user_id == target.user_id
            shape = Shape(Operation.CONTRADICT if same else Operation.CROSS_CONTRADICT, new.memory_type, target.memory_type, same)
        rules.append(Rule(UUID(int=100 + number), shape, choice(tuple(Resolution)), choice(("alice", "bob", None))))
    random.shuffle(rules)
    return Charter(choice(tuple(Mode)), Thresholds(0.98, 0.70, choice(_BARS), "chance"), tuple(rules))
