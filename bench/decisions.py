"""How good are the decisions? Drives the running service over HTTP on labelled pairs and sequences.

    python -m bench.decisions --data DIR --start
    python -m bench.decisions --data DIR --url http://127.0.0.1:8000 --key KEY

Engine and embedder are those of the service; with `--start` those of the environment. Each pair has a user of its own:
the first text is written, then the second, and what the answer says is compared with the label.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from bench.deciding.markdown import put_into
from bench.deciding.report import compare, put_together, show
from bench.deciding.rows import Chain, Pair, read_pairs, read_sequences
from bench.deciding.run import Judged, judge_pairs, walk_chains
from bench.deciding.sequences import Walk
from bench.deciding.service import Service
from bench.service import Address, started

_WIDTH = 160


@dataclass(frozen=True, slots=True)
class _Run:
    judged: list[Judged]
    walks: list[Walk]
    thresholds: dict[str, Any]


def main(  # noqa: PLR0913 - a command's options
    *,
    data: Annotated[Path, typer.Option(exists=True, file_okay=False, help="The folder with the labelled files.")],
    start: Annotated[bool, typer.Option("--start", help="Start a service of this checkout for the run.")] = False,
    url: Annotated[str, typer.Option(help="Where the service is.")] = "http://127.0.0.1:8000",
    key: Annotated[str, typer.Option(envvar="HELIXIR_AGENT_KEY", help="An agent's key of it.")] = "",
    limit: Annotated[int | None, typer.Option(min=1, help="So many rows of each file at most.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, max=64, help="So many users at once.")] = 4,
    sequences: Annotated[bool, typer.Option(help="Also walk through the sequences.")] = True,
    json_to: Annotated[Path | None, typer.Option("--json", help="Write all figures to this file; - for standard output.")] = None,
    rows_to: Annotated[Path | None, typer.Option("--rows", help="Write each judged pair to this file, to look for mistakes.")] = None,
    markdown: Annotated[Path | None, typer.Option(exists=True, help="Put the figures into this document, between its marks.")] = None,
    save_baseline: Annotated[Path | None, typer.Option(help="Write the figures, to be compared with later.")] = None,
    compare_with: Annotated[Path | None, typer.Option("--compare", help="A saved baseline; exit code 1 when something is worse.")] = None,
    tolerance: Annotated[float, typer.Option(min=0, max=1, help="By so much a rate may be worse.")] = 0.03,
) -> None:
    """Judge the service's decisions on labelled data."""
    pairs, chains = read_pairs(data, limit), read_sequences(data, limit) if sequences else []
    if not pairs and not chains:
        raise typer.BadParameter(f"{data} holds none of the labelled files", param_hint="--data")
    if not start and not key:
        raise typer.BadParameter("a running service needs a key; or give --start", param_hint="--key")
    baseline = json.loads(compare_with.read_text(encoding="utf-8")) if compare_with else None
    with started() if start else nullcontext(Address(url, key)) as address:
        run = asyncio.run(_drive(address, pairs, chains, concurrency))
    result = put_together([one.mark for one in run.judged], run.walks, _about(run, limit, concurrency))
    console = Console(stderr=json_to == Path("-"), highlight=False, width=None if sys.stdout.isatty() else _WIDTH)
    show(console, result)
    _write(result, run, json_to, rows_to, save_baseline)
    if markdown is not None:
        put_into(markdown, result)
    if baseline is not None and not compare(console, result, baseline, tolerance):
        raise typer.Exit(1)


async def _drive(address: Address, pairs: list[Pair], chains: list[Chain], at_once: int) -> _Run:
    async with Service(address, at_once) as service:
        thresholds = await service.thresholds()
        with _bar("pairs", len(pairs)) as told:
            judged = await judge_pairs(service, pairs, at_once, told)
        with _bar("sequences", len(chains)) as told:
            walks = await walk_chains(service, chains, at_once, told)
    return _Run(judged, walks, thresholds)


@contextmanager
def _bar(name: str, total: int) -> Iterator[Callable[[], None]]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task(name, total=total)
        yield lambda: bar.advance(task)


def _about(run: _Run, limit: int | None, concurrency: int) -> dict[str, Any]:
    """What was measured, as the service itself says."""
    decisions = [one.written.decision for one in run.judged]
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "engines": sorted({one.engine for one in run.judged if one.engine}),
        "embedders": sorted({decision["embedder"] for decision in decisions}),
        "mode": ", ".join(sorted({decision["mode"] for decision in decisions})),
        "thresholds": run.thresholds,
        "limit": limit,
        "concurrency": concurrency,
    }


def _write(result: dict[str, Any], run: _Run, json_to: Path | None, rows_to: Path | None, baseline: Path | None) -> None:
    text = json.dumps(result, indent=1, ensure_ascii=False) + "\n"
    if json_to == Path("-"):
        sys.stdout.write(text)
    elif json_to is not None:
        json_to.write_text(text, encoding="utf-8")
    if baseline is not None:
        baseline.parent.mkdir(parents=True, exist_ok=True)
        baseline.write_text(text, encoding="utf-8")
    if rows_to is not None:
        rows_to.write_text("".join(json.dumps(one.row(), ensure_ascii=False) + "\n" for one in run.judged), encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
