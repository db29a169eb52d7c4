"""The connection pool: binary codecs, time limits, and nothing else."""

from __future__ import annotations

import json
from typing import Any, Final

import asyncpg
from pgvector.asyncpg import register_vector

from app.errors import ConfigurationError, UnavailableError
from app.settings import Settings

LIMITS: Final = {
    "application_name": "helixir",
    "timezone": "UTC",
    "statement_timeout": "30000",
    "lock_timeout": "20000",
    "idle_in_transaction_session_timeout": "60000",
}


async def open_pool(settings: Settings) -> asyncpg.Pool:
    """Connect to `HELIXIR_DATABASE_URL`.

    Raises `ConfigurationError` when it is unset, no URL or refused, `UnavailableError` when the server is out of reach.
    """
    if settings.database_url is None:
        raise ConfigurationError("HELIXIR_DATABASE_URL is not set; `make run` brings its own database")
    try:
        return await asyncpg.create_pool(
            settings.database_url.get_secret_value(),
            min_size=1,
            max_size=settings.pool_size,
            init=prepare_connection,
            server_settings=LIMITS,
            timeout=10,
            command_timeout=60,
        )
    except (asyncpg.InvalidAuthorizationSpecificationError, asyncpg.InvalidCatalogNameError) as fault:
        raise ConfigurationError("the database refuses the role or the database name of HELIXIR_DATABASE_URL") from fault
    except ValueError as fault:  # its message quotes parts of the URL
        raise ConfigurationError("HELIXIR_DATABASE_URL must look like postgresql://user:password@host:5432/database") from fault
    except (OSError, asyncpg.PostgresConnectionError, TimeoutError) as fault:
        raise UnavailableError("the database of HELIXIR_DATABASE_URL is out of reach") from fault


async def prepare_connection(connection: asyncpg.Connection) -> None:
    """Vectors travel in binary (as text they cost ten times as much) and jsonb as Python objects.

    Raises `ConfigurationError` when the database has no `vector` extension.
    """
    try:
        await register_vector(connection)
    except ValueError as fault:
        raise ConfigurationError("the database has no `vector` extension; run `helixir migrate`") from fault
    await connection.set_type_codec("jsonb", encoder=_dump, decoder=_DECODER.decode, schema="pg_catalog")


def _dump(value: Any) -> str:  # noqa: ANN401 - any JSON value
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _integer(digits: str) -> int | float:
    """A number without a fraction. Postgres writes 1e300 out with all its digits; beyond 64 bits only such ones are stored."""
    number = int(digits)
    return number if number in _INTEGERS else float(digits)


_INTEGERS = range(-(2**63), 2**63)
_DECODER = json.JSONDecoder(parse_int=_integer)
