"""Disputes: how they look, how they are listed, and how they are answered."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from pydantic import ConfigDict, Field, StrictBool
from pydantic.config import JsonDict

from app.api.schemas.base import RequestSchema, ResponseSchema
from app.api.schemas.clarification import Option
from app.api.schemas.memory import Memory
from app.api.schemas.numbers import VersionNumber
from app.api.schemas.page import NextCursor, PageQuery
from app.api.schemas.rule import LearnedRule, ProposedRule, RefusedRule
from app.api.schemas.texts import Content, Label, Note, UserId
from app.api.schemas.times import ShownTime
from app.charter.model import Article, ConflictType, DisputeStatus, Operation, Resolution, RuleScope, Strategy
from app.services.requests import AnswerRequest, ContradictionFilter


class Contexts(RequestSchema):
    """In which context each side is true."""

    new: Note | None = Field(default=None, description="Where the new side holds.")
    existing: Note | None = Field(default=None, description="Where the stored side holds.")


_ABSENT: JsonDict = {"type": "null"}
_FITTING: JsonDict = {
    "if": {"properties": {"resolution": {"const": Resolution.AMEND.value}}, "required": ["resolution"]},
    "then": {
        "properties": {"content": {"type": "string"}, "contexts": _ABSENT, "always": {"const": False}},
        "required": ["content"],
    },
    "else": {
        "properties": {"content": _ABSENT},
        "if": {"properties": {"resolution": {"const": Resolution.COEXIST.value}}, "required": ["resolution"]},
        "else": {"properties": {"contexts": _ABSENT}},
    },
}
"""What each answer takes, for the document; `app.services.resolve` checks it."""


class AnswerBody(RequestSchema):
    """A human's answer to one dispute, brought by the agent."""

    model_config = ConfigDict(json_schema_extra=_FITTING)

    resolution: Resolution = Field(description="The answer; one that the dispute offers.")
    version: VersionNumber | None = Field(default=None, description="The version that the human saw; needed once it is above 1.")
    content: Content | None = Field(default=None, description="The right wording, for `amend` only.")
    contexts: Contexts | None = Field(default=None, description="For `coexist`: where each side holds.")
    note: Note | None = Field(default=None, description="What the human said, for the record.")
    answered_by: Label | None = Field(default=None, description="Who answered: a claim of the key.")
    always: StrictBool = Field(
        default=False, description="Make it a learned rule (owner keys only; none is made where an article governs)."
    )
    scope: RuleScope = Field(default=RuleScope.USER, description="For whom the rule holds.")

    def to_request(self, *, language: str) -> AnswerRequest:
        """The answer as the services take it."""
        return AnswerRequest(
            resolution=self.resolution,
            version=self.version,
            content=self.content,
            contexts=self.contexts.model_dump(exclude_none=True) if self.contexts else None,
            note=self.note,
            answered_by=self.answered_by,
            always=self.always,
            scope=self.scope,
            language=language,
        )


class ContradictionQuery(PageQuery):
    """Which disputes to list."""

    status: DisputeStatus | None = Field(default=None, description="In this status.")
    user_id: UserId | None = Field(default=None, description="That touch a memory of this user.")
    conflict_type: ConflictType | None = Field(default=None, description="Opened for this reason.")
    created_by: UUID | None = Field(default=None, description="Opened by a write of this key.")

    def to_filter(self) -> ContradictionFilter:
        """The filter as the services take it."""
        return ContradictionFilter(status=self.status, user_id=self.user_id, conflict_type=self.conflict_type, created_by=self.created_by)


class Effects(ResponseSchema):
    """What an answer changed, by what happened to it."""

    superseded: list[UUID] = Field(description="Memories that were replaced.")
    updated: list[UUID] = Field(description="Memories that got a new revision.")
    withdrawn: list[UUID] = Field(description="Memories that were withdrawn.")
    created: list[UUID] = Field(description="Memories that are new.")
    activated: list[UUID] = Field(description="Held memories that are active now.")
    moved: list[UUID] = Field(description="Other disputes that moved to a successor.")
    moot: list[UUID] = Field(description="Other disputes that have no object any more.")


class EarlierAnswers(ResponseSchema):
    """How often disputes of one shape were answered in one way."""

    resolution: Resolution = Field(description="The answer.")
    times: int = Field(description="How often.")
    episodes: list[UUID] = Field(description="The precedents.")


class Contradiction(ResponseSchema):
    """A dispute, whole."""

    id: UUID = Field(description="UUIDv7.")
    version: int = Field(description="Rises with every change of a side; name it in the answer.")
    status: DisputeStatus = Field(description="Where it stands.")
    strategy: Strategy = Field(description="How it was opened.")
    conflict_type: ConflictType = Field(description="Why it is asked.")
    articles: list[Article] = Field(description="The charter's articles that apply, C1 first.")
    pending_operation: Operation = Field(description="What `retract` would run.")
    pending_content: str | None = Field(description="The text that it would write, where it is neither side's.")
    confidence: int = Field(description="The engine's, 0-100.")
    new: Memory | None = Field(description="The new side; null where the key may not see it.")
    existing: Memory | None = Field(description="The stored side; null where the key may not see it.")
    options: list[Option] = Field(description="The answers that are legal now; empty once it is closed.")
    suggested_question: str | None = Field(description="Put this to the human word for word.")
    created_at: ShownTime = Field(description="When it was opened.")
    created_by: UUID | None = Field(description="The key whose write opened it.")
    resolution: Resolution | None = Field(description="The answer.")
    contexts: dict[str, Any] | None = Field(description="For `coexist`: where each side holds.")
    resolved_at: ShownTime | None = Field(description="When it was answered.")
    resolved_by: UUID | None = Field(description="The key that brought the answer.")
    answered_by: str | None = Field(description="Who answered: a claim of that key.")
    note: str | None = Field(description="What the human said.")
    effects: Effects | None = Field(description="What the answer changed.")
    rule_id: UUID | None = Field(description="The learned rule that answered it.")
    moot_cause: str | None = Field(description="Why it has no object any more.")
    can_allow_always: bool = Field(description="True when an owner may answer `always`.")
    precedents: list[EarlierAnswers] = Field(description="Earlier answers of the same shape, the most frequent first.")


class ContradictionPage(ResponseSchema):
    """Disputes, newest first."""

    items: list[Contradiction] = Field(description="This page.")
    next_cursor: NextCursor


class Resolved(ResponseSchema):
    """What an answer did."""

    contradiction: Contradiction = Field(description="The dispute, answered.")
    effects: Effects = Field(description="What changed.")
    episode_id: UUID | None = Field(description="The precedent that it became.")
    rule: LearnedRule | None = Field(description="The learned rule that `always` made.")
    rule_refused: RefusedRule | None = Field(description="Why `always` made none.")
    rule_proposal: ProposedRule | None = Field(description="The rule that this answer, with earlier ones, proposes to the owner.")
