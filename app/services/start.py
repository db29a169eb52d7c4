"""What the service refuses to start with."""

from __future__ import annotations

from app.db.rows import required
from app.db.server import ROLE
from app.db.transaction import acquired, domain_errors
from app.errors import ConfigurationError
from app.services.parts import Parts


async def prepare(parts: Parts) -> None:
    """Raises `ConfigurationError` for a superuser, a table owner, or a role that may not read the tables."""
    with domain_errors():
        async with acquired(parts.pool) as connection:
            role = required(await connection.fetchrow(ROLE))
    if role["almighty"] or role["owns"]:
        raise ConfigurationError(
            "HELIXIR_DATABASE_URL names a superuser or the owner of the tables; the service runs only as a member of "
            "helixir_service. Name the owner in HELIXIR_MIGRATION_DATABASE_URL and run `helixir migrate`"
        )
    if not role["reads"]:
        raise ConfigurationError("this database role may not read the tables; run `helixir migrate` with HELIXIR_MIGRATION_DATABASE_URL")
