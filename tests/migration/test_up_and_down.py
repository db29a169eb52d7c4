"""The schema goes up, down and up again, and is the same each time."""

from __future__ import annotations

import asyncpg
from alembic.config import Config
from sqlalchemy import Connection

from alembic import command
from app.db import migrate
from tests.postgres import Database, run

SHAPE = """
SELECT 'column' AS kind, table_name || '.' || column_name AS name,
  data_type || ' ' || is_nullable || ' ' || coalesce(column_default, '') AS detail
FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'alembic_version'
UNION ALL
SELECT 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid) FROM pg_constraint
WHERE connamespace = 'public'::regnamespace AND conrelid <> 0 AND conrelid::regclass::text <> 'alembic_version'
UNION ALL
SELECT 'index', indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename <> 'alembic_version'
UNION ALL
SELECT 'trigger', tgrelid::regclass || '.' || tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
UNION ALL
SELECT 'function', p.oid::regprocedure::text, md5(p.prosrc) FROM pg_proc p
LEFT JOIN pg_depend d ON d.objid = p.oid AND d.deptype = 'e'
WHERE p.pronamespace = 'public'::regnamespace AND d.objid IS NULL
UNION ALL
SELECT 'view', viewname, definition FROM pg_views WHERE schemaname = 'public'
UNION ALL
SELECT 'grant', table_name || ' ' || privilege_type, grantee FROM information_schema.role_table_grants
WHERE table_schema = 'public' AND grantee = 'helixir_service' AND table_name <> 'alembic_version'
UNION ALL
SELECT 'column grant', table_name || '.' || column_name || ' ' || privilege_type, grantee FROM information_schema.role_column_grants
WHERE table_schema = 'public' AND grantee = 'helixir_service' AND table_name <> 'alembic_version'
ORDER BY 1, 2, 3
"""


async def shape_of(database: Database) -> list[tuple[str, ...]]:
    connection = await asyncpg.connect(database.owner_dsn)
    try:
        return [tuple(row) for row in await connection.fetch(SHAPE)]
    finally:
        await connection.close()


async def fetch(database: Database, query: str) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(database.owner_dsn)
    try:
        return await connection.fetch(query)
    finally:
        await connection.close()


async def downgrade(database: Database) -> None:
    """Back to nothing, the way `migrate` goes up."""
    config = Config()
    config.set_main_option("script_location", str(migrate.scripts()).replace("%", "%%"))
    config.set_main_option("path_separator", "os")

    def down(connection: Connection) -> None:
        config.attributes["connection"] = connection
        command.downgrade(config, "base")

    engine = migrate.engine_for(database.owner_dsn)
    try:
        async with engine.connect() as connection:
            await connection.run_sync(down)
    finally:
        await engine.dispose()


def test_up_down_and_up_again_gives_the_same_schema(empty_database: Database) -> None:
    assert run(shape_of(empty_database)) == []
    assert run(migrate.migrate(empty_database.owner_dsn)) is True
    first = run(shape_of(empty_database))
    kinds = {row[0] for row in first}
    assert kinds == {"column", "constraint", "index", "trigger", "function", "view", "grant", "column grant"}
    run(downgrade(empty_database))
    assert run(shape_of(empty_database)) == []
    assert run(migrate.migrate(empty_database.owner_dsn)) is True
    assert run(shape_of(empty_database)) == first


def test_migrating_what_is_at_head_does_nothing(database: Database) -> None:
    before = run(shape_of(database))
    assert run(migrate.migrate(database.owner_dsn)) is False
    assert run(shape_of(database)) == before


def test_the_first_version_of_the_constitution_is_registered_once(database: Database) -> None:
    rows = run(
        fetch(database, "SELECT version, encode(sha256(convert_to(constitution, 'UTF8')), 'hex') = sha256 AS fits FROM charter_versions")
    )
    assert [tuple(row) for row in rows] == [(1, True)]
