"""Seeds: the constitution's articles as immutable memories of the system, so that an agent can recall why it was asked."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

import asyncpg

from app.charter.constitution_text import articles_in
from app.charter.model import SYSTEM_USER, Kind, MemoryType, Source, Status
from app.db import charter as sql
from app.db.ids import new_id
from app.db.memories import NewMemory
from app.db.migrate import connect
from app.db.pool import prepare_connection
from app.db.rows import required
from app.db.transaction import NOW
from app.services.changes import Act, store


async def plant_everywhere(dsn: str) -> int:
    """`plant_seeds` over a connection of its own, as the role of `dsn`: after a migration."""
    async with connect(dsn) as connection:
        return await plant_seeds(connection)


async def plant_seeds(connection: asyncpg.Connection) -> int:
    """Give every tenant the articles of the current constitution, once; returns to how many tenants they were given.

    Runs as the operator's role, after migrations and when a tenant is made.
    """
    await prepare_connection(connection)
    async with connection.transaction():
        current = required(await connection.fetchrow(sql.CURRENT_VERSION))
        at: datetime = await connection.fetchval(NOW)
        rows = await connection.fetch(sql.WITHOUT_SEEDS, str(current["version"]))
        for row in rows:
            await _plant(connection, row["tenant_id"], current["version"], current["constitution"], at)
    return len(rows)


async def _plant(connection: asyncpg.Connection, tenant_id: UUID, version: int, text: str, at: datetime) -> None:
    act = Act(connection, tenant_id, None, at, version, "none")
    for article, title, whole in articles_in(text):
        seed = NewMemory(
            memory_id=new_id(),
            user_id=SYSTEM_USER,
            kind=Kind.SEED,
            memory_type=MemoryType.FACT,
            content=f"{article}. {whole}",
            status=Status.ACTIVE,
            source=Source.DOCUMENT,
            at=at,
            charter_version=version,
            immutable=True,
            metadata={"article": article, "title": title, "version": str(version)},
        )
        await store(act, seed, None, "planted", "an article of the constitution")
