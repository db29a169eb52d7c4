"""What does the service do under load, and is everything in order afterwards?

    python -m bench.load --start
    python -m bench.load --url http://127.0.0.1:8000 --key KEY [--database-url URL]

So many clients send writes, reads and answers for so many owners, each its next request when the last was answered.
Afterwards every acknowledged write and answer is looked for in the database, and tests/invariants.sql has no row. Exit
code 1: an answer that was neither good nor a 429, or a broken invariant.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, Final, NoReturn

import asyncpg
import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from bench.loading.clients import Load, Seen
from bench.loading.report import figures, load_now, put_into, show
from bench.service import Address, started
from tests.invariants import violations

_WIDTH = 160
_FINISHED_WITHIN = 120  # seconds

_UNFINISHED: Final = "SELECT count(*) FROM writes WHERE write_id = ANY($1) AND status <> 'completed'"
_LOST: Final = """
SELECT 'an acknowledged write is there and finished' AS invariant, told.id AS subject FROM unnest($1::uuid[]) AS told(id)
WHERE NOT EXISTS (SELECT FROM writes w WHERE w.write_id = told.id AND w.status = 'completed')
UNION ALL
SELECT 'an acknowledged answer is there', told.id FROM unnest($2::uuid[]) AS told(id)
WHERE NOT EXISTS (SELECT FROM contradictions c WHERE c.contradiction_id = told.id AND c.status = 'resolved')
"""


def main(
    *,
    start: Annotated[bool, typer.Option("--start", help="Start a service of this checkout for the run, without limits.")] = False,
    url: Annotated[str, typer.Option(help="Where the service is.")] = "http://127.0.0.1:8000",
    key: Annotated[str, typer.Option(envvar="HELIXIR_AGENT_KEY", help="An agent's key of it, one that may answer.")] = "",
    database_url: Annotated[str | None, typer.Option(help="Its database for a role that may read all, to check the invariants.")] = None,
    clients: Annotated[int, typer.Option(min=1, max=1000, help="So many at once.")] = 32,
    owners: Annotated[int, typer.Option(min=1, max=100_000, help="So many users.")] = 200,
    seconds: Annotated[float, typer.Option(min=1, max=3600, help="So long.")] = 60,
    seed: Annotated[int, typer.Option(help="What is said is drawn by it.")] = 1,
    json_to: Annotated[Path | None, typer.Option("--json", help="Write all figures to this file; - for standard output.")] = None,
    markdown: Annotated[Path | None, typer.Option(exists=True, help="Put the figures into this document, between its marks.")] = None,
) -> None:
    """Put the service under load and look whether everything is in order."""
    if not start and not key:
        raise typer.BadParameter("a running service needs a key; or give --start", param_hint="--key")
    with started() if start else nullcontext(Address(url, key, database_url)) as address:
        result = asyncio.run(drive(address, clients, owners, seconds, seed))
    show(Console(stderr=json_to == Path("-"), highlight=False, width=None if sys.stdout.isatty() else _WIDTH), result)
    text = json.dumps(result, indent=1, ensure_ascii=False) + "\n"
    if json_to == Path("-"):
        sys.stdout.write(text)
    elif json_to is not None:
        json_to.write_text(text, encoding="utf-8")
    if markdown is not None:
        put_into(markdown, result)
    if result["errors"] or result["invariants"]:
        raise typer.Exit(1)


async def drive(address: Address, clients: int, owners: int, seconds: float, seed: int, floor_seconds: float = 3.0) -> dict[str, Any]:
    """Furnish, measure the floor, measure the load, look at the database; all figures as JSON values."""
    before = load_now()
    async with Load(address, clients, owners, seed) as load:
        await load.furnish()
        floor = await load.floor(floor_seconds)
        with _bar(seconds) as told:
            seen = await load.run(seconds, told)
        after = load_now()
        decisions = await load.decisions()
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "clients": clients,
        "owners": owners,
        "seed": seed,
        "engine": next((one["engine"]["name"] for one in decisions if one["engine"].get("name")), "none was asked"),
        "embedder": decisions[0]["embedder"],
        "mode": decisions[0]["mode"],
        "machine": {"before": before, "after": after},
        **figures(seen, floor),
        "invariants": None if address.database is None else await broken(address.database, seen),
    }


async def broken(database: str, seen: Seen) -> list[str]:
    """What is not as it must be: acknowledged writes and answers that are not there once accepted writes had their time, and invariants."""
    connection = await asyncpg.connect(database)
    try:
        for _ in range(_FINISHED_WITHIN):
            if not await connection.fetchval(_UNFINISHED, seen.written):
                break
            await asyncio.sleep(1)
        lost = await connection.fetch(_LOST, seen.written, seen.answered)
        return [f"{row['invariant']}: {row['subject']}" for row in lost] + [str(one) for one in await violations(connection)]
    finally:
        await connection.close()


@contextmanager
def _bar(seconds: float) -> Iterator[Callable[[float], None]]:
    columns = (TextColumn("load"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("", total=seconds)
        yield lambda passed: bar.update(task, completed=passed)


def _end(_number: int, _frame: FrameType | None) -> NoReturn:
    """Ended from outside: the service and its folder go all the same."""
    raise SystemExit(143)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _end)
    typer.run(main)
