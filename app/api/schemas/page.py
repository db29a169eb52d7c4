"""What all lists share."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from app.api.schemas.base import RequestSchema
from app.api.schemas.texts import Cursor
from app.services.requests import PageRequest

NextCursor = Annotated[str | None, Field(description="Give it as `cursor` for the next page; null on the last one.")]


class PageQuery(RequestSchema):
    """Which page of a list. Cursors are stable under inserts."""

    limit: int = Field(default=50, ge=1, le=200, description="How many items at most, 1-200.")
    cursor: Cursor | None = Field(default=None, description="`next_cursor` of the page before.")

    def to_page(self) -> PageRequest:
        """The page as the services take it."""
        return PageRequest(limit=self.limit, cursor=self.cursor)
