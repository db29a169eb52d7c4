"""Whether the service lives, and whether it can work."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from app.api.schemas.base import ResponseSchema


class Liveness(ResponseSchema):
    """The process answers."""

    status: Literal["alive"] = Field(description="Always `alive`.")


class ReadinessCheck(ResponseSchema):
    """One check."""

    name: str = Field(description="What is checked.")
    ok: bool = Field(description="Whether it holds.")
    detail: str = Field(description="In words.")


class Readiness(ResponseSchema):
    """All checks hold."""

    status: Literal["ready"] = Field(description="Always `ready`; otherwise the answer is a 503 problem with the checks.")
    checks: list[ReadinessCheck] = Field(description="What was checked.")
