"""The schema is the committed one, and no migration locks a table for longer than a moment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.migration.dump import FILE, schema_of
from tests.postgres import Database

ROOT = Path(__file__).parents[2]


def squawk(*files: Path, root: Path = ROOT) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("squawk")
    command = [str(program), "--config", str(root / ".squawk.toml"), "--reporter", "gcc", *map(str, files)]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=60, check=False)  # noqa: S603


def test_the_schema_is_the_committed_one(database: Database) -> None:
    assert schema_of(database) == FILE.read_text(encoding="utf-8"), "run `make schema` and look at the change"


def test_no_migration_locks_for_long() -> None:
    found = squawk(*sorted((ROOT / "alembic" / "versions").glob("*.sql")))
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.parametrize(
    ("statement", "rule"),
    [
        ("CREATE INDEX slow ON memories (content);", "require-concurrent-index-creation"),
        ("ALTER TABLE memories ADD CONSTRAINT slow CHECK (content <> '');", "constraint-missing-not-valid"),
        ("ALTER TABLE memories ALTER COLUMN content TYPE varchar;", "changing-column-type"),
        ("ALTER TABLE memories ADD COLUMN slow uuid DEFAULT gen_random_uuid();", "adding-field-with-default"),
        ("ALTER TABLE memories RENAME COLUMN content TO text;", "renaming-column"),
        ("ALTER TABLE memories DROP COLUMN content;", "ban-drop-column"),
    ],
)
def test_a_migration_that_locks_would_be_found(tmp_path: Path, statement: str, rule: str) -> None:
    file = tmp_path / "0099_up.sql"
    file.write_text(statement, encoding="utf-8")
    found = squawk(file)
    assert found.returncode != 0
    assert rule in found.stdout
