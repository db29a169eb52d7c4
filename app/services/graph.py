"""The graph around a memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from app.charter.model import Kind, Status
from app.db import graph as sql
from app.db import memories
from app.db.memories import Memory
from app.db.transaction import transaction
from app.services.access import may_read, readable
from app.services.parts import Parts
from app.services.requests import Principal

MOST_EDGES: Final = 1000
"""Edges that one answer holds at most; a busy memory's graph is cut there."""


@dataclass(frozen=True, slots=True)
class NodeView:
    """One memory in the graph."""

    id: UUID
    kind: Kind
    content: str
    status: Status


@dataclass(frozen=True, slots=True)
class EdgeView:
    """One typed edge. `status`: live or ended; of a CONTRADICTS edge open, resolved or moot."""

    id: UUID
    type: str
    from_id: UUID
    to_id: UUID
    status: str


@dataclass(frozen=True, slots=True)
class GraphView:
    """Nodes and edges around a memory."""

    nodes: Sequence[NodeView]
    edges: Sequence[EdgeView]


async def get_graph(parts: Parts, principal: Principal, memory_id: UUID, depth: int) -> GraphView:
    """The memories within `depth` (1-5) steps and the edges between them, as far as the key may see them.

    Raises `NotFoundError` where the key may not see the memory itself; unseen memories are left out with their edges.
    """
    async with transaction(parts.pool, principal.tenant_id, readonly=True) as connection:
        start = readable(principal, await memories.get(connection, principal.tenant_id, memory_id))
        seen: dict[UUID, Memory] = {start.id: start}
        found: dict[UUID, EdgeView] = {}
        frontier = [start.id]
        for _ in range(depth):
            rows = await connection.fetch(sql.EDGES, principal.tenant_id, frontier, MOST_EDGES)
            edges = [EdgeView(row["edge_id"], row["type"], row["from_memory_id"], row["to_memory_id"], row["status"]) for row in rows]
            found |= {edge.id: edge for edge in edges}
            ends = {end for edge in edges for end in (edge.from_id, edge.to_id)} - seen.keys()
            new = await memories.get_many(connection, principal.tenant_id, sorted(ends))
            seen |= {memory.id: memory for memory in new.values() if may_read(principal, memory)}
            frontier = [end for end in ends if end in seen]
            if not frontier or len(found) >= MOST_EDGES:
                break
    nodes = [NodeView(memory.id, memory.kind, memory.content, memory.status) for memory in seen.values()]
    return GraphView(nodes, [edge for edge in found.values() if edge.from_id in seen and edge.to_id in seen])
