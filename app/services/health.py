"""Readiness: what must hold before the service takes requests."""

from __future__ import annotations

from app.db import charter as charter_sql
from app.db.migrate import head_revision
from app.db.server import REVISION
from app.db.transaction import acquired, domain_errors
from app.errors import HelixirError
from app.services.govern import carries
from app.services.parts import Parts
from app.services.views import Check


async def check(parts: Parts) -> list[Check]:
    """Database, migrations at head, constitution registered, embedder loaded: each with a sentence."""
    try:
        with domain_errors():
            async with acquired(parts.pool) as connection:
                revision = await connection.fetchval(REVISION)
                current = await connection.fetchrow(charter_sql.CURRENT_VERSION)
    except HelixirError as fault:
        return [Check("database", ok=False, detail=fault.detail)]
    migrated = revision == head_revision()
    registered = current is not None and carries(current["sha256"])
    loaded = parts.embedder.dimensions > 0
    return [
        Check("database", ok=True, detail="reachable"),
        Check("migrations", ok=migrated, detail="at head" if migrated else "run `helixir migrate`"),
        Check(
            "constitution",
            ok=registered,
            detail="registered" if registered else "this process carries another constitution than the database",
        ),
        Check("embedder", ok=loaded, detail=parts.embedder.model),
    ]
