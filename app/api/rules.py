"""Learned rules: list them, read one, end one."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query

from app.api import examples
from app.api import problem_cases as cases
from app.api.auth import Caller
from app.api.headers import Repeatable
from app.api.parts import PartsInUse
from app.api.reason import Act
from app.api.refusals import ACT, LIST, REPLAYED, answers, refusals
from app.api.routing import GuardedRoute
from app.api.schemas.page import PageQuery
from app.api.schemas.rule import Rule, RulePage
from app.db.rules import RuleRow
from app.services import rulebook
from app.services.views import Page

router = APIRouter(route_class=GuardedRoute, tags=["rules"])

RuleId = Annotated[UUID, Path(description="The rule.", examples=[examples.RULE_ID])]

_INSTANCE = f"/rules/{examples.RULE_ID}"


@router.get(
    "/rules",
    operation_id="list_rules",
    summary="List learned rules",
    response_model=RulePage,
    responses={
        200: answers(examples.RULE_PAGE, "One page, newest first."),
        **refusals(*LIST, instance="/rules"),
    },
)
async def list_rules(parts: PartsInUse, caller: Caller, query: Annotated[PageQuery, Query()]) -> Page[RuleRow]:
    """Live and revoked ones. A key that is bound to users sees theirs and the tenant's."""
    return await rulebook.list_rules(parts, caller, query.to_page())


@router.get(
    "/rules/{rule_id}",
    operation_id="get_rule",
    summary="Read a learned rule",
    response_model=Rule,
    responses={
        200: answers(examples.RULE, "The rule."),
        **refusals(cases.NO_RULE, cases.INVALID_ID, instance=_INSTANCE),
    },
)
async def get_rule(parts: PartsInUse, caller: Caller, rule_id: RuleId) -> RuleRow:
    """Its episodes, and how often it decided."""
    return await rulebook.get_rule(parts, caller, rule_id)


@router.post(
    "/rules/{rule_id}/revoke",
    operation_id="revoke_rule",
    summary="Revoke a learned rule",
    response_model=Rule,
    responses={
        200: answers(examples.RULE_REVOKED, "It decides nothing more; what it decided stays.", headers=REPLAYED),
        **refusals(cases.OWNERS_ONLY, cases.TENANT_RULE, cases.NO_RULE, *ACT, instance=f"{_INSTANCE}/revoke"),
    },
)
async def revoke_rule(parts: PartsInUse, caller: Caller, rule_id: RuleId, body: Act, once: Repeatable) -> RuleRow:
    """Owners only; a rule of the whole tenant by a key that is not bound to users. Revoking it again changes nothing."""
    return await rulebook.revoke_rule(parts, caller, rule_id, body.reason, once)
