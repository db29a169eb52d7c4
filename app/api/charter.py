"""The charter, as JSON or as a document."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.api import examples
from app.api.auth import Caller
from app.api.charter_markdown import render
from app.api.negotiation import prefers_markdown
from app.api.parts import PartsInUse
from app.api.refusals import answers, refusals
from app.api.routing import GuardedRoute
from app.api.schemas.charter import Charter
from app.services import govern
from app.services.views import CharterView

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
