"""The charter: read it, approve its text, withdraw the approval."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Query, Request
from starlette.responses import Response

from app.api import examples
from app.api import problem_cases as cases
from app.api.auth import Caller
from app.api.charter_markdown import render
from app.api.headers import Repeatable
from app.api.negotiation import prefers_markdown
from app.api.parts import PartsInUse
from app.api.reason import Act
from app.api.refusals import ACT, LIST, REPLAYED, answers, refusals
from app.api.routing import GuardedRoute
from app.api.schemas.charter import Approval, ApprovalBody, Charter, CharterVersionPage
from app.api.schemas.page import PageQuery
from app.services import approval, govern
from app.services.approval import ApprovalView, VersionView
from app.services.views import CharterView, Page

router = APIRouter(route_class=GuardedRoute, tags=["charter"])

_MARKDOWN = "text/markdown"


def _both_forms() -> dict[str, Any]:
    both = answers(examples.CHARTER, "The three layers, strongest first.")
    both["content"][_MARKDOWN] = {"schema": {"type": "string"}, "example": examples.CHARTER_MARKDOWN}
    return both


@router.get(
    "/charter",
    operation_id="get_charter",
    summary="Read the charter",
    response_model=Charter,
    responses={200: _both_forms(), **refusals(instance="/charter")},
)
async def get_charter(parts: PartsInUse, caller: Caller, request: Request) -> CharterView | Response:
    """What the service may decide alone, what it must ask, what it must never do.

    `Accept: text/markdown` gives it as a document.
    """
    view = await govern.get_charter(parts, caller)
    if prefers_markdown(request.headers.get("accept")):
        return Response(render(view), media_type=_MARKDOWN, headers={"Vary": "Accept"})
    return view


@router.get(
    "/charter/versions",
    operation_id="list_charter_versions",
    summary="List the constitution's texts",
    response_model=CharterVersionPage,
    responses={200: answers(examples.CHARTER_VERSION_PAGE, "One page, newest first."), **refusals(*LIST, instance="/charter/versions")},
)
async def list_charter_versions(parts: PartsInUse, caller: Caller, query: Annotated[PageQuery, Query()]) -> Page[VersionView]:
    """Who approved which text in this tenant, and who withdrew an approval, when and why."""
    return await approval.list_versions(parts, caller, query.to_page())


@router.post(
    "/charter/approve",
    operation_id="approve_charter",
    summary="Approve the charter",
    response_model=Approval,
    responses={
        200: answers(examples.APPROVED, "Approved: from the next write on an escalated one is held.", headers=REPLAYED),
        **refusals(cases.OWNERS_ONLY, cases.UNBOUND_OWNERS_ONLY, cases.NOT_CURRENT, *ACT, instance="/charter/approve"),
    },
)
async def approve_charter(
    parts: PartsInUse,
    caller: Caller,
    once: Repeatable,
    body: Annotated[ApprovalBody, Body(openapi_examples={"current": {"summary": "The text that was read", "value": examples.APPROVAL}})],
) -> Approval:
    """Owners that are not bound to users, for exactly the current text. Approving it again changes nothing."""
    return _shown(await approval.approve(parts, caller, body.version, body.sha256, once))


@router.post(
    "/charter/withdraw",
    operation_id="withdraw_approval",
    summary="Withdraw the charter's approval",
    response_model=Approval,
    responses={
        200: answers(examples.APPROVAL_WITHDRAWN, "A draft again; what is held stays held until it is answered.", headers=REPLAYED),
        **refusals(cases.OWNERS_ONLY, cases.UNBOUND_OWNERS_ONLY, cases.NOT_APPROVED, *ACT, instance="/charter/withdraw"),
    },
)
async def withdraw_approval(parts: PartsInUse, caller: Caller, body: Act, once: Repeatable) -> Approval:
    """Owners that are not bound to users. From the next write on both memories are kept again, and asked about."""
    return _shown(await approval.withdraw_approval(parts, caller, body.reason, once))


def _shown(view: ApprovalView) -> Approval:
    return Approval(
        version=view.version,
        sha256=view.sha256,
        status=view.charter.status,
        mode=view.charter.mode,
        open=view.open,
        held=view.held,
    )
