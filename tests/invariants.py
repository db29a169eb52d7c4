"""What must hold in every state of the database: `invariants.sql`, and what only the service's own code can tell.

assert await violations(connection) == []
check_invariants(database)  # raises AssertionError that names each violation
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import UUID

import asyncpg

from app.charter.model import MemoryType
from app.db import memories
from tests.postgres import Database, run

_SCRIPT: Final = (Path(__file__).parent / "invariants.sql").read_text(encoding="utf-8")
_ATOMS: Final = "SELECT tenant_id, memory_id, memory_type, content, folded FROM memories WHERE kind = 'atom' AND erased_at IS NULL"


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that is not as it must be. `subject` is a memory's, dispute's, decision's, edge's or write's id."""

    invariant: str
    tenant_id: UUID
    subject: UUID | None
    detail: str | None


async def violations(connection: asyncpg.Connection) -> list[Violation]:
    """All violations, as a role that may read every table sees them."""
    found = [Violation(**dict(row)) for row in await connection.fetch(_SCRIPT)]
    atoms = await connection.fetch(_ATOMS)
    wrong = [row for row in atoms if memories.folded(row["content"], MemoryType(row["memory_type"])) != row["folded"]]
    return found + [Violation("the_folded_text_is_that_of_the_content", row["tenant_id"], row["memory_id"], None) for row in wrong]


def check_invariants(database: Database) -> None:
    """Raise `AssertionError` unless everything holds in this database."""
    found = run(_violations_in(database))
    assert found == [], "\n".join(map(str, found))


async def _violations_in(database: Database) -> list[Violation]:
    connection = await asyncpg.connect(database.superuser_dsn)
    try:
        return await violations(connection)
    finally:
        await connection.close()
