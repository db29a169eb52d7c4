"""`helixir calibrate`: what the thresholds do to labelled pairs, and which ones this embedding model needs."""

# ruff: noqa: PLC0415 - each command imports what it needs, so that `--help` and `run` start at once

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.cli_settings import read_settings

if TYPE_CHECKING:
    from app.embedding.calibration import Pair
    from app.services.calibration import Measurement
    from app.settings import Settings

commands = typer.Typer()


@commands.command()
def calibrate(
    *,
    pairs: Annotated[
        Path | None, typer.Option(help='Lines of JSON {"a", "b", "label": "duplicate", "conflict", "update" or "new"}; 200 own pairs else.')
    ] = None,
    loss: Annotated[float, typer.Option(min=0.0, max=0.5, help="The share of changed facts that a threshold may lose.")] = 0.01,
    write: Annotated[Path | None, typer.Option(help="Put the recommended thresholds into this profile file.")] = None,
) -> None:
    """Measure the configured embedding model on labelled pairs, and recommend its two thresholds."""
    from app.calibration_view import show
    from app.embedding.calibration import Cut, recommend
    from app.embedding.profiles import Entry, profile_of, write_profile
    from app.services.calibration import read_pairs, shipped_pairs

    settings = read_settings()
    labelled = read_pairs(pairs) if pairs is not None else shipped_pairs()
    with _told_on_stderr() as told:
        model, measurement = asyncio.run(_measure(settings, labelled, told))
    present = profile_of(model, settings.charter.profile_file)
    chosen = settings.charter
    current = Cut(
        present.duplicate_at if chosen.duplicate_at is None else chosen.duplicate_at,
        present.new_below if chosen.new_below is None else chosen.new_below,
    )
    recommended = recommend(measurement.pairs, loss)
    show(model, measurement, current, recommended, loss)
    if write is None:
        typer.echo("To use them: helixir calibrate --write FILE, then set HELIXIR_CHARTER__PROFILE_FILE=FILE and start again.")
        return
    origin = "the pairs that come with the package" if pairs is None else pairs.name
    note = f"Measured by helixir calibrate on {len(labelled)} pairs ({origin}), loss bound {loss:g}."
    write_profile(write, model, Entry(duplicate_at=recommended.cut.duplicate_at, new_below=recommended.cut.new_below, note=note))
    typer.echo(f"Written to {write}. Set HELIXIR_CHARTER__PROFILE_FILE={write} and start the service again.")


async def _measure(settings: Settings, labelled: list[Pair], told: Callable[[int, int], None]) -> tuple[str, Measurement]:
    from app.embedding.factory import build_embedder
    from app.services.calibration import measure

    embedder = build_embedder(settings)
    try:
        await embedder.start()
        return embedder.model, await measure(embedder, labelled, told)
    finally:
        await embedder.close()


@contextmanager
def _told_on_stderr() -> Iterator[Callable[[int, int], None]]:
    """A bar where standard error is a terminal, else one line at the end."""
    if not sys.stderr.isatty():
        yield lambda done, total: typer.echo(f"helixir: {total} texts embedded", err=True) if done == total else None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("texts", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
