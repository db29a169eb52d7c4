"""All that ever happened to a memory."""

from __future__ import annotations

from uuid import UUID

from pydantic import Field

from app.api.schemas.base import ResponseSchema
from app.api.schemas.times import ShownTime
from app.charter.model import Status


class Event(ResponseSchema):
    """One event."""

    at: ShownTime = Field(description="When.")
    event: str = Field(description="What.")
    actor: str | None = Field(description="By whom.")
    reason: str | None = Field(description="Why.")
    decision_id: UUID | None = Field(description="The decision behind it.")
    contradiction_id: UUID | None = Field(description="The dispute behind it.")


class Revision(ResponseSchema):
    """One content that the memory ever had."""

    revision: int = Field(description="From 1.")
    content: str = Field(description="The text.")
    at: ShownTime = Field(description="Since when.")
    actor: str | None = Field(description="By whom.")
    reason: str | None = Field(description="Why.")


class Link(ResponseSchema):
    """One memory of the supersession chain."""

    id: UUID = Field(description="The memory.")
    content: str = Field(description="Its text.")
    status: Status = Field(description="Where it stands.")


class History(ResponseSchema):
    """Events and revisions of a memory, and the chain from the first statement to the current one."""

    memory_id: UUID = Field(description="The memory.")
    events: list[Event] = Field(description="Oldest first.")
    revisions: list[Revision] = Field(description="Oldest first.")
    chain: list[Link] = Field(description="From the first to the current one.")
