"""Learned rules, and the proposals that they may come from."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal
from uuid import UUID

from pydantic import Field

from app.api.schemas.base import RequestSchema, ResponseSchema
from app.api.schemas.page import NextCursor, PageQuery
from app.api.schemas.texts import Note
from app.api.schemas.times import ShownTime
from app.charter.model import Article, MemoryType, Operation, Resolution, RuleScope


class ProposalStatus(StrEnum):
    """Where a proposal stands; `lapsed`: a contrary answer came before an owner decided."""

    OPEN = "open"
    APPROVED = "approved"
    REJECTED = "rejected"
    LAPSED = "lapsed"


class RuleShape(ResponseSchema):
    """What kind of contradiction it is about."""

    operation: Operation = Field(description="What was pending.")
    new_type: MemoryType = Field(description="Type of the new statement.")
    existing_type: MemoryType = Field(description="Type of the stored one.")
    same_user: bool = Field(description="True when both are one user's.")


class RuleInForce(ResponseSchema):
    """One learned rule."""

    id: UUID = Field(description="UUIDv7; the rule is an immutable memory too.")
    shape: RuleShape = Field(description="Which contradictions it answers.")
    resolution: Resolution = Field(description="What it answers.")
    scope: RuleScope = Field(description="For whom it holds.")
    user_id: str | None = Field(description="The user that it holds for; null: the whole tenant.")
    episodes: list[UUID] = Field(description="The precedents that it grew from.")
    uses: int = Field(description="How many decisions it made.")
    status: Literal["live", "revoked"] = Field(description="A revoked one decides nothing more; its history stays.")
    created_by: UUID = Field(description="The owner's key that made it.")


class Rule(RuleInForce):
    """One learned rule with its beginning and its end."""

    created_at: ShownTime = Field(description="Since when it holds.")
    revoked_at: ShownTime | None = Field(description="Until when it held.")
    revoked_by: UUID | None = Field(description="The owner's key that ended it.")


class RulePage(ResponseSchema):
    """Rules, newest first."""

    items: list[Rule] = Field(description="This page.")
    next_cursor: NextCursor


class LearnedRule(RuleInForce):
    """The rule that an answer made at once."""

    created_at: ShownTime = Field(description="Since when it holds.")
    text: str = Field(description="The rule in words.")


class RefusedRule(ResponseSchema):
    """Why an answer with `always` made no rule; the dispute itself is settled."""

    articles: list[Article] = Field(description="The articles that govern this; empty where it is no matter of an article.")
    code: str = Field(description="The stable name of the reason; `article_governs` where an article does.")
    detail: str = Field(description="The reason, for a person.")


class ProposedRule(ResponseSchema):
    """A rule that repeated answers propose."""

    id: UUID = Field(description="UUIDv7.")
    shape: RuleShape = Field(description="Which contradictions it would answer.")
    resolution: Resolution = Field(description="What it would answer.")
    episodes: list[UUID] = Field(description="The precedents behind it, oldest first.")
    status: ProposalStatus = Field(description="Where it stands.")


class RuleProposal(ProposedRule):
    """A proposal and what an owner made of it."""

    user_id: str = Field(description="Whose answers these were.")
    created_at: ShownTime = Field(description="When it became due.")
    decided_at: ShownTime | None = Field(description="When it was approved or rejected, or lapsed.")
    decided_by: UUID | None = Field(description="The key that did so.")
    reason: str | None = Field(description="Why.")
    rule_id: UUID | None = Field(description="The rule that it became.")


class RuleProposalPage(ResponseSchema):
    """Proposals, newest first."""

    items: list[RuleProposal] = Field(description="This page.")
    next_cursor: NextCursor


class RuleProposalQuery(PageQuery):
    """Which proposals to list."""

    status: ProposalStatus | None = Field(default=None, description="In this status.")


class ApproveProposalBody(RequestSchema):
    """For whom a proposal becomes a rule."""

    scope: RuleScope = Field(default=RuleScope.USER, description="For whom it holds; `tenant` needs a key that is not bound to users.")
    reason: Note | None = Field(default=None, description="Why, for the history; 1-2,000 characters.")


class RejectProposalBody(RequestSchema):
    """Why a proposal becomes no rule."""

    reason: Note | None = Field(default=None, description="Why, for the history; 1-2,000 characters.")


class ApprovedProposal(ResponseSchema):
    """The proposal, approved, and the rule that it became."""

    proposal: RuleProposal = Field(description="The proposal.")
    rule: Rule = Field(description="The rule.")
