"""The charter's three layers."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from pydantic import Field

from app.api.schemas.base import ResponseSchema
from app.api.schemas.times import ShownTime
from app.charter.model import Article, CharterStatus, Mode


class ConstitutionArticle(ResponseSchema):
    """One article of the constitution."""

    id: Article = Field(description="C1-C5.")
    title: str = Field(description="In a few words.")
    text: str = Field(description="As the owner wrote it.")


class EffectiveThresholds(ResponseSchema):
    """The thresholds in force."""

    duplicate_at: float = Field(description="Cosine at and above which a text is an exact duplicate.")
    new_below: float = Field(description="Cosine under which a text is genuinely new.")
    low_confidence: int = Field(description="Confidence under which a destructive verdict escalates (C5); never under 70.")
    origin: str = Field(description="The model's profile, the charter's defaults, and what was set.")


class Charter(ResponseSchema):
    """The charter as it is in force in the key's tenant, strongest layer first."""

    version: int = Field(description="Version of the constitution's text, from 1.")
    sha256: str = Field(description="Of the constitution's text; an approval names it.")
    status: CharterStatus = Field(description="`draft` until an owner approves this text.")
    mode: Mode = Field(description="`defer` under a draft, `block` once approved.")
    approved_by: UUID | None = Field(description="The key that approved it.")
    approved_at: ShownTime | None = Field(description="When.")
    articles: list[ConstitutionArticle] = Field(description="Layer 1, the constitution.")
    rules: list[dict[str, Any]] = Field(description="Layer 2, the learned rules.")
    thresholds: EffectiveThresholds = Field(description="Layer 3, the thresholds in force.")
    defaults: list[str] = Field(description="Layer 3, the defaults in words.")
    refinements: list[str] = Field(description="What keeps the defaults from weakening the constitution.")
