"""What the use cases answer: plain frozen records, the shapes of the contract without any HTTP in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from app.charter.model import (
    Article,
    CharterStatus,
    ConflictType,
    DisputeStatus,
    MemoryType,
    Mode,
    Operation,
    Outcome,
    Resolution,
    Status,
    Strategy,
    Tier,
)
from app.db.decisions import Decision
from app.db.memories import Memory

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Page(Generic[Item]):
    """One page of a list, newest first; `next_cursor` is None on the last one."""

    items: Sequence[Item]
    next_cursor: str | None


MemoryView = Memory
"""One memory as it is now."""


@dataclass(frozen=True, slots=True)
class OptionView:
    """One legal answer: what the human would say, and what it would do."""

    resolution: Resolution
    say: str
    effect: str


@dataclass(frozen=True, slots=True)
class ClarificationView:
    """An open contradiction as the agent puts it to the human. In a dry run the ids of what would be made are None."""

    contradiction_id: UUID | None
    version: int
    conflict_type: ConflictType
    articles: Sequence[Article]
    new_memory_id: UUID | None
    new_content: str
    existing_memory_id: UUID
    existing_content: str
    existing_user_id: str
    suggested_question: str
    decision_taken: str
    pending_operation: Operation
    confidence: int
    options: Sequence[OptionView]
    resolutions: Sequence[Resolution]
    can_allow_always: bool
    precedents: str | None = None


@dataclass(frozen=True, slots=True)
class ResultView:
    """What became of one fact. Ids of things that a dry run would make are null."""

    content: str
    memory_type: MemoryType
    operation: str
    outcome: Outcome
    tier: Tier
    memory_id: UUID | None
    target_memory_id: UUID | None
    similarity: float | None
    confidence: int | None
    decision_id: UUID | None
    contradiction_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class RuleAnswerView:
    """A contradiction that a learned rule answered, with both texts, so that it is never silent."""

    rule_id: UUID
    contradiction_id: UUID
    resolution: Resolution
    new_memory_id: UUID
    new_content: str
    existing_memory_id: UUID
    existing_content: str


@dataclass(frozen=True, slots=True)
class CharterStamp:
    """The charter in force when something was decided."""

    version: int
    status: CharterStatus
    mode: Mode


@dataclass(frozen=True, slots=True)
class WriteView:
    """A write: `status` is `completed`, `accepted` while its work still goes on, or `set_aside`."""

    write_id: UUID | None
    status: str
    raw_input_id: UUID | None
    charter: CharterStamp
    results: Sequence[ResultView]
    needs_clarification: Sequence[ClarificationView]
    resolved_by_rule: Sequence[RuleAnswerView]
    http_status: int = 201
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class ContradictionView:
    """A dispute, whole. `new` and `existing` are None where the key may not see them."""

    id: UUID
    version: int
    status: DisputeStatus
    strategy: Strategy
    conflict_type: ConflictType
    articles: Sequence[Article]
    pending_operation: Operation
    pending_content: str | None
    confidence: int
    new: MemoryView | None
    existing: MemoryView | None
    options: Sequence[OptionView]
    suggested_question: str | None
    created_at: datetime
    created_by: UUID | None
    resolution: Resolution | None
    contexts: Mapping[str, Any] | None
    resolved_at: datetime | None
    resolved_by: UUID | None
    answered_by: str | None
    note: str | None
    effects: Mapping[str, Any] | None
    rule_id: UUID | None
    moot_cause: str | None
    can_allow_always: bool = False
    precedents: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True)
class EffectsView:
    """The memories and disputes that an answer changed, by what happened to them."""

    superseded: Sequence[UUID] = ()
    updated: Sequence[UUID] = ()
    withdrawn: Sequence[UUID] = ()
    created: Sequence[UUID] = ()
    activated: Sequence[UUID] = ()
    moved: Sequence[UUID] = ()
    moot: Sequence[UUID] = ()


@dataclass(frozen=True, slots=True)
class ResolveView:
    """What an answer did."""

    contradiction: ContradictionView
    effects: EffectsView
    episode_id: UUID | None
    rule: Mapping[str, Any] | None = None
    rule_refused: Mapping[str, Any] | None = None
    rule_proposal: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class EventView:
    """One event of a memory's history."""

    at: datetime
    event: str
    actor: str | None
    reason: str | None
    decision_id: UUID | None
    contradiction_id: UUID | None


@dataclass(frozen=True, slots=True)
class RevisionView:
    """One content that a memory ever had."""

    revision: int
    content: str
    at: datetime
    actor: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class LinkView:
    """One memory of a supersession chain."""

    id: UUID
    content: str
    status: Status


@dataclass(frozen=True, slots=True)
class HistoryView:
    """All that happened to a memory, and the chain from the first statement to the current one."""

    memory_id: UUID
    events: Sequence[EventView]
    revisions: Sequence[RevisionView]
    chain: Sequence[LinkView]


@dataclass(frozen=True, slots=True)
class SearchHitView:
    """One recalled memory. `score` orders the hits, `similarity` is the cosine in [-1, 1]."""

    memory: MemoryView
    score: float
    similarity: float | None
    vector_rank: int | None
    text_rank: int | None
    disputed: bool
    contradictions: Sequence[UUID]


DecisionView = Decision
"""One decision row: everything that led to it."""


@dataclass(frozen=True, slots=True)
class ArticleView:
    """One article of the constitution."""

    id: Article
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class CharterView:
    """The charter's three layers and its status in a tenant."""

    version: int
    sha256: str
    status: CharterStatus
    mode: Mode
    approved_by: UUID | None
    approved_at: datetime | None
    articles: Sequence[ArticleView]
    rules: Sequence[Mapping[str, Any]]
    thresholds: Mapping[str, Any]
    refinements: Sequence[str]
    defaults: Sequence[str] = field(default=())


@dataclass(frozen=True, slots=True)
class Check:
    """One check of readiness."""

    name: str
    ok: bool
    detail: str
