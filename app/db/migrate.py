"""Schema migrations: Alembic in this process, over asyncpg, behind one advisory lock.

Alembic and SQLAlchemy are imported only when something is to be done, so that a restart stays quick.
"""

# ruff: noqa: PLC0415 - Alembic and SQLAlchemy take a second to import, and most starts need neither

from __future__ import annotations

import ast
import base64
import hashlib
import hmac
import os
import unicodedata
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit

import asyncpg

from app.errors import ConfigurationError, UnavailableError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sqlalchemy import Connection
    from sqlalchemy.ext.asyncio import AsyncEngine

SERVICE_GROUP = "helixir_service"
ADVISORY_LOCK = 0x48_65_6C_69_78_69_72  # any constant that nothing else on this database uses
LOCK_WAIT = "60s"  # for another migration to end
LOCK_TIMEOUT = "10s"  # for a table in use: rather fail than queue every request behind us
STATEMENT_TIMEOUT = "15min"

_CONNECT_TIMEOUT = 10.0  # seconds
_SCRAM_ITERATIONS = 4096

_VERSION_TABLE = "select to_regclass('alembic_version') is not null"
_VERSION = "select version_num from alembic_version"
_EXTENSION = "select extversion from pg_extension where extname = 'vector'"
_CREATE_EXTENSION = "create extension if not exists vector"
_OLDEST_EXTENSION = (0, 8)  # the first with iterative index scans
_ROLE_EXISTS = "select to_regrole(quote_ident($1)) is not null"
_IS_MEMBER = "select pg_has_role($1::text, $2::text, 'member')"
_CREATE_ROLE = "select format('create role %I login password %L', $1::text, $2::text)"
URL_FORM = "a database URL must look like postgresql://user:password@host:5432/database"
_ALTER_ROLE = "select format('alter role %I login password %L', $1::text, $2::text)"
_GRANT = "select format('grant %I to %I', $2::text, $1::text)"


@asynccontextmanager
async def connect(dsn: str) -> AsyncIterator[asyncpg.Connection]:
    """Open one plain connection to `dsn`.

    Raises `ConfigurationError`, without quoting it, when it is no such URL, and `UnavailableError` when the database is out of
    reach or refuses us.
    """
    try:
        connection = await asyncpg.connect(dsn, timeout=_CONNECT_TIMEOUT)
    except ValueError as error:
        raise ConfigurationError(URL_FORM) from error
    except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        reason = str(error) or type(error).__name__
        raise UnavailableError(f"the database cannot be reached: {reason}") from error
    try:
        yield connection
    finally:
        await connection.close()


def scripts() -> Path:
    """Return the folder of `env.py` and `versions`.

    It lies beside the package in a checkout, and in the working directory of the image, where the package is installed
    elsewhere. Raises `ConfigurationError` when it is at neither place.
    """
    for root in (Path(__file__).resolve().parents[2], Path.cwd()):
        if (root / "alembic" / "env.py").is_file():
            return root / "alembic"
    raise ConfigurationError("the folder alembic is missing: run this in the folder of the checkout")


def head_revision(folder: Path | None = None) -> str:
    """Return the newest revision under `folder` (default: the project's own), read without importing Alembic."""
    parents = _revisions(folder or scripts())
    heads = parents.keys() - set(parents.values())
    if len(heads) != 1:
        raise ConfigurationError(f"the migrations must end in exactly one revision, not in {sorted(heads)}")
    return heads.pop()


async def current_revision(dsn: str) -> str | None:
    """Return the revision that the database is at, None for a database without our schema."""
    async with connect(dsn) as connection:
        if not await connection.fetchval(_VERSION_TABLE):
            return None
        revision: str | None = await connection.fetchval(_VERSION)
        return revision


async def migrate(dsn: str, folder: Path | None = None) -> bool:
    """Bring the database of `dsn` to the newest revision, and tell whether anything was to be done.

    `dsn` is the role that owns the schema. Raises `UnavailableError` when the database is out of reach,
    `ConfigurationError` when a migration fails; each migration runs whole or not at all.
    """
    folder = folder or scripts()
    current = await current_revision(dsn)
    if current == head_revision(folder):
        return False
    if current is not None and current not in _revisions(folder):
        raise ConfigurationError(f"the database is at revision {current}, which only a newer version of this service knows")
    from alembic.util import CommandError
    from sqlalchemy.exc import SQLAlchemyError

    await _require_extension(dsn)
    try:
        await _upgrade(dsn, folder)
    except (CommandError, SQLAlchemyError, asyncpg.PostgresError) as error:
        raise ConfigurationError(f"the migration failed, and nothing of it was kept: {_reason(error)}") from error
    return True


async def _require_extension(dsn: str) -> None:
    """Make the extension when this role may, and refuse a version that is too old."""
    async with connect(dsn) as connection:
        try:
            version = await connection.fetchval(_EXTENSION)
            if version is None:
                await connection.execute(_CREATE_EXTENSION)
                version = await connection.fetchval(_EXTENSION)
        except asyncpg.InsufficientPrivilegeError as error:
            raise ConfigurationError(f"let a superuser run this in the database, then try again: {_CREATE_EXTENSION};") from error
        except (asyncpg.UndefinedFileError, asyncpg.FeatureNotSupportedError) as error:
            raise ConfigurationError("this Postgres has no pgvector: install it on the database server") from error
    if tuple(int(part) for part in version.split(".")[:2]) < _OLDEST_EXTENSION:
        raise ConfigurationError(f"pgvector {version} is too old, 0.8 is needed: alter extension vector update;")


