"""The operator's commands: erase, export, import. None of them is reachable over HTTP."""

# ruff: noqa: PLC0415 - each command imports what it needs, so that `--help` and `run` start at once

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from app.cli_settings import read_settings, run_with_hint
from app.errors import NotFoundError

if TYPE_CHECKING:
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

    for line in _told(run_with_hint(settings, carry_out()), dry_run=dry_run):
        typer.echo(line)


def _memory_id(given: str | None) -> UUID | None:
    try:
        return None if given is None else UUID(given)
    except ValueError:
        raise NotFoundError(f"{given!r} is no memory's id") from None


def _told(report: Report, *, dry_run: bool) -> Iterator[str]:
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
