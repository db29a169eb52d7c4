"""Acts made up by chance, with a bias for edges. The stateful test draws them out of Hypothesis' random, the bench out of a seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from random import Random
from typing import Final, TypeVar

from app.charter.model import MemoryType, Operation, Resolution, RuleScope, Source
from tests.hostile.acts import (
    Act,
    Answer,
    AnswerAgain,
    AnswerTwice,
    Decide,
    Edit,
    Fact,
    Govern,
    Later,
    Own,
    Said,
    Smuggle,
    Together,
    Trespass,
    Write,
)

Thing = TypeVar("Thing")

OPERATIONS: Final = (*(str(one) for one in Operation), "CONTRADICT", "SUPERSEDE")
NONSENSE: Final = ("MERGE", "", "add", "DELETE\n", "UNDECIDED", "ＡＤＤ")
EDGES: Final = (90, 100, 70, 69, 80, 79, 99, 71, 0, 95)
MALFORMED: Final = (True, False, -1, 101, 70.0, 99.5, "90", None, 10**30, float("nan"), float("inf"), -(2**63))
MERGES: Final = ("both", "old", "new", "other", "blank", "", "nul", "Alice lives on the moon 7")
MOMENTS: Final = tuple(datetime(year, 3, 1, tzinfo=UTC) for year in (2020, 2024, 2999))
PICKS: Final = 64
TYPES: Final = tuple(MemoryType)
_COMMON_TYPES: Final = (*[MemoryType.FACT] * 10, *[MemoryType.PREFERENCE] * 4, None, *TYPES)
_USERS: Final = ("alice", "alice", "alice", "bob")
_KEYS: Final = ("agent", "agent", "owner")
_SOURCES: Final = (*[None] * 8, *Source)


def of_ten(random: Random, times: int) -> bool:
    """True so many times of ten."""
    return random.randrange(10) >= 10 - times


def said(random: Random) -> Said:
    """What an engine may say: mostly near enough to sense to get past the check."""
    operation = random.choice(NONSENSE) if random.randrange(20) == 19 else random.choice(OPERATIONS)
    target: int | str | None = random.choice((0, 1, 2, 3, 0, 1, 2, 3, 50, 51))
    if operation == Operation.ADD and of_ten(random, 9):
        target = None
    elif random.randrange(20) == 19:
        target = random.choice(("c99", "", None))
    judged = random.choice((None, None, None, None, random.choice(TYPES)))
    return Said(
        operation=operation,
        target=target,
        confidence=random.choice(MALFORMED) if random.randrange(20) == 19 else random.choice(EDGES),
        merge="both" if of_ten(random, 7) else random.choice(MERGES),
        reasoning=random.choice(("because", "because", "", "a {brace} 'quote' \u202e", "\x00")),
        new_type=judged,
        target_type=random.choice((None, judged)),
        outage=random.randrange(20) == 19,
    )


def fact(random: Random) -> Fact:
    """One statement."""
    return Fact(
        text=random.randrange(PICKS),
        spelling=random.choice((0, 0, 0, 1, 2, 3)),
        memory_type=random.choice(_COMMON_TYPES),
        source=random.choice(_SOURCES),
        valid_from=random.choice((*[None] * 9, *MOMENTS)),
        shared=random.choice((None, None, None, True, False)),
    )


def write(random: Random) -> Write:
    """A write of one fact or several."""
    facts = tuple(fact(random) for _ in range(random.choice((1, 1, 1, 2, 3))))
    return Write(
        user=random.choice(_USERS),
        key=random.choice((*_KEYS, "bound", "auditor") if of_ten(random, 1) else _KEYS),
        facts=facts,
        says=tuple(said(random) for _ in facts),
        message=of_ten(random, 1),
        dry=of_ten(random, 1),
        shared=of_ten(random, 2),
        source=random.choice((*[Source.AGENT] * 8, *Source)),
        repeat_key=random.choice(("k1", "k2")) if of_ten(random, 1) else None,
        embedder_fails=random.choice((1, 2)) if random.randrange(20) == 19 else 0,
    )


def together(random: Random) -> Together:
    """Two writes at the same moment, often about the same."""
    first = write(random)
    return Together(first, first if of_ten(random, 3) else write(random))


def answer(random: Random) -> Answer:
    """An answer to some open dispute."""
    return Answer(
        pick=random.randrange(PICKS),
        key=random.choice((*_KEYS, *_KEYS, "bound", "auditor", "mute")),
        resolution=random.choice(tuple(Resolution)),
        version=random.choice(("right", "right", "right", "absent", "stale")),
        always=of_ten(random, 3),
        scope=random.choice(tuple(RuleScope)),
        contexts=of_ten(random, 2),
        text=random.randrange(PICKS),
    )


def answer_twice(random: Random) -> AnswerTwice:
    """Two answers at once."""
    return AnswerTwice(random.randrange(PICKS), random.choice(tuple(Resolution)), random.choice(tuple(Resolution)), random.randrange(PICKS))


def answer_again(random: Random) -> AnswerAgain:
    """An answer to what is settled."""
    return AnswerAgain(random.randrange(PICKS), of_ten(random, 5), random.choice(tuple(Resolution)))


def edit(random: Random) -> Edit:
    """An edit by an agent or an owner."""
    key = random.choice((*_KEYS, *_KEYS, "bound", "auditor"))
    return Edit(random.randrange(PICKS), key, random.randrange(PICKS), random.choice((0, 0, 1, 2)), stale=of_ten(random, 1))


def own(random: Random) -> Own:
    """An owner's act, now and then by another key."""
    act = random.choice(("finalize", "unfinalize", "withdraw", "restore", "restore"))
    return Own(random.randrange(PICKS), act, "owner" if of_ten(random, 9) else random.choice(("agent", "bound")))


