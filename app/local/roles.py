"""Roles and database of the embedded Postgres, made when missing at each start.

The service's role owns nothing, so that triggers and grants bind it. The owner's role is no superuser either.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import asyncpg

from app.errors import UnavailableError
from app.local.place import DATABASE, OWNER_ROLE, SERVICE_GROUP, SERVICE_ROLE, superuser_dsn

if TYPE_CHECKING:
    from pathlib import Path

_TIMEOUT = 30.0  # seconds for each statement

_ROLES = f"""
do $$
begin
    if to_regrole('{SERVICE_GROUP}') is null then
        create role {SERVICE_GROUP} nologin;
    end if;
    if to_regrole('{OWNER_ROLE}') is null then
        create role {OWNER_ROLE} login createrole;
    end if;
    if to_regrole('{SERVICE_ROLE}') is null then
        create role {SERVICE_ROLE} login nosuperuser nocreatedb nocreaterole;
    end if;
    if not pg_has_role('{SERVICE_ROLE}', '{SERVICE_GROUP}', 'member') then
        grant {SERVICE_GROUP} to {SERVICE_ROLE};
    end if;
    if not pg_has_role('{OWNER_ROLE}', '{SERVICE_GROUP}', 'member with admin option') then
        grant {SERVICE_GROUP} to {OWNER_ROLE} with admin true, inherit false, set false;
    end if;
end
$$
"""
_DATABASE_EXISTS = "select exists (select from pg_database where datname = $1)"
_CREATE_DATABASE = f"create database {DATABASE} owner {OWNER_ROLE}"
_EXTENSION_EXISTS = "select exists (select from pg_extension where extname = 'vector')"
_CREATE_EXTENSION = "create extension if not exists vector"


def prepare(home: Path) -> None:
    """Make roles, database and extension in the running server of `home`. Raises `UnavailableError` when it cannot."""
    try:
        asyncio.run(_prepare(home))
    except (OSError, asyncpg.PostgresError, TimeoutError) as error:
        raise UnavailableError(f"the embedded database could not be prepared: {error}") from error


async def _prepare(home: Path) -> None:
    connection = await asyncpg.connect(superuser_dsn(home), command_timeout=_TIMEOUT)
    try:
        await connection.execute(_ROLES)
        if not await connection.fetchval(_DATABASE_EXISTS, DATABASE):
            await connection.execute(_CREATE_DATABASE)
    finally:
        await connection.close()
    connection = await asyncpg.connect(superuser_dsn(home, DATABASE), command_timeout=_TIMEOUT)
    try:
        if not await connection.fetchval(_EXTENSION_EXISTS):
            await connection.execute(_CREATE_EXTENSION)
    finally:
        await connection.close()
