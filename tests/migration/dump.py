"""The schema as `pg_dump` sees it, written down: `make schema` after a new migration, and look at the change."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from app.db import migrate
from app.local import place, roles
from app.local.binaries import programs
from app.local.postgres import EmbeddedPostgres
from tests.postgres import Database, quick_folder, run

FILE: Final = Path(__file__).parents[2] / "alembic" / "schema.sql"
_HEADING: Final = "-- The schema after all migrations, for reading. Written by `make schema`; a test compares it with the database.\n"
# Versions of programs, the marks that pg_dump draws by chance, and its headings: they differ where the schema does not.
_NOISE: Final = re.compile(r"^(--.*|\\(un)?restrict .*|SET .*|SELECT pg_catalog\.set_config.*)\n", flags=re.MULTILINE)


def schema_of(database: Database) -> str:
    """The schema of a database with its owners and privileges, without what differs from run to run."""
    command = [str(programs(None) / "pg_dump"), "--schema-only", f"--dbname={database.superuser_dsn}"]
    dumped = subprocess.run(command, capture_output=True, text=True, timeout=100, check=True).stdout  # noqa: S603 - a program of ours
    body = re.sub(r"\n{3,}", "\n\n", _NOISE.sub("", dumped)).strip()
    return f"{_HEADING}\n{body}\n"


def main() -> None:
    """Write the file from a database of its own that is migrated for it."""
    home = Path(tempfile.mkdtemp(prefix="helixir-schema-", dir=quick_folder()))
    postgres = EmbeddedPostgres(home, durable=False)
    try:
        postgres.start()
        roles.prepare(home)
        run(migrate.migrate(place.migration_dsn(home)))
        FILE.write_text(schema_of(Database(place.DATABASE, home)), encoding="utf-8")
    finally:
        postgres.stop()
        for folder in (postgres.place.data, postgres.place.sockets, home):
            shutil.rmtree(folder, ignore_errors=True)
    sys.stdout.write(f"{FILE}\n")


if __name__ == "__main__":
    main()
