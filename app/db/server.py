"""What the service asks the database about itself."""

from __future__ import annotations

from typing import Final

REVISION: Final = "SELECT version_num FROM alembic_version"

# A role that could alter, delete or bypass is no role for the service: the database is the last guard.
ROLE: Final = """
SELECT r.rolsuper OR r.rolbypassrls AS almighty,
  EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname = 'public' AND c.relname IN ('memories', 'revisions', 'decisions', 'edges', 'contradictions')
          AND pg_has_role(current_user, c.relowner, 'MEMBER')) AS owns,
  coalesce(has_table_privilege(current_user, to_regclass('public.memories'), 'SELECT'), false) AS reads
FROM pg_roles r WHERE r.rolname = current_user
"""

# The constitution in force, and how many tenants approved an older one and have not approved this.
CHARTER_NEWS: Final = "SELECT * FROM charter_news()"
# Which models made the vectors of the newest current memories, some ten thousand over all tenants.
VECTORS_BY_MODEL: Final = "SELECT * FROM vectors_by_model()"
# What waits over all tenants, and how long the oldest has waited.
WAITING: Final = "SELECT * FROM waiting()"
