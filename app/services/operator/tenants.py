"""Tenants as the operator names them."""

from __future__ import annotations

from uuid import UUID

import asyncpg

from app.db import keys as sql
from app.errors import NotFoundError


async def tenant_named(connection: asyncpg.Connection, name: str) -> UUID:
    """The tenant's id. Raises `NotFoundError` when there is no tenant of that name."""
    tenant_id: UUID | None = await connection.fetchval(sql.TENANT_BY_NAME, name)
    if tenant_id is None:
        raise NotFoundError(f"there is no tenant {name!r}")
    return tenant_id
