"""Search: what a user remembers about a query. No engine call on the read path, and no dispute is hidden."""

from __future__ import annotations

from pgvector import HalfVector

from app.charter.model import Status
from app.db import memories, recall
from app.db.memories import Memory
from app.db.transaction import transaction
from app.services.access import bound_to
from app.services.parts import Parts
from app.services.requests import Principal, SearchRequest
from app.services.views import SearchHitView

_SPARE = 2
"""Rows read a wanted hit, since twins are folded into one."""


async def search(parts: Parts, principal: Principal, request: SearchRequest) -> list[SearchHitView]:
    """The memories nearest to the query, best first, twins folded. Raises `EmbedderUnavailableError`."""
    vector = (await parts.embedder.embed([request.query]))[0]
    arguments = (
        principal.tenant_id,
        request.user_id,
        parts.embedder.model,
        HalfVector(list(vector)),
        _statuses(request),
        list(request.memory_types) if request.memory_types else None,
        bound_to(principal),
        request.collective,
        request.limit * _SPARE,
        request.valid_at,
        request.time_from,
        request.time_to,
    )
    async with transaction(parts.pool, principal.tenant_id, readonly=True) as connection:
        if request.as_of is None:
            rows = await connection.fetch(recall.NEAREST, *arguments)
        else:
            rows = await connection.fetch(recall.NEAREST_AS_OF, *arguments, request.as_of)
    found = [(memories.memory_of(row), float(row["similarity"])) for row in rows]
    return [_hit(memory, similarity, rank) for rank, (memory, similarity) in enumerate(_folded(found)[: request.limit], start=1)]


def _statuses(request: SearchRequest) -> list[Status]:
    statuses = [Status.ACTIVE]
    superseded = request.include_superseded or request.valid_at is not None
    statuses += [Status.SUPERSEDED] if superseded else []
    return statuses + ([Status.HELD] if request.include_held else [])


def _folded(found: list[tuple[Memory, float]]) -> list[tuple[Memory, float]]:
    """Of memories that say the same (SAME_AS), the best one stands for all."""
    kept: list[tuple[Memory, float]] = []
    seen: set[object] = set()
    for memory, similarity in found:
        if memory.id not in seen:
            kept.append((memory, similarity))
            seen.update((memory.id, *memory.same_as))
    return kept


def _hit(memory: Memory, similarity: float, rank: int) -> SearchHitView:
    return SearchHitView(
        memory=memory,
        score=round(similarity, 6),
        similarity=round(similarity, 6),
        vector_rank=rank,
        text_rank=None,
        disputed=bool(memory.open_contradictions),
        contradictions=memory.open_contradictions,
    )
