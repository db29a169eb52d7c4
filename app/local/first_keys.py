"""The two keys of the tenant `default`, made at the first run and kept in a file that only its owner can read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

TENANT = "default"
_NAMES = {"owner": "HELIXIR_OWNER_KEY", "agent": "HELIXIR_AGENT_KEY"}


def path_of(home: Path) -> Path:
    """Return the path of the keys' file."""
    return home / "keys.env"


def read(home: Path) -> dict[str, str]:
    """Return the keys in the file by role, nothing for those that it lacks."""
    try:
        lines = path_of(home).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return {}
    found = dict(line.split("=", 1) for line in lines if "=" in line)
    return {role: found[name] for role, name in _NAMES.items() if found.get(name)}


async def ensure(home: Path, create: Callable[[str], Awaitable[str]], *, renew: bool = False) -> dict[str, str]:
    """Return both keys by role, making those that the file lacks with `create(role)`; all of them when `renew`."""
    keys = {} if renew else read(home)
    missing = [role for role in _NAMES if role not in keys]
    for role in missing:
        keys[role] = await create(role)
    if missing:
        _write(path_of(home), "".join(f"{name}={keys[role]}\n" for role, name in _NAMES.items()))
    return keys


def _write(path: Path, text: str) -> None:
    """Write the file whole or not at all, and never readable for others, not even for a moment."""
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    fresh.replace(path)
