"""Writing: the body of `POST /memories`, and what became of each fact."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Self
from uuid import UUID

from pydantic import ConfigDict, Field, StrictBool, model_validator
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from app.api.schemas.base import RequestSchema, ResponseSchema
from app.api.schemas.clarification import Clarification
from app.api.schemas.metadata import Metadata
from app.api.schemas.page import NextCursor, PageQuery
from app.api.schemas.texts import Content, Label, Message, UserId, WritableUserId
from app.api.schemas.times import GivenTime
from app.charter.model import CharterStatus, MemoryType, Mode, Outcome, Resolution, Source, Tier
from app.services.requests import FactRequest, WriteRequest

FACTS_LIMIT = 50


class WriteStatus(StrEnum):
    """Whether the work on a write is done."""

    COMPLETED = "completed"
    ACCEPTED = "accepted"
    SET_ASIDE = "set_aside"


class FactBody(RequestSchema):
    """One statement, taken as it is."""

    content: Content = Field(description="The statement, 1-8,000 characters.")
    memory_type: MemoryType | None = Field(default=None, description="What it is about. Left out: typed by cue.")
    valid_from: GivenTime | None = Field(default=None, description="Since when it holds. Left out: since it came in.")
    source: Source | None = Field(default=None, description="Who said it. Left out: what the write says.")
    shared: StrictBool | None = Field(default=None, description="Readable by every key of the tenant. Left out: what the write says.")
    agent_id: Label | None = Field(default=None, description="Which agent says so: a claim, not checked.")
    session_id: Label | None = Field(default=None, description="In which session: a claim, not checked.")
    metadata: Metadata | None = Field(default=None, description="Any JSON object up to 16 KiB. Left out: what the write says.")

    def to_request(self) -> FactRequest:
        """The fact as the services take it."""
        return FactRequest(
            content=self.content,
            memory_type=self.memory_type,
            valid_from=self.valid_from,
            source=self.source,
            shared=self.shared,
            agent_id=self.agent_id,
            session_id=self.session_id,
            metadata=self.metadata,
        )


_EXACTLY_ONE: JsonDict = {
    "if": {"properties": {"message": {"type": "string"}}, "required": ["message"]},
    "then": {"properties": {"facts": {"type": "null"}}},
    "else": {"properties": {"facts": {"type": "array"}}, "required": ["facts"]},
}
"""What `_exactly_one_of_message_and_facts` says, for the document."""


class WriteBody(RequestSchema):
    """A message to keep whole and split into atoms, or facts to take as they are: exactly one of the two."""

    model_config = ConfigDict(json_schema_extra=_EXACTLY_ONE)

    user_id: WritableUserId = Field(description="Whose memory it is. `helixir` is reserved.")
    message: Message | None = Field(default=None, description="A message as it came, 1-100,000 characters.")
    facts: Annotated[list[FactBody], Field(min_length=1, max_length=FACTS_LIMIT)] | None = Field(
        default=None, description="1-50 statements, decided in this order."
    )
    source: Source = Field(default=Source.AGENT, description="Who said it.")
    shared: StrictBool = Field(default=False, description="Readable by every key of the tenant, and met by other users' writes.")
    agent_id: Label | None = Field(default=None, description="Which agent says so: a claim, not checked.")
    session_id: Label | None = Field(default=None, description="In which session: a claim, not checked.")
    metadata: Metadata = Field(default_factory=dict, description="Any JSON object up to 16 KiB.")
    dry_run: StrictBool = Field(default=False, description="Answer what would happen, store nothing.")

    @model_validator(mode="after")
    def _exactly_one_of_message_and_facts(self) -> Self:
        if (self.message is None) == (self.facts is None):
            raise PydanticCustomError("exactly_one", "must hold exactly one of message and facts")
        return self

    def to_request(self, *, body: Mapping[str, Any], respond_async: bool, idempotency_key: str | None, language: str) -> WriteRequest:
        """The write as the services take it; `body` is the JSON as it came."""
        return WriteRequest(
            user_id=self.user_id,
            body=body,
            message=self.message,
            facts=tuple(fact.to_request() for fact in self.facts or ()),
            source=self.source,
            shared=self.shared,
            agent_id=self.agent_id,
            session_id=self.session_id,
            metadata=self.metadata,
            dry_run=self.dry_run,
            respond_async=respond_async,
            idempotency_key=idempotency_key,
            language=language,
        )


class CharterStamp(ResponseSchema):
    """Version, status and mode of a charter."""

    version: int = Field(description="Version of the constitution's text, from 1.")
    status: CharterStatus = Field(description="`draft` until an owner approves this text.")
    mode: Mode = Field(description="`defer` under a draft, `block` once approved.")


class Result(ResponseSchema):
    """What became of one fact."""

    content: str = Field(description="The statement that came in.")
    memory_type: MemoryType = Field(description="Its type: as declared, or by cue.")
    operation: str = Field(description="What the engine or a silent tier proposed.")
    outcome: Outcome = Field(description="What the charter made of it.")
    tier: Tier = Field(description="Who proposed: a silent tier (`exact`, `duplicate`, `new`) or the `engine`.")
    memory_id: UUID | None = Field(description="The memory that carries the fact now; null in a dry run that would make one.")
    target_memory_id: UUID | None = Field(description="The stored memory that the proposal names.")
    similarity: float | None = Field(description="Best cosine seen, in [-1, 1]; null where there was none.")
    confidence: int | None = Field(description="0-100; 100 for the silent tiers, null while undecided.")
    decision_id: UUID | None = Field(description="The decision row; null in a dry run.")
    contradiction_id: UUID | None = Field(
        description="The dispute that it opened or met; for `previously_withdrawn` the one whose answer withdrew it."
    )


class RuleAnswer(ResponseSchema):
    """A contradiction that a learned rule answered. A rule answers, it never silences."""

    rule_id: UUID = Field(description="The rule.")
    contradiction_id: UUID = Field(description="The dispute that it answered.")
    resolution: Resolution = Field(description="What it answered.")
    new_memory_id: UUID = Field(description="The new side.")
    new_content: str = Field(description="Its text.")
    existing_memory_id: UUID = Field(description="The stored side.")
    existing_content: str = Field(description="Its text.")


class Write(ResponseSchema):
    """A write: what became of each fact, and what has to be asked."""

    write_id: UUID | None = Field(description="The write; null in a dry run.")
    status: WriteStatus = Field(description="`accepted` while the work still goes on; `set_aside` when the operator stopped it.")
    raw_input_id: UUID | None = Field(description="The message, kept whole; null for facts.")
    charter: CharterStamp = Field(description="The charter that ruled.")
    results: list[Result] = Field(description="One a fact, in order; empty until `completed`.")
    needs_clarification: list[Clarification] = Field(description="What has to be put to the human.")
    resolved_by_rule: list[RuleAnswer] = Field(description="What learned rules answered.")


class WritePage(ResponseSchema):
    """Writes, newest first."""

    items: list[Write] = Field(description="This page.")
    next_cursor: NextCursor


class WriteQuery(PageQuery):
    """Which writes to list."""

    status: WriteStatus | None = Field(default=None, description="In this status.")
    user_id: UserId | None = Field(default=None, description="For this user.")
