"""The export of a tenant: lines of JSON from one snapshot, with a header, a footer and a hash over all of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any, Final, Protocol
from uuid import UUID

import asyncpg

from app.db import transfer as sql
from app.db.pool import prepare_connection
from app.db.server import REVISION
from app.db.transaction import NOW, domain_errors
from app.services.operator.tenants import tenant_named

FORMAT: Final = "helixir-export"
FORMAT_VERSION: Final = 1
_FETCHED_AT_ONCE = 500


class Progress(Protocol):
    """Who is told how far it is."""

    def begin(self, counts: Mapping[str, int]) -> None:
        """The rows of each table that are to come."""

    def advance(self, table: str, rows: int) -> None:
        """So many more rows of a table are done."""


async def export_tenant(connection: asyncpg.Connection, tenant: str, write: Callable[[bytes], Any], progress: Progress) -> None:
    """Write everything that a tenant has, as the tables' owner, as it was at one moment; `write` takes whole lines.

    Keys come without their secrets. Raises `NotFoundError` when there is no such tenant.
    """
    await prepare_connection(connection)
    with domain_errors():
        tenant_id = await tenant_named(connection, tenant)
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            await connection.execute(sql.BEGIN)
            header = await _header(connection, tenant, tenant_id)
            progress.begin(header["counts"])
            hashed = sha256()

            def put(line: str) -> None:
                encoded = f"{line}\n".encode()
                hashed.update(encoded)
                write(encoded)

            put(_json({"header": header}))
            counts = {table.name: await _export_table(connection, table, tenant_id, put, progress) for table in sql.TABLES}
            put(_json({"footer": {"counts": counts, "sha256": hashed.hexdigest()}}))


async def _header(connection: asyncpg.Connection, tenant: str, tenant_id: UUID) -> dict[str, Any]:
    at: datetime = await connection.fetchval(NOW)
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "schema": await connection.fetchval(REVISION),
        "tenant": tenant,
        "exported_at": at.isoformat(),
        "charter_versions": [dict(row) for row in await connection.fetch(sql.CHARTER_VERSIONS)],
        "counts": await connection.fetchval(sql.COUNTS, tenant_id),
    }


async def _export_table(
    connection: asyncpg.Connection, table: sql.Table, tenant_id: UUID, put: Callable[[str], None], progress: Progress
) -> int:
    """Write one table's rows, through a cursor in the server: memory does not grow with the tenant."""
    count = 0
    async for row in connection.cursor(table.select, tenant_id, prefetch=_FETCHED_AT_ONCE):
        put(f'{{"table":"{table.name}","row":{row[0]}}}')
        count += 1
        progress.advance(table.name, 1)
    return count


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
