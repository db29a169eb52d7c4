"""`make audit` finds what a service knows, says so when there is none, and never waits for ever."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

ROOT = Path(__file__).parents[2]
HOLE = {
    "id": "PYSEC-0000-1",
    "summary": "x",
    "aliases": [],
    "affected": [{"package": {"name": "httpx", "ecosystem": "PyPI"}, "versions": []}],
}


class Knows(BaseHTTPRequestHandler):
    """A service that speaks OSV's protocol. It knows a hole in the package that it is named after."""

    hole_in: str | None = None
    asked: list[str]

    def do_POST(self) -> None:
        name = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["package"]["name"]
        self.asked.append(name)
        answer = json.dumps({"vulns": [HOLE]} if name == self.hole_in else {}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@contextmanager
def service(hole_in: str | None) -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []
    handler = type("Handler", (Knows,), {"hole_in": hole_in, "asked": asked})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1/query", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def audit(url: str, seconds: int = 60) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bench.audit", "--osv-url", url, "--seconds", str(seconds)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=110, check=False)  # noqa: S603


@pytest.mark.parametrize(("hole_in", "code"), [(None, 0), ("httpx", 1)])
def test_what_the_service_knows_is_told(hole_in: str | None, code: int) -> None:
    with service(hole_in) as (url, asked):
        ended = audit(url)
    assert ended.returncode == code, ended.stderr
    assert f"{len(set(asked))} packages of requirements.lock, {code} known holes" in ended.stdout
    assert {"fastapi", "httpx", "asyncpg"} <= set(asked)
    assert ("PYSEC-0000-1" in ended.stderr) is bool(code)


def test_without_a_service_it_is_skipped() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
    ended = audit(f"http://127.0.0.1:{port}/v1/query")
    assert (ended.returncode, "audit: skipped" in ended.stdout) == (0, True), ended.stderr


def test_a_service_that_says_nothing_is_not_waited_for() -> None:
    began = time.monotonic()
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        ended = audit(f"http://127.0.0.1:{silent.getsockname()[1]}/v1/query", seconds=5)
    assert (ended.returncode, "audit: skipped" in ended.stdout) == (0, True), ended.stderr
    assert time.monotonic() - began < 60
