"""The database is the last guard: in plain SQL, as the service's own role, what the constitution forbids is refused."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from tests.integration.stage import Stage

DENIED = "42501"
HISTORY = [
    "memories",
    "revisions",
    "embeddings",
    "edges",
    "contradictions",
    "contradiction_events",
    "decisions",
    "memory_events",
    "writes",
    "charter_acts",
    "charter_versions",
    "audit",
    "precedents",
    "rules",
    "rule_proposals",
    "outbox",
    "tenants",
    "user_turns",
]


@dataclass
class Service:
    """The service's role in plain SQL, in a loop of its own."""

    loop: asyncio.AbstractEventLoop
    connection: asyncpg.Connection

    def run(self, work: Callable[[asyncpg.Connection], Awaitable[Any]]) -> Any:
        """Run one transaction to its end."""

        async def transact() -> Any:
            async with self.connection.transaction():
                return await work(self.connection)

        return self.loop.run_until_complete(transact())

    def refusal(self, query: str, *arguments: Any) -> str:
        """The SQLSTATE with which a statement, or the commit after it, is refused."""
        with pytest.raises(asyncpg.PostgresError) as refused:
            self.run(lambda connection: connection.execute(query, *(_id(one) for one in arguments)))
        return str(refused.value.sqlstate)


def _id(value: Any) -> Any:
    try:
        return UUID(value)
    except (ValueError, AttributeError):
        return value


@pytest.fixture
def service(stage: Stage) -> Iterator[Service]:
    """A connection with the privileges of the running service and no others."""
    loop = asyncio.new_event_loop()
    connection = loop.run_until_complete(asyncpg.connect(stage.house.database.service_dsn))
    tenant = stage.house.fetch("SELECT tenant_id::text FROM tenants WHERE name = 'default'")[0][0]
    loop.run_until_complete(connection.execute("SELECT set_config('helixir.tenant_id', $1, false)", tenant))
    yield Service(loop, connection)
    loop.run_until_complete(connection.close())
    loop.close()


def raw_input(stage: Stage) -> str:
    message = stage.t("moved to Lisbon")
    stage.models.extracts[message] = []
    return str(stage.agent.say(stage.user(), message)["raw_input_id"])


def final(stage: Stage) -> str:
    memory = stage.agent.store(stage.user(), stage.t("was born in Faro"))
    stage.owner.act("finalize", memory)
    return memory


@pytest.mark.parametrize("table", HISTORY)
def test_the_service_can_neither_delete_nor_truncate_nor_alter(service: Service, table: str) -> None:
    for statement in ("DELETE FROM {}", "TRUNCATE {} CASCADE", "ALTER TABLE {} ADD COLUMN x int", "DROP TABLE {}"):
        assert service.refusal(statement.format(table)) == DENIED, statement


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM api_keys",
        "INSERT INTO api_keys DEFAULT VALUES",
        "UPDATE api_keys SET role = 'owner'",
        "INSERT INTO tenants (tenant_id, name) VALUES (gen_random_uuid(), 'x')",
        "INSERT INTO charter_versions VALUES (99, repeat('a', 64), 'No rules.')",
        "SELECT register_constitution(99, repeat('a', 64), 'No rules.')",
        "ALTER TABLE memories DISABLE TRIGGER ALL",
        "DROP TRIGGER keep_memory ON memories",
        "CREATE OR REPLACE FUNCTION keep_memory() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
        "CREATE TABLE public.mine (x int)",
        "SET session_replication_role = replica",
        "SET ROLE helixir_owner",
        "UPDATE memories SET user_id = 'mallory'",
        "UPDATE memories SET created_at = now()",
        "UPDATE revisions SET content = 'x'",
        "UPDATE decisions SET outcome = 'stored'",
        "UPDATE memory_events SET reason = 'x'",
        "UPDATE contradiction_events SET event = 'resolved'",
        "UPDATE contradictions SET pending_operation = 'SUPERSEDE'",
        "UPDATE edges SET to_memory_id = from_memory_id",
        "UPDATE embeddings SET model = 'x'",
        "UPDATE writes SET body = '{}'",
        "UPDATE audit SET reason = 'x'",
        "UPDATE alembic_version SET version_num = '0000'",
    ],
)
def test_the_service_has_no_privilege_for(service: Service, statement: str) -> None:
    assert service.refusal(statement) in {DENIED, "22023"}


