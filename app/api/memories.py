"""Memories: write, read, edit, recall, and the owner's acts."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Body, Path, Query, Request, Response
from starlette.responses import JSONResponse

from app.api import examples
from app.api import problem_cases as cases
from app.api.auth import Caller
from app.api.headers import IdempotencyKey, Language, Repeatable, RespondAsync, Revision
from app.api.parts import PartsInUse
from app.api.refusals import ACT, BODY, LIST, REPLAYED, answers, refusals
from app.api.routing import GuardedRoute, SoleRoute
from app.api.schemas.graph import Graph
from app.api.schemas.history import History
from app.api.schemas.memory import EditBody, Memory, MemoryPage, MemoryQuery
from app.api.schemas.search import SearchBody, SearchResults
from app.api.schemas.write import Write, WriteBody
from app.services import acts, graph, reading, recall, reconsider, remember
from app.services.graph import GraphView
from app.services.requests import EditRequest
from app.services.views import HistoryView, MemoryView, Page, SearchHitView, WriteView

router = APIRouter(route_class=GuardedRoute, tags=["memories"])
search = APIRouter(route_class=SoleRoute, tags=["memories"])

MemoryId = Annotated[UUID, Path(description="The memory.", examples=[examples.MEMORY_TEA])]

_WRITTEN = {
    **REPLAYED,
    "Location": {"description": "Where to read the write.", "schema": {"type": "string"}},
}
_REVISED = {"ETag": {"description": "The revision, to name in `If-Match`.", "schema": {"type": "string"}}}


@router.post(
    "/memories",
    operation_id="write_memories",
    summary="Write a message or facts",
    status_code=HTTPStatus.CREATED,
    response_model=Write,
    responses={
        200: {"model": Write, **answers(examples.WRITE_DRY_RUN, "A dry run: what would happen.")},
        201: answers(examples.WRITE, "Done; see what has to be asked.", headers=_WRITTEN),
        202: {
            "model": Write,
            **answers(examples.WRITE_ACCEPTED, "Something is held, or the work still goes on.", headers=_WRITTEN),
        },
        **refusals(
            cases.READS_ONLY,
            cases.BOUND_KEY,
            cases.STILL_RUNNING,
            cases.INVALID_FACT,
            cases.INVALID_JSON,
            cases.IDEMPOTENCY_MISMATCH,
            cases.WRITE_TOO_LARGE,
            cases.USER_BUSY,
            cases.TOO_MANY_DISPUTES,
            cases.UNSUPPORTED_MEDIA_TYPE,
            instance="/memories",
        ),
    },
)
async def write_memories(
    parts: PartsInUse,
    caller: Caller,
    body: Annotated[
        WriteBody,
        Body(
            openapi_examples={
                "fact": {"summary": "A fact, taken as it is", "value": examples.WRITE_FACT},
                "message": {"summary": "A message, kept whole and split", "value": examples.WRITE_MESSAGE},
            }
        ),
    ],
    request: Request,
    response: Response,
    language: Language,
    respond_async: RespondAsync,
    idempotency_key: IdempotencyKey = None,
) -> WriteView:
    """Each fact is compared with what is stored, and the charter rules what may happen on its own.

    What it may not decide alone is listed in `needs_clarification`, with a question to put to the human word for word.
    """
    view = await remember.remember(
        parts,
        caller,
        body.to_request(
            body=await request.json(),
            respond_async=respond_async,
            idempotency_key=idempotency_key,
            language=language,
        ),
    )
    response.status_code = view.http_status
    response.headers.update(_headers_of(view))
    return view


def _headers_of(view: WriteView) -> dict[str, str]:
    headers = {}
    if view.replayed:
        headers["Idempotency-Replayed"] = "true"
    if view.write_id is not None:
        headers["Location"] = f"/writes/{view.write_id}"
    return headers


@router.get(
    "/memories",
    operation_id="list_memories",
    summary="List memories",
    response_model=MemoryPage,
    responses={
        200: answers(examples.MEMORY_PAGE, "One page, newest first."),
        **refusals(*LIST, instance="/memories"),
    },
)
async def list_memories(parts: PartsInUse, caller: Caller, query: Annotated[MemoryQuery, Query()]) -> Page[MemoryView]:
    """The active atoms, unless asked otherwise; `undecided=true` lists undecided ones, active and held."""
    return await reading.list_memories(parts, caller, query.to_filter(), query.to_page())


@search.post(
    "/memories/search",
    operation_id="search_memories",
    summary="Recall memories",
    response_model=SearchResults,
    responses={
        200: answers(examples.SEARCH_RESULTS, "The best memories first."),
        **refusals(*BODY, instance="/memories/search"),
    },
)
async def search_memories(
    parts: PartsInUse,
    caller: Caller,
    body: Annotated[SearchBody, Body(openapi_examples={"drink": {"summary": "By meaning and words", "value": examples.SEARCH}})],
) -> dict[str, list[SearchHitView]]:
    """By meaning and by words together; no engine is asked.

    A disputed memory is shown with its dispute, never hidden.
    """
    return {"results": await recall.search(parts, caller, body.to_request())}


@router.post(
    "/memories/{memory_id}/decide",
    operation_id="decide_memory",
    summary="Decide an undecided memory now",
    response_model=Memory,
    responses={
        200: answers(examples.MEMORY, "The memory, decided or still undecided.", headers=REPLAYED),
        **refusals(
            cases.READS_ONLY,
            cases.BOUND_KEY,
            cases.NO_MEMORY,
            cases.STILL_RUNNING,
            cases.INVALID_ID,
            cases.IDEMPOTENCY_MISMATCH,
            instance=f"/memories/{examples.MEMORY_TEA}/decide",
        ),
    },
)
async def decide_memory(parts: PartsInUse, caller: Caller, memory_id: MemoryId, once: Repeatable) -> MemoryView:
    """Ask the engine once more about a fact that has no verdict yet, under the same charter.

    A decided memory is answered as it is. A late verdict that rewrites is always asked about.
    """
    return await reconsider.decide_now(parts, caller, memory_id, once)


@router.get(
    "/memories/{memory_id}",
    operation_id="get_memory",
    summary="Read a memory",
    response_model=Memory,
    responses={
        200: answers(examples.MEMORY, "The memory as it is now.", headers=_REVISED),
        **refusals(cases.NO_MEMORY, cases.INVALID_ID, instance=f"/memories/{examples.MEMORY_TEA}"),
    },
)
async def get_memory(parts: PartsInUse, caller: Caller, memory_id: MemoryId, response: Response) -> MemoryView:
    """Any memory that the key may see, of any kind and status."""
    view = await reading.get_memory(parts, caller, memory_id)
    response.headers["ETag"] = _tag_of(view)
    return view


@router.get(
    "/memories/{memory_id}/history",
    operation_id="get_history",
    summary="Read a memory's history",
    response_model=History,
    responses={
        200: answers(examples.HISTORY, "Events, revisions and the supersession chain."),
        **refusals(
            cases.NO_MEMORY,
            cases.INVALID_ID,
            instance=f"/memories/{examples.MEMORY_TEA}/history",
        ),
    },
)
async def get_history(parts: PartsInUse, caller: Caller, memory_id: MemoryId) -> HistoryView:
    """What, when, by whom and why, and every text the memory ever had.

    The `chain` leads from the first statement to the current one.
    """
    return await reading.get_history(parts, caller, memory_id)


@router.get(
    "/memories/{memory_id}/graph",
    operation_id="get_graph",
    summary="Read the graph around a memory",
    response_model=Graph,
    responses={
        200: answers(examples.GRAPH, "Memories and typed edges."),
        **refusals(cases.NO_MEMORY, cases.INVALID_ID, instance=f"/memories/{examples.MEMORY_TEA}/graph"),
    },
)
async def get_graph(
    parts: PartsInUse,
    caller: Caller,
    memory_id: MemoryId,
    depth: Annotated[int, Query(ge=1, le=5, description="How many steps away, 1-5.")] = 1,
) -> GraphView:
    """Live and ended edges, and disputes as edges of type `CONTRADICTS`. Memories that the key may not see are left out.

    A busy memory's graph is cut at about a thousand edges.
    """
    return await graph.get_graph(parts, caller, memory_id, depth)


@router.patch(
    "/memories/{memory_id}",
    operation_id="edit_memory",
    summary="Edit a memory",
    response_model=Memory,
    responses={
        200: answers(examples.MEMORY_EDITED, "The edit ran: the memory with its new revision.", headers={**REPLAYED, **_REVISED}),
        202: {
            "model": Write,
            **answers(examples.WRITE_HELD, "An agent's edit that has to be asked about first.", headers=_WRITTEN),
        },
        **refusals(
            cases.READS_ONLY,
            cases.BOUND_KEY,
            cases.CHARTER_REFUSAL,
            cases.NO_MEMORY,
            cases.NOT_ACTIVE,
            cases.SAME_TEXT,
            cases.STALE_REVISION,
            cases.REVISION_REQUIRED,
            *ACT,
            cases.USER_BUSY,
            cases.TOO_MANY_DISPUTES,
            instance=f"/memories/{examples.MEMORY_TEA}",
        ),
    },
)
async def edit_memory(
    parts: PartsInUse,
    caller: Caller,
    memory_id: MemoryId,
    body: Annotated[EditBody, Body(openapi_examples={"wording": {"summary": "A better wording", "value": examples.EDIT}})],
    request: Request,
    response: Response,
    revision: Revision,
    language: Language,
    once: Repeatable,
) -> MemoryView | JSONResponse:
    """An owner's edit runs, with history (C2 and C4 bind it too). An agent's edit takes the charter's way."""
    view = await acts.edit(
        parts,
        caller,
        EditRequest(
            memory_id=memory_id,
            content=body.content,
            reason=body.reason,
            revision=revision,
            body=await request.json(),
            once=once,
            language=language,
        ),
    )
    if isinstance(view, WriteView):
        content = Write.model_validate(view).model_dump(mode="json")
        return JSONResponse(content, HTTPStatus.ACCEPTED, _headers_of(view))
    response.headers["ETag"] = _tag_of(view)
    return view


def _tag_of(view: MemoryView) -> str:
    return f'"{view.revision}"'