def govern(random: Random) -> Govern:
    """Approve or withdraw."""
    return Govern(of_ten(random, 6), random.choice(("owner", "owner", "owner", "agent")), wrong=of_ten(random, 1))


def decide(random: Random) -> Decide:
    """What an owner decides about rules and proposals."""
    act = random.choice(("approve", "approve", "reject", "revoke"))
    return Decide(random.randrange(PICKS), act, random.choice(("owner", "owner", "agent")), random.choice(tuple(RuleScope)))


def smuggle(random: Random) -> Smuggle:
    """A rule that the services would not make."""
    new_type = random.choice(_COMMON_TYPES) or MemoryType.OPINION
    return Smuggle(
        user=random.choice(("alice", "bob", None)),
        operation=random.choice((Operation.CONTRADICT, Operation.CONTRADICT, Operation.CROSS_CONTRADICT)),
        new_type=new_type,
        existing_type=new_type if of_ten(random, 7) else random.choice(TYPES),
        same_user=of_ten(random, 8),
        resolution=random.choice((Resolution.RETRACT, Resolution.RETRACT, Resolution.CONFIRM, Resolution.COEXIST)),
    )


def later(random: Random) -> Later:
    """A round of the background worker."""
    return Later(tuple(said(random) for _ in range(4)), random.choice((0, 0, 0, 1)))


def trespass(random: Random) -> Trespass:
    """What strangers try."""
    return Trespass(random.randrange(PICKS))


_OTHERS: Final[Sequence[Callable[[Random], Act]]] = (
    *[answer] * 9,
    *[own] * 4,
    *[edit] * 3,
    *[decide] * 2,
    *[later] * 3,
    *[govern] * 2,
    answer_twice,
    answer_again,
    together,
    *[smuggle] * 2,
    trespass,
)


def other(random: Random) -> Act:
    """Anything but a plain write."""
    return random.choice(_OTHERS)(random)


def anything(random: Random) -> Act:
    """A write as often as not, else any other act."""
    return write(random) if of_ten(random, 5) else other(random)
