"""Who may erase, what is refused, and what the command line says."""

from __future__ import annotations

import os
import subprocess
import sys

import asyncpg
import pytest

from app.errors import HelixirError, InvalidInputError, NotFoundError
from tests.integration.erase.operator import Operator, word
from tests.integration.stage import Json, Stage
from tests.postgres import run


def test_what_cannot_be_erased(stage: Stage, operator: Operator) -> None:
    met = stage.disputed()
    done = stage.agent.answer(met.dispute, "confirm")
    seed = str(stage.value("SELECT memory_id FROM memories WHERE kind = 'seed' LIMIT 1"))
    before = operator.everything()
    refusals: list[tuple[type[HelixirError], Json]] = [
        (InvalidInputError, {"memory_id": done["episode_id"]}),
        (InvalidInputError, {"memory_id": seed}),
        (InvalidInputError, {"user_id": "helixir"}),
        (InvalidInputError, {"memory_id": met.old, "user_id": met.user}),
        (InvalidInputError, {}),
        (InvalidInputError, {"memory_id": met.old, "reason": " "}),
        (NotFoundError, {"memory_id": "01900000-0000-7000-8000-000000000000"}),
        (NotFoundError, {"user_id": stage.user("nobody")}),
    ]
    for error, options in refusals:
        with pytest.raises(error):
            operator.erase(**options)
    assert operator.everything() == before


def test_only_the_owner_of_the_tables_erases(stage: Stage) -> None:
    """The service's role may ask for the erase in its session; it is still refused, by the database."""

    async def attempt() -> None:
        connection = await asyncpg.connect(stage.house.database.service_dsn)
        try:
            async with connection.transaction():
                await connection.execute("SELECT set_config('helixir.erase', 'on', true)")
                await connection.execute("SELECT erase_vectors(gen_random_uuid(), '{}', '{}')")
        finally:
            await connection.close()

    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        run(attempt())


def helixir(stage: Stage, *arguments: str) -> subprocess.CompletedProcess[str]:
    database = stage.house.database
    given = {"HELIXIR_DATABASE_URL": database.service_dsn, "HELIXIR_MIGRATION_DATABASE_URL": database.owner_dsn}
    command = [sys.executable, "-m", "app.cli", *arguments]
    return subprocess.run(command, env={**os.environ, **given}, capture_output=True, text=True, check=False, timeout=60)  # noqa: S603 - our own program


def test_the_command_line(stage: Stage, operator: Operator) -> None:
    one, two = word(stage, "lisbon"), word(stage, "porto")
    met = stage.meet("SUPERSEDE", old=f"lives in {one}", new=f"lives in {two}")
    asked = ("erase", "--tenant", "default", "--memory", met.new, "--reason", "asked for")
    dry = helixir(stage, *asked, "--dry-run")
    assert dry.returncode == 0
    assert dry.stdout.startswith("would erase:\n")
    assert met.new in dry.stdout
    assert f"predecessors, not revived: {met.old}" in dry.stdout
    assert dry.stdout.endswith("nothing was changed\n")
    assert operator.places(two) != set()
    done = helixir(stage, *asked)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1:] == dry.stdout.splitlines()[1:-1]
    assert operator.places(two) == set()
    again = helixir(stage, *asked)
    assert (again.returncode, again.stdout) == (0, "already erased: there is nothing left of it\n")
    for wrong in (("--tenant", "no such"), ("--memory", "nonsense"), ("--memory", "01900000-0000-7000-8000-000000000000")):
        failed = helixir(stage, *asked, *wrong)
        assert (failed.returncode, failed.stdout) == (1, "")
        assert failed.stderr.startswith("helixir: ")
        assert failed.stderr.count("\n") == 1
