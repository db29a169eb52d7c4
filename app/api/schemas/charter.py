"""The charter: its three layers, its texts, and the acts on them."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from app.api.schemas.base import RequestSchema, ResponseSchema
from app.api.schemas.numbers import VersionNumber
from app.api.schemas.page import NextCursor
from app.api.schemas.rule import RuleInForce
from app.api.schemas.texts import Label
from app.api.schemas.times import ShownTime
from app.charter.model import Article, CharterStatus, Mode

Version = Annotated[int, Field(description="Version of the constitution's text, from 1.")]
Digest = Annotated[str, Field(description="SHA-256 of the constitution's text, in hexadecimal.")]


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

    version: Version
    sha256: Digest
    status: CharterStatus = Field(description="`draft` until an owner approves this text.")
    mode: Mode = Field(description="`defer` under a draft, `block` once approved.")
    approved_by: UUID | None = Field(description="The key that approved it.")
    approved_at: ShownTime | None = Field(description="When.")
    articles: list[ConstitutionArticle] = Field(description="Layer 1, the constitution.")
    rules: list[RuleInForce] = Field(description="Layer 2, the learned rules that are live; up to 200, newest first.")
    thresholds: EffectiveThresholds = Field(description="Layer 3, the thresholds in force.")
    defaults: list[str] = Field(description="Layer 3, the defaults in words.")
    refinements: list[str] = Field(description="What keeps the defaults from weakening the constitution.")


class ApprovalBody(RequestSchema):
    """Which text is approved: both as `GET /charter` shows them."""

    version: VersionNumber = Field(description="Version of the constitution's text.")
    sha256: Label = Field(description="Its SHA-256, in hexadecimal.")


class Approval(ResponseSchema):
    """The charter after the act, and what waits in the tenant."""

    version: Version
    sha256: Digest
    status: CharterStatus = Field(description="`draft` until an owner approves this text.")
    mode: Mode = Field(description="`defer` under a draft, `block` once approved; for the writes from now on.")
    open: int = Field(description="Open disputes.")
    held: int = Field(description="Those of them whose new memory is held until the answer.")


class CharterAct(ResponseSchema):
    """One owner's act on a text."""

    act: Literal["approve", "withdraw"] = Field(description="What.")
    actor: UUID = Field(description="By which key.")
    at: ShownTime = Field(description="When.")
    reason: str | None = Field(description="Why; an approval gives none.")


class CharterVersion(ResponseSchema):
    """One registered text of the constitution, and this tenant's acts on it."""

    version: Version
    sha256: Digest
    registered_at: ShownTime = Field(description="Since when the service knows it.")
    current: bool = Field(description="True for the text in force.")
    status: CharterStatus = Field(description="`draft` for every text but an approved current one.")
    acts: list[CharterAct] = Field(description="Oldest first.")


class CharterVersionPage(ResponseSchema):
    """The constitution's texts, newest first."""

    items: list[CharterVersion] = Field(description="This page.")
    next_cursor: NextCursor
