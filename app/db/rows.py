"""Rows that must be there."""

from __future__ import annotations

import asyncpg


def required(row: asyncpg.Record | None) -> asyncpg.Record:
    """The row of a query that always answers one. Raises `LookupError` when the database does not hold what it must."""
    if row is None:
        raise LookupError("a row that must exist is missing; run `helixir migrate`")
    return row
