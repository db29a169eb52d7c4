"""What the service refuses to start with."""

from __future__ import annotations

from typing import Final

from app.db.rows import required
from app.db.transaction import acquired, domain_errors
from app.errors import ConfigurationError
from app.services.parts import Parts

# A role that could alter, delete or bypass is no role for the service: the database is the last guard.
ROLE: Final = """
SELECT r.rolsuper OR r.rolbypassrls AS almighty,
  EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname = 'public' AND c.relname IN ('memories', 'revisions', 'decisions', 'edges', 'contradictions')
          AND pg_has_role(current_user, c.relowner, 'MEMBER')) AS owns,
  coalesce(has_table_privilege(current_user, to_regclass('public.memories'), 'SELECT'), false) AS reads
FROM pg_roles r WHERE r.rolname = current_user
"""


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
