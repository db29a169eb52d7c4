"""The operating-system account that Postgres runs under. Postgres refuses to run as root."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.errors import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path

NAME = "postgres"

_CREATE = (
    ("useradd", "--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", NAME),
    ("adduser", "--system", "--group", "--no-create-home", "--shell", "/usr/sbin/nologin", NAME),
)


@dataclass(frozen=True, slots=True)
class Account:
    """An account to drop to, by number: the number alone is what the kernel asks for."""

    uid: int
    gid: int


def account_for(data: Path) -> Account | None:
    """Return the account to drop to, or None when this process is no root and Postgres runs as it is.

    Data that already belongs to an ordinary user stays with that user, so that one `sudo make run` in a user's own
    checkout locks nobody out. Raises `ConfigurationError` when there is no account and none can be made.
    """
    if os.geteuid() != 0:
        return None
    try:
        owner = data.stat()
    except OSError:
        return _postgres()
    return Account(owner.st_uid, owner.st_gid) if owner.st_uid else _postgres()


def _postgres() -> Account:
    try:
        entry = pwd.getpwnam(NAME)
    except KeyError:
        _create()
        entry = pwd.getpwnam(NAME)
    return Account(entry.pw_uid, entry.pw_gid)


def _create() -> None:
    for command in _CREATE:
        program = shutil.which(command[0])
        if program is None:
            continue
        made = subprocess.run([program, *command[1:]], capture_output=True, check=False)  # noqa: S603 - fixed arguments
        if made.returncode == 0:
            return
    message = (
        f"Postgres does not run as root, and the operating-system user '{NAME}' could not be made. "
        f"Make it (useradd --system {NAME}), or start as an ordinary user, or set HELIXIR_DATABASE_URL."
    )
    raise ConfigurationError(message)
