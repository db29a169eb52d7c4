"""A service for one measurement: one that runs already, or one of this checkout in a folder of its own."""

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
from pathlib import Path

import httpx

from app.local import place

NO_LIMITS = {"HELIXIR_LIMITS__OPEN_DISPUTES": "1000000", "HELIXIR_LIMITS__RATE": "off"}
"""One key sends everything; a service that runs already needs the same for so long."""

_STARTS_WITHIN = 180.0  # seconds, on a busy machine
_ENDS_WITHIN = 60.0


@dataclass(frozen=True, slots=True)
class Address:
    """Where the service is, an agent's key of it, and its database for a role that may read all, where that is known."""

    url: str
    key: str
    database: str | None = None


@contextmanager
def started() -> Iterator[Address]:
    """A service of this checkout in a new folder, gone afterwards. Engine and embedder are those of the environment."""
    with tempfile.TemporaryDirectory(prefix="helixir-bench-") as home:
        environment = NO_LIMITS | {name: value for name, value in os.environ.items() if not name.endswith("DATABASE_URL")}
        port = _free_port()
        environment |= {"HELIXIR_HOME": home, "HELIXIR_PORT": str(port), "HELIXIR_HOST": "127.0.0.1"}
        with Path(home, "log").open("wb") as log:
            command = [sys.executable, "-m", "app.cli", "run"]
            service = subprocess.Popen(command, env=environment, stdout=log, stderr=log)  # noqa: S603 - our own
            try:
                url = f"http://127.0.0.1:{port}"
                _wait(service, url, Path(home, "log"))
                yield Address(url, _agent_key(Path(home, "keys.env")), place.superuser_dsn(Path(home), place.DATABASE))
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
