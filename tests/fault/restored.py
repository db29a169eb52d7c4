"""Backups: the programs that make them, and what a database holds, to be compared."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import asyncpg

from app.local.binaries import programs
from tests.integration.house import House, Watching
from tests.integration.models import running_models
from tests.live import _logging_kept
from tests.postgres import Database

QUIET = {"limits": {"rate": "off"}, "intake": {"retry_seconds": 3600}}
"""Settings under which nothing happens by itself while a test compares."""

_TABLES = "SELECT oid::regclass::text FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"


def program(name: str, *arguments: str) -> None:
    """Run one of Postgres' programs. Raises `AssertionError` with what it said."""
    ended = subprocess.run([str(programs(None) / name), *arguments], capture_output=True, text=True, timeout=100, check=False)  # noqa: S603
    assert ended.returncode == 0, ended.stderr


async def contents(connection: asyncpg.Connection) -> dict[str, tuple[int, str]]:
    """Of each table the number of rows, and a hash of all of them."""
    found = {}
    for (table,) in await connection.fetch(_TABLES):
        rows = f"SELECT count(*), coalesce(md5(string_agg(t::text, E'\\n' ORDER BY t::text COLLATE \"C\")), '') FROM {table} t"  # noqa: S608
        [(count, digest)] = await connection.fetch(rows)
        found[table] = (count, digest)
    return found


@contextmanager
def house_on(database: Database) -> Iterator[House]:
    """The service on a database that is there."""
    with _logging_kept(), running_models() as models, ExitStack() as running:
        watching = Watching(database.superuser_dsn)
        running.callback(watching.close)
        house = House(database, models, running, QUIET, watching)
        house.start()
        yield house
