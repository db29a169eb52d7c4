"""Disputes: list them, read one, bring the human's answer."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Body, Path, Query

from app.api import examples
from app.api.auth import Caller
from app.api.headers import Language
from app.api.parts import PartsInUse
from app.api.refusals import answers, refusals
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


@router.get(
    "/contradictions",
    operation_id="list_contradictions",
    summary="List disputes",
    response_model=ContradictionPage,
    responses={
        200: answers(examples.CONTRADICTION_PAGE, "One page, newest first."),
        **refusals(HTTPStatus.FORBIDDEN, HTTPStatus.UNPROCESSABLE_ENTITY, instance="/contradictions"),
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
        **refusals(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY, instance=_INSTANCE),
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
        200: answers(examples.RESOLVED, "The answer took effect, or had before."),
        **refusals(
            HTTPStatus.FORBIDDEN,
            HTTPStatus.NOT_FOUND,
            HTTPStatus.CONFLICT,
            body=True,
            instance=f"{_INSTANCE}/resolve",
        ),
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
                "amend": {"summary": "Neither is right", "value": examples.ANSWER_AMEND},
            }
        ),
    ],
    language: Language,
) -> ResolveView:
    """One answer to one dispute, once. Repeating it changes nothing; another answer is 409 with the one that won."""
    return await resolve.resolve(parts, caller, contradiction_id, body.to_request(language=language))