@pytest.mark.parametrize(
    "change",
    [
        "content = 'x', revision = revision + 1",
        "memory_type = 'goal'",
        "status = 'withdrawn'",
        "status = 'superseded'",
        "immutable = false",
        "source = 'tool'",
        "recorded_at = now()",
        "valid_to = now()",
        "undecided = true",
    ],
)
def test_a_raw_input_is_never_modified_by_c4(stage: Stage, service: Service, change: str) -> None:
    raw = raw_input(stage)
    before = stage.agent.memory(raw)
    assert service.refusal(f"UPDATE memories SET {change} WHERE memory_id = $1", raw) == "HX004"  # noqa: S608
    assert stage.agent.memory(raw) == before


@pytest.mark.parametrize(
    "change",
    [
        "content = 'x', revision = revision + 1",
        "memory_type = 'goal'",
        "status = 'withdrawn'",
        "status = 'superseded'",
        "folded = 'x'",
        "valid_to = now()",
        "status = 'withdrawn', immutable = false",
        "content = 'x', revision = revision + 1, immutable = false",
    ],
)
def test_a_final_memory_is_never_changed_by_c2(stage: Stage, service: Service, change: str) -> None:
    memory = final(stage)
    assert service.refusal(f"UPDATE memories SET {change} WHERE memory_id = $1", memory) == "HX002"  # noqa: S608
    assert stage.agent.memory(memory)["status"] == "active"


@pytest.mark.parametrize("kind", ["seed", "episode"])
@pytest.mark.parametrize("change", ["immutable = false", "status = 'withdrawn'", "content = 'x', revision = revision + 1"])
def test_the_systems_own_memories_are_never_changed(stage: Stage, service: Service, kind: str, change: str) -> None:
    stage.agent.answer(stage.disputed().dispute, "coexist")
    memory = stage.owner.listed(kind=kind)[0]["id"]
    assert service.refusal(f"UPDATE memories SET {change} WHERE memory_id = $1", memory) == "HX002"  # noqa: S608


def test_a_new_content_needs_its_revision(stage: Stage, service: Service) -> None:
    memory = stage.agent.store(stage.user(), stage.t("lives in Lisbon"))
    assert service.refusal("UPDATE memories SET content = 'x' WHERE memory_id = $1", memory) == "HX009"
    assert service.refusal("UPDATE memories SET content = 'x', revision = revision + 1 WHERE memory_id = $1", memory) == "HX009"
    assert service.refusal("UPDATE memories SET revision = revision + 1 WHERE memory_id = $1", memory) == "HX009"


@pytest.mark.parametrize("change", ["status = 'withdrawn'", "status = 'superseded'", "memory_type = 'fact'"])
def test_a_protected_memory_never_leaves_without_an_answer_by_c3(stage: Stage, service: Service, change: str) -> None:
    memory = stage.agent.store(stage.user(), (stage.t("prefers tea"), "preference"))
    assert service.refusal(f"UPDATE memories SET {change} WHERE memory_id = $1", memory) == "HX003"  # noqa: S608


SUPERSEDES = (
    "INSERT INTO edges (tenant_id, edge_id, type, from_memory_id, to_memory_id, at) "
    "SELECT tenant_id, gen_random_uuid(), 'SUPERSEDES', $1, $2, now() FROM memories WHERE memory_id = $1"
)


