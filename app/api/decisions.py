"""The audit trail: what was decided, on what grounds."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query

from app.api import examples
from app.api import problem_cases as cases
from app.api.auth import Caller
from app.api.parts import PartsInUse
from app.api.refusals import LIST, answers, refusals
from app.api.routing import GuardedRoute
from app.api.schemas.decision import Decision, DecisionPage, DecisionQuery
from app.services import audit
from app.services.views import DecisionView, Page

router = APIRouter(route_class=GuardedRoute, tags=["decisions"])


@router.get(
    "/decisions",
    operation_id="list_decisions",
    summary="List decisions",
    response_model=DecisionPage,
    responses={
        200: answers(examples.DECISION_PAGE, "One page, newest first."),
        **refusals(*LIST, instance="/decisions"),
    },
)
async def list_decisions(parts: PartsInUse, caller: Caller, query: Annotated[DecisionQuery, Query()]) -> Page[DecisionView]:
    """One decision a fact; append-only."""
    return await audit.list_decisions(parts, caller, query.to_filter(), query.to_page())


@router.get(
    "/decisions/{decision_id}",
    operation_id="get_decision",
    summary="Read a decision",
    response_model=Decision,
    responses={
        200: answers(examples.DECISION, "Everything that led to it."),
        **refusals(cases.NO_DECISION, cases.INVALID_ID, instance=f"/decisions/{examples.DECISION_ID}"),
    },
)
async def get_decision(
    parts: PartsInUse,
    caller: Caller,
    decision_id: Annotated[UUID, Path(description="The decision.", examples=[examples.DECISION_ID])],
) -> DecisionView:
    """The text that came in, the candidates, the verdict, the ruling, and what was in force."""
    return await audit.get_decision(parts, caller, decision_id)
