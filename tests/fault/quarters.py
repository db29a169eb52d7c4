"""A house whose servers are real processes, with the wire to its database in our hands."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg
import httpx

from app.local import place
from app.local.place import PORT, SERVICE_ROLE
from tests.fault.processes import Process
from tests.fault.wire import Wire, running_wire
from tests.integration.house import MODEL, House, Watching, _fresh_database
from tests.integration.models import DIMENSIONS, running_models
from tests.integration.stage import Caller
from tests.live import LiveServer, _new_key
from tests.postgres import Database, run

LONG = bool(os.environ.get("LONG_TESTS"))
"""Whether the long forms run: `make test-fault`."""


@dataclass
class Quarters(House):
    """A `House`; its servers are processes, started in order. `wired`: they reach the database through `wire`."""

    folder: Path = field(kw_only=True)
    wire: Wire = field(kw_only=True)
    wired: bool = field(kw_only=True)
    processes: list[Process] = field(default_factory=list, kw_only=True)

    def start(self, **settings: Any) -> LiveServer:
        """One more process, with these settings on top."""
        url = self.models.base_url
        merged: dict[str, Any] = {
            "database_url": self.dsn,
            "home": self.folder,
            "embedding": {"kind": "openai", "base_url": url, "model": MODEL, "dimensions": DIMENSIONS, "timeout_seconds": 5},
            "engine": {"kind": "llm", "base_url": url, "model": "stub-engine", "timeout_seconds": 5},
            "extraction": {"kind": "llm"},
            "intake": {"retry_seconds": 0.5, "lease_seconds": 3},
        }
        for name, value in (*self.settings.items(), *settings.items()):
            merged[name] = {**merged.get(name, {}), **value} if isinstance(value, dict) else value
        process = Process(merged, self.folder / f"log-{len(self.processes)}")
        self.running.callback(process.kill)
        process.start()
        self.processes.append(process)
        owner = self.live.owner_key if self.servers else self._key("owner")
        agent = self.live.agent_key if self.servers else self._key("agent")
        server = LiveServer(process.base_url, self.database, owner, agent)
        self.running.callback(server.close)
        self.servers.append(server)
        return server

    @property
    def dsn(self) -> str:
        """The service's URL of the database."""
        if self.wired:
            return f"postgresql://{SERVICE_ROLE}@127.0.0.1:{self.wire.port}/{self.database.name}"
        return self.database.service_dsn

    def _key(self, role: str) -> str:
        key: str = run(_new_key(self.database, role, None, "default", can_answer=True))
        return key

    def watch_again(self) -> None:
        """Look into the database through a new connection: the old one ended with the server."""
        self.watching.connection.terminate()
        for _ in range(100):
            try:
                self.watching.connection = self.watching.run(asyncpg.connect(self.database.superuser_dsn))
            except asyncpg.CannotConnectNowError:  # it still recovers
                time.sleep(0.1)
            else:
                return
        raise AssertionError

    def execute(self, statement: str) -> None:
        """Any SQL, as the superuser."""
        self.watching.run(self.watching.connection.execute(statement))

    def metric(self, name: str, server: int = 0) -> float:
        """A sample of `/metrics`, named with its labels as it stands there; 0 when it is not there."""
        text = httpx.get(f"{self.processes[server].base_url}/metrics", timeout=10, trust_env=False).text
        return next((float(line.rpartition(" ")[2]) for line in text.splitlines() if line.rpartition(" ")[0] == name), 0.0)

    def faults(self, code: str) -> float:
        """How many faults of the database were counted under this code."""
        return self.metric(f'helixir_database_faults_total{{code="{code}"}}')

    def caller(self, role: str = "agent", server: int = 0) -> Caller:
        """The API through one process."""
        live = self.servers[server]
        return Caller(live.owner if role == "owner" else live.agent)


@contextmanager
def open_quarters(home: Path, template: str, settings: Mapping[str, Any]) -> Iterator[Quarters]:
    """Quarters in a fresh database of the test run's server, with one process."""
    with _fresh_database(home, template) as database, opened(database, settings) as quarters:
        yield quarters


@contextmanager
def opened(database: Database, settings: Mapping[str, Any]) -> Iterator[Quarters]:
    """Quarters in this database, with one process; all of it ends with the block."""
    wired = bool(settings.get("wired"))
    kept = {name: value for name, value in settings.items() if name != "wired"}
    with ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="hx-fault-")))
        watching = Watching(database.superuser_dsn)
        running.callback(watching.close)
        wire = running.enter_context(running_wire(place.place_of(database.home).sockets / f".s.PGSQL.{PORT}"))
        models = running.enter_context(running_models())
        quarters = Quarters(database, models, running, kept, watching, folder=folder, wire=wire, wired=wired)
        quarters.start()
        yield quarters
