"""A running service for a whole module of tests: a database, the model endpoints, and as many servers as are asked for."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import asyncpg
import pytest
from pydantic import SecretStr

from app.local import place
from app.settings import Settings
from tests.integration.models import DIMENSIONS, Models, running_models
from tests.invariants import violations
from tests.live import LiveServer, _logging_kept, _serving
from tests.postgres import Database, run

Result = TypeVar("Result")
_NUMBERS = itertools.count(1)
MODEL = "stub-model"
"""The embedding model's name: no profile is measured for it, so the charter's own 0.98 and 0.70 hold."""


@dataclass
class House:
    """One database, one pair of model endpoints, and the service that a module's tests share."""

    database: Database
    models: Models
    running: ExitStack
    settings: Mapping[str, Any]
    watching: Watching
    servers: list[LiveServer] = field(default_factory=list)

    @property
    def live(self) -> LiveServer:
        """The first server."""
        return self.servers[0]

    def start(self, **settings: Any) -> LiveServer:
        """One more server on the same database, with these settings on top; it stops with the module."""
        url = self.models.base_url
        merged: dict[str, Any] = {
            "database_url": SecretStr(self.database.service_dsn),
            "embedding": {"kind": "openai", "base_url": url, "model": MODEL, "dimensions": DIMENSIONS, "timeout_seconds": 20},
            "engine": {"kind": "llm", "base_url": url, "model": "stub-engine", "timeout_seconds": 20},
            "extraction": {"kind": "llm"},
        }
        for name, value in (*self.settings.items(), *settings.items()):
            merged[name] = {**merged.get(name, {}), **value} if isinstance(value, dict) else value
        server = self.running.enter_context(_serving(Settings(**merged), self.database))
        self.servers.append(server)
        return server

    def fetch(self, query: str, *arguments: Any) -> list[asyncpg.Record]:
        """The rows of a query, as the superuser sees them."""
        return self.watching.run(self.watching.connection.fetch(query, *arguments))

    def check_invariants(self) -> None:
        """Raise `AssertionError` that names each violation, unless everything holds in the database."""
        found = self.watching.run(violations(self.watching.connection))
        assert found == [], "\n".join(map(str, found))


class Watching:
    """One connection of the superuser's, in a loop of its own: what it asks often is planned once."""

    def __init__(self, dsn: str) -> None:
        self._loop = asyncio.new_event_loop()
        self.connection: asyncpg.Connection = self.run(asyncpg.connect(dsn))

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run it to its end."""
        return self._loop.run_until_complete(work)

    def close(self) -> None:
        """Close connection and loop."""
        self.run(self.connection.close())
        self._loop.close()


async def _fetch(dsn: str, query: str, arguments: tuple[Any, ...]) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetch(query, *arguments)
    finally:
        await connection.close()


@contextmanager
def open_house(home: Path, template: str, settings: Mapping[str, Any]) -> Iterator[House]:
    """A house with one server; all of it ends with the block."""
    with pytest.MonkeyPatch.context() as patch, _logging_kept(), _fresh_database(home, template) as database, ExitStack() as running:
        for name in [name for name in os.environ if name.startswith("HELIXIR_")]:
            patch.delenv(name)
        watching = Watching(database.superuser_dsn)
        running.callback(watching.close)
        house = House(database, running.enter_context(running_models()), running, settings, watching)
        house.start()
        yield house


@contextmanager
def _fresh_database(home: Path, template: str) -> Iterator[Database]:
    name = f"house_{os.getpid()}_{next(_NUMBERS)}"
    admin = place.superuser_dsn(home)
    make = f"create database {name} template {template} owner {place.OWNER_ROLE} strategy file_copy"
    run(_fetch(admin, make, ()))
    try:
        yield Database(name, home)
    finally:
        run(_fetch(admin, f"drop database if exists {name} with (force)", ()))
