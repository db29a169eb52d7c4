"""Disputes: list them, read one, bring the human's answer."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Body, Path, Query

from app.api import examples
from app.api import problem_cases as cases
from app.api.auth import Caller
from app.api.headers import Language, Repeatable
from app.api.parts import PartsInUse
from app.api.refusals import ACT, LIST, REPLAYED, answers, answers_each, refusals
from app.api.routing import GuardedRoute
from app.api.schemas.contradiction import (
    AnswerBody,
    Contradiction,
    ContradictionPage,
    ContradictionQuery,
    Resolved,
)
from app.services import disputes, resolve
from app.services.views import ContradictionView, Page, ResolveView

router = APIRouter(route_class=GuardedRoute, tags=["contradictions"])

ContradictionId = Annotated[UUID, Path(description="The dispute.", examples=[examples.CONTRADICTION_ID])]

_INSTANCE = f"/contradictions/{examples.CONTRADICTION_ID}"
_REFUSED = refusals(
    cases.OWNERS_ONLY,
    cases.NO_ANSWER,
    cases.BOUND_KEY,
    cases.FINAL_SIDE,
    cases.OTHER_USER,
    cases.NO_CONTRADICTION,
    cases.DISPUTE_CHANGED,
    cases.ALREADY_RESOLVED,
    cases.DISPUTE_MOOT,
    cases.RULE_CONFLICT,
    cases.SAME_TEXT,
    *ACT,
    instance=f"{_INSTANCE}/resolve",
)


@router.get(
    "/contradictions",
    operation_id="list_contradictions",
    summary="List disputes",
    response_model=ContradictionPage,
    responses={
        200: answers(examples.CONTRADICTION_PAGE, "One page, newest first."),
        **refusals(*LIST, instance="/contradictions"),
    },
)
async def list_contradictions(
    parts: PartsInUse, caller: Caller, query: Annotated[ContradictionQuery, Query()], language: Language
) -> Page[ContradictionView]:
    """Open, resolved and moot ones, unless a status is named."""
    return await disputes.list_contradictions(parts, caller, query.to_filter(), query.to_page(), language)


@router.get(
    "/contradictions/{contradiction_id}",
    operation_id="get_contradiction",
    summary="Read a dispute",
    response_model=Contradiction,
    responses={
        200: answers(examples.CONTRADICTION, "The dispute, whole."),
        **refusals(cases.NO_CONTRADICTION, cases.INVALID_ID, instance=_INSTANCE),
    },
)
async def get_contradiction(parts: PartsInUse, caller: Caller, contradiction_id: ContradictionId, language: Language) -> ContradictionView:
    """Both sides whole, what is pending, the articles, the question, and the answer once there is one."""
    return await disputes.get_contradiction(parts, caller, contradiction_id, language)


@router.post(
    "/contradictions/{contradiction_id}/resolve",
    operation_id="resolve_contradiction",
    summary="Answer a dispute",
    response_model=Resolved,
    responses={
        200: answers_each(
            {
                "retract": examples.RESOLVED,
                "rule": examples.RESOLVED_RULE,
                "rule_refused": examples.RESOLVED_REFUSED,
                "rule_proposal": examples.RESOLVED_PROPOSAL,
            },
            "The answer took effect, or had before.",
            headers=REPLAYED,
        ),
        **_REFUSED,
    },
)
async def resolve_contradiction(
    parts: PartsInUse,
    caller: Caller,
    contradiction_id: ContradictionId,
    body: Annotated[
        AnswerBody,
        Body(
            openapi_examples={
                "retract": {"summary": "The stored one is outdated", "value": examples.ANSWER_RETRACT},
                "coexist": {"summary": "Both are true", "value": examples.ANSWER_COEXIST},
                "always": {"summary": "Both are true, now and always (owner keys)", "value": examples.ANSWER_ALWAYS},
                "amend": {"summary": "Neither is right", "value": examples.ANSWER_AMEND},
            }
        ),
    ],
    language: Language,
    once: Repeatable,
) -> ResolveView:
    """One answer to one dispute, once. Repeating it changes nothing; another answer is 409 with the one that won.

    `always` makes a learned rule of it, by an owner's key (403 from another, and the dispute stays open); where an article
    governs, the dispute is settled and `rule_refused` says why there is no rule. Repeated answers propose a rule themselves.
    """
    return await resolve.resolve(parts, caller, contradiction_id, body.to_request(language=language), once)
