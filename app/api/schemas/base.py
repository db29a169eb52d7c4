"""The two kinds of schema: what a request may say, and what an answer says."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class RequestSchema(BaseModel):
    """A body or a query. Unknown fields are refused: a misspelt one must never be dropped silently."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class ResponseSchema(BaseModel):
    """An answer, read from a view of the services. Every field is always there; what is not known is null."""

    model_config = ConfigDict(from_attributes=True, frozen=True)
