"""The words of the charter as types: what is proposed, about what, under which charter, and what becomes of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

SYSTEM_USER = "helixir"
"""The reserved user that seeds, rules and episodes belong to."""

LOW_CONFIDENCE = 70
"""C5: a destructive verdict under this confidence is never carried out alone. It may be raised, never lowered."""


class MemoryType(StrEnum):
    """What a statement is about. The charter's C3 protects three of them."""

    FACT = "fact"
    PREFERENCE = "preference"
    SKILL = "skill"
    GOAL = "goal"
    OPINION = "opinion"
    EXPERIENCE = "experience"
    ACHIEVEMENT = "achievement"
    ACTION = "action"

    @property
    def protected(self) -> bool:
        """True for the types that C3 never lets be rewritten silently."""
        return self in PROTECTED_TYPES


PROTECTED_TYPES = frozenset({MemoryType.PREFERENCE, MemoryType.GOAL, MemoryType.OPINION})


class Kind(StrEnum):
    """Where a memory comes from: only atoms are recalled unless another kind is asked for."""

    ATOM = "atom"
    RAW_INPUT = "raw_input"
    SEED = "seed"
    RULE = "rule"
    EPISODE = "episode"


class Status(StrEnum):
    """Where a memory stands. *Disputed* is derived from open contradictions, not stored."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    WITHDRAWN = "withdrawn"
    HELD = "held"


class Source(StrEnum):
    """Who said it. The charter's source order is user > agent > tool, document."""

    USER = "user"
    AGENT = "agent"
    TOOL = "tool"
    DOCUMENT = "document"

    @property
    def strength(self) -> int:
        """3 for the user, 2 for the agent, 1 for tools and documents."""
        return {Source.USER: 3, Source.AGENT: 2}.get(self, 1)


class Operation(StrEnum):
    """What a verdict proposes."""

    ADD = "ADD"
    NOOP = "NOOP"
    LINK_EXISTING = "LINK_EXISTING"
    UPDATE = "UPDATE"
    SUPERSEDE = "SUPERSEDE"
    CONTRADICT = "CONTRADICT"
    CROSS_CONTRADICT = "CROSS_CONTRADICT"
    DELETE = "DELETE"

    @property
    def destructive(self) -> bool:
        """UPDATE, SUPERSEDE, DELETE."""
        return self in {Operation.UPDATE, Operation.SUPERSEDE, Operation.DELETE}

    @property
    def cross_user(self) -> bool:
        """The two operations that name another user's memory."""
        return self in {Operation.LINK_EXISTING, Operation.CROSS_CONTRADICT}


class Article(StrEnum):
    """The constitution's articles."""

    C1 = "C1"
    C2 = "C2"
    C3 = "C3"
    C4 = "C4"
    C5 = "C5"


class ConflictType(StrEnum):
    """Why somebody is asked."""

    RAW_INPUT_TARGET = "raw_input_target"
    IMMUTABLE_TARGET = "immutable_target"
    AUTO_DELETE = "auto_delete"
    PROTECTED_TYPE_REWRITE = "protected_type_rewrite"
    LOW_CONFIDENCE_REWRITE = "low_confidence_rewrite"
    LATE_DECISION = "late_decision"
    OUT_OF_ORDER = "out_of_order"
    WEAKER_SOURCE = "weaker_source"
    DISPUTED_TARGET = "disputed_target"
    CONTRADICTION = "contradiction"
    CROSS_USER_CONTRADICTION = "cross_user_contradiction"


class Strategy(StrEnum):
    """How a dispute was opened: the verdict waits beside both texts, waits with the new text held, or ran and is flagged."""

    DEFERRED = "charter_deferred"
    HELD = "charter_held"
    FLAGGED = "charter_flagged"


class DisputeStatus(StrEnum):
    """The life of a contradiction."""

    OPEN = "open"
    RESOLVED = "resolved"
    MOOT = "moot"


class Resolution(StrEnum):
    """What a human may answer to a dispute."""

    RETRACT = "retract"
    CONFIRM = "confirm"
    COEXIST = "coexist"
    AMEND = "amend"


class CharterStatus(StrEnum):
    """The charter's own status in a tenant."""

    DRAFT = "draft"
    APPROVED = "approved"


