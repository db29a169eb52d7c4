"""What the service refuses to start with."""

from __future__ import annotations

import structlog

from app.db.rows import required
from app.db.server import CHARTER_NEWS, ROLE
from app.db.transaction import acquired, domain_errors
from app.errors import ConfigurationError
from app.services.parts import Parts

_log = structlog.get_logger("helixir.start")


async def prepare(parts: Parts) -> None:
    """Raises `ConfigurationError` for a superuser, a table owner, or a role that may not read the tables."""
    with domain_errors():
        async with acquired(parts.pool) as connection:
            role = required(await connection.fetchrow(ROLE))
            news = await connection.fetchrow(CHARTER_NEWS) if role["reads"] else None
    if role["almighty"] or role["owns"]:
        raise ConfigurationError(
            "HELIXIR_DATABASE_URL names a superuser or the owner of the tables; the service runs only as a member of "
            "helixir_service. Name the owner in HELIXIR_MIGRATION_DATABASE_URL and run `helixir migrate`"
        )
    if not role["reads"]:
        raise ConfigurationError("this database role may not read the tables; run `helixir migrate` with HELIXIR_MIGRATION_DATABASE_URL")
    if news is not None:
        _log.info("charter", version=news["version"], sha256=news["sha256"])
        if news["waiting"]:
            _log.warning("the constitution changed: these tenants are back in defer mode until they approve it", tenants=news["waiting"])
