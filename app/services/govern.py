"""The charter as it stands in a tenant: its text, its status, its thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from uuid import UUID

import asyncpg

from app.charter.constitution_text import articles_in, canonical, digest
from app.charter.model import Charter, CharterStatus, Mode, Rule, Thresholds
from app.charter.refinements import DEFAULTS, REFINEMENTS
from app.db import charter as sql
from app.db import rules as rules_sql
from app.db.rows import required
from app.db.rules import RuleRow
from app.db.transaction import transaction
from app.services.access import bound_to
from app.services.parts import Parts
from app.services.requests import Principal
from app.services.views import ArticleView, CharterStamp, CharterView


@dataclass(frozen=True, slots=True)
class CharterState:
    """The charter's status in one tenant, read inside the transaction that needs it."""

    version: int
    sha256: str
    status: CharterStatus
    approved_by: UUID | None
    approved_at: datetime | None

    @property
    def mode(self) -> Mode:
        """Draft: defer, don't destroy. Approved: block."""
        return Mode.BLOCK if self.status is CharterStatus.APPROVED else Mode.DEFER

    @property
    def stamp(self) -> CharterStamp:
        """Version, status and mode, as every answer carries them."""
        return CharterStamp(self.version, self.status, self.mode)

    def in_force(self, thresholds: Thresholds, rules: tuple[Rule, ...] = ()) -> Charter:
        """The charter that a ruling is made under."""
        return Charter(self.mode, thresholds, rules)


@cache
def constitution() -> str:
    """The owner's constitution as this process carries it, in canonical form."""
    return canonical(files("app.charter").joinpath("constitution.md").read_text(encoding="utf-8"))


async def read_state(connection: asyncpg.Connection, tenant_id: UUID) -> CharterState:
    """The charter's state as this transaction sees it."""
    row = required(await connection.fetchrow(sql.STATE, tenant_id))
    approved = row["act"] == "approve"
    return CharterState(
        version=row["version"],
        sha256=row["sha256"],
        status=CharterStatus.APPROVED if approved else CharterStatus.DRAFT,
        approved_by=row["actor"] if approved else None,
        approved_at=row["at"] if approved else None,
    )


async def get_charter(parts: Parts, principal: Principal) -> CharterView:
    """The three layers, the effective thresholds with their origin, and the status in the key's tenant."""
    async with transaction(parts.pool, principal.tenant_id, readonly=True) as connection:
        state = await read_state(connection, principal.tenant_id)
        text = await connection.fetchval(sql.TEXT, state.version)
        learned = await connection.fetch(rules_sql.LIST, principal.tenant_id, bound_to(principal), None, None, 200)
    thresholds = parts.thresholds
    return CharterView(
        version=state.version,
        sha256=state.sha256,
        status=state.status,
        mode=state.mode,
        approved_by=state.approved_by,
        approved_at=state.approved_at,
        articles=[ArticleView(*article) for article in articles_in(text)],
        rules=[_rule_view(rules_sql.rule_row_of(row)) for row in learned if row["revoked_at"] is None],
        thresholds=thresholds_view(thresholds),
        refinements=REFINEMENTS,
        defaults=DEFAULTS,
    )


def _rule_view(rule: RuleRow) -> dict[str, object]:
    return {
        "id": str(rule.id),
        "shape": {
            "operation": rule.shape.operation,
            "new_type": rule.shape.new_type,
            "existing_type": rule.shape.existing_type,
            "same_user": rule.shape.same_user,
        },
        "resolution": rule.resolution,
        "scope": rule.scope,
        "user_id": rule.user_id,
        "episodes": [str(episode) for episode in rule.episodes],
        "uses": rule.uses,
        "status": rule.status,
        "created_by": str(rule.created_by),
    }


def thresholds_view(thresholds: Thresholds) -> dict[str, object]:
    """The thresholds in force, as decisions record them and the charter shows them."""
    return {
        "duplicate_at": thresholds.duplicate_at,
        "new_below": thresholds.new_below,
        "low_confidence": thresholds.low_confidence,
        "origin": thresholds.origin,
    }


def carries(sha256: str) -> bool:
    """True when this process carries the constitution with that hash."""
    return digest(constitution()) == sha256
