"""What every error looks like: RFC 9457."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from app.api.schemas.clarification import Clarification
from app.api.schemas.contradiction import Contradiction
from app.charter.model import Article


class FieldError(BaseModel):
    """What is wrong with one field. It never quotes the request."""

    field: str = Field(description="Where: `body.facts.0.content`, `query.limit`, `header.if-match`.")
    kind: str = Field(description="What: `missing`, `too_long`, `wrong_type` …")
    limit: int | float | None = Field(default=None, description="The limit that it breaks.")
    allowed: str | None = Field(default=None, description="The values that may stand there.")


class Problem(BaseModel):
    """A problem document.

    It never quotes the request; the 409s of a dispute carry the current record in `contradiction`.
    """

    model_config = ConfigDict(extra="allow")

    type: str = Field(description="`/problems/` and the code.")
    title: str = Field(description="The code in words; the same for every occurrence.")
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="What happened, for a person.")
    instance: str = Field(description="The path asked for; `/` where none is known.")
    code: str = Field(description="The stable name to act on.")
    request_id: str = Field(description="As in `X-Request-ID`.")
    retryable: bool = Field(description="True when the same request may succeed later.")
    articles: list[Article] | None = Field(default=None, description="The charter's articles behind a refusal.")
    errors: list[FieldError] | None = Field(default=None, description="What is wrong, field by field.")
    contradiction: Contradiction | Clarification | None = Field(
        default=None, description="The dispute as it is now; with `dispute_changed` as a clarification, to be put to the human again."
    )
