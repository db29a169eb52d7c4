"""Who the caller is."""

from __future__ import annotations

from fastapi import APIRouter

from app.api import examples
from app.api.auth import Caller
from app.api.refusals import answers, refusals
from app.api.routing import GuardedRoute
from app.api.schemas.me import Me

router = APIRouter(route_class=GuardedRoute, tags=["me"])


@router.get(
    "/me",
    operation_id="get_me",
    summary="Read what the key is",
    response_model=Me,
    responses={200: answers(examples.ME, "The key behind the request."), **refusals(instance="/me")},
)
async def get_me(caller: Caller) -> Me:
    """Tenant, role and bounds of the key that asks."""
    return Me(
        tenant=caller.tenant,
        role=caller.role,
        key_id=caller.key_id,
        user_ids=None if caller.user_ids is None else sorted(caller.user_ids),
        can_answer=caller.can_answer,
        expires_at=caller.expires_at,
    )
