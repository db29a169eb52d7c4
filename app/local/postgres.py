"""One Postgres server as a direct child of this process: it lives as long as we do, and not a second longer."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from shutil import rmtree
from typing import TYPE_CHECKING

from app.errors import ConfigurationError, UnavailableError
from app.local import child
from app.local.account import account_for
from app.local.binaries import STORE, programs
from app.local.child import ENVIRONMENT, Rights
from app.local.leftover import ignored_pid
from app.local.place import PORT, SUPERUSER, Place, checked_sockets, move_elsewhere, place_of

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Mapping
    from pathlib import Path

_LOG_LIMIT = 10 * 1024 * 1024  # bytes; a longer log is set aside at the next start
_POLL = 0.02  # seconds

_CONFIGURATION = {
    "listen_addresses": "",  # the socket only: whoever may enter its folder may connect
    "port": str(PORT),
    "shared_buffers": "256MB",
    "maintenance_work_mem": "128MB",
    "max_connections": "100",
    "max_parallel_maintenance_workers": "0",  # parallel index builds need more /dev/shm than a container has
    "max_wal_size": "2GB",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # Details of an error quote values, and values here are people's memories.
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
}
_NOT_DURABLE = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "128MB",
    "max_connections": "300",
}


class EmbeddedPostgres:
    """The Postgres of one HELIXIR_HOME.

    Start it from the main thread, because its life is tied to the thread that forked it. `durable=False` is for tests:
    quicker, and what it holds does not survive a crash of the machine.
    """

    def __init__(self, home: Path, *, durable: bool = True, configuration: Mapping[str, str] | None = None) -> None:
        self._home = home
        self._durable = durable
        self._configuration = {**_CONFIGURATION, **({} if durable else _NOT_DURABLE), **(configuration or {})}
        self._process: subprocess.Popen[bytes] | None = None
        self.initialised = False  # whether this object made the data folder

    @property
    def place(self) -> Place:
        """The paths of this server."""
        return place_of(self._home)

    @property
    def pid(self) -> int | None:
        """The process id of the server, None before the first start."""
        return None if self._process is None else self._process.pid

    def exit_code(self) -> int | None:
        """Return None while the server runs, else its exit code (negative: the signal that ended it)."""
        return None if self._process is None else self._process.poll()

    def start(self, timeout: float = 120.0) -> None:
        """Start the server, making its data first where there is none, and return when it takes connections.

        Waits at most `timeout` seconds (recovery after a crash takes its time). Raises `ConfigurationError` when it
        cannot work here, `UnavailableError` when it did not come up.
        """
        place, rights = _prepare_folders(self._home)
        folder = programs(rights.account)
        if not (place.data / "PG_VERSION").exists():
            self._initialise(folder, place, rights)
        pid = ignored_pid(place)
        environment = ENVIRONMENT if pid is None else {**ENVIRONMENT, "PG_GRANDPARENT_PID": str(pid)}
        settings = {**self._configuration, "unix_socket_directories": f'"{place.sockets}"'}
        arguments = [str(folder / "postgres"), "-D", str(place.data)]
        arguments += [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        log = _open_log(place.log)
        try:
            # The child enters its data folder before it drops its rights, so that this works everywhere.
            self._process = rights.start(arguments, log=log, cwd=place.data, env=environment)
        finally:
            os.close(log)
        self._wait_until_ready(place, timeout)

    def stop(self) -> None:
        """End the server: a fast shutdown, after 20 seconds a hard one. Does nothing when it does not run."""
        if self._process is not None:
            child.stop(self._process, (signal.SIGINT, 20), (signal.SIGQUIT, 5))

    def _initialise(self, folder: Path, place: Place, rights: Rights) -> None:
        """Make the data folder beside its place and move it there whole, so that a killed start leaves no half."""
        fresh = place.data.with_name("postgres.new")
        rmtree(fresh, ignore_errors=True)
        _own(fresh, rights)
        command = [str(folder / "initdb"), f"--pgdata={fresh}", f"--username={SUPERUSER}", "--auth=trust"]
        command += ["--encoding=UTF8", "--locale-provider=builtin", "--locale=C.UTF-8", "--no-instructions"]
        made = rights.run(command if self._durable else [*command, "--no-sync"])
        if made.returncode != 0:
            lines = made.stdout.strip().splitlines()
            raise UnavailableError(f"initdb failed: {lines[-1] if lines else f'exit code {made.returncode}'}")
        try:
            fresh.rename(place.data)
        except OSError as error:
            raise ConfigurationError(f"{place.data} is in the way: it is not a data folder of Postgres") from error
        self.initialised = True

    def _wait_until_ready(self, place: Place, timeout: float) -> None:
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            code = self.exit_code()
            if code is not None:
                reason = _last_fatal_line(place.log) or f"exit code {code}"
                raise UnavailableError(f"Postgres did not start: {reason} (see {place.log})")
            if self._is_ready(place):
                return
            time.sleep(_POLL)
        self.stop()
        raise UnavailableError(f"Postgres was not ready after {timeout:.0f} seconds (see {place.log})")

    def _is_ready(self, place: Place) -> bool:
        """Tell whether the lock file names our own child and says ready (its line 8)."""
        with suppress(OSError, ValueError, IndexError):
            lines = (place.data / "postmaster.pid").read_text(encoding="utf-8").splitlines()
            return int(lines[0]) == self.pid and lines[7].strip() == "ready"
        return False


def _prepare_folders(home: Path) -> tuple[Place, Rights]:
    """Make the folders of data and socket, find out how the account can enter them, else put them elsewhere."""
    home.mkdir(parents=True, exist_ok=True)
    place = checked_sockets(place_of(home))
    account = account_for(place.data)
    for rights in (Rights(account), Rights(account, searching=True)):
        if _usable(place, rights):
            return place, rights
        if account is None:
            break
    if account is None or place.data.exists():
        raise ConfigurationError(f"the data folder {place.data} cannot be used: it belongs to another user, or is out of reach")
    place = checked_sockets(move_elsewhere(home, STORE))
    rights = Rights(account)
    if not _usable(place, rights):
        raise ConfigurationError(f"neither HELIXIR_HOME nor {place.data.parent} can hold the data of Postgres")
    return place, rights


def _usable(place: Place, rights: Rights) -> bool:
    try:
        place.data.parent.mkdir(parents=True, exist_ok=True)
        _own(place.sockets, rights)
    except OSError:
        return False
    if place.data.exists() and rights.account is None and place.data.stat().st_uid != os.geteuid():
        return False
    if rights.account is None:
        return True
    return rights.can_enter(place.data.parent) and rights.can_enter(place.sockets)


def _own(folder: Path, rights: Rights) -> None:
    folder.mkdir(mode=0o700, exist_ok=True)
    if rights.account is not None:
        os.chown(folder, rights.account.uid, rights.account.gid)
    folder.chmod(0o700)


def _open_log(path: Path) -> int:
    with suppress(FileNotFoundError):
        if path.stat().st_size > _LOG_LIMIT:
            path.replace(path.with_suffix(".log.1"))
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)


def _last_fatal_line(log: Path) -> str | None:
    with suppress(OSError):
        for line in reversed(log.read_text(encoding="utf-8", errors="replace").splitlines()[-20:]):
            _, found, message = line.partition("FATAL:")
            if found:
                return message.strip()
    return None
