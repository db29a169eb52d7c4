"""What may be done to the service, as data: an act prints as what repeats it.

`pick` and `text` are any whole number; they count round what there is at that moment, so that an act always means something.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from app.charter.model import MemoryType, Operation, Resolution, RuleScope, Source


@dataclass(frozen=True)
class Said:
    """What the hostile engine says about one fact.

    `target` counts round the candidates shown (of the right user; from 50 on of any); None names nobody, a text is a ref as
    it stands. `merge` says which content an UPDATE (or anything else) carries. With an `outage` there is no verdict at all.
    """

    operation: str
    target: int | str | None = 0
    confidence: object = 90
    merge: str = "both"
    reasoning: str = "because"
    new_type: MemoryType | None = None
    target_type: MemoryType | None = None
    outage: bool = False


@dataclass(frozen=True)
class Fact:
    """One statement: a text out of the corpus in one of its spellings."""

    text: int
    spelling: int = 0
    memory_type: MemoryType | None = MemoryType.FACT
    source: Source | None = None
    valid_from: datetime | None = None
    shared: bool | None = None


@dataclass(frozen=True)
class Write:
    """POST /memories, as facts or as one message whose atoms are the facts. `embedder_fails`: which call of it does, 0 for none."""

    user: str
    key: str
    facts: tuple[Fact, ...]
    says: tuple[Said, ...]
    message: bool = False
    dry: bool = False
    shared: bool = False
    source: Source = Source.AGENT
    repeat_key: str | None = None
    embedder_fails: int = 0


@dataclass(frozen=True)
class Together:
    """Two writes at the same moment."""

    first: Write
    second: Write


@dataclass(frozen=True)
class Answer:
    """An answer to an open dispute. `version` is right, stale or absent."""

    pick: int
    key: str
    resolution: Resolution
    version: str = "right"
    always: bool = False
    scope: RuleScope = RuleScope.USER
    contexts: bool = False
    text: int = 0


@dataclass(frozen=True)
class AnswerTwice:
    """Two answers to one open dispute at the same moment."""

    pick: int
    first: Resolution
    second: Resolution
    text: int = 0


@dataclass(frozen=True)
class AnswerAgain:
    """An answer to a dispute that is no longer open: the same once more, or a contrary one."""

    pick: int
    same: bool
    resolution: Resolution


@dataclass(frozen=True)
class Edit:
    """PATCH of a memory."""

    pick: int
    key: str
    text: int
    spelling: int = 0
    stale: bool = False


@dataclass(frozen=True)
class Own:
    """An owner's act on one memory: finalize, unfinalize, withdraw, restore."""

    pick: int
    act: str
    key: str


@dataclass(frozen=True)
class Govern:
    """Approve the charter (perhaps with a wrong hash), or withdraw the approval."""

    approve: bool
    key: str
    wrong: bool = False


@dataclass(frozen=True)
class Decide:
    """Approve or reject a proposal, or revoke a rule."""

    pick: int
    act: str
    key: str
    scope: RuleScope = RuleScope.USER


@dataclass(frozen=True)
class Smuggle:
    """A rule of any shape, past every check of whether it may be learned."""

    user: str | None
    operation: Operation
    new_type: MemoryType
    existing_type: MemoryType
    same_user: bool
    resolution: Resolution


@dataclass(frozen=True)
class Later:
    """What the background worker does: finish accepted writes and decide undecided facts."""

    says: tuple[Said, ...]
    embedder_fails: int = 0


@dataclass(frozen=True)
class Trespass:
    """A key of the other tenant, and one that is bound to another user, try everything on what is not theirs."""

    pick: int


Act = Write | Together | Answer | AnswerTwice | AnswerAgain | Edit | Own | Govern | Decide | Smuggle | Later | Trespass
