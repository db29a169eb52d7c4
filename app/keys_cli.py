"""The commands about keys: create, list, revoke, rotate. A key itself is printed once, alone, on standard output."""

# ruff: noqa: PLC0415 - each command imports what it needs, so that `--help` and `run` start at once

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from app.cli_settings import moment, run_as_owner, table

if TYPE_CHECKING:
    import asyncpg

    from app.services.operator.keys import KeyView

commands = typer.Typer(help="The keys of the API.", no_args_is_help=True)

_TENANT = typer.Option(help="The tenant's name.")
_NAMED = typer.Argument(metavar="KEY", help="The key's id, or its first 8 characters. Never the key itself.")
_REASON = typer.Option(help="Why; it stays in the audit.")
_HEADINGS = ("id", "begins", "role", "answers", "users", "created", "expires", "last used", "state")


@commands.command()
def create(
    *,
    tenant: Annotated[str, typer.Option(help="The tenant; it is made when it is new.")],
    role: Annotated[Literal["owner", "agent", "auditor"], typer.Option(help="What the key may do.")],
    user_id: Annotated[list[str] | None, typer.Option(help="Bind the key to this user. May be repeated.")] = None,
    no_answer: Annotated[
        bool,
        typer.Option("--no-answer", help="A key that may not answer disputes: recommended where an agent reads untrusted text."),
    ] = False,
    expires: Annotated[int | None, typer.Option(min=1, max=36500, help="Days until the key ends.")] = None,
) -> None:
    """Make a key and print it, alone, on standard output. It is shown this once."""
    from app.services import keys as service

    async def make(connection: asyncpg.Connection) -> str:
        return await service.create_key(
            connection,
            tenant=tenant,
            role=role,
            user_ids=user_id or None,
            can_answer=not no_answer,
            expires_at=None if expires is None else datetime.now(UTC) + timedelta(days=expires),
        )

    typer.echo(run_as_owner(make))


@commands.command("list")
def list_(*, tenant: Annotated[str, _TENANT]) -> None:
    """List a tenant's keys, oldest first: all that is known of them but the keys themselves."""
    from app.services.operator import keys as service

    found = run_as_owner(lambda connection: service.list_keys(connection, tenant))
    for line in table(_HEADINGS, map(_row, found)):
        typer.echo(line)


@commands.command()
def revoke(
    key: Annotated[str, _NAMED],
    *,
    tenant: Annotated[str, _TENANT],
    reason: Annotated[str | None, _REASON] = None,
) -> None:
    """End a key: from its next request on it is not known. What it wrote stays, and is finished."""
    from app.services.operator import keys as service

    ended = run_as_owner(lambda connection: service.revoke_key(connection, tenant, key, reason))
    typer.echo(f"helixir: revoked {ended.key_id} ({ended.prefix}…, {ended.role})", err=True)


@commands.command()
def rotate(
    key: Annotated[str, _NAMED],
    *,
    tenant: Annotated[str, _TENANT],
    grace: Annotated[int, typer.Option(min=0, max=720, help="Hours for which the old key still works.")] = 0,
    reason: Annotated[str | None, _REASON] = None,
) -> None:
    """Make a key with the same rights, print it, alone, on standard output, and end the old one."""
    from app.services.operator import keys as service

    typer.echo(run_as_owner(lambda connection: service.rotate_key(connection, tenant, key, grace, reason)))


def _row(key: KeyView) -> tuple[str, ...]:
    return (
        str(key.key_id),
        key.prefix,
        key.role,
        "yes" if key.can_answer else "no",
        "all" if key.user_ids is None else ",".join(key.user_ids),
        moment(key.created_at),
        moment(key.expires_at),
        moment(key.last_used_at),
        key.state(datetime.now(UTC)),
    )
