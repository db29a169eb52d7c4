"""Known holes in the locked packages, by `pip-audit`: `make audit`.

Needs a service that knows of them. Where it cannot be reached, or knows none of the packages, that is said and nothing fails.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

LOCK = Path(__file__).parents[1] / "requirements.lock"
_PACKAGE = re.compile(r"^[a-z0-9].*?(?=^\S|\Z)", flags=re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Audit:
    """How many packages were looked up, and what is known of them: `name version: id, fixed in version`."""

    audited: int
    holes: tuple[str, ...]


def audit(lock: Path, seconds: float, osv_url: str | None = None) -> Audit | None:
    """Look all packages of a lock with hashes up, nothing resolved and nothing installed; None when no answer came."""
    service = [] if osv_url is None else ["--vulnerability-service", "osv", "--osv-url", osv_url]
    command = [sys.executable, "-m", "pip_audit", "--require-hashes", "--disable-pip", "--progress-spinner", "off", "--format", "json"]
    try:
        ended = subprocess.run(  # noqa: S603 - our own words
            [*command, "--timeout", "10", *service, "--requirement", str(lock)],
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        packages = json.loads(ended.stdout)["dependencies"]
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        return None
    known = [package for package in packages if "skip_reason" not in package]
    holes = [f"{package['name']} {package['version']}: {_told(hole)}" for package in known for hole in package["vulns"]]
    return Audit(len(known), tuple(holes))


def _told(hole: dict[str, object]) -> str:
    fixed = hole.get("fix_versions")
    return f"{hole['id']}, fixed in {', '.join(map(str, fixed))}" if isinstance(fixed, list) and fixed else f"{hole['id']}, not fixed"


def main(
    *,
    lock: Annotated[Path, typer.Option(help="The lock, with hashes.")] = LOCK,
    seconds: Annotated[float, typer.Option(help="How long to wait for all answers.")] = 120.0,
    osv_url: Annotated[str | None, typer.Option(help="A service that speaks OSV's protocol; left out: the package index itself.")] = None,
) -> None:
    """Say what is known, and end with 1 when a package has a hole."""
    with tempfile.TemporaryDirectory() as folder:
        first = Path(folder) / "first.lock"  # one package tells whether there is a service, in a second
        first.write_text(_PACKAGE.findall(lock.read_text(encoding="utf-8"))[0], encoding="utf-8")
        found = audit(first, min(seconds, 30), osv_url)
    if found is not None and found.audited:
        found = audit(lock, seconds, osv_url)
    if found is None or not found.audited:
        typer.echo("audit: skipped, no service that knows of holes can be reached from here")
        return
    typer.echo(f"audit: {found.audited} packages of {lock.name}, {len(found.holes)} known holes")
    for hole in found.holes:
        typer.echo(f"  {hole}", err=True)
    if found.holes:
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
