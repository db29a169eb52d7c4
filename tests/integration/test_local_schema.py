"""Migrations in the process, and the service's role on a database that is not ours."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

from app.db import migrate
from app.errors import ConfigurationError, UnavailableError
from app.local import place
from tests.postgres import Database, run

_VERSION = """
from app.db.migrate import run_script

revision = {revision!r}
down_revision = {before!r}


def upgrade() -> None:
    run_script({sql!r})
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a folder with our own `env.py` and no versions yet."""
    (tmp_path / "versions").mkdir()
    (tmp_path / "env.py").write_bytes((migrate.scripts() / "env.py").read_bytes())
    return tmp_path


def add(folder: Path, revision: str, before: str | None, sql: str) -> None:
    text = _VERSION.format(revision=revision, before=before, sql=sql)
    (folder / "versions" / f"{revision}.py").write_text(text, encoding="utf-8")


async def tables(dsn: str) -> set[str]:
    async with migrate.connect(dsn) as connection:
        rows = await connection.fetch("select tablename from pg_tables where schemaname = 'public'")
    return {row["tablename"] for row in rows} - {"alembic_version"}


async def test_a_migration_is_a_whole_script_and_runs_once(empty_database: Database, folder: Path) -> None:
    dsn = empty_database.owner_dsn
    add(folder, "0001", None, "create table a (x int); create table b (x int); insert into a values (1);")
    assert await migrate.current_revision(dsn) is None
    assert await migrate.migrate(dsn, folder) is True
    assert await migrate.migrate(dsn, folder) is False
    assert await migrate.current_revision(dsn) == migrate.head_revision(folder) == "0001"
    assert await tables(dsn) == {"a", "b"}


async def test_a_failing_migration_leaves_nothing_of_itself(empty_database: Database, folder: Path) -> None:
    dsn = empty_database.owner_dsn
    add(folder, "0001", None, "create table a (x int)")
    add(folder, "0002", "0001", "create table b (x int); select 1 / 0;")
    with pytest.raises(ConfigurationError, match="division by zero"):
        await migrate.migrate(dsn, folder)
    assert await migrate.current_revision(dsn) == "0001"
    assert await tables(dsn) == {"a"}
    add(folder, "0002", "0001", "create table b (x int)")
    assert await migrate.migrate(dsn, folder) is True
    assert await tables(dsn) == {"a", "b"}


async def test_a_migration_waits_for_another_one(empty_database: Database, folder: Path) -> None:
    dsn = empty_database.owner_dsn
    add(folder, "0001", None, "create table a (x int)")
    async with migrate.connect(dsn) as other:
        await other.execute("select pg_advisory_lock($1)", migrate.ADVISORY_LOCK)
        waiting = asyncio.create_task(migrate.migrate(dsn, folder))
        await asyncio.sleep(1)
        assert not waiting.done()
        assert await tables(dsn) == set()
    assert await waiting is True


async def test_a_database_of_a_newer_version_is_left_alone(empty_database: Database, folder: Path) -> None:
    dsn = empty_database.owner_dsn
    add(folder, "0001", None, "create table a (x int)")
    add(folder, "0002", "0001", "create table b (x int)")
    await migrate.migrate(dsn, folder)
    (folder / "versions" / "0002.py").unlink()
    with pytest.raises(ConfigurationError, match="only a newer version"):
        await migrate.migrate(dsn, folder)


def test_two_heads_are_a_mistake(folder: Path) -> None:
    add(folder, "0001", None, "")
    add(folder, "0002", "0001", "")
    add(folder, "0003", "0001", "")
    with pytest.raises(ConfigurationError, match="exactly one"):
        migrate.head_revision(folder)


async def test_an_absent_extension_is_asked_of_a_superuser(empty_database: Database, folder: Path) -> None:
    add(folder, "0001", None, "create table a (x int)")
    async with migrate.connect(empty_database.superuser_dsn) as connection:
        await connection.execute("drop extension vector")
    with pytest.raises(ConfigurationError, match="create extension if not exists vector"):
        await migrate.migrate(empty_database.owner_dsn, folder)
    assert await migrate.migrate(empty_database.superuser_dsn, folder) is True


async def test_no_database_is_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="cannot be reached"):
        await migrate.current_revision(f"postgresql://nobody@/nothing?host={tmp_path}")


@pytest.mark.parametrize("dsn", ["", "mysql://u:secret@host/db", "secret", "postgresql//secret"])
def test_what_is_no_url_is_refused_and_not_quoted(dsn: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        migrate.user_and_password(dsn)
    assert "secret" not in caught.value.detail


@pytest.fixture
def login_role(database: Database) -> str:
    """Name a login role that does not exist yet, and have the server ask it for its password."""
    name = f"svc_{database.name}"
    rules = place.place_of(database.home).data / "pg_hba.conf"
    rules.write_text(f"local all {name} scram-sha-256\n{rules.read_text(encoding='utf-8')}", encoding="utf-8")
    run(_reload(database.superuser_dsn))
    return name


async def _reload(dsn: str) -> None:
    async with migrate.connect(dsn) as connection:
        await connection.execute("select pg_reload_conf()")
    await asyncio.sleep(0.2)


async def test_the_services_role_is_made_with_its_password_and_grants(database: Database, login_role: str) -> None:
    first = _with_password(database, login_role, "first é'%:@/")
    for _ in range(2):
        await migrate.ensure_service_role(database.owner_dsn, first)
        async with migrate.connect(first) as connection:
            assert await connection.fetchval("select pg_has_role('helixir_service', 'usage')") is True
            assert await connection.fetchval("select rolsuper from pg_roles where rolname = current_user") is False

    changed = _with_password(database, login_role, "second")
    await migrate.ensure_service_role(database.owner_dsn, changed)
    async with migrate.connect(changed):
        pass
    with pytest.raises(UnavailableError):
        async with migrate.connect(first):
            pass
    log = place.place_of(database.home).log.read_text(encoding="utf-8")
    assert "second" not in re.findall(r"\w+", log)
    async with migrate.connect(database.superuser_dsn) as connection:
        await connection.execute(f"drop role {login_role}")


async def test_without_the_privilege_the_sql_is_told(database: Database, login_role: str) -> None:
    dsn = _with_password(database, login_role, "hidden")
    with pytest.raises(ConfigurationError, match=f'create role "{login_role}" login') as caught:
        await migrate.ensure_service_role(database.service_dsn, dsn)
    assert "hidden" not in caught.value.detail


def _with_password(database: Database, role: str, password: str) -> str:
    where = database.dsn(role)
    return where.replace(f"//{role}@", f"//{role}:{quote(password, safe='')}@")


def test_a_known_password_gives_the_known_verifier() -> None:
    """The example of RFC 7677, section 3, as Postgres stores it."""
    salt = b"\x5b\x6d\x99\x68\x9d\x12\x35\x8e\xec\xa0\x4b\x14\x12\x36\xfa\x81"
    assert migrate.scram_verifier("pencil", salt) == (
        "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="
    )


def test_nothing_heavy_is_imported_to_find_the_head(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("alembic", "sqlalchemy"):
        monkeypatch.setitem(sys.modules, name, None)
    assert migrate.head_revision()
