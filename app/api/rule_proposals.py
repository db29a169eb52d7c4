"""Proposals: repeated answers offer themselves as a rule, and an owner decides."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Body, Path, Query

from app.api import examples
from app.api import problem_cases as cases
from app.api.auth import Caller
from app.api.headers import Repeatable
from app.api.parts import PartsInUse
from app.api.problem_cases import Case
from app.api.refusals import ACT, LIST, REPLAYED, answers, refusals
from app.api.routing import GuardedRoute
from app.api.schemas.rule import (
    ApprovedProposal,
    ApproveProposalBody,
    RejectProposalBody,
    RuleProposal,
    RuleProposalPage,
    RuleProposalQuery,
)
from app.db.rules import ProposalRow, RuleRow
from app.services import proposals
from app.services.views import Page

router = APIRouter(route_class=GuardedRoute, tags=["rules"])

ProposalId = Annotated[UUID, Path(description="The proposal.", examples=[examples.PROPOSAL_ID])]

_AS_PROPOSED = ApproveProposalBody()
_NO_REASON = RejectProposalBody()


def _refused(act: str, *more: Case) -> dict[int | str, dict[str, Any]]:
    instance = f"/rule-proposals/{examples.PROPOSAL_ID}/{act}"
    return refusals(cases.OWNERS_ONLY, *more, cases.NO_PROPOSAL, cases.PROPOSAL_DECIDED, *ACT, instance=instance)


@router.get(
    "/rule-proposals",
    operation_id="list_rule_proposals",
    summary="List proposed rules",
    response_model=RuleProposalPage,
    responses={
        200: answers(examples.PROPOSAL_PAGE, "One page, newest first."),
        **refusals(*LIST, instance="/rule-proposals"),
    },
)
async def list_rule_proposals(parts: PartsInUse, caller: Caller, query: Annotated[RuleProposalQuery, Query()]) -> Page[ProposalRow]:
    """In every status, unless one is named."""
    return await proposals.list_proposals(parts, caller, query.status, query.to_page())


@router.post(
    "/rule-proposals/{proposal_id}/approve",
    operation_id="approve_rule_proposal",
    summary="Make a proposal a rule",
    response_model=ApprovedProposal,
    responses={
        200: answers(examples.PROPOSAL_APPROVED, "It is a rule from the next decision on.", headers=REPLAYED),
        **_refused("approve", cases.TENANT_RULE, cases.RULE_CONFLICT),
    },
)
async def approve_rule_proposal(
    parts: PartsInUse,
    caller: Caller,
    proposal_id: ProposalId,
    once: Repeatable,
    body: Annotated[
        ApproveProposalBody, Body(openapi_examples={"user": {"summary": "For its user", "value": examples.PROPOSAL_APPROVAL}})
    ] = _AS_PROPOSED,
) -> dict[str, ProposalRow | RuleRow]:
    """Owners only: for the user whose answers these were, or for the whole tenant. The body may be left out."""
    proposal, rule = await proposals.approve_proposal(parts, caller, proposal_id, body.scope, body.reason, once)
    return {"proposal": proposal, "rule": rule}


@router.post(
    "/rule-proposals/{proposal_id}/reject",
    operation_id="reject_rule_proposal",
    summary="Reject a proposal",
    response_model=RuleProposal,
    responses={200: answers(examples.PROPOSAL_REJECTED, "It is no rule.", headers=REPLAYED), **_refused("reject")},
)
async def reject_rule_proposal(
    parts: PartsInUse,
    caller: Caller,
    proposal_id: ProposalId,
    once: Repeatable,
    body: Annotated[
        RejectProposalBody, Body(openapi_examples={"reason": {"summary": "With its reason", "value": examples.PROPOSAL_REJECTION}})
    ] = _NO_REASON,
) -> ProposalRow:
    """Owners only. It comes back after as many new answers of the kind. The body may be left out."""
    return await proposals.reject_proposal(parts, caller, proposal_id, body.reason, once)
