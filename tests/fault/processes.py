"""`helixir serve` as a process of its own, that can be asked to end, killed, and started again at the same port."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx

from app.local.child import dying_with_parent

_READY_WITHIN = 90.0  # seconds; a busy machine is slow to load all code
_ENDS_WITHIN = 40.0


class Process:
    """One service. `settings` are those of `Settings`, by name, nested ones as dictionaries."""

    def __init__(self, settings: Mapping[str, Any], log: Path) -> None:
        self.port = free_port()
        self.log = log
        self._environment = {**clean_environment(), **variables(settings), "HELIXIR_PORT": str(self.port)}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def base_url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def output(self) -> str:
        """All that it ever logged."""
        return self.log.read_text(encoding="utf-8")

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start it, and return when it is ready. From the main thread only: its life is bound to the thread."""
        self.launch()
        self.wait_until_ready()

    def launch(self) -> None:
        """Start it."""
        assert not self.running
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "app.cli", "serve"],
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=dying_with_parent(signal.SIGKILL),  # noqa: PLW1509 - called before any thread forks
            )

    def wait_until_ready(self, seconds: float = _READY_WITHIN) -> None:
        """Return when `/readyz` says so."""
        end = time.monotonic() + seconds
        while not self._ready():
            assert self.running, self.output[-2000:]
            assert time.monotonic() < end, self.output[-2000:]
            time.sleep(0.05)

    def _ready(self) -> bool:
        try:
            return httpx.get(f"{self.base_url}/readyz", timeout=15, trust_env=False).status_code == 200
        except httpx.TransportError:
            return False

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        assert self._process is not None
        self._process.send_signal(number)

    def wait(self, seconds: float = _ENDS_WITHIN) -> int:
        """Its exit code."""
        assert self._process is not None
        return self._process.wait(seconds)

    def kill(self) -> None:
        """SIGKILL, and wait until it is gone."""
        if self.running:
            self.signal(signal.SIGKILL)
            self.wait()


def clean_environment() -> dict[str, str]:
    """Ours, without the service's settings. With bytecode: else each start compiles everything anew."""
    unwanted = ("HELIXIR_", "PYTHONDONTWRITEBYTECODE")
    return {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}


def variables(settings: Mapping[str, Any], prefix: str = "HELIXIR_") -> dict[str, str]:
    """Settings as environment variables."""
    found: dict[str, str] = {}
    for name, value in settings.items():
        if isinstance(value, Mapping):
            found |= variables(value, f"{prefix}{name.upper()}__")
        else:
            found[prefix + name.upper()] = str(value)
    return found


def free_port() -> int:
    """A port that nobody listens on."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        port: int = server.getsockname()[1]
        return port
