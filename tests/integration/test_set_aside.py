"""A write that can never be finished is tried for ever, until the operator sets it aside; and again once it is taken up."""

from __future__ import annotations

import re
from datetime import timedelta
from functools import partial
from uuid import uuid4

import asyncpg
import pytest
from typer.testing import CliRunner, Result

from app.errors import ConflictError, NotFoundError
from app.writes_cli import commands
from tests.integration.models import Fault
from tests.integration.stage import Json, Stage, wait_until
from tests.model_stub import Reply
from tests.postgres import Database, run

SETTINGS = {"intake": {"retry_seconds": 0.2}}


def command(stage: Stage, *arguments: str, tenant: str = "default") -> Result:
    """One command, in this process; a refusal is raised."""
    database = stage.house.database
    settings = {"HELIXIR_DATABASE_URL": database.service_dsn, "HELIXIR_MIGRATION_DATABASE_URL": database.owner_dsn}
    done = CliRunner().invoke(commands, [*arguments, "--tenant", tenant], env=settings)
    if done.exception is not None:
        raise done.exception
    return done


def listed(stage: Stage, *more: str) -> dict[str, list[str]]:
    """The rows of the list, by the write's id."""
    _, *rows = (re.split(r"\s{2,}", line) for line in command(stage, "list", *more).stdout.splitlines())
    return {row[0]: row for row in rows}


def hopeless(stage: Stage, user: str, text: str) -> tuple[Fault, str]:
    """A write whose embedder is gone for good, and the fault to heal."""
    fault = stage.models.fail("embeddings", text, Reply(status=500))
    return fault, str(stage.agent.write(user, text, expect=202, key=user)["write_id"])


def read(stage: Stage, write: str) -> Json:
    return stage.agent.ask("GET", f"/writes/{write}")


def tried(tries: int, rows: list[asyncpg.Record]) -> bool:
    """Whether it waits, after at least so many tries."""
    return bool(rows) and rows[0]["attempts"] >= tries


def test_it_is_tried_for_ever_with_growing_delays(stage: Stage) -> None:
    _, write = hopeless(stage, stage.user(), stage.t("lives in Lisbon"))
    query = "SELECT attempts, next_attempt_at - clock_timestamp() AS wait FROM writes WHERE write_id = $1 AND next_attempt_at > now()"
    waits: list[timedelta] = []
    for tries in range(1, 4):
        (row,) = wait_until(lambda: stage.rows(query, write), partial(tried, tries))
        waits.append(row["wait"])
    assert waits == sorted(waits)
    assert waits[-1] > 2 * waits[0]
    assert read(stage, write)["status"] == "accepted"
    assert stage.value("SELECT last_fault FROM writes WHERE write_id = $1", write) == "embedder_unavailable"


def test_set_aside_it_is_tried_no_more_and_taken_up_it_is_finished(stage: Stage) -> None:
    user, text = stage.user(), stage.t("lives in Lisbon")
    fault, write = hopeless(stage, user, text)
    assert listed(stage, "--status", "accepted")[write][1] == "accepted"
    command(stage, "set-aside", write, "--reason", "the model is gone")
    stage.house.fetch("SELECT pg_sleep(1)")  # a try that was under way ends
    stage.models.heal(fault)
    tries = stage.models.embedded(text)
    assert (read(stage, write)["status"], read(stage, write)["results"]) == ("set_aside", [])
    assert [one["write_id"] for one in stage.agent.items("/writes", status="set_aside", user_id=user)] == [write]
    assert stage.agent.items("/writes", status="accepted", user_id=user) == []
    assert (listed(stage)[write][1], write in listed(stage, "--status", "accepted")) == ("set_aside", False)
    again = stage.agent.write(user, text, expect=202, key=user)
    assert (again["write_id"], again["status"]) == (write, "set_aside")
    stage.house.fetch("SELECT pg_sleep(1.5)")  # several rounds of the worker
    assert stage.models.embedded(text) == tries
    assert stage.agent.listed(user) == []

    command(stage, "take-up", write, "--reason", "it is back")
    done = wait_until(lambda: read(stage, write), lambda one: one["status"] == "completed")
    assert [one["outcome"] for one in done["results"]] == ["stored"]
    assert stage.agent.texts(user) == [text]
    assert write not in listed(stage)
    acts = stage.rows("SELECT act, reason, operator, detail FROM audit WHERE subject = $1::uuid::text ORDER BY audit_id", write)
    assert [(row["act"], row["reason"], row["operator"]) for row in acts] == [
        ("set_aside_write", "the model is gone", True),
        ("take_up_write", "it is back", True),
    ]
    assert stage.name not in str([dict(row) for row in acts])


def test_a_write_that_is_set_aside_while_it_is_worked_on_stays_so(stage: Stage) -> None:
    user, text = stage.user(), stage.t("lives in Lisbon")
    stage.models.fail("embeddings", text, Reply.vectors(stage.models.vector(text), delay=1.0))
    body = {"user_id": user, "facts": [{"content": text, "memory_type": "fact"}]}
    response = stage.agent.http.post("/memories", json=body, headers={"Prefer": "respond-async"})
    write = response.json()["write_id"]
    wait_until(lambda: stage.models.embedded(text), lambda count: count == 1)
    command(stage, "set-aside", write, "--reason", "not this one")
    stage.house.fetch("SELECT pg_sleep(1.5)")
    assert read(stage, write)["status"] == "set_aside"
    assert stage.agent.listed(user) == []


def test_what_does_not_fit_is_refused_and_leaves_no_row_in_the_audit(stage: Stage) -> None:
    done = stage.agent.write(stage.user(), stage.t("has a cat"))["write_id"]
    _, waiting = hopeless(stage, stage.user(), stage.t("lives in Lisbon"))
    for words, error, code in [
        (("set-aside", done), ConflictError, "not_accepted"),
        (("take-up", waiting), ConflictError, "not_set_aside"),
        (("set-aside", str(uuid4())), NotFoundError, "not_found"),
    ]:
        with pytest.raises(error) as told:
            command(stage, *words, "--reason", "x")
        assert told.value.code == code
    with pytest.raises(NotFoundError):
        command(stage, "set-aside", waiting, "--reason", "x", tenant="nobody")
    assert stage.value("SELECT count(*) FROM audit WHERE subject = ANY($1::text[])", [done, waiting]) == 0


def test_the_services_role_can_neither_set_aside_nor_take_up(stage: Stage) -> None:
    _, write = hopeless(stage, stage.user(), stage.t("lives in Lisbon"))
    tenant = str(stage.value("SELECT tenant_id FROM writes WHERE write_id = $1", write))
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        run(as_service(stage.house.database, tenant, write, "set_aside"))
    command(stage, "set-aside", write, "--reason", "gone")
    assert run(as_service(stage.house.database, tenant, write, "accepted")) == "UPDATE 0"


async def as_service(database: Database, tenant_id: str, write: str, status: str) -> str:
    """What the database answers when the service's role wants a write in this status."""
    connection = await asyncpg.connect(database.service_dsn)
    try:
        async with connection.transaction():
            await connection.execute("SELECT set_config('helixir.tenant_id', $1, true)", tenant_id)
            return await connection.execute("UPDATE writes SET status = $2 WHERE write_id = $1::uuid", write, status)
    finally:
        await connection.close()
