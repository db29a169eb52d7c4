"""What docs/operations.md says about backups is done here: dumped and restored, and brought back to a moment before a disaster."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import yaml

from app.local.place import place_of
from app.local.postgres import EmbeddedPostgres
from tests.fault.own_postgres import own_postgres
from tests.fault.restored import QUIET, contents, house_on, program
from tests.furniture import furnish
from tests.integration.house import House, open_house
from tests.integration.stage import Caller
from tests.invariants import check_invariants
from tests.postgres import Database, quick_folder, run

GUIDE = (Path(__file__).parents[2] / "docs" / "operations.md").read_text(encoding="utf-8")


def caller(house: House, of: Caller) -> Caller:
    """The same key at another house."""
    key = of.http.headers["Authorization"].removeprefix("Bearer ")
    return Caller(house.live.client(key))


async def dump(database: Database, folder: Path) -> dict[str, tuple[int, str]]:
    """Dump roles and database while they are in use; gives what the database held at that moment."""
    connection = await asyncpg.connect(database.superuser_dsn)
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            moment = await connection.fetchval("SELECT pg_export_snapshot()")
            held = await contents(connection)
            program("pg_dumpall", "--roles-only", f"--file={folder / 'roles.sql'}", f"--dbname={database.superuser_dsn}")
            program(
                "pg_dump",
                "--format=custom",
                f"--snapshot={moment}",
                f"--file={folder / 'helixir.dump'}",
                f"--dbname={database.superuser_dsn}",
            )
        return held
    finally:
        await connection.close()


def restore(folder: Path, into: Database) -> None:
    """Restore both into a cluster that has neither."""
    everywhere = place_of(into.home).dsn("postgres", "postgres")
    program("psql", "--quiet", f"--file={folder / 'roles.sql'}", f"--dbname={everywhere}")  # its own superuser is there already
    program("createdb", f"--maintenance-db={everywhere}", "--owner=helixir_owner", "--template=template0", into.name)
    program("pg_restore", "--exit-on-error", f"--dbname={into.superuser_dsn}", str(folder / "helixir.dump"))


async def held_by(database: Database) -> dict[str, tuple[int, str]]:
    connection = await asyncpg.connect(database.superuser_dsn)
    try:
        return await contents(connection)
    finally:
        await connection.close()


async def may_delete(database: Database) -> bool:
    connection = await asyncpg.connect(database.service_dsn)
    try:
        await connection.execute("DELETE FROM memories")
    except asyncpg.InsufficientPrivilegeError:
        return False
    finally:
        await connection.close()
    return True


def goes_on(house: House, before: Caller, dispute: str, name: str) -> None:
    """The service works on what was brought back, with the keys of before: it reads, answers and writes."""
    owner = caller(house, before)
    assert owner.dispute(dispute)["status"] == "open"
    assert owner.answer(dispute, "confirm", version=1)["contradiction"]["status"] == "resolved"
    written = owner.store("somebody-new", f"{name} is back")
    assert [hit["memory"]["id"] for hit in owner.search("somebody-new", f"{name} is back")] == [written]


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_dump_restored_elsewhere_is_the_same_and_goes_on(postgres_home: Path, template_database: str, tmp_path: Path) -> None:
    with open_house(postgres_home, template_database, QUIET) as house:
        stages = [furnish(house, tenant) for tenant in ("default", "acme")]
        disputes = [stage.agent.disputes(status="open")[0]["id"] for stage in stages]
        held = run(dump(house.database, tmp_path))
    assert all(held[table][0] > 0 for table in ("memories", "contradictions", "rules", "rule_proposals", "charter_acts", "api_keys"))
    with cluster() as postgres:
        restored = Database("helixir", postgres.place.home)
        restore(tmp_path, restored)
        check_invariants(restored)
        assert run(held_by(restored)) == held
        assert not run(may_delete(restored))
        with house_on(restored) as again:
            for stage, dispute in zip(stages, disputes, strict=True):
                goes_on(again, stage.agent, dispute, stage.name)
            assert caller(again, stages[0].owner).ask("GET", f"/contradictions/{disputes[1]}", 404)
            again.check_invariants()


@contextmanager
def cluster() -> Iterator[EmbeddedPostgres]:
    """A server with no role and no database of ours."""
    home = Path(tempfile.mkdtemp(prefix="helixir-restored-", dir=quick_folder()))
    postgres = EmbeddedPostgres(home, durable=False)
    try:
        postgres.start()
        yield postgres
    finally:
        postgres.stop()
        remove(postgres)


def remove(postgres: EmbeddedPostgres) -> None:
    for folder in (postgres.place.data, postgres.place.sockets, postgres.place.home):
        shutil.rmtree(folder, ignore_errors=True)


ARCHIVE = {"archive_mode": "on", "archive_command": "test ! -f ../archive/%f && cp %p ../archive/%f", "wal_level": "replica"}


def folder_of(postgres: EmbeddedPostgres, name: str) -> Path:
    """A folder beside the data that the server may write to."""
    folder = postgres.place.data.with_name(name)
    folder.mkdir()
    belong(folder, postgres)
    return folder


def belong(folder: Path, to: EmbeddedPostgres) -> None:
    """Give a folder and all in it to whom the server runs as."""
    owner = to.place.data.stat()
    for path in (folder, *folder.rglob("*")):
        os.chown(path, owner.st_uid, owner.st_gid)


async def archived(database: Database) -> None:
    """Close the present WAL file, and wait until it lies in the archive."""
    connection = await asyncpg.connect(database.superuser_dsn)
    try:
        wanted = await connection.fetchval("SELECT pg_walfile_name(pg_switch_wal())")
        until = time.monotonic() + 60
        while (await connection.fetchval("SELECT coalesce(last_archived_wal, '') FROM pg_stat_archiver")) < wanted:
            assert time.monotonic() < until
            await asyncio.sleep(0.1)
    finally:
        await connection.close()


async def value(database: Database, query: str) -> Any:
    connection = await asyncpg.connect(database.superuser_dsn)
    try:
        return await connection.fetchval(query)
    finally:
        await connection.close()


def base_backup(postgres: EmbeddedPostgres, target: Path) -> None:
    dsn = postgres.place.dsn("postgres", "postgres")
    program("pg_basebackup", f"--pgdata={target}", f"--dbname={dsn}", "--checkpoint=fast", "--wal-method=none")
    belong(target, postgres)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_base_backup_and_the_archive_bring_back_the_moment_before_a_disaster() -> None:
    with own_postgres(ARCHIVE) as (postgres, database):
        archive = folder_of(postgres, "archive")
        with house_on(database) as house:
            base = postgres.place.data.with_name("base")
            base_backup(postgres, base)
            stage = furnish(house)  # after the base backup: it is in the archive alone
            dispute = stage.agent.disputes(status="open")[0]["id"]
        held = run(held_by(database))
        moment = run(value(database, "SELECT clock_timestamp()::text"))
        run(value(database, "TRUNCATE memories CASCADE"))
        assert run(value(database, "SELECT count(*) FROM memories")) == 0
        run(archived(database))
        postgres.stop()
        with recovered(base, archive, moment) as restored:
            check_invariants(restored)
            assert run(held_by(restored)) == held
            with house_on(restored) as again:
                goes_on(again, stage.agent, dispute, stage.name)
                again.check_invariants()


@contextmanager
def recovered(base: Path, archive: Path, moment: str) -> Iterator[Database]:
    """A server on the base backup that plays the archive up to a moment, and then goes its own way."""
    home = Path(tempfile.mkdtemp(prefix="helixir-recovered-", dir=quick_folder()))
    (base / "recovery.signal").touch()
    configuration = {
        "restore_command": f"cp {archive}/%f %p",
        "recovery_target_time": moment,
        "recovery_target_action": "promote",
        "shared_buffers": "64MB",
    }
    postgres = EmbeddedPostgres(home, configuration=configuration)
    postgres.place.data.parent.mkdir(parents=True, exist_ok=True)
    base.rename(postgres.place.data)
    try:
        postgres.start()
        database = Database("helixir", home)
        until = time.monotonic() + 60
        while run(value(database, "SELECT pg_is_in_recovery()")):
            assert time.monotonic() < until
            time.sleep(0.1)
        yield database
    finally:
        postgres.stop()
        remove(postgres)


def test_the_guide_archives_and_recovers_as_it_is_done_here() -> None:
    override = yaml.safe_load(re.findall(r"^```yaml\n(.*?)^```", GUIDE, flags=re.MULTILINE | re.DOTALL)[0])
    command = " ".join(override["services"]["db"]["command"])
    assert "archive_mode=on" in command
    assert ARCHIVE["archive_command"].replace("../archive", "/archive") in command
    for word in (
        "pg_dumpall --roles-only",
        "pg_dump --format=custom",
        "pg_restore --exit-on-error",
        "pg_basebackup",
        "recovery.signal",
        "recovery_target_time",
    ):
        assert word in GUIDE
