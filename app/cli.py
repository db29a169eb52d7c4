"""The command line. Each command imports what it needs, so that `--help` and `run` start at once."""

# ruff: noqa: PLC0415 - see above

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from app import calibration_cli, keys_cli, operator_cli, writes_cli
from app.cli_settings import read_settings, run_with_hint
from app.errors import ConfigurationError, HelixirError

_SNAPSHOT = Path("openapi/openapi.json")
_SHUTDOWN_SECONDS = 12  # for open requests; the supervisor waits until 20 before it kills
_IDLE_SECONDS = 75  # longer than clients and proxies keep an idle connection: who sends on it must be the one who closes it

cli = typer.Typer(
    help="Governed memory for AI agents.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
cli.add_typer(keys_cli.commands, name="keys")
cli.add_typer(writes_cli.commands, name="writes")
cli.add_typer(operator_cli.commands)
cli.add_typer(calibration_cli.commands)


def main() -> None:
    """Run the command line; an error that we know becomes one line on standard error and the exit code 1 or 2."""
    try:
        cli()
    except HelixirError as error:
        typer.echo(f"helixir: {error.detail}", err=True)
        sys.exit(2 if isinstance(error, ConfigurationError) else 1)


@cli.command()
def run() -> None:
    """Start everything: the embedded Postgres (unless HELIXIR_DATABASE_URL is set), migrations, keys, the server."""
    from app.local import supervisor

    sys.exit(supervisor.run(read_settings(), typer.echo))


def _ended_as_asked(_number: int, _frame: FrameType | None) -> None:
    """The server raises the signal once more after it ended in order; then, and before it began, this is the end."""
    sys.exit(0)


@cli.command()
def serve(*, database_from_input: Annotated[bool, typer.Option("--database-from-input", hidden=True)] = False) -> None:
    """Start the server alone, for a database that is already there and migrated."""
    import uvicorn
    from pydantic import SecretStr

    from app.local import databases
    from app.main import create_app

    signal.signal(signal.SIGTERM, _ended_as_asked)
    settings = read_settings()
    # `run` starts us before the database is ready, and says where it is when it is.
    dsn = sys.stdin.readline().strip() if database_from_input else databases.service_dsn(settings)
    if not dsn:
        return
    uvicorn.run(
        create_app(settings.model_copy(update={"database_url": SecretStr(dsn)})),
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,  # paths and queries name users
        server_header=False,
        timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
    )


@cli.command()
def migrate() -> None:
    """Bring the schema to its newest revision, and see to it that the service's role can log in."""
    from app.db import migrate as schema
    from app.local import databases
    from app.services.seeds import plant_everywhere

    settings = read_settings()
    owner = databases.owner_dsn(settings)

    async def bring_up() -> bool:
        changed = await schema.migrate(owner)
        if changed:
            await plant_everywhere(owner)
        if settings.database_url is not None:
            await schema.ensure_service_role(owner, databases.service_dsn(settings))
        return changed

    changed = run_with_hint(settings, bring_up())
    typer.echo(f"helixir: {'migrated to' if changed else 'already at'} revision {schema.head_revision()}", err=True)


@cli.command()
def openapi(
    *,
    check: Annotated[bool, typer.Option("--check", help="Compare with the file instead of writing it.")] = False,
) -> None:
    """Write the OpenAPI document to openapi/openapi.json."""
    from app.main import create_app

    text = json.dumps(create_app().openapi(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    if not check:
        _SNAPSHOT.parent.mkdir(exist_ok=True)
        _SNAPSHOT.write_text(text, encoding="utf-8")
    elif not _SNAPSHOT.is_file() or _SNAPSHOT.read_text(encoding="utf-8") != text:
        raise ConfigurationError(f"{_SNAPSHOT} is not what the code says; run `make openapi` and look at the change")


if __name__ == "__main__":
    main()