class Mode(StrEnum):
    """What an escalated verdict does: keep both texts (draft), or wait with the new one held (approved)."""

    DEFER = "defer"
    BLOCK = "block"


class Tier(StrEnum):
    """Who gave the verdict: one of the three silent tiers, or the engine."""

    EXACT = "exact"
    DUPLICATE = "duplicate"
    NEW = "new"
    ENGINE = "engine"


class Outcome(StrEnum):
    """What became of a fact."""

    STORED = "stored"
    LINKED = "linked"
    UPDATED = "updated"
    SUPERSEDED = "superseded"
    DEDUPLICATED = "deduplicated"
    DEFERRED = "deferred"
    HELD = "held"
    UNDECIDED = "undecided"
    WITHDRAWN = "withdrawn"
    PREVIOUSLY_WITHDRAWN = "previously_withdrawn"


class RuleScope(StrEnum):
    """For whom a learned rule holds."""

    USER = "user"
    TENANT = "tenant"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the engine or a tier proposes for one fact. Nothing in it is trusted: `policy.rule_on` checks every field.

    `operation` is any text, `confidence` anything at all; `target` is a memory's id. `new_type` and `target_type` are
    the types that the engine judged the two sides to have; they can only add protection (C3). `edit`: this is somebody's edit of
    the target, so its content is the edit itself and never judged as a merge.
    """

    operation: str
    target: UUID | None = None
    confidence: object = 100
    reasoning: str = ""
    merged_content: str | None = None
    new_type: MemoryType | None = None
    target_type: MemoryType | None = None
    tier: Tier = Tier.ENGINE
    edit: bool = False


@dataclass(frozen=True, slots=True)
class Incoming:
    """The statement that comes in. Times are aware and in UTC; `late` is true when it is decided after its write was answered."""

    user_id: str
    content: str
    memory_type: MemoryType
    source: Source
    accepted_at: datetime
    valid_from: datetime | None = None
    late: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """A stored memory as it is now, in the transaction that rules.

    `recorded_at` is when its current revision was accepted. `source` is the strongest that ever said it. `disputed`:
    an open contradiction touches it. `sibling`: an earlier fact of the same write made or changed it.
    """

    memory_id: UUID
    user_id: str
    kind: Kind
    content: str
    memory_type: MemoryType
    status: Status
    immutable: bool
    source: Source
    recorded_at: datetime
    valid_from: datetime | None = None
    shared: bool = False
    disputed: bool = False
    sibling: bool = False

    @property
    def final(self) -> bool:
        """True where C2 holds: a seed, a rule, or a memory that an owner marked final."""
        return self.immutable or self.kind in {Kind.SEED, Kind.RULE}


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Cosines in [-1, 1] and a confidence in [70, 100]. `origin` says where they come from."""

    duplicate_at: float
    new_below: float
    low_confidence: int
    origin: str


@dataclass(frozen=True, slots=True)
class Shape:
    """What a precedent is about: no text, no ids."""

    operation: Operation
    new_type: MemoryType
    existing_type: MemoryType
    same_user: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """One live learned rule. `user_id` is None for a rule of the whole tenant."""

    rule_id: UUID
    shape: Shape
    resolution: Resolution
    user_id: str | None


@dataclass(frozen=True, slots=True)
class Charter:
    """The charter in force for one ruling, read inside the transaction that rules."""

    mode: Mode
    thresholds: Thresholds
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the charter makes of a verdict.

    `operation` is what runs now (None: nothing is decided). `conflict_type` is set exactly when a contradiction is
    made; `pending_operation` and `pending_content` are what a `retract` would run. `content` replaces the incoming
    text where an UPDATE runs, or runs as a SUPERSEDE by its merge. `resolution` is what a learned rule answered.
    `articles` and `rules` name everything that decided.
    """

    outcome: Outcome
    operation: Operation | None
    articles: tuple[Article, ...] = ()
    rules: tuple[UUID, ...] = ()
    conflict_type: ConflictType | None = None
    strategy: Strategy | None = None
    pending_operation: Operation | None = None
    pending_content: str | None = None
    content: str | None = None
    resolution: Resolution | None = None
    reason: str = ""
    fault: str | None = None

    @property
    def asks(self) -> bool:
        """True when a contradiction is opened and somebody is asked; false when a learned rule answered it."""
        return self.conflict_type is not None and self.resolution is None