async def _upgrade(dsn: str, folder: Path) -> None:
    from alembic.config import Config

    from alembic import command

    config = Config()
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.set_main_option("path_separator", "os")

    def upgrade(connection: Connection) -> None:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")

    engine = engine_for(dsn)
    try:
        async with engine.connect() as connection:
            await connection.run_sync(upgrade)
    finally:
        await engine.dispose()


def run_script(sql: str) -> None:
    """Run a whole SQL script, many statements, inside the transaction of the migration that calls this."""
    from sqlalchemy import text
    from sqlalchemy.util import await_only

    from alembic import op

    bind = op.get_bind()
    # SQLAlchemy's asyncpg adapter opens the transaction at its first statement: without one the script would commit
    # on its own, apart from the revision number.
    bind.execute(text("select 1"))
    driver: Any = bind.connection.driver_connection
    await_only(driver.execute(sql))


def engine_for(dsn: str) -> AsyncEngine:
    """Return an SQLAlchemy engine that lets asyncpg itself read `dsn`: a socket's folder in `?host=` works, too."""
    from sqlalchemy.ext.asyncio import create_async_engine
    from sqlalchemy.pool import NullPool

    async def open_connection() -> asyncpg.Connection:
        return await asyncpg.connect(dsn, timeout=_CONNECT_TIMEOUT)

    return create_async_engine("postgresql+asyncpg://", async_creator=open_connection, poolclass=NullPool)


def user_and_password(dsn: str) -> tuple[str | None, str | None]:
    """Return who a database URL logs in as. Raises `ConfigurationError`, without quoting it, when it is no such URL."""
    try:
        url = urlsplit(dsn)
    except ValueError:
        url = urlsplit("")
    if url.scheme not in {"postgresql", "postgres"}:
        raise ConfigurationError(URL_FORM)
    options = dict(parse_qsl(url.query))
    user = options.get("user") or unquote(url.username or "")
    password = options.get("password") or unquote(url.password or "")
    return user or None, password or None


async def ensure_service_role(migration_dsn: str, service_dsn: str) -> None:
    """See to it that the role of `service_dsn` can log in with that URL's password and has the service's grants.

    Does nothing when both URLs name one role (the service itself refuses to start then). Raises `ConfigurationError`
    with the SQL to run when the migration's role may not do this.
    """
    user, password = user_and_password(service_dsn)
    if user is None or user == user_and_password(migration_dsn)[0]:
        return
    async with connect(migration_dsn) as connection:
        try:
            if not (await connection.fetchval(_ROLE_EXISTS, user) and await _can_log_in(service_dsn)):
                await _set_login(connection, user, password)
            if not await connection.fetchval(_IS_MEMBER, user, SERVICE_GROUP):
                await connection.execute(await connection.fetchval(_GRANT, user, SERVICE_GROUP))
        except asyncpg.InsufficientPrivilegeError as error:
            role = '"' + user.replace('"', '""') + '"'
            message = (
                f"the migration's role may not set up the service's role; let a superuser run: "
                f"create role {role} login password '<the password in HELIXIR_DATABASE_URL>'; "
                f"grant {SERVICE_GROUP} to {role};"
            )
            raise ConfigurationError(message) from error


async def _set_login(connection: asyncpg.Connection, user: str, password: str | None) -> None:
    secret = scram_verifier(password) if password else None
    statement = _ALTER_ROLE if await connection.fetchval(_ROLE_EXISTS, user) else _CREATE_ROLE
    await connection.execute(await connection.fetchval(statement, user, secret))


async def _can_log_in(dsn: str) -> bool:
    try:
        connection = await asyncpg.connect(dsn, timeout=_CONNECT_TIMEOUT)
    except asyncpg.InvalidAuthorizationSpecificationError:  # a wrong password is one of these, too
        return False
    except (OSError, TimeoutError, ValueError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        reason = str(error) or type(error).__name__
        raise UnavailableError(f"the database cannot be reached as the service's role: {reason}") from error
    await connection.close()
    return True


def scram_verifier(password: str, salt: bytes | None = None) -> str:
    """Return what Postgres stores for `password` (RFC 5803), so that the password itself is never sent nor logged."""
    salt = salt or os.urandom(16)
    normal = unicodedata.normalize("NFKC", password).encode()
    salted = hashlib.pbkdf2_hmac("sha256", normal, salt, _SCRAM_ITERATIONS)
    client = hmac.digest(salted, b"Client Key", "sha256")
    server = hmac.digest(salted, b"Server Key", "sha256")
    stored = hashlib.sha256(client).digest()
    encoded = [base64.b64encode(part).decode() for part in (salt, stored, server)]
    return f"SCRAM-SHA-256${_SCRAM_ITERATIONS}:{encoded[0]}${encoded[1]}:{encoded[2]}"


def _revisions(folder: Path) -> dict[str, str | None]:
    """Return each revision under `folder` and the one before it."""
    modules = map(_assigned_names, sorted((folder / "versions").glob("*.py")))
    return {names["revision"]: names.get("down_revision") for names in modules if "revision" in names}


def _assigned_names(path: Path) -> dict[str, str]:
    """Return the module's plain string assignments, such as `revision = "0001"`."""
    names: dict[str, str] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        value = node.value if isinstance(node, ast.AnnAssign | ast.Assign) else None
        for target in targets:
            if isinstance(target, ast.Name) and isinstance(value, ast.Constant) and isinstance(value.value, str):
                names[target.id] = value.value
    return names


def _reason(error: Exception) -> str:
    """Return the error's first line without the statement and its parameters."""
    original = getattr(error, "orig", None) or error
    return (str(original) or type(error).__name__).splitlines()[0]
