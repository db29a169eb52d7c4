"""Writes: what became of one, also later."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query

from app.api import examples
from app.api import problem_cases as cases
from app.api.auth import Caller
from app.api.headers import Language
from app.api.parts import PartsInUse
from app.api.refusals import LIST, answers, refusals
from app.api.routing import GuardedRoute
from app.api.schemas.write import Write, WritePage, WriteQuery
from app.services import intake
from app.services.views import Page, WriteView

router = APIRouter(route_class=GuardedRoute, tags=["writes"])


@router.get(
    "/writes",
    operation_id="list_writes",
    summary="List writes",
    response_model=WritePage,
    responses={200: answers(examples.WRITE_PAGE, "One page, newest first."), **refusals(*LIST, instance="/writes")},
)
async def list_writes(parts: PartsInUse, caller: Caller, query: Annotated[WriteQuery, Query()], language: Language) -> Page[WriteView]:
    """Of the users that the key may see; each in its current state. `status=accepted` lists the unfinished ones.

    `set_aside` are those that the operator let no worker try any more; they are kept, and may be taken up again.
    """
    return await intake.list_writes(parts, caller, query.status, query.user_id, query.to_page(), language)


@router.get(
    "/writes/{write_id}",
    operation_id="get_write",
    summary="Read a write",
    response_model=Write,
    responses={
        200: answers(examples.WRITE, "The write in its current state."),
        **refusals(cases.NO_WRITE, cases.INVALID_ID, instance=f"/writes/{examples.WRITE_ID}"),
    },
)
async def get_write(
    parts: PartsInUse,
    caller: Caller,
    write_id: Annotated[UUID, Path(description="The write.", examples=[examples.WRITE_ID])],
    language: Language,
) -> WriteView:
    """The body that `POST /memories` answers, once the work is done; `accepted` before."""
    return await intake.get_write(parts, caller, write_id, language)
