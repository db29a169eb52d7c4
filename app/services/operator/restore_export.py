"""The import of an export into an empty tenant: every line or none."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

import asyncpg

from app.db import keys
from app.db import transfer as sql
from app.db.ids import new_id
from app.db.pool import prepare_connection
from app.db.server import REVISION
from app.db.transaction import domain_errors
from app.errors import ConflictError, InvalidInputError
from app.services.operator.export import FORMAT, FORMAT_VERSION, Progress

_LINES_AT_ONCE = 500
_BYTES_AT_ONCE = 4_000_000
_TABLES: Final = {table.name: table for table in sql.TABLES}
_PLACES: Final = {table.name: place for place, table in enumerate(sql.TABLES)}
_OF_MEMORIES: Final = frozenset({"revisions", "embeddings", "memory_events"})


@dataclass(slots=True)
class _Importing:
    """One import in its transaction. `seeds`: the tenant's own; `known`: seeds of the export by the id of the tenant's own."""

    connection: asyncpg.Connection
    tenant_id: UUID
    progress: Progress
    columns: Mapping[str, frozenset[str]]
    seeds: Mapping[tuple[Any, Any], UUID]
    known: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_TABLES, 0))
    waiting: list[tuple[int, str]] = field(default_factory=list)
    size: int = 0
    table: str = sql.TABLES[0].name


async def import_tenant(connection: asyncpg.Connection, tenant: str, lines: Iterable[bytes], progress: Progress) -> Mapping[str, int]:
    """Put an export into a tenant that is new, or has nothing but keys and seeds; returns the rows of each table.

    Ids, history and edges stay as they were, the tenant is replaced; keys come revoked, as names of what was done. All of
    it is one transaction, as the tables' owner. Raises `InvalidInputError` that names the line, and `ConflictError`
    (`tenant_in_use`); then nothing was stored.
    """
    if not 1 <= len(tenant) <= 200 or "\x00" in tenant:
        raise InvalidInputError("a tenant's name has 1 to 200 characters")
    await prepare_connection(connection)
    with domain_errors():
        async with connection.transaction():
            importing = await _open(connection, tenant, progress)
            await _read(importing, lines)
            try:
                await connection.execute(sql.CHECK_ALL)
            except asyncpg.PostgresError as fault:
                raise InvalidInputError(f"the lines do not fit together ({_reason(fault)}); nothing was imported") from fault
    return importing.counts


async def _open(connection: asyncpg.Connection, tenant: str, progress: Progress) -> _Importing:
    await connection.execute(sql.BEGIN)
    await connection.execute(keys.INSERT_TENANT, new_id(), tenant)
    tenant_id: UUID = await connection.fetchval(sql.LOCK_TENANT, tenant)
    if await connection.fetchval(sql.IN_USE, tenant_id):
        raise ConflictError(f"tenant {tenant!r} is not empty; nothing was imported", code="tenant_in_use")
    columns = {row["table_name"]: frozenset(row["names"]) for row in await connection.fetch(sql.COLUMNS, list(_TABLES))}
    seeds = {(row["article"], row["version"]): row["memory_id"] for row in await connection.fetch(sql.SEEDS, tenant_id)}
    return _Importing(connection, tenant_id, progress, {**columns, "api_keys": sql.KEY_COLUMNS}, seeds)


async def _read(importing: _Importing, lines: Iterable[bytes]) -> None:
    """Read every line: the header first, then rows, and the footer last. Raises `InvalidInputError`."""
    hashed = sha256()
    header: Mapping[str, Any] | None = None
    ended = False
    number = 0
    for number, line in enumerate(lines, start=1):
        if ended:
            raise _broken(number, "something follows the footer")
        record = _record(number, line)
        if header is None:
            header = await _checked_header(importing.connection, record)
            importing.progress.begin(header["counts"])
        elif "footer" in record:
            await _flush(importing)
            _check_footer(number, record, hashed.hexdigest(), importing.counts, header)
            ended = True
        else:
            await _take(importing, number, record, line)
        hashed.update(line)
    if not ended:
        raise _broken(number + 1, "the file ends without its footer: it was cut off")


def _record(number: int, line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line.decode())
    except (ValueError, RecursionError):
        raise _broken(number, "this is no JSON: it was cut off or changed") from None
    if not isinstance(record, dict):
        raise _broken(number, "this is no JSON object")
    return record


async def _checked_header(connection: asyncpg.Connection, record: Mapping[str, Any]) -> Mapping[str, Any]:
    header = record.get("header")
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise _broken(1, "this is no export of helixir")
    if header.get("version") != FORMAT_VERSION:
        raise _broken(1, f"the export's format is version {header.get('version')}, known is {FORMAT_VERSION}")
    schema = await connection.fetchval(REVISION)
    if header.get("schema") != schema:
        raise _broken(1, f"the export is of schema revision {header.get('schema')}, this database is at {schema}")
    registered = [dict(row) for row in await connection.fetch(sql.CHARTER_VERSIONS)]
    versions, counts = header.get("charter_versions"), header.get("counts")
    if not isinstance(versions, list) or not isinstance(counts, dict) or not all(type(one) is int for one in counts.values()):
        raise _broken(1, "the header is not whole")
    for version in versions:
        if version not in registered:
            raise _broken(1, "the export was made under a constitution that is not registered here")
    return header


def _check_footer(number: int, record: Mapping[str, Any], digest: str, counts: Mapping[str, int], header: Mapping[str, Any]) -> None:
    footer = record["footer"]
    if not isinstance(footer, dict) or footer.get("sha256") != digest:
        raise _broken(number, "the footer's SHA-256 is not that of the lines before it: a line was lost or changed")
    if footer.get("counts") != counts or header["counts"] != counts:
        raise _broken(number, "the footer counts other rows than the file has")


async def _take(importing: _Importing, number: int, record: Mapping[str, Any], line: bytes) -> None:
    """One row: checked for its table and columns, then kept until there are enough to store."""
    table, row = record.get("table"), record.get("row")
    if not isinstance(table, str) or table not in _TABLES or not isinstance(row, dict):
        raise _broken(number, "this is no row of a table that is known")
    if row.keys() != importing.columns[table]:
        raise _broken(number, f"a row of {table} has other columns")
    if table != importing.table:
        if _PLACES[table] < _PLACES[importing.table]:
            raise _broken(number, f"the rows of {table} come too late")
        await _flush(importing)
        importing.table = table
    importing.counts[table] += 1
    if _known_seed(importing, table, row):
        importing.progress.advance(table, 1)
        return
    text = line.decode()
    for exported, own in importing.known.items():
        text = text.replace(exported, own)
    importing.waiting.append((number, text))
    importing.size += len(line)
    if len(importing.waiting) >= _LINES_AT_ONCE or importing.size >= _BYTES_AT_ONCE:
        await _flush(importing)


def _known_seed(importing: _Importing, table: str, row: Mapping[str, Any]) -> bool:
    """True for a seed that the tenant has already, by article and version, and for what belongs to it."""
    if table == "memories" and row["kind"] == "seed" and isinstance(row["metadata"], dict):
        own = importing.seeds.get((row["metadata"].get("article"), row["metadata"].get("version")))
        if own is not None:
            importing.known[str(row["memory_id"])] = str(own)
            return True
    return table in _OF_MEMORIES and str(row["memory_id"]) in importing.known


async def _flush(importing: _Importing) -> None:
    """Store the rows that wait. Raises `InvalidInputError` that names the first line that the database refuses."""
    lines, importing.waiting, importing.size = importing.waiting, [], 0
    if not lines:
        return
    connection, insert = importing.connection, _TABLES[importing.table].insert
    try:
        async with connection.transaction():
            await connection.execute(insert, importing.tenant_id, [text for _, text in lines])
    except asyncpg.PostgresError:
        for number, text in lines:
            try:
                async with connection.transaction():
                    await connection.execute(insert, importing.tenant_id, [text])
            except asyncpg.PostgresError as fault:
                raise _broken(number, f"the database refuses this row of {importing.table} ({_reason(fault)})") from fault
        raise
    importing.progress.advance(importing.table, len(lines))


def _reason(fault: asyncpg.PostgresError) -> str:
    """Why, without the values, which are somebody's text."""
    return fault.constraint_name or type(fault).__name__.removesuffix("Error")


def _broken(number: int, what: str) -> InvalidInputError:
    return InvalidInputError(f"line {number}: {what}; nothing was imported", code="broken_export")
