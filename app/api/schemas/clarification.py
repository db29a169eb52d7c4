"""What has to be asked: an open contradiction with a question that can be put word for word."""

from __future__ import annotations

from uuid import UUID

from pydantic import Field

from app.api.schemas.base import ResponseSchema
from app.charter.model import Article, ConflictType, Operation, Resolution


class Option(ResponseSchema):
    """One legal answer."""

    resolution: Resolution = Field(description="The answer's name.")
    say: str = Field(description="What the human would say.")
    effect: str = Field(description="What it does.")


class Clarification(ResponseSchema):
    """An open contradiction as the agent puts it to the human."""

    contradiction_id: UUID | None = Field(
        description="The dispute; answer it at `/contradictions/{id}/resolve`. Null in a dry run, which opens none."
    )
    version: int = Field(description="Name it in the answer: no answer is applied to text that was not seen.")
    conflict_type: ConflictType = Field(description="Why it is asked.")
    articles: list[Article] = Field(description="The charter's articles that apply, C1 first.")
    new_memory_id: UUID | None = Field(description="The new side. Null in a dry run, which stores none.")
    new_content: str = Field(description="Its text.")
    existing_memory_id: UUID = Field(description="The stored side.")
    existing_content: str = Field(description="Its text.")
    existing_user_id: str = Field(description="Whose the stored side is.")
    suggested_question: str = Field(description="Put this to the human word for word; in the language asked for.")
    decision_taken: str = Field(description="What happened meanwhile, in one line.")
    pending_operation: Operation = Field(description="What `retract` would run.")
    confidence: int = Field(description="The engine's, 0-100.")
    options: list[Option] = Field(description="The answers that are legal now.")
    resolutions: list[Resolution] = Field(description="Their names.")
    can_allow_always: bool = Field(description="True when an owner may answer `always`.")
    precedents: str | None = Field(description="How disputes of this shape were answered before, in one line; null when none was.")
