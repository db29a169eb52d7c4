"""Every SQL constant is one that Postgres can prepare, for the service's own role: no typo waits for its first use."""

from __future__ import annotations

import importlib
import pkgutil

import asyncpg
import pytest

import app.db
import app.services
from app.db.pool import prepare_connection
from tests.postgres import Database

OPERATORS_OWN = {"app.db.keys", "app.db.erase", "app.db.transfer"}
"""Modules whose statements run as the operator's role."""


def statements() -> list[tuple[str, str, str]]:
    found = []
    for package in (app.db, app.services):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            for name, value in vars(importlib.import_module(module.name)).items():
                if name.isupper() and isinstance(value, str) and value.split(maxsplit=1)[:1] and is_sql(value):
                    found.append((module.name, name, value))
    return found


def is_sql(value: str) -> bool:
    return value.split(maxsplit=1)[0] in {"SELECT", "INSERT", "UPDATE", "WITH", "DELETE"}


async def test_every_statement_can_be_prepared(database: Database) -> None:
    service = await asyncpg.connect(database.service_dsn)
    await prepare_connection(service)
    seen = statements()
    assert len(seen) > 50
    for module, name, sql in seen:
        if module in OPERATORS_OWN:
            continue
        try:
            await service.prepare(sql)
        except asyncpg.PostgresError as fault:
            pytest.fail(f"{module}.{name}: {fault}")
    await service.close()


def test_no_statement_deletes() -> None:
    """C1: the service has no DELETE and no TRUNCATE."""
    for module, name, sql in statements():
        if module in OPERATORS_OWN:
            continue
        assert "DELETE FROM" not in sql.upper(), (module, name)
        assert "TRUNCATE" not in sql.upper(), (module, name)
