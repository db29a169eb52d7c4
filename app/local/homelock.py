"""One running service for one HELIXIR_HOME."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from app.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def locked(home: Path) -> Iterator[None]:
    """Hold `home` for this process, making the folder when it is absent. The kernel lets go when the process dies.

    Raises `ConfigurationError` when another process holds it, or when it cannot be written.
    """
    try:
        home.mkdir(parents=True, exist_ok=True)
        lock = os.open(home / "run.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise ConfigurationError(f"HELIXIR_HOME ({home}) cannot be used: {error.strerror}") from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            message = f"another `helixir run` already uses HELIXIR_HOME ({home}); stop it, or choose another folder"
            raise ConfigurationError(message, code="already_running") from error
        yield
    finally:
        os.close(lock)
