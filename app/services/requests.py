"""What the use cases are asked: checked input, without any HTTP in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from app.charter.model import (
    ConflictType,
    DisputeStatus,
    Kind,
    MemoryType,
    Outcome,
    Resolution,
    RuleScope,
    Source,
    Status,
)


class Role(StrEnum):
    """What a key may do: agents write, read and answer; owners govern too; auditors only read."""

    AGENT = "agent"
    OWNER = "owner"
    AUDITOR = "auditor"


@dataclass(frozen=True, slots=True)
class Principal:
    """The authenticated key behind a request. `user_ids` None: not bound to users."""

    tenant_id: UUID
    tenant: str
    key_id: UUID
    role: Role
    user_ids: frozenset[str] | None
    can_answer: bool
    expires_at: datetime | None


@dataclass(slots=True)
class Once:
    """A request that is carried out once: its Idempotency-Key and a hash of all that it says.

    `replayed` turns true when it had been carried out before, and the answer is given again.
    """

    key: str
    fingerprint: bytes
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class FactRequest:
    """One statement to store. None: what the write says, or the default."""

    content: str
    memory_type: MemoryType | None = None
    valid_from: datetime | None = None
    source: Source | None = None
    shared: bool | None = None
    agent_id: str | None = None
    session_id: str | None = None
    metadata: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class WriteRequest:
    """A write: exactly one of `message` and `facts`. `body` is the request as it came, kept with the write."""

    user_id: str
    body: Mapping[str, Any]
    message: str | None = None
    facts: Sequence[FactRequest] = ()
    source: Source = Source.AGENT
    shared: bool = False
    agent_id: str | None = None
    session_id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    dry_run: bool = False
    respond_async: bool = False
    idempotency_key: str | None = None
    language: str = "en"


@dataclass(frozen=True, slots=True)
class EditRequest:
    """A PATCH. `revision` is what `If-Match` named."""

    memory_id: UUID
    content: str
    reason: str
    revision: int
    body: Mapping[str, Any]
    once: Once | None = None
    language: str = "en"


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    """An answer to one dispute. `contexts` has the keys `new` and `existing`."""

    resolution: Resolution
    version: int | None = None
    content: str | None = None
    contexts: Mapping[str, str] | None = None
    note: str | None = None
    answered_by: str | None = None
    always: bool = False
    scope: RuleScope = RuleScope.USER
    language: str = "en"


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Which memories to list. None: not asked about.

    `as_of` is recorded time (what the memory held then), `valid_at` valid time (what was true then, as known now).
    """

    user_id: str | None = None
    memory_type: MemoryType | None = None
    kind: Kind | None = None
    status: Status | None = None
    undecided: bool | None = None
    agent_id: str | None = None
    session_id: str | None = None
    source: Source | None = None
    as_of: datetime | None = None
    valid_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ContradictionFilter:
    """Which disputes to list. `created_by` is a key id."""

    status: DisputeStatus | None = None
    user_id: str | None = None
    conflict_type: ConflictType | None = None
    created_by: UUID | None = None


@dataclass(frozen=True, slots=True)
class DecisionFilter:
    """Which decisions to list. `memory_id` matches the memory that carries the fact and the target."""

    memory_id: UUID | None = None
    write_id: UUID | None = None
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What to recall: `collective` adds the shared memories of other users.

    `as_of` is recorded time; `valid_at`, `time_from` and `time_to` are valid time (`valid_from`, else when it was accepted).
    """

    query: str
    user_id: str
    collective: bool = False
    limit: int = 10
    memory_types: Sequence[MemoryType] | None = None
    include_superseded: bool = False
    include_held: bool = False
    as_of: datetime | None = None
    valid_at: datetime | None = None
    time_from: datetime | None = None
    time_to: datetime | None = None


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Which page: `limit` 1-200, `cursor` as the last page gave it."""

    limit: int = 50
    cursor: str | None = None
