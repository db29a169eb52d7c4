"""The graph around a memory."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from pydantic import AliasChoices, Field

from app.api.schemas.base import ResponseSchema
from app.charter.model import Kind, Status

EdgeKind = Literal["SUPERSEDES", "BECAUSE", "SUPPORTS", "DERIVED_FROM", "SAME_AS", "CONTRADICTS"]
EdgeStatus = Literal["live", "ended", "open", "resolved", "moot"]


class Node(ResponseSchema):
    """One memory of the graph."""

    id: UUID = Field(description="The memory.")
    kind: Kind = Field(description="Where it comes from.")
    content: str = Field(description="Its text.")
    status: Status = Field(description="Where it stands.")


class Edge(ResponseSchema):
    """One typed edge."""

    id: UUID = Field(description="The edge; of type `CONTRADICTS` the dispute.")
    type: EdgeKind = Field(description="What it says of the memory that it leads from.")
    from_: UUID = Field(
        validation_alias=AliasChoices("from_id", "from"), serialization_alias="from", description="The memory that it leads from."
    )
    to: UUID = Field(validation_alias=AliasChoices("to_id", "to"), serialization_alias="to", description="The memory that it leads to.")
    status: EdgeStatus = Field(description="`live` or `ended`; of type `CONTRADICTS` as its dispute: `open`, `resolved`, `moot`.")


class Graph(ResponseSchema):
    """The memories around one, and the edges between them."""

    nodes: list[Node] = Field(description="The memory itself and those around it that the key may see.")
    edges: list[Edge] = Field(description="The edges between them.")
