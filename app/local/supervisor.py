"""`helixir run`: the database, the schema, the first keys, the server; and an end that leaves nothing behind.

Everything happens in the main thread, because the children's lives are tied to the thread that forked them.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from http import HTTPStatus
from typing import TYPE_CHECKING

from app.db import migrate
from app.errors import HelixirError
from app.local import address, child, databases, first_keys, probe, roles
from app.local.homelock import locked
from app.local.postgres import EmbeddedPostgres
from app.local.revival import Revival
from app.local.signals import StopRequested, StopSignals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from app.settings import Settings

_POLL = 0.1  # seconds between two looks at the children
_SERVER_ENDS_WITHIN = 20.0  # seconds, before it is killed
_PREDECESSOR_ENDS_WITHIN = 30.0  # seconds; a database whose supervisor was killed shuts down by itself
_PATIENCE = 30.0  # seconds until we say that the service is not ready yet


def run(settings: Settings, say: Callable[[str], None]) -> int:
    """Run the whole service until it is asked to stop, and return the exit code: 0, or that of a server that died.

    `say` gets one line for each step. Raises `HelixirError` when it cannot start.
    """
    home = settings.home.resolve()
    with locked(home), StopSignals() as signals:
        run_of = _Run(settings.model_copy(update={"home": home}), say)
        try:
            return run_of.start_and_watch()
        except StopRequested:
            return 0
        finally:
            signals.ignore()
            run_of.stop()


class _Run:
    def __init__(self, settings: Settings, say: Callable[[str], None]) -> None:
        self._settings = settings
        self._say = say
        self._postgres = EmbeddedPostgres(settings.home) if settings.database_url is None else None
        self._server: subprocess.Popen[bytes] | None = None
        self._port = settings.port
        self._began = time.monotonic()

    def start_and_watch(self) -> int:
        """Start all parts, then look after them. The server loads its code while the database gets ready."""
        self._port = address.free_port(self._settings.host, self._settings.port)
        server = self._server = self._start_server()
        if self._postgres is not None:
            with self._step("embedded Postgres started"):
                self._start_postgres(self._postgres)
                roles.prepare(self._settings.home)
        asyncio.run(self._prepare_schema())
        keys = asyncio.run(self._first_keys())
        _tell_database(server, databases.service_dsn(self._settings))
        return self._watch(server, keys)

    def stop(self) -> None:
        """End the server, then the database. Bounded: each is killed when it takes too long."""
        if self._server is not None:
            child.stop(self._server, (signal.SIGTERM, _SERVER_ENDS_WITHIN))
        if self._postgres is not None:
            self._postgres.stop()
        if self._server is not None:
            self._tell("stopped")

    @contextmanager
    def _step(self, text: str) -> Iterator[None]:
        began = time.monotonic()
        yield
        self._tell(f"{text} ({time.monotonic() - began:.1f} s)")

    def _tell(self, text: str) -> None:
        self._say(f"helixir: {text}")

    def _status(self, path: str, headers: Mapping[str, str] | None = None) -> int | None:
        return probe.status_of(self._settings.host, self._port, path, headers)

    def _start_postgres(self, postgres: EmbeddedPostgres) -> None:
        """Start it. A server that still runs here lost its supervisor, since we hold the lock: let it end first."""
        end = time.monotonic() + _PREDECESSOR_ENDS_WITHIN
        while True:
            try:
                return postgres.start()
            except HelixirError as error:
                if error.code != "already_running" or time.monotonic() > end:
                    raise
            time.sleep(_POLL)

    async def _prepare_schema(self) -> None:
        owner = databases.owner_dsn(self._settings)
        with self._step("schema is at its newest revision"):
            if await migrate.migrate(owner):
                await _plant_seeds(owner)
            if self._postgres is None:
                await migrate.ensure_service_role(owner, databases.service_dsn(self._settings))

    async def _first_keys(self) -> dict[str, str]:
        """Return the first keys. A database that was made just now knows none of those in an older file."""
        home, owner = self._settings.home, databases.owner_dsn(self._settings)
        fresh = self._postgres is not None and self._postgres.initialised

        async def create(role: str) -> str:
            from app.services.keys import create_key  # noqa: PLC0415 - most starts need none

            async with migrate.connect(owner) as connection:
                return await create_key(connection, tenant=first_keys.TENANT, role=role, user_ids=None, can_answer=True, expires_at=None)

        return await first_keys.ensure(home, create, renew=fresh)

    def _start_server(self) -> subprocess.Popen[bytes]:
        """Start the server as a child. It waits for the URL of its database, and never learns that of the owner."""
        environment = {name: value for name, value in os.environ.items() if name != "HELIXIR_MIGRATION_DATABASE_URL"}
        environment["HELIXIR_HOME"] = str(self._settings.home)
        environment["HELIXIR_PORT"] = str(self._port)
        # A session of its own: Ctrl-C reaches us alone, and we stop the parts in their order.
        return subprocess.Popen(
            [sys.executable, "-m", "app.cli", "serve", "--database-from-input"],
            env=environment,
            stdin=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=child.dying_with_parent(signal.SIGTERM),  # noqa: PLW1509 - this process has one thread
        )

    def _watch(self, server: subprocess.Popen[bytes], keys: dict[str, str]) -> int:
        """Look after the children until the server ends; return its exit code."""
        revival = Revival(self._tell)
        ready = warned = False
        while (code := server.poll()) is None:
            if self._postgres is not None:
                revival.look_after(self._postgres)
            if not ready and self._status("/readyz") == HTTPStatus.OK:
                ready = True
                self._announce(keys)
            if not (ready or warned) and time.monotonic() - self._began > _PATIENCE:
                warned = True
                self._tell(f"not ready yet; see {address.base_url(self._settings.host, self._port)}/readyz")
            time.sleep(_POLL)
        self._tell(f"the server ended by itself (exit code {code})")
        return 128 - code if code < 0 else code or 1

    def _announce(self, keys: dict[str, str]) -> None:
        url = address.base_url(self._settings.host, self._port)
        self._tell(f"ready at {url} ({time.monotonic() - self._began:.1f} s)")
        file = first_keys.path_of(self._settings.home)
        if self._status("/me", {"Authorization": f"Bearer {keys['agent']}"}) == HTTPStatus.UNAUTHORIZED:
            self._tell(f"the keys in {file} belong to another database: remove that file and start again")
            return
        self._tell("try it, in another terminal:")
        self._say(probe.first_request(url, keys["agent"]))  # alone on its line, to be pasted
        self._tell(f"the keys of the tenant '{first_keys.TENANT}' are in {file}")


def _tell_database(server: subprocess.Popen[bytes], dsn: str) -> None:
    """Let the server go on. That it died meanwhile is seen by whoever watches it."""
    assert server.stdin is not None  # noqa: S101 - it was started with a pipe
    with suppress(BrokenPipeError), server.stdin as pipe:
        pipe.write(f"{dsn}\n".encode())


async def _plant_seeds(owner: str) -> None:
    """Give the tenants the articles of the constitution that a migration may have registered."""
    from app.services.seeds import plant_everywhere  # noqa: PLC0415 - most starts need none

    await plant_everywhere(owner)
