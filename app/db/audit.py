"""Audit rows: every use of an owner's or operator's power. Append-only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

import asyncpg

from app.db.ids import new_id

INSERT: Final = """
INSERT INTO audit (tenant_id, audit_id, actor, operator, act, subject, reason, detail) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
"""


async def insert(
    connection: asyncpg.Connection,
    tenant_id: UUID,
    act: str,
    subject: str,
    *,
    actor: UUID | None,
    reason: str | None = None,
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Append one act. `actor` is an owner's key; None: the operator, at the command line."""
    await connection.execute(INSERT, tenant_id, new_id(), actor, actor is None, act, subject, reason, dict(detail or {}))
