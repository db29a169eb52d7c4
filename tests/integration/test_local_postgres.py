"""The embedded Postgres: it starts anywhere, survives what kills it, and never outlives the process that started it."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import asyncpg
import pytest

from app.errors import ConfigurationError
from app.local import account, binaries, child, place, postgres, roles
from app.local.account import Account
from app.local.child import Rights
from app.local.postgres import EmbeddedPostgres
from app.local.revival import Revival
from tests.postgres import quick_folder, run

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [
    pytest.mark.timeout(120),
    pytest.mark.skipif(sys.platform != "linux", reason="life and death of processes as Linux tells it"),
]
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root drops to another user")

_SUPERVISED = """
import sys, time
from pathlib import Path
from app.local import binaries
from app.local.postgres import EmbeddedPostgres
if len(sys.argv) > 2:
    binaries._installed = lambda: Path(sys.argv[2])
server = EmbeddedPostgres(Path(sys.argv[1]), durable=False)
server.start()
print(server.pid, flush=True)
time.sleep(600)
"""


@pytest.fixture(params=["open", "closed"])
def home(request: pytest.FixtureRequest) -> Iterator[Path]:
    """Name a HELIXIR_HOME that does not exist yet, below a folder that everybody may enter, or that only we may."""
    folder = Path(tempfile.mkdtemp(prefix="hx-", dir=quick_folder()))
    folder.chmod(0o755 if request.param == "open" else 0o700)
    yield folder / "home"
    shutil.rmtree(place.place_of(folder / "home").sockets, ignore_errors=True)
    shutil.rmtree(folder)


@pytest.fixture
def server(home: Path) -> Iterator[EmbeddedPostgres]:
    """Give a server that is not started yet, and end it afterwards."""
    embedded = EmbeddedPostgres(home, durable=False)
    yield embedded
    embedded.stop()


def test_what_was_stored_is_there_after_a_restart(server: EmbeddedPostgres, home: Path) -> None:
    server.start()
    roles.prepare(home)
    run(_execute(home, "create table kept as select 42 as answer"))
    server.stop()
    assert server.exit_code() == 0
    server.start()
    roles.prepare(home)
    assert run(_fetch(home, "select answer from kept")) == 42


def test_the_roles_are_the_least_that_each_needs(server: EmbeddedPostgres, home: Path) -> None:
    server.start()
    roles.prepare(home)
    attributes = (
        "select rolsuper or rolcreatedb or rolreplication or rolbypassrls or (rolcreaterole and rolname = 'helixir_app')"
        " from pg_roles where rolname = current_user"
    )
    for dsn in (place.service_dsn(home), place.migration_dsn(home)):
        assert run(_fetch(home, attributes, dsn)) is False
    member = "select pg_has_role('helixir_app', 'helixir_service', 'usage')"
    assert run(_fetch(home, member, place.service_dsn(home))) is True
    assert run(_fetch(home, "select extversion from pg_extension where extname = 'vector'")) >= "0.8"
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        run(_execute(home, "create table mine (x int)", place.service_dsn(home)))


def test_nothing_of_our_environment_reaches_postgres(server: EmbeddedPostgres, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELIXIR_HOME", str(home))
    monkeypatch.setenv("HELIXIR_ENGINE__API_KEY", "secret")
    server.start()
    environment = Path(f"/proc/{server.pid}/environ").read_bytes()
    assert b"HELIXIR" not in environment
    assert b"secret" not in environment


def test_only_we_may_reach_socket_data_and_log(server: EmbeddedPostgres, home: Path) -> None:
    server.start()
    where = place.place_of(home)
    assert {path.stat().st_mode & 0o777 for path in (where.data, where.sockets)} == {0o700}
    assert where.log.stat().st_mode & 0o777 == 0o600
    assert run(_fetch(home, "show listen_addresses", place.superuser_dsn(home))) == ""


def test_it_ends_when_its_supervisor_is_killed(home: Path) -> None:
    supervisor = subprocess.Popen([sys.executable, "-c", _SUPERVISED, str(home)], stdout=subprocess.PIPE, text=True)  # noqa: S603
    assert supervisor.stdout is not None
    pid = int(supervisor.stdout.readline())
    supervisor.kill()
    supervisor.communicate()
    assert _ended(pid, within=10)


def test_a_second_server_on_the_same_data_is_refused(server: EmbeddedPostgres, home: Path) -> None:
    server.start()
    with pytest.raises(ConfigurationError, match="already runs") as caught:
        EmbeddedPostgres(home, durable=False).start()
    assert caught.value.code == "already_running"
    assert server.exit_code() is None


@pytest.mark.parametrize("named", ["zombie", "ourselves", "nobody"])
def test_a_stale_lock_file_is_no_obstacle(server: EmbeddedPostgres, home: Path, named: str) -> None:
    server.start()
    _kill(server)
    zombie = subprocess.Popen(["/bin/true"])
    time.sleep(0.2)  # it ended, and nobody asked for its exit code
    pid = {"zombie": zombie.pid, "ourselves": os.getpid(), "nobody": 2**22 - 1}[named]
    for lock in (place.place_of(home).data / "postmaster.pid", place.place_of(home).sockets / ".s.PGSQL.5432.lock"):
        lines = lock.read_text(encoding="utf-8").splitlines()
        lock.write_text("\n".join([str(pid), *lines[1:], ""]), encoding="utf-8")
    server.start()
    assert run(_fetch(home, "select 1", place.superuser_dsn(home))) == 1
    zombie.wait()


def test_a_killed_server_is_started_again(server: EmbeddedPostgres, home: Path) -> None:
    server.start()
    lines: list[str] = []
    revival = Revival(lines.append)
    _kill(server)
    end = time.monotonic() + 30
    while "Postgres is back" not in lines and time.monotonic() < end:
        revival.look_after(server)
        time.sleep(0.05)
    assert "starting it again" in lines[0]
    assert run(_fetch(home, "select 1", place.superuser_dsn(home))) == 1


def test_half_an_initialisation_is_done_anew(server: EmbeddedPostgres, home: Path) -> None:
    (home / "postgres.new").mkdir(parents=True)
    (home / "postgres.new" / "PG_VERSION").write_text("18\n", encoding="utf-8")
    server.start()
    assert server.initialised


def test_a_long_path_gets_a_short_socket(tmp_path: Path) -> None:
    home = tmp_path / ("long" * 30)
    server = EmbeddedPostgres(home, durable=False)
    sockets = place.place_of(home).sockets
    try:
        server.start()
        assert len(os.fsencode(sockets / ".s.PGSQL.5432")) <= 107
        assert run(_fetch(home, "select 1", place.superuser_dsn(home))) == 1
    finally:
        server.stop()
        shutil.rmtree(sockets)


@needs_root
def test_a_socket_folder_of_a_stranger_is_refused(tmp_path: Path) -> None:
    home = tmp_path / ("long" * 30)
    sockets = place.place_of(home).sockets
    sockets.mkdir()
    try:
        nobody = pwd.getpwnam("nobody")
        os.chown(sockets, nobody.pw_uid, nobody.pw_gid)
        with pytest.raises(ConfigurationError, match="belongs to another user"):
            EmbeddedPostgres(home).start()
        with pytest.raises(ConfigurationError, match="belongs to another user"):
            place.service_dsn(home)
    finally:
        sockets.rmdir()


@needs_root
def test_data_goes_elsewhere_where_the_home_cannot_be_entered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Path(tempfile.mkdtemp(prefix="hx-store-", dir=quick_folder()))
    store.chmod(0o755)
    monkeypatch.setattr(postgres, "STORE", store)
    monkeypatch.setattr(shutil, "which", lambda _: None)  # no setpriv here
    tmp_path.chmod(0o700)
    server = EmbeddedPostgres(tmp_path / "home", durable=False)
    try:
        server.start()
        assert place.place_of(tmp_path / "home").data.is_relative_to(store)
        assert (tmp_path / "home" / "postgres.place").read_text(encoding="utf-8").strip().startswith(str(store))
        assert run(_fetch(tmp_path / "home", "select 1", place.superuser_dsn(tmp_path / "home"))) == 1
    finally:
        server.stop()
        shutil.rmtree(store)


@needs_root
def test_programs_are_copied_when_the_user_cannot_reach_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Path(tempfile.mkdtemp(prefix="hx-store-", dir=quick_folder()))
    store.chmod(0o755)
    user = account.account_for(tmp_path / "absent")
    assert user is not None
    monkeypatch.setattr(binaries, "STORE", store)
    installed = binaries.programs(None)
    tmp_path.chmod(0o700)
    hidden = tmp_path / binaries._PACKAGE  # noqa: SLF001 - the wheel in a folder that nobody else may enter
    shutil.copytree(installed.parents[1], hidden, symlinks=True)
    libraries = installed.parents[2] / binaries._LIBRARIES  # noqa: SLF001
    shutil.copytree(libraries, tmp_path / libraries.name, symlinks=True)
    monkeypatch.setattr(binaries, "_installed", lambda: hidden)
    try:
        copied = binaries.programs(user)
        assert copied.is_relative_to(store)
        assert "18." in Rights(user).run([str(copied / "postgres"), "--version"]).stdout
        assert binaries.programs(user) == copied
    finally:
        shutil.rmtree(store)


@needs_root
def test_an_ordinary_user_runs_it_as_himself() -> None:
    home = Path(tempfile.mkdtemp(prefix="hx-", dir=quick_folder()))
    nobody = pwd.getpwnam("nobody")
    os.chown(home, nobody.pw_uid, nobody.pw_gid)
    log = home / "output"
    # The capability only lets him read this interpreter, wherever it lies.
    rights = Rights(Account(nobody.pw_uid, nobody.pw_gid), searching=True)
    descriptor = os.open(log, os.O_CREAT | os.O_WRONLY, 0o600)
    environment = {**child.ENVIRONMENT, "PYTHONPATH": str(Path(__file__).parents[2])}
    # A checkout may lie in a folder that only its owner may enter. The programs lie then where root's start puts them for others.
    package = binaries.programs(Account(nobody.pw_uid, nobody.pw_gid)).parents[1]
    command = [sys.executable, "-c", _SUPERVISED, str(home), str(package)]
    supervisor = rights.start(command, log=descriptor, cwd=home, env=environment)
    try:
        pid = int(_content(log, within=30))
        assert Path(f"/proc/{pid}").stat().st_uid == nobody.pw_uid
        supervisor.kill()
        supervisor.wait()
        assert _ended(pid, within=10)
    finally:
        child.stop(supervisor)
        os.close(descriptor)
        shutil.rmtree(home)


def test_data_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "postgres").mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    with pytest.raises(ConfigurationError, match="belongs to another user"):
        EmbeddedPostgres(tmp_path).start()


def test_the_end_of_the_log_says_why_it_did_not_start(server: EmbeddedPostgres, home: Path) -> None:
    server.start()
    server.stop()
    broken = EmbeddedPostgres(home, durable=False, configuration={"shared_preload_libraries": "no_such_library"})
    with pytest.raises(Exception, match="no_such_library"):
        broken.start()


def _kill(server: EmbeddedPostgres) -> None:
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    end = time.monotonic() + 10
    while server.exit_code() is None and time.monotonic() < end:
        time.sleep(0.02)


def _ended(pid: int, *, within: float) -> bool:
    """Tell whether `pid` is gone, or dead and only not yet asked for, within the seconds."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        try:
            if Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


def _content(path: Path, *, within: float) -> str:
    end = time.monotonic() + within
    while time.monotonic() < end:
        text = path.read_text(encoding="utf-8")
        if text.endswith("\n"):
            return text
        time.sleep(0.05)
    raise TimeoutError(path.read_text(encoding="utf-8"))


async def _execute(home: Path, sql: str, dsn: str | None = None) -> None:
    connection = await asyncpg.connect(dsn or place.migration_dsn(home))
    try:
        await connection.execute(sql)
    finally:
        await connection.close()


async def _fetch(home: Path, sql: str, dsn: str | None = None) -> object:
    connection = await asyncpg.connect(dsn or place.migration_dsn(home))
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()
