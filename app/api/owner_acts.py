"""An owner's acts on one memory, each with its reason."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Path

from app.api import examples
from app.api import problem_cases as cases
from app.api.auth import Caller
from app.api.headers import Repeatable
from app.api.parts import PartsInUse
from app.api.problem_cases import Case
from app.api.reason import Act
from app.api.refusals import ACT, REPLAYED, answers, refusals
from app.api.routing import GuardedRoute
from app.api.schemas.memory import Memory
from app.services import acts, standing
from app.services.views import MemoryView

router = APIRouter(route_class=GuardedRoute, tags=["owner's acts"])

MemoryId = Annotated[UUID, Path(description="The memory.", examples=[examples.MEMORY_TEA])]


def _responses(act: str, example: dict[str, Any], description: str, *conflicts: Case) -> dict[int | str, dict[str, Any]]:
    instance = f"/memories/{examples.MEMORY_TEA}/{act}"
    forbidden = (cases.OWNERS_ONLY, cases.BOUND_KEY, cases.CHARTER_REFUSAL)
    refused = refusals(*forbidden, cases.NO_MEMORY, *conflicts, *ACT, instance=instance)
    return {200: answers(example, description, headers=REPLAYED), **refused}


@router.post(
    "/memories/{memory_id}/finalize",
    operation_id="finalize_memory",
    summary="Mark a memory final",
    response_model=Memory,
    responses=_responses("finalize", examples.MEMORY_FINAL, "Nothing changes it any more (C2).", cases.DISPUTED, cases.NOT_ACTIVE),
)
async def finalize_memory(parts: PartsInUse, caller: Caller, memory_id: MemoryId, body: Act, once: Repeatable) -> MemoryView:
    """Owners only; an active, undisputed atom."""
    return await acts.finalize(parts, caller, memory_id, body.reason, once)


@router.post(
    "/memories/{memory_id}/unfinalize",
    operation_id="unfinalize_memory",
    summary="Open a final memory again",
    response_model=Memory,
    responses=_responses("unfinalize", examples.MEMORY_OPEN, "It may be rewritten again."),
)
async def unfinalize_memory(parts: PartsInUse, caller: Caller, memory_id: MemoryId, body: Act, once: Repeatable) -> MemoryView:
    """Owners only. Seeds, rules and raw inputs stay final for ever (C2, C4)."""
    return await acts.unfinalize(parts, caller, memory_id, body.reason, once)


@router.post(
    "/memories/{memory_id}/withdraw",
    operation_id="withdraw_memory",
    summary="Withdraw a memory",
    response_model=Memory,
    responses=_responses("withdraw", examples.MEMORY_WITHDRAWN, "It is no longer recalled, and stays in the history.", cases.NOT_ACTIVE),
)
async def withdraw_memory(parts: PartsInUse, caller: Caller, memory_id: MemoryId, body: Act, once: Repeatable) -> MemoryView:
    """Owners only. Nothing is deleted (C1)."""
    return await standing.withdraw(parts, caller, memory_id, body.reason, once)


@router.post(
    "/memories/{memory_id}/restore",
    operation_id="restore_memory",
    summary="Make a memory current again",
    response_model=Memory,
    responses=_responses(
        "restore", examples.MEMORY_OPEN, "It is current; its successor is superseded by it.", cases.ALREADY_ACTIVE, cases.SAME_TEXT
    ),
)
async def restore_memory(parts: PartsInUse, caller: Caller, memory_id: MemoryId, body: Act, once: Repeatable) -> MemoryView:
    """Owners only; a superseded or withdrawn memory."""
    return await standing.restore(parts, caller, memory_id, body.reason, once)
