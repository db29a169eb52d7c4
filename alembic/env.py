"""What Alembic runs for every command: one connection, one advisory lock, bounded waits.

The connection comes from `app.db.migrate`. Called through the `alembic` command line there is none, and the URL is
taken from the config attribute `url`, else from HELIXIR_MIGRATION_DATABASE_URL.
"""

from __future__ import annotations

import asyncio
import os

from sqlalchemy import Connection, text

from alembic import context
from app.db.migrate import ADVISORY_LOCK, LOCK_TIMEOUT, LOCK_WAIT, STATEMENT_TIMEOUT, engine_for
from app.errors import ConfigurationError


def run(connection: Connection) -> None:
    """Run the migrations, alone: whoever comes second waits, and then finds nothing to do."""
    _set(connection, "lock_timeout", LOCK_WAIT)
    connection.execute(text("select pg_advisory_lock(:key)"), {"key": ADVISORY_LOCK})
    _set(connection, "lock_timeout", LOCK_TIMEOUT)
    _set(connection, "statement_timeout", STATEMENT_TIMEOUT)
    connection.commit()
    # The lock belongs to the session: it ends with the connection, also when a migration fails.
    context.configure(connection=connection, target_metadata=None, transaction_per_migration=True)
    with context.begin_transaction():
        context.run_migrations()


async def run_from_command_line() -> None:
    """Open the connection that `app.db.migrate` would have given us."""
    url = context.config.attributes.get("url") or os.environ.get("HELIXIR_MIGRATION_DATABASE_URL")
    if not url:
        raise ConfigurationError("set HELIXIR_MIGRATION_DATABASE_URL, or use `helixir migrate`")
    engine = engine_for(url)
    async with engine.connect() as connection:
        await connection.run_sync(run)
    await engine.dispose()


def _set(connection: Connection, name: str, value: str) -> None:
    connection.execute(text("select set_config(:name, :value, false)"), {"name": name, "value": value})


if context.is_offline_mode():
    raise ConfigurationError("offline mode writes no usable script here: migrations look at the database")
given = context.config.attributes.get("connection")
if given is None:
    asyncio.run(run_from_command_line())
else:
    run(given)
