"""The operator's commands: erase, export, import. None of them is reachable over HTTP."""

# ruff: noqa: PLC0415 - each command imports what it needs, so that `--help` and `run` start at once

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO
from uuid import UUID

import typer

from app.cli_settings import read_settings, run_with_hint
from app.errors import InvalidInputError, NotFoundError

if TYPE_CHECKING:
    from rich.progress import TaskID

    from app.services.operator.erase import Report

commands = typer.Typer()

_TENANT = typer.Option(help="The tenant's name.")


@commands.command()
def erase(
    *,
    tenant: Annotated[str, _TENANT],
    reason: Annotated[str, typer.Option(help="Why; it stays in the history and in the audit.")],
    memory: Annotated[str | None, typer.Option(help="The memory, or the message, to erase.")] = None,
    user_id: Annotated[str | None, typer.Option(help="Erase all that this user ever said.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would go and change nothing.")] = False,
    with_source: Annotated[bool, typer.Option("--with-source", help="Also messages that carry other statements; those stay.")] = False,
) -> None:
    """Erase a memory, or all of a user's, for good: the text, all that was made out of it, and wherever it was seen."""
    from app.db.migrate import connect
    from app.local import databases
    from app.services.operator import erase as service
    from app.services.operator.closure import Order

    settings = read_settings()
    order = Order(tenant, reason, _memory_id(memory), user_id, with_source, dry_run)

    async def carry_out() -> Report:
        async with connect(databases.owner_dsn(settings)) as connection:
            return await service.erase(connection, order)

    for line in _lines(run_with_hint(settings, carry_out()), dry_run=dry_run):
        typer.echo(line)


def _memory_id(given: str | None) -> UUID | None:
    try:
        return None if given is None else UUID(given)
    except ValueError:
        raise NotFoundError(f"{given!r} is no memory's id") from None


def _lines(report: Report, *, dry_run: bool) -> Iterator[str]:
    """The report, line by line: what goes, in which numbers, and what stands around it and stays."""
    if not report.changed:
        yield "already erased: there is nothing left of it"
        return
    yield "would erase:" if dry_run else "erased:"
    for one in report.memories:
        if one.new:
            status = one.status[0] if one.status[0] == one.status[1] else " -> ".join(one.status)
            numbers = ", ".join(map(str, one.revisions))
            yield f"  {one.kind} {one.memory_id} ({one.cause}; {status}; revisions {numbers})"
    yield "rows: " + ", ".join(f"{count} {what}" for what, count in report.counts.items() if count)
    around = {
        "disputes that are moot now": report.moot,
        "held memories that are current now": report.activated,
        "predecessors, not revived": report.predecessors,
        "successors, kept": report.successors,
        "twins that say it in other words, kept": report.twins,
        "other statements of the same message, kept": report.beside,
    }
    for what, memory_ids in around.items():
        if memory_ids:
            yield f"{what}: {', '.join(map(str, memory_ids))}"
    if dry_run:
        yield "nothing was changed"


@commands.command("export")
def export_(
    *,
    tenant: Annotated[str, _TENANT],
    output: Annotated[Path | None, typer.Option(help="The file to write; standard output when left out.")] = None,
) -> None:
    """Write everything that a tenant has as lines of JSON. It is as it was at one moment; the service may go on."""
    from app.db.migrate import connect
    from app.local import databases
    from app.services.operator import export as service

    settings = read_settings()

    async def carry_out(to: BinaryIO, told: _Told) -> None:
        async with connect(databases.owner_dsn(settings)) as connection:
            await service.export_tenant(connection, tenant, to.write, told)

    with _writing(output) as to, _told_on_stderr() as told:
        run_with_hint(settings, carry_out(to, told))


@commands.command("import")
def import_(
    *,
    tenant: Annotated[str, typer.Option(help="The tenant: new, or with nothing but keys.")],
    input_: Annotated[Path | None, typer.Option("--input", help="The file to read; standard input when left out.")] = None,
) -> None:
    """Put an export into an empty tenant, every line or none. Keys are not among it: make new ones."""
    from app.db.migrate import connect
    from app.local import databases
    from app.services.operator import restore_export as service

    settings = read_settings()

    async def carry_out(lines: BinaryIO, told: _Told) -> Mapping[str, int]:
        async with connect(databases.owner_dsn(settings)) as connection:
            return await service.import_tenant(connection, tenant, lines, told)

    with _reading(input_) as lines, _told_on_stderr() as told:
        counts = run_with_hint(settings, carry_out(lines, told))
    typer.echo(f"imported {sum(counts.values())} rows, {counts['memories']} memories among them", err=True)


@contextmanager
def _writing(path: Path | None) -> Iterator[BinaryIO]:
    """Standard output, or a file that is there whole or not at all, and for its owner alone."""
    if path is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    part = path.with_name(f"{path.name}.part")
    try:
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as fault:
        raise InvalidInputError(f"{path} cannot be written: {fault.strerror}") from fault
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _reading(path: Path | None) -> Iterator[BinaryIO]:
    if path is None:
        yield sys.stdin.buffer
        return
    try:
        file = path.open("rb")
    except OSError as fault:
        raise InvalidInputError(f"{path} cannot be read: {fault.strerror}") from fault
    with file:
        yield file


class _Told:
    """How far it is: a bar where standard error is a terminal, else one line a table."""

    def __init__(self, bar: Any = None) -> None:  # noqa: ANN401 - rich is imported only where a bar is shown
        self._bar = bar
        self._task: TaskID | None = None
        self._left: dict[str, int] = {}

    def begin(self, counts: Mapping[str, int]) -> None:
        """The rows that are to come."""
        self._left = dict(counts)
        if self._bar is not None:
            self._task = self._bar.add_task("rows", total=sum(counts.values()))

    def advance(self, table: str, rows: int) -> None:
        """So many more rows of a table are done."""
        if self._bar is not None:
            self._bar.update(self._task, advance=rows, description=table)
            return
        self._left[table] = self._left.get(table, 0) - rows
        if self._left[table] == 0:
            typer.echo(f"helixir: {table} done", err=True)


@contextmanager
def _told_on_stderr() -> Iterator[_Told]:
    if not sys.stderr.isatty():
        yield _Told()
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        yield _Told(bar)
