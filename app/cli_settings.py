"""What every command needs: the settings, and errors that say what to do."""

# ruff: noqa: PLC0415 - each command imports what it needs, so that `--help` and `run` start at once

from __future__ import annotations

import asyncio
from datetime import UTC
from typing import TYPE_CHECKING, TypeVar

from app.errors import ConfigurationError, UnavailableError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
    from datetime import datetime

    import asyncpg

    from app.settings import Settings

Result = TypeVar("Result")


def read_settings() -> Settings:
    """Read the settings. Raises `ConfigurationError` that names the variables, never their values."""
    from pydantic import ValidationError
    from pydantic_settings import SettingsError

    from app.settings import Settings

    try:
        return Settings()
    except ValidationError as error:
        faults = [
            f"HELIXIR_{'__'.join(map(str, fault['loc'])).upper()}: {fault['msg']}"
            for fault in error.errors(include_input=False, include_url=False, include_context=False)
        ]
        raise ConfigurationError("; ".join(faults)) from None
    except SettingsError as error:
        raise ConfigurationError(str(error)) from None


def run_with_hint(settings: Settings, work: Coroutine[None, None, Result]) -> Result:
    """Run `work`; where the embedded database is out of reach, say what starts it."""
    try:
        return asyncio.run(work)
    except UnavailableError as error:
        if settings.database_url is not None:
            raise
        message = f"{error.detail}. Is `make run` running with this HELIXIR_HOME ({settings.home.resolve()})?"
        raise UnavailableError(message) from error


def run_as_owner(act: Callable[[asyncpg.Connection], Awaitable[Result]]) -> Result:
    """Run an operator's act on a connection of the role that owns the schema."""
    from app.db.migrate import connect
    from app.db.pool import prepare_connection
    from app.local import databases

    settings = read_settings()

    async def with_connection() -> Result:
        async with connect(databases.owner_dsn(settings)) as connection:
            await prepare_connection(connection)
            return await act(connection)

    return run_with_hint(settings, with_connection())


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Lines of columns as wide as what stands in them."""
    lines = [headings, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headings))]
    for line in lines:
        yield "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()


def moment(at: datetime | None) -> str:
    """A time in UTC, to the second; a dash where there is none."""
    return "-" if at is None else f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
