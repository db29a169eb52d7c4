"""Who the key is."""

from __future__ import annotations

from uuid import UUID

from pydantic import Field

from app.api.schemas.base import ResponseSchema
from app.api.schemas.times import ShownTime
from app.services.requests import Role


class Me(ResponseSchema):
    """The key behind the request."""

    tenant: str = Field(description="The tenant's name.")
    role: Role = Field(description="What the key may do.")
    key_id: UUID = Field(description="The key, as `created_by` and `resolved_by` name it.")
    user_ids: list[str] | None = Field(description="The users that it is bound to; null: not bound.")
    can_answer: bool = Field(description="True when it may answer disputes.")
    expires_at: ShownTime | None = Field(description="Until when it works; null: no end.")
