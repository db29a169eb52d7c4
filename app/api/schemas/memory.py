"""A memory, and lists of memories."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from pydantic import Field

from app.api.schemas.base import RequestSchema, ResponseSchema
from app.api.schemas.page import NextCursor, PageQuery
from app.api.schemas.texts import Content, Label, Note, UserId
from app.api.schemas.times import GivenTime, ShownTime
from app.charter.model import Kind, MemoryType, Source, Status
from app.services.requests import MemoryFilter


class Memory(ResponseSchema):
    """One memory as it is now."""

    id: UUID = Field(description="UUIDv7.")
    user_id: str = Field(description="Whose it is.")
    kind: Kind = Field(description="Where it comes from.")
    memory_type: MemoryType = Field(description="What it is about.")
    content: str = Field(description="Its text.")
    status: Status = Field(description="Where it stands.")
    immutable: bool = Field(description="True when it may never be rewritten (C2).")
    shared: bool = Field(description="Readable by every key of the tenant.")
    source: Source = Field(description="The strongest source that said it.")
    revision: int = Field(description="From 1; name it in `If-Match` to edit.")
    created_at: ShownTime = Field(description="When it was accepted.")
    valid_from: ShownTime | None = Field(description="Since when it holds; null: since it was accepted.")
    valid_to: ShownTime | None = Field(description="Until when it held; null: it still holds.")
    supersedes: list[UUID] = Field(description="The memories that it replaced.")
    superseded_by: UUID | None = Field(description="The memory that replaced it.")
    raw_input_id: UUID | None = Field(description="The message that it was split from.")
    same_as: list[UUID] = Field(description="Twins that say the same.")
    open_contradictions: list[UUID] = Field(description="Open disputes that touch it; it is disputed when there is one.")
    metadata: dict[str, Any] = Field(description="As given.")
    agent_id: str | None = Field(description="Which agent said so: a claim.")
    session_id: str | None = Field(description="In which session: a claim.")
    created_by: UUID | None = Field(description="The key that wrote it.")
    charter_version: int = Field(description="The charter's version when it was written.")
    undecided: bool = Field(description="True while no verdict on it could be had.")


class MemoryPage(ResponseSchema):
    """Memories, newest first."""

    items: list[Memory] = Field(description="This page.")
    next_cursor: NextCursor


class MemoryQuery(PageQuery):
    """Which memories to list. Left out: the active atoms."""

    user_id: UserId | None = Field(default=None, description="Of this user.")
    memory_type: MemoryType | None = Field(default=None, description="Of this type.")
    kind: Kind | None = Field(default=None, description="Of this kind; left out: atoms.")
    status: Status | None = Field(default=None, description="In this status; left out: active.")
    as_of: GivenTime | None = Field(default=None, description="Recorded time: what the memory held at this instant.")
    valid_at: GivenTime | None = Field(default=None, description="Valid time: what was true at this instant, as known now.")
    undecided: bool | None = Field(default=None, description="`true`: undecided ones, active and held.")
    agent_id: Label | None = Field(default=None, description="Said by this agent.")
    session_id: Label | None = Field(default=None, description="Said in this session.")
    source: Source | None = Field(default=None, description="Said by this source.")

    def to_filter(self) -> MemoryFilter:
        """The filter as the services take it."""
        return MemoryFilter(
            user_id=self.user_id,
            memory_type=self.memory_type,
            kind=self.kind,
            status=self.status,
            undecided=self.undecided,
            agent_id=self.agent_id,
            session_id=self.session_id,
            source=self.source,
            as_of=self.as_of,
            valid_at=self.valid_at,
        )


class EditBody(RequestSchema):
    """A new wording of a memory."""

    content: Content = Field(description="The new text, 1-8,000 characters.")
    reason: Note = Field(description="Why, for the history; 1-2,000 characters.")


class ActBody(RequestSchema):
    """An owner's act."""

    reason: Note = Field(description="Why, for the history; 1-2,000 characters.")
