"""Where the Postgres of one HELIXIR_HOME keeps its data and its socket. Known from HELIXIR_HOME alone."""

from __future__ import annotations

import hashlib
import os
import pwd
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from app.errors import ConfigurationError
from app.local.account import NAME

PORT = 5432  # only the name of the socket: nothing listens on TCP
DATABASE = "helixir"
SUPERUSER = "postgres"
OWNER_ROLE = "helixir_owner"
SERVICE_ROLE = "helixir_app"
SERVICE_GROUP = "helixir_service"

_LONGEST_SOCKET = 107  # bytes; the kernel's limit for the path of a socket
_SHORT_ROOT = Path("/tmp")  # noqa: S108 - a short path is the point; `checked_sockets` refuses a stranger's folder
_ELSEWHERE = "postgres.place"


@dataclass(frozen=True, slots=True)
class Place:
    """The absolute paths of one embedded Postgres."""

    home: Path
    data: Path
    sockets: Path
    log: Path

    def dsn(self, role: str, database: str = DATABASE) -> str:
        """Return the libpq-style URL of `database` for `role`, over the socket and without a password."""
        return f"postgresql://{role}@/{database}?host={quote(str(self.sockets), safe='/')}&port={PORT}"


def place_of(home: Path) -> Place:
    """Return the place for `home`, also when its data had to go elsewhere. Touches nothing."""
    home = home.resolve()
    base = home
    with suppress(FileNotFoundError):
        base = Path((home / _ELSEWHERE).read_text(encoding="utf-8").strip())
    return _below(base, home)


def move_elsewhere(home: Path, store: Path) -> Place:
    """Choose a folder below `store` for the data of `home`, and note it in a file in `home`."""
    home = home.resolve()
    base = store / _short_name(home)
    base.mkdir(parents=True, exist_ok=True)
    base.chmod(0o755)
    (home / _ELSEWHERE).write_text(f"{base}\n", encoding="utf-8")
    return _below(base, home)


def service_dsn(home: Path) -> str:
    """Return the URL of the embedded database for the service's role. Raises as `checked_sockets`."""
    return checked_sockets(place_of(home)).dsn(SERVICE_ROLE)


def migration_dsn(home: Path) -> str:
    """Return the URL of the embedded database for the role that owns the schema. Raises as `checked_sockets`."""
    return checked_sockets(place_of(home)).dsn(OWNER_ROLE)


def superuser_dsn(home: Path, database: str = SUPERUSER) -> str:
    """Return the URL of `database` for the superuser. Only the set-up and the tests use it."""
    return checked_sockets(place_of(home)).dsn(SUPERUSER, database)


def checked_sockets(place: Place) -> Place:
    """Return `place` when its socket folder is absent or ours.

    Raises `ConfigurationError` when it belongs to somebody else: the short folder lies where everybody may write, and
    whoever made it first could pose as our database.
    """
    try:
        found = place.sockets.lstat()
    except OSError:
        return place
    if place.sockets.is_symlink() or found.st_uid not in _ours(place):
        raise ConfigurationError(f"{place.sockets} belongs to another user; remove it, or choose a shorter HELIXIR_HOME")
    return place


def _ours(place: Place) -> set[int]:
    trusted = {os.geteuid()}
    if os.geteuid() == 0:
        with suppress(KeyError):
            trusted.add(pwd.getpwnam(NAME).pw_uid)
        with suppress(OSError):
            trusted.add(place.data.stat().st_uid)
    return trusted


def _below(base: Path, home: Path) -> Place:
    sockets = base / "socket"
    if len(os.fsencode(sockets / f".s.PGSQL.{PORT}")) > _LONGEST_SOCKET:
        sockets = _SHORT_ROOT / f"helixir-{_short_name(home)}"
    return Place(home=home, data=base / "postgres", sockets=sockets, log=home / "postgres.log")


def _short_name(home: Path) -> str:
    return hashlib.sha256(os.fsencode(home)).hexdigest()[:12]