def test_a_supersession_makes_no_cycle_and_crosses_no_users(stage: Stage, service: Service) -> None:
    met, third = stage.meet("SUPERSEDE"), stage.t("lives in Faro")
    stage.models.place([met.old_text, met.new_text, third], 0.9)
    stage.expect(third, "SUPERSEDE", met.new_text)
    newest = stage.agent.store(met.user, third)
    assert service.refusal(SUPERSEDES, met.old, newest) == "HX011"
    assert service.refusal(SUPERSEDES, met.new, newest) == "HX011"
    theirs = stage.agent.store(stage.user("bob"), stage.t("has a cat"))
    assert service.refusal(SUPERSEDES, theirs, newest) == "HX011"
    assert service.refusal(SUPERSEDES, newest, met.old) == "23505"


def test_an_edge_only_ever_ends(stage: Stage, service: Service) -> None:
    met = stage.meet("SUPERSEDE")
    ended = "UPDATE edges SET ended_at = now() WHERE to_memory_id = $1"
    assert service.refusal("UPDATE edges SET ended_at = NULL WHERE to_memory_id = $1", met.old) == "HX001"
    assert service.refusal("UPDATE edges SET reason = 'x' WHERE to_memory_id = $1", met.old) == DENIED
    stage.owner.act("restore", met.old)
    assert service.refusal(ended, met.old) == "HX001"


def test_a_settled_dispute_is_final(stage: Stage, service: Service) -> None:
    met = stage.disputed()
    stage.agent.answer(met.dispute, "coexist")
    for change in ("note = 'x'", "status = 'open', resolution = NULL, resolved_at = NULL", "version = 9", "resolution = 'retract'"):
        assert service.refusal(f"UPDATE contradictions SET {change} WHERE contradiction_id = $1", met.dispute) == "HX007"  # noqa: S608
    assert stage.agent.dispute(met.dispute)["resolution"] == "coexist"


def test_one_open_dispute_joins_a_pair_whichever_side_came_first(stage: Stage, service: Service) -> None:
    met = stage.disputed()
    columns = "tenant_id, status, strategy, conflict_type, articles, pending_operation, pending_reason, confidence, created_at"
    again = (
        f"INSERT INTO contradictions (contradiction_id, new_memory_id, existing_memory_id, new_user_id, existing_user_id, {columns}) "  # noqa: S608
        f"SELECT gen_random_uuid(), existing_memory_id, new_memory_id, existing_user_id, new_user_id, {columns} FROM contradictions "
        "WHERE contradiction_id = $1"
    )
    assert service.refusal(again, met.dispute) == "23505"


def test_the_service_cannot_claim_to_be_the_operator_who_erases(stage: Stage, service: Service) -> None:
    raw = raw_input(stage)

    async def erase(connection: asyncpg.Connection) -> None:
        await connection.execute("SET LOCAL helixir.erase = 'on'")
        await connection.execute("UPDATE memories SET content = 'x', revision = revision + 1 WHERE memory_id = $1", UUID(raw))

    with pytest.raises(asyncpg.PostgresError) as refused:
        service.run(erase)
    assert refused.value.sqlstate == "HX004"


@pytest.mark.parametrize(
    "table", ["memories", "revisions", "edges", "decisions", "memory_events", "contradictions", "contradiction_events", "writes"]
)
def test_not_even_the_owner_of_the_tables_deletes_by_c1(stage: Stage, table: str) -> None:
    stage.agent.answer(stage.disputed().dispute, "retract")

    async def delete() -> None:
        connection = await asyncpg.connect(stage.house.database.owner_dsn)
        try:
            await connection.execute(f"DELETE FROM {table}")  # noqa: S608
        finally:
            await connection.close()

    loop = asyncio.new_event_loop()
    with pytest.raises(asyncpg.PostgresError) as refused:
        loop.run_until_complete(delete())
    loop.close()
    assert refused.value.sqlstate == "HX001"
