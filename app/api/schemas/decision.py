"""The audit trail: one row a decided fact."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from pydantic import Field

from app.api.schemas.base import ResponseSchema
from app.api.schemas.page import NextCursor, PageQuery
from app.api.schemas.times import ShownTime
from app.charter.model import Article, MemoryType, Mode, Outcome, Tier
from app.services.requests import DecisionFilter


class Candidate(ResponseSchema):
    """A stored memory that the decision saw."""

    memory_id: UUID | None = Field(description="The memory; null for an earlier fact of the same write.")
    content: str = Field(description="Its text then.")
    similarity: float = Field(description="Cosine in [-1, 1].")


class Decision(ResponseSchema):
    """Everything that led to one decision. Append-only."""

    id: UUID = Field(description="UUIDv7.")
    write_id: UUID | None = Field(description="The write.")
    user_id: str = Field(description="Whose memory.")
    memory_id: UUID | None = Field(description="The memory that carries the fact.")
    target_memory_id: UUID | None = Field(description="The stored memory that the verdict names.")
    content: str = Field(description="The text that came in.")
    memory_type: MemoryType = Field(description="Its type.")
    tier: Tier = Field(description="Who gave the verdict.")
    operation: str = Field(description="What it proposed.")
    outcome: Outcome = Field(description="What became of it.")
    similarity: float | None = Field(description="Best cosine seen, in [-1, 1].")
    confidence: int | None = Field(description="0-100.")
    candidates: list[Candidate] = Field(description="What was compared.")
    verdict: dict[str, Any] = Field(description="The raw verdict.")
    ruling: dict[str, Any] = Field(description="What the charter made of it.")
    articles: list[Article] = Field(description="The articles that decided.")
    rules: list[UUID] = Field(description="The learned rules that decided.")
    thresholds: dict[str, Any] = Field(description="The thresholds in force.")
    engine: dict[str, Any] = Field(description="The engine, its calls and what they cost.")
    embedder: str = Field(description="The embedding model.")
    charter_version: int = Field(description="The charter's version.")
    mode: Mode = Field(description="The charter's mode.")
    created_at: ShownTime = Field(description="When.")
    timings: dict[str, Any] = Field(description="Milliseconds of each step, by name.")


class DecisionPage(ResponseSchema):
    """Decisions, newest first."""

    items: list[Decision] = Field(description="This page.")
    next_cursor: NextCursor


class DecisionQuery(PageQuery):
    """Which decisions to list."""

    memory_id: UUID | None = Field(default=None, description="About this memory: it carries the fact, or is the target.")
    write_id: UUID | None = Field(default=None, description="Of this write.")
    outcome: Outcome | None = Field(default=None, description="With this outcome.")

    def to_filter(self) -> DecisionFilter:
        """The filter as the services take it."""
        return DecisionFilter(memory_id=self.memory_id, write_id=self.write_id, outcome=self.outcome)
