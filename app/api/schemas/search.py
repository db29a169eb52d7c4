"""Recall."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated
from uuid import UUID

from pydantic import Field, StrictBool

from app.api.schemas.base import RequestSchema, ResponseSchema
from app.api.schemas.memory import Memory
from app.api.schemas.numbers import PageSize
from app.api.schemas.texts import Content, UserId
from app.api.schemas.times import GivenTime
from app.charter.model import MemoryType
from app.services.requests import SearchRequest


class Scope(StrEnum):
    """Where to look."""

    PERSONAL = "personal"
    COLLECTIVE = "collective"


class SearchBody(RequestSchema):
    """What to recall."""

    query: Content = Field(description="What to look for, 1-8,000 characters.")
    user_id: UserId = Field(description="Whose memory.")
    scope: Scope = Field(default=Scope.PERSONAL, description="`collective` adds other users' shared memories.")
    limit: PageSize = Field(default=10, description="How many at most, 1-200.")
    memory_types: Annotated[list[MemoryType], Field(min_length=1, max_length=len(MemoryType))] | None = Field(
        default=None, description="Of these types only."
    )
    as_of: GivenTime | None = Field(default=None, description="Recorded time: what the memory held at this instant.")
    valid_at: GivenTime | None = Field(default=None, description="Valid time: what was true at this instant, as known now.")
    include_superseded: StrictBool = Field(default=False, description="Superseded ones too.")
    include_held: StrictBool = Field(default=False, description="Held ones too.")
    time_from: GivenTime | None = Field(default=None, description="Only what began to be true at this instant or later.")
    time_to: GivenTime | None = Field(default=None, description="Only what began to be true at this instant or earlier.")

    def to_request(self) -> SearchRequest:
        """The search as the services take it."""
        return SearchRequest(
            query=self.query,
            user_id=self.user_id,
            collective=self.scope is Scope.COLLECTIVE,
            limit=self.limit,
            memory_types=tuple(self.memory_types) if self.memory_types else None,
            include_superseded=self.include_superseded,
            include_held=self.include_held,
            as_of=self.as_of,
            valid_at=self.valid_at,
            time_from=self.time_from,
            time_to=self.time_to,
        )


class SearchHit(ResponseSchema):
    """One recalled memory. A disputed one is shown with its dispute, never hidden."""

    memory: Memory = Field(description="The memory.")
    score: float = Field(description="Orders the hits; only comparable within one answer.")
    similarity: float | None = Field(description="Cosine in [-1, 1]; null when found by its words alone.")
    vector_rank: int | None = Field(description="Its place by meaning, from 1.")
    text_rank: int | None = Field(description="Its place by words, from 1.")
    disputed: bool = Field(description="True when an open dispute touches it.")
    contradictions: list[UUID] = Field(description="Those disputes.")


class SearchResults(ResponseSchema):
    """Recalled memories, best first."""

    results: list[SearchHit] = Field(description="The hits.")
