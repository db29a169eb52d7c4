"""One embedded Postgres for the whole test run, and a fresh database for each test that asks for one.

A plugin of pytest, loaded by `tests/conftest.py`. With xdist the controller starts the server and tells its workers.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import asyncpg
import pytest

from app.db import migrate
from app.local import place, roles
from app.local.postgres import EmbeddedPostgres

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

_TEMPLATE = "helixir_template"
_TEMPLATE_LOCK = 4711
_MEMORY = "/dev/shm"  # noqa: S108 - the name below it is mkdtemp's
_ROOM = 2 * 1024**3  # bytes
_SERVER = pytest.StashKey["RunningServer"]()
_NUMBERS = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Database:
    """A database of its own, at the newest revision and empty, on the test run's server."""

    name: str
    home: Path

    def dsn(self, role: str) -> str:
        """Return the URL for any role."""
        return place.place_of(self.home).dsn(role, self.name)

    @property
    def service_dsn(self) -> str:
        """The URL that the service itself uses."""
        return self.dsn(place.SERVICE_ROLE)

    @property
    def owner_dsn(self) -> str:
        """The URL for migrations, keys and erasing."""
        return self.dsn(place.OWNER_ROLE)

    @property
    def superuser_dsn(self) -> str:
        """The URL for what only a test may do."""
        return self.dsn(place.SUPERUSER)


class RunningServer:
    """The server of this test run; started at the first need, in the main thread."""

    def __init__(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="helixir-tests-", dir=quick_folder()))
        self._postgres = EmbeddedPostgres(self.home, durable=False)

    def start(self) -> None:
        """Start it and make roles and the extension."""
        self._postgres.start()
        roles.prepare(self.home)

    def stop(self) -> None:
        """End it and remove all that it kept."""
        self._postgres.stop()
        shutil.rmtree(place.place_of(self.home).data, ignore_errors=True)
        shutil.rmtree(place.place_of(self.home).sockets, ignore_errors=True)
        shutil.rmtree(self.home, ignore_errors=True)


def quick_folder() -> str | None:
    """Return a folder in memory where there is one with room: each test copies a database of some 400 files."""
    try:
        return _MEMORY if shutil.disk_usage(_MEMORY).free > _ROOM and os.access(_MEMORY, os.W_OK) else None
    except OSError:
        return None


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """Run `work` in a loop of its own, and leave the plugin for asynchronous tests its loop."""
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(work)
    finally:
        loop.close()


def _server(config: pytest.Config) -> RunningServer:
    """Return this process's own server, started at the first call."""
    if _SERVER not in config.stash:
        config.stash[_SERVER] = server = RunningServer()
        config.add_cleanup(server.stop)
        server.start()
    return config.stash[_SERVER]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Give each xdist worker the controller's server: its life is bound to the process that started it."""
    node.workerinput["postgres_home"] = str(_server(node.config).home)


@pytest.fixture(scope="session")
def postgres_home(pytestconfig: pytest.Config) -> Path:
    """Name the HELIXIR_HOME of the test run's server."""
    given = getattr(pytestconfig, "workerinput", {}).get("postgres_home")
    return Path(given) if given else _server(pytestconfig).home


@pytest.fixture(scope="session")
def template_database(postgres_home: Path) -> str:
    """Name a migrated database that nobody is connected to; made by whoever needs it first."""
    run(_make_template(postgres_home))
    return _TEMPLATE


@pytest.fixture
def database(postgres_home: Path, template_database: str) -> Iterator[Database]:
    """Give a fresh, migrated database. It is dropped afterwards, whoever is still connected."""
    with_number = f"test_{os.getpid()}_{next(_NUMBERS)}"
    run(_create(postgres_home, with_number, template_database))
    yield Database(with_number, postgres_home)
    run(_drop(postgres_home, with_number))


@pytest.fixture
def empty_database(postgres_home: Path) -> Iterator[Database]:
    """Give a database with the extension and nothing else, for tests of the migrations."""
    name = f"empty_{os.getpid()}_{next(_NUMBERS)}"
    run(_create(postgres_home, name, place.DATABASE))
    yield Database(name, postgres_home)
    run(_drop(postgres_home, name))


@pytest.fixture
def new_database(postgres_home: Path, template_database: str) -> Iterator[Callable[[], Database]]:
    """Give a maker of fresh, migrated databases, for a test (or a property's example) that needs several."""
    made: list[str] = []

    def make() -> Database:
        made.append(f"test_{os.getpid()}_{next(_NUMBERS)}")
        run(_create(postgres_home, made[-1], template_database))
        return Database(made[-1], postgres_home)

    yield make
    for name in made:
        run(_drop(postgres_home, name))


async def _make_template(home: Path) -> None:
    admin = await asyncpg.connect(place.superuser_dsn(home))
    try:
        await admin.execute("select pg_advisory_lock($1)", _TEMPLATE_LOCK)
        if await admin.fetchval("select exists (select from pg_database where datname = $1)", _TEMPLATE):
            return
        fresh = f"{_TEMPLATE}_fresh"  # renamed when whole, so that a failed migration leaves no half
        await admin.execute(f"drop database if exists {fresh} with (force)")
        await admin.execute(f"create database {fresh} template {place.DATABASE} owner {place.OWNER_ROLE}")
        await migrate.migrate(place.place_of(home).dsn(place.OWNER_ROLE, fresh))
        await admin.execute(f"alter database {fresh} rename to {_TEMPLATE}")
    finally:
        await admin.close()


async def _create(home: Path, name: str, template: str) -> None:
    admin = await asyncpg.connect(place.superuser_dsn(home))
    try:
        await admin.execute(f"create database {name} template {template} owner {place.OWNER_ROLE} strategy file_copy")
    finally:
        await admin.close()


async def _drop(home: Path, name: str) -> None:
    admin = await asyncpg.connect(place.superuser_dsn(home))
    try:
        await admin.execute(f"drop database if exists {name} with (force)")
    finally:
        await admin.close()
