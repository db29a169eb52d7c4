"""`helixir run` as a whole: from an empty folder to an answer, and to an end that leaves nothing behind."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from app.local import first_keys, place
from tests.postgres import quick_folder

pytestmark = [
    pytest.mark.timeout(180),
    pytest.mark.skipif(sys.platform != "linux", reason="life and death of processes as Linux tells it"),
]
_COMMAND = [sys.executable, "-m", "app.cli"]
_READY_WITHIN = 60.0  # seconds; a busy machine is slow to load the model


class Running:
    """One `helixir run` in a process group of its own, as `make run` in a terminal has."""

    def __init__(self, home: Path, port: int) -> None:
        self.home = home
        self.port = port
        self._output = home.with_name("output")
        with self._output.open("wb") as output:
            self.process = subprocess.Popen(  # noqa: S603
                [*_COMMAND, "run"], stdout=output, stderr=output, env=environment(home, port), process_group=0
            )
        self.pids: set[int] = set()

    @property
    def output(self) -> str:
        return self._output.read_text(encoding="utf-8")

    def wait_until_ready(self) -> None:
        self.wait_for("the keys of the tenant")
        self.pids = {self.process.pid, *children_of(self.process.pid)}
        assert len(self.pids) == 3, "itself, the database and the server"

    def wait_for(self, text: str) -> None:
        end = time.monotonic() + _READY_WITHIN
        while text not in self.output:
            assert self.process.poll() is None, self.output
            assert time.monotonic() < end, self.output
            time.sleep(0.05)

    def end(self, number: signal.Signals, *, group: bool = True, within: float = 15.0) -> int:
        """Send the signal, and return the exit code once every process that we saw is gone."""
        (os.killpg if group else os.kill)(self.process.pid, number)
        code = self.process.wait(within)
        end = time.monotonic() + within
        while left := [pid for pid in self.pids if alive(pid)]:
            assert time.monotonic() < end, f"{left} still run: {self.output}"
            time.sleep(0.05)
        return code

    def ask(self, method: str, path: str, role: str = "agent", body: object = None) -> httpx.Response:
        key = first_keys.read(self.home)[role]
        headers = {"Authorization": f"Bearer {key}"}
        return httpx.request(method, f"http://127.0.0.1:{self.port}{path}", headers=headers, json=body, timeout=30)


@pytest.fixture
def home() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="hx-run-", dir=quick_folder()))
    yield folder / "home"
    shutil.rmtree(folder)


@pytest.fixture
def running(home: Path) -> Iterator[list[Running]]:  # noqa: ARG001 - the folder goes after the services
    """Give a list for the services that a test starts, and kill what it left."""
    started: list[Running] = []
    yield started
    for service in started:
        if service.process.poll() is None:
            service.end(signal.SIGKILL)


def start(running: list[Running], home: Path, port: int | None = None) -> Running:
    running.append(Running(home, port or free_port()))
    running[-1].wait_until_ready()
    return running[-1]


def test_from_nothing_to_an_answer_and_again(running: list[Running], home: Path) -> None:
    service = start(running, home)
    assert first_keys.path_of(home).stat().st_mode & 0o777 == 0o600
    keys = first_keys.read(home)
    assert keys.keys() == {"owner", "agent"}
    [line] = [line for line in service.output.splitlines() if line.startswith("curl ")]
    words = shlex.split(line)
    assert f"Authorization: Bearer {keys['agent']}" in words
    body = json.loads(words[words.index("-d") + 1])
    assert service.ask("POST", "/memories", body=body).status_code == 201
    assert service.ask("GET", "/me", role="owner").json()["tenant"] == "default"

    made = command(home, service.port, "keys", "create", "--tenant", "other", "--role", "auditor")
    assert made.returncode == 0
    answer = httpx.get(f"http://127.0.0.1:{service.port}/me", headers={"Authorization": f"Bearer {made.stdout.strip()}"})
    assert (answer.json()["tenant"], answer.json()["role"]) == ("other", "auditor")

    assert service.end(signal.SIGTERM) == 0
    again = start(running, home)
    assert first_keys.read(home) == keys
    [kept] = again.ask("GET", "/memories?user_id=alice").json()["items"]
    assert kept["content"] == body["facts"][0]["content"]
    assert again.end(signal.SIGINT) == 0


def test_a_second_one_is_refused_in_one_line(running: list[Running], home: Path) -> None:
    service = start(running, home)
    same_home = command(home, free_port(), "run")
    assert same_home.returncode == 2
    assert "already uses HELIXIR_HOME" in one_line(same_home.stderr)
    same_port = command(home.with_name("another"), service.port, "run")
    assert same_port.returncode == 2
    assert f"cannot listen on 127.0.0.1:{service.port}" in one_line(same_port.stderr)
    assert service.ask("GET", "/readyz").status_code == 200


def test_a_killed_run_leaves_nothing_and_can_be_started_again(running: list[Running], home: Path) -> None:
    service = start(running, home)
    keys = first_keys.read(home)
    assert service.end(signal.SIGKILL, group=False, within=30) == -signal.SIGKILL
    start(running, home, service.port)
    assert first_keys.read(home) == keys


def test_it_ends_when_its_server_dies(running: list[Running], home: Path) -> None:
    service = start(running, home)
    [server] = [pid for pid in service.pids - {service.process.pid} if "serve" in arguments_of(pid)]
    os.kill(server, signal.SIGKILL)
    assert service.process.wait(20) == 128 + signal.SIGKILL
    assert not [pid for pid in service.pids if alive(pid)]
    assert "the server ended by itself" in service.output


def test_a_killed_database_comes_back(running: list[Running], home: Path) -> None:
    service = start(running, home)
    pid = int((place.place_of(home).data / "postmaster.pid").read_text(encoding="utf-8").split()[0])
    os.kill(pid, signal.SIGKILL)
    service.wait_for("Postgres is back")
    end = time.monotonic() + 30
    while service.ask("GET", "/readyz").status_code != 200:
        assert time.monotonic() < end, service.output
        time.sleep(0.1)
    service.pids |= set(children_of(service.process.pid))
    assert service.end(signal.SIGTERM) == 0


def test_it_can_be_stopped_at_any_moment_of_its_start(running: list[Running], home: Path) -> None:
    for delay in (0.3, 0.6, 1.0, 1.6, 2.5):
        service = Running(home, free_port())
        running.append(service)
        time.sleep(delay)
        service.pids = {service.process.pid, *children_of(service.process.pid)}
        assert service.end(signal.SIGTERM) in {0, -signal.SIGTERM}, service.output
        assert "Traceback" not in service.output
    start(running, home)


def test_wrong_settings_are_named_without_their_values(home: Path) -> None:
    wrong = {**environment(home, 1), "HELIXIR_PORT": "secret", "HELIXIR_ENGINE__KIND": "secret"}
    ended = subprocess.run([*_COMMAND, "run"], env=wrong, capture_output=True, text=True, check=False)  # noqa: S603
    assert ended.returncode == 2
    assert "HELIXIR_PORT" in one_line(ended.stderr)
    assert "HELIXIR_ENGINE__KIND" in ended.stderr
    assert "secret" not in ended.stderr


def test_commands_say_what_to_start_when_there_is_no_database(home: Path) -> None:
    for words in (["keys", "create", "--tenant", "t", "--role", "agent"], ["migrate"]):
        ended = command(home, 1, *words)
        assert ended.returncode == 1
        assert ended.stdout == ""
        assert "make run" in one_line(ended.stderr)


def command(home: Path, port: int, *words: str) -> subprocess.CompletedProcess[str]:
    env = environment(home, port)
    return subprocess.run([*_COMMAND, *words], env=env, capture_output=True, text=True, timeout=60, check=False)  # noqa: S603


def environment(home: Path, port: int) -> dict[str, str]:
    """Return ours without the service's settings, and with the two that a test needs."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HELIXIR_")}
    return {**kept, "HELIXIR_HOME": str(home), "HELIXIR_PORT": str(port)}


def one_line(text: str) -> str:
    [line] = text.splitlines()
    return line


def free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        port: int = server.getsockname()[1]
        return port


def children_of(parent: int) -> list[int]:
    """Return the child processes of the main thread: all children are started there."""
    return [int(pid) for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii").split()]


def arguments_of(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8").replace("\0", " ")


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
