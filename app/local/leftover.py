"""What a killed Postgres leaves behind: lock files that name a process which is gone, a zombie or somebody else."""

from __future__ import annotations

import socket
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from app.errors import ConfigurationError
from app.local.place import PORT

if TYPE_CHECKING:
    from app.local.place import Place

_PROC = Path("/proc")
_ORPHANS_END_WITHIN = 10.0  # seconds; backends of a killed postmaster end by themselves


def ignored_pid(place: Place) -> int | None:
    """Return the process id in a stale lock file, for Postgres to ignore, or None when there is nothing to ignore.

    Raises `ConfigurationError` when a live server uses this data folder.
    """
    pid = _first_number(place.data / "postmaster.pid")
    if pid is None:
        return None
    if _serves(pid, place):
        raise ConfigurationError(
            f"a Postgres (process {pid}) already runs in {place.data}: is another `make run` using this HELIXIR_HOME?",
            code="already_running",
        )
    _wait_for_orphans(place)
    for name in (f".s.PGSQL.{PORT}", f".s.PGSQL.{PORT}.lock"):
        (place.sockets / name).unlink(missing_ok=True)
    return pid


def _first_number(path: Path) -> int | None:
    with suppress(OSError, ValueError, IndexError):
        return int(path.read_text(encoding="utf-8").split()[0])
    return None


def _serves(pid: int, place: Place) -> bool:
    """Tell whether `pid` is a live Postgres with this data folder: no zombie, no reused number."""
    if sys.platform != "linux":
        return _answers(place)
    try:
        name, _, state = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")
    except OSError:
        return False
    if state.split()[0] == "Z" or not name.partition("(")[2].startswith("postgres"):
        return False
    try:
        return (_PROC / str(pid) / "cwd").readlink() == place.data
    except FileNotFoundError:
        return False
    except OSError:  # a container may not let us look at another user's process
        return _answers(place)


def _answers(place: Place) -> bool:
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)) as probe:
        probe.settimeout(1)
        try:
            probe.connect(str(place.sockets / f".s.PGSQL.{PORT}"))
        except OSError:
            return False
    return True


def _wait_for_orphans(place: Place) -> None:
    """Wait until no process of a killed server uses the data. Postgres itself refuses to start beside one."""
    if sys.platform != "linux":
        return
    end = time.monotonic() + _ORPHANS_END_WITHIN
    while time.monotonic() < end:
        pids = [int(path.name) for path in _PROC.iterdir() if path.name.isdigit()]
        if not any(_serves(pid, place) for pid in pids):
            return
        time.sleep(0.1)
