"""The whole service on a free port: real HTTP, real uvicorn, a database of its own.

def test_something(live_server):
    answer = live_server.agent.post("/memories", json={"user_id": "alice", "message": "I like tea."})

def test_with_a_model(start_server, stub):
    server = start_server(embedding={"kind": "openai", "base_url": stub.base_url, "model": "m", "dimensions": 8})
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import asyncpg
import httpx
import pytest
import structlog
import uvicorn
from pydantic import SecretStr

from app.main import create_app
from app.services import keys
from app.settings import Settings
from tests.postgres import Database, run

_STARTING_SECONDS = 60.0
_STOPPING_SECONDS = 30.0

StartServer = Callable[..., "LiveServer"]


@dataclass
class LiveServer:
    """A running service, an owner's and an agent's key of the tenant `default`, and a client for each."""

    base_url: str
    database: Database
    owner_key: str
    agent_key: str
    _clients: list[httpx.Client] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Make the two clients that nearly every test needs."""
        self.owner = self.client(self.owner_key)
        self.agent = self.client(self.agent_key)

    def client(self, key: str | None) -> httpx.Client:
        """A client with that key, closed with the server."""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        client = httpx.Client(base_url=self.base_url, headers=headers, timeout=60, trust_env=False)
        self._clients.append(client)
        return client

    def new_key(self, role: str, *user_ids: str, tenant: str = "default", can_answer: bool = True) -> str:
        """One more key."""
        key: str = run(_new_key(self.database, role, list(user_ids) or None, tenant, can_answer=can_answer))
        return key

    def close(self) -> None:
        """Close the clients."""
        for client in self._clients:
            client.close()


@pytest.fixture
def start_server(database: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[StartServer]:
    """Start servers on this test's database, each with settings of its own; all stop with the test.

    A server that refuses to start raises `RuntimeError`.
    """
    for name in [name for name in os.environ if name.startswith("HELIXIR_")]:
        monkeypatch.delenv(name)
    with _logging_kept(), ExitStack() as running:

        def start(**settings: Any) -> LiveServer:
            dsn = SecretStr(database.service_dsn)
            return running.enter_context(_serving(Settings(**{"database_url": dsn, **settings}), database))

        yield start


@pytest.fixture
def live_server(start_server: StartServer) -> LiveServer:
    """A server with the local embedder and the local engine."""
    return start_server()


@contextmanager
def _serving(settings: Settings, database: Database) -> Iterator[LiveServer]:
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(create_app(settings), log_config=None, access_log=False))

    def serve() -> None:
        with suppress(SystemExit):  # so uvicorn ends when the service refuses to start
            server.run(sockets=[listening])

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        _wait_until_started(server, thread)
        live = LiveServer(
            base_url=f"http://127.0.0.1:{listening.getsockname()[1]}",
            database=database,
            owner_key=run(_new_key(database, "owner", None, "default", can_answer=True)),
            agent_key=run(_new_key(database, "agent", None, "default", can_answer=True)),
        )
        yield live
        live.close()
    finally:
        server.should_exit = True
        thread.join(_STOPPING_SECONDS)
        listening.close()


def _wait_until_started(server: uvicorn.Server, thread: threading.Thread) -> None:
    end = time.monotonic() + _STARTING_SECONDS
    while not server.started:
        if not thread.is_alive():
            raise RuntimeError("the server refused to start")
        if time.monotonic() > end:
            raise RuntimeError("the server did not start in time")
        time.sleep(0.02)


async def _new_key(database: Database, role: str, user_ids: list[str] | None, tenant: str, *, can_answer: bool) -> str:
    connection = await asyncpg.connect(database.owner_dsn)
    try:
        return await keys.create_key(connection, tenant=tenant, role=role, user_ids=user_ids, can_answer=can_answer, expires_at=None)
    finally:
        await connection.close()


@contextmanager
def _logging_kept() -> Iterator[None]:
    """The service sets up the logs of its process; here that is the process of the tests, which takes them back."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()
