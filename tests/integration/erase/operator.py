"""An erase as the operator does it, and a look at every text of the database."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import asyncpg

from app.services.operator.closure import Order
from app.services.operator.erase import Report, erase
from tests.integration.stage import Stage
from tests.postgres import run

_COLUMNS = """
SELECT c.table_name, c.column_name FROM information_schema.columns c
JOIN information_schema.tables t USING (table_schema, table_name)
WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.data_type IN ('text', 'jsonb', 'ARRAY', 'USER-DEFINED', 'bytea')
ORDER BY 1, 2
"""


class Operator:
    """The command's use case, as the tables' owner; and a look at every text of the database."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.database = stage.house.database

    def erase(self, memory_id: str | None = None, **options: Any) -> Report:
        given = None if memory_id is None else UUID(memory_id)
        order = Order("default", options.pop("reason", "the person asked for it"), given, **options)
        report: Report = run(self.carry_out(order))
        return report

    async def carry_out(self, order: Order) -> Report:
        connection = await asyncpg.connect(self.database.owner_dsn)
        try:
            return await erase(connection, order)
        finally:
            await connection.close()

    def places(self, *words: str) -> set[str]:
        """Every column in which one of the words stands, in whatever case."""
        found: set[str] = run(self._places(words))
        return found

    async def _places(self, words: tuple[str, ...]) -> set[str]:
        connection = await asyncpg.connect(self.database.superuser_dsn)
        try:
            found = set()
            for table, column in await connection.fetch(_COLUMNS):
                query = f'SELECT EXISTS (SELECT FROM "{table}" WHERE lower("{column}"::text) LIKE ANY($1))'  # noqa: S608 - names of the schema itself
                if await connection.fetchval(query, [f"%{word.lower()}%" for word in words]):
                    found.add(f"{table}.{column}")
            return found
        finally:
            await connection.close()

    def everything(self) -> dict[str, list[str]]:
        """Every row of every table, to see that nothing changed."""
        tables = self.stage.rows("SELECT table_name FROM information_schema.tables WHERE table_schema='public' AND table_type='BASE TABLE'")
        return {
            str(name): sorted(row[0] for row in self.stage.rows(f'SELECT t::text FROM "{name}" t'))  # noqa: S608 - as above
            for (name,) in tables
        }


def word(stage: Stage, name: str) -> str:
    """A word that only this test uses."""
    return f"{name}{stage.name.lower()}"


def ids(report: Report) -> set[str]:
    return {str(one.memory_id) for one in report.memories if one.new}


def counts(report: Report, *names: str) -> list[int]:
    return [report.counts[name] for name in names]


def message(stage: Stage, user: str, one: str, two: str, **more: Any) -> tuple[str, str, str]:
    """A message with two statements: the ids of both and of the message."""
    text = f"Ann lives in {one}. Ann works in {two}."
    stage.models.extracts[text] = [
        {"content": f"Ann lives in {one}", "memory_type": "fact", "valid_from": None},
        {"content": f"Ann works in {two}", "memory_type": "fact", "valid_from": None},
    ]
    body = stage.agent.say(user, text, **more)
    first, second = (str(result["memory_id"]) for result in body["results"])
    return first, second, str(body["raw_input_id"])
