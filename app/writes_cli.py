"""The commands about writes that are not finished: list, set aside, take up."""

# ruff: noqa: PLC0415 - each command imports what it needs, so that `--help` and `run` start at once

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal
from uuid import UUID

import typer

from app.cli_settings import moment, run_as_owner, table

if TYPE_CHECKING:
    from app.services.operator.writes import WaitingWrite

commands = typer.Typer(help="Accepted writes that are not finished.", no_args_is_help=True)

_TENANT = typer.Option(help="The tenant's name.")
_WRITE = typer.Argument(metavar="WRITE", help="The write's id.")
_REASON = typer.Option(help="Why; it stays in the audit. Do not quote the text in it.")
_HEADINGS = ("id", "status", "user", "kind", "accepted", "tries", "next", "last fault")


@commands.command("list")
def list_(
    *,
    tenant: Annotated[str, _TENANT],
    status: Annotated[Literal["accepted", "set_aside"] | None, typer.Option(help="Only these.")] = None,
) -> None:
    """List what is not finished, oldest first: all that is known of it but what it says."""
    from app.services.operator import writes as service

    found = run_as_owner(lambda connection: service.list_waiting(connection, tenant, status))
    for line in table(_HEADINGS, map(_row, found)):
        typer.echo(line)


@commands.command("set-aside")
def set_aside(write: Annotated[UUID, _WRITE], *, tenant: Annotated[str, _TENANT], reason: Annotated[str, _REASON]) -> None:
    """Let no worker try a write any more, for instance since its model is gone for good. Nothing of it is lost."""
    from app.services.operator import writes as service

    run_as_owner(lambda connection: service.set_aside(connection, tenant, write, reason))
    typer.echo(f"helixir: {write} is set aside", err=True)


@commands.command("take-up")
def take_up(write: Annotated[UUID, _WRITE], *, tenant: Annotated[str, _TENANT], reason: Annotated[str, _REASON]) -> None:
    """Let a write that was set aside be tried again, at once."""
    from app.services.operator import writes as service

    run_as_owner(lambda connection: service.take_up(connection, tenant, write, reason))
    typer.echo(f"helixir: {write} is accepted again", err=True)


def _row(one: WaitingWrite) -> tuple[str, ...]:
    waits = "-" if one.status == "set_aside" else moment(one.next_attempt_at)
    shown = "set_aside" if one.status == "set_aside" else "accepted"
    return (str(one.write_id), shown, one.user_id, one.kind, moment(one.accepted_at), str(one.attempts), waits, one.last_fault or "-")
