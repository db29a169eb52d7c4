"""The service under test: one that runs already, or one started for this run in a folder of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any, Self

import httpx

_STARTS_WITHIN = 180.0  # seconds, on a busy machine
_ENDS_WITHIN = 60.0
# One key asks for everything and answers nothing; a running service needs the same for so long.
_NO_LIMITS = {"HELIXIR_LIMITS__OPEN_DISPUTES": "1000000", "HELIXIR_LIMITS__RATE": "off"}


@dataclass(frozen=True, slots=True)
class Address:
    """Where the service is, and an agent's key of it."""

    url: str
    key: str


@dataclass(frozen=True, slots=True)
class Written:
    """What became of one fact: its part of the answer, what it asks, its decision, and how long the answer took."""

    result: dict[str, Any]
    questions: list[dict[str, Any]]
    decision: dict[str, Any]
    seconds: float
    at: str


class Service:
    """A few calls of the API."""

    def __init__(self, address: Address, connections: int) -> None:
        self._client = httpx.AsyncClient(
            base_url=address.url,
            headers={"Authorization": f"Bearer {address.key}"},
            timeout=300,
            limits=httpx.Limits(max_connections=connections),
            trust_env=False,
        )

    async def __aenter__(self) -> Self:
        """Open it."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close its connections."""
        await self._client.aclose()

    async def write(self, user: str, text: str, valid_from: str | None = None) -> Written:
        """Write one fact and read its decision."""
        fact = {"content": text} if valid_from is None else {"content": text, "valid_from": valid_from}
        began = time.perf_counter()
        answer = await self._client.post("/memories", json={"user_id": user, "facts": [fact]})
        seconds = time.perf_counter() - began
        if answer.status_code == HTTPStatus.TOO_MANY_REQUESTS:
            raise RuntimeError(f"the service limits this run; start it with {' '.join(f'{k}={v}' for k, v in _NO_LIMITS.items())}")
        answer.raise_for_status()
        body = answer.json()
        if not body["results"]:
            raise RuntimeError("the service accepted a write and did not finish it; is its embedder out of reach?")
        result = body["results"][0]
        decision = await self._read(f"/decisions/{result['decision_id']}", {})
        return Written(result, body["needs_clarification"], decision, seconds, decision["created_at"])

    async def memories(self, user: str, **when: str) -> list[dict[str, Any]]:
        """A user's current memories, or those of an instant."""
        found: list[dict[str, Any]] = []
        cursor: str | None = None
        while True:
            more = {} if cursor is None else {"cursor": cursor}
            page = await self._read("/memories", {"user_id": user, "limit": "200", **when, **more})
            found += page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return found

    async def thresholds(self) -> dict[str, Any]:
        """The thresholds in force, with their origin."""
        charter = await self._read("/charter", {})
        thresholds: dict[str, Any] = charter["thresholds"]
        return thresholds

    async def _read(self, path: str, query: dict[str, str]) -> dict[str, Any]:
        answer = await self._client.get(path, params=query)
        answer.raise_for_status()
        body: dict[str, Any] = answer.json()
        return body


@contextmanager
def started() -> Iterator[Address]:
    """A service of this checkout in a new folder, gone afterwards. Engine and embedder are those of the environment."""
    with tempfile.TemporaryDirectory(prefix="helixir-bench-") as home:
        environment = _NO_LIMITS | {name: value for name, value in os.environ.items() if not name.endswith("DATABASE_URL")}
        port = _free_port()
        environment |= {"HELIXIR_HOME": home, "HELIXIR_PORT": str(port), "HELIXIR_HOST": "127.0.0.1"}
        with Path(home, "log").open("wb") as log:
            command = [sys.executable, "-m", "app.cli", "run"]
            service = subprocess.Popen(command, env=environment, stdout=log, stderr=log)  # noqa: S603 - our own
            try:
                url = f"http://127.0.0.1:{port}"
                _wait(service, url, Path(home, "log"))
                yield Address(url, _agent_key(Path(home, "keys.env")))
            finally:
                service.send_signal(signal.SIGTERM)
                try:
                    service.wait(_ENDS_WITHIN)
                except subprocess.TimeoutExpired:
                    service.kill()


def _wait(service: subprocess.Popen[bytes], url: str, log: Path) -> None:
    end = time.monotonic() + _STARTS_WITHIN
    while time.monotonic() < end:
        if service.poll() is not None:
            raise RuntimeError(f"the service did not start:\n{log.read_text(encoding='utf-8', errors='replace')[-2000:]}")
        try:
            if httpx.get(f"{url}/readyz", timeout=5, trust_env=False).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    raise RuntimeError("the service was not ready in time")


def _agent_key(file: Path) -> str:
    names = dict(line.split("=", 1) for line in file.read_text(encoding="utf-8").splitlines() if "=" in line)
    return names["HELIXIR_AGENT_KEY"]


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port
