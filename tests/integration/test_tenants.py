"""Tenants never meet: the database shows the service only the rows of the tenant that its transaction has set."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest

from tests.live import LiveServer, StartServer
from tests.postgres import Database, run

WITH_TENANT = """
SELECT c.relname, c.relrowsecurity, c.relforcerowsecurity FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attname = 'tenant_id' AND NOT a.attisdropped ORDER BY c.relname
"""
SET = "SELECT set_config('helixir.tenant_id', $1, false)"


async def ask(dsn: str, query: str, *arguments: Any, tenant: str | None = None) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(dsn)
    try:
        if tenant is not None:
            await connection.execute(SET, tenant)
        return list(await connection.fetch(query, *arguments))
    finally:
        await connection.close()


@dataclass
class TwoTenants:
    live: LiveServer
    mine: str
    theirs: str

    @property
    def database(self) -> Database:
        return self.live.database


@pytest.fixture
def two(start_server: StartServer) -> TwoTenants:
    """A busy tenant `theirs`, and `default`, whose keys look at it."""
    live = start_server()
    owner = live.client(live.new_key("owner", tenant="theirs"))
    for drink in ("tea", "coffee"):
        owner.post("/memories", json={"user_id": "ann", "source": "user", "message": f"I prefer {drink}."})
    for city in ("Lisbon", "Porto"):
        facts = [{"content": f"Ann lives in {city}", "memory_type": "fact", "shared": True}]
        owner.post("/memories", json={"user_id": "ann", "source": "user", "facts": facts})
    asked = owner.get("/contradictions", params={"status": "open"}).json()["items"]
    owner.post(f"/contradictions/{asked[0]['id']}/resolve", json={"resolution": "coexist"})
    rows = {row["name"]: str(row["tenant_id"]) for row in run(ask(live.database.superuser_dsn, "SELECT name, tenant_id FROM tenants"))}
    return TwoTenants(live, rows["default"], rows["theirs"])


def guarded(database: Database) -> list[str]:
    return [row["relname"] for row in run(ask(database.superuser_dsn, WITH_TENANT)) if row["relname"] != "api_keys"]


def test_every_table_but_the_keys_is_guarded_and_the_guard_binds_its_owner(database: Database) -> None:
    rows = run(ask(database.superuser_dsn, WITH_TENANT))
    open_ = [row["relname"] for row in rows if not (row["relrowsecurity"] and row["relforcerowsecurity"])]
    assert open_ == ["api_keys"]
    assert len(rows) > 15


def test_no_table_shows_a_foreign_row(two: TwoTenants) -> None:
    filled = 0
    for table in guarded(two.database):
        count = f"SELECT count(*) AS rows FROM {table} WHERE tenant_id = $1"  # noqa: S608 - names of our own tables
        theirs = run(ask(two.database.superuser_dsn, count, UUID(two.theirs)))[0]["rows"]
        filled += theirs > 0
        assert run(ask(two.database.service_dsn, count, UUID(two.theirs), tenant=two.theirs))[0]["rows"] == theirs, table
        for tenant in (two.mine, None, "", str(uuid4())):
            assert run(ask(two.database.service_dsn, count, UUID(two.theirs), tenant=tenant))[0]["rows"] == 0, (table, tenant)
    assert filled > 10


def test_a_row_cannot_be_put_into_a_foreign_tenant(two: TwoTenants) -> None:
    taken = "INSERT INTO user_turns (tenant_id, user_id, holder, expires_at) VALUES ($1, 'ann', gen_random_uuid(), now())"
    with pytest.raises(asyncpg.InsufficientPrivilegeError, match="row-level security"):
        run(ask(two.database.service_dsn, taken, UUID(two.theirs), tenant=two.mine))
    changed = "UPDATE memories SET undecided = true WHERE tenant_id = $1 RETURNING 1"
    assert run(ask(two.database.service_dsn, changed, UUID(two.theirs), tenant=two.mine)) == []


def test_the_views_and_the_time_machine_are_guarded_too(two: TwoTenants) -> None:
    for source in ("memory_records", "current_atoms", "memory_records_at($1, now())"):
        query = f"SELECT count(*) AS rows FROM {source} WHERE tenant_id = $1"  # noqa: S608 - names of our own views
        assert run(ask(two.database.service_dsn, query, UUID(two.theirs), tenant=two.theirs))[0]["rows"] > 0
        assert run(ask(two.database.service_dsn, query, UUID(two.theirs), tenant=two.mine))[0]["rows"] == 0


@contextmanager
def ids_of(two: TwoTenants) -> Iterator[dict[str, str]]:
    rows = run(
        ask(
            two.database.superuser_dsn,
            "SELECT (SELECT memory_id FROM memories WHERE tenant_id = $1 AND shared AND kind = 'atom' LIMIT 1) AS memory_id,"
            " (SELECT contradiction_id FROM contradictions WHERE tenant_id = $1 LIMIT 1) AS contradiction_id,"
            " (SELECT decision_id FROM decisions WHERE tenant_id = $1 LIMIT 1) AS decision_id,"
            " (SELECT write_id FROM writes WHERE tenant_id = $1 LIMIT 1) AS write_id",
            UUID(two.theirs),
        )
    )
    found = {name: str(value) for name, value in dict(rows[0]).items()}
    yield {**found, "rule_id": str(uuid4()), "proposal_id": str(uuid4())}


BODIES: dict[str, dict[str, Any]] = {
    "resolve": {"resolution": "coexist"},
    "approve": {},
    "reject": {},
    "decide": {},
}


def test_every_route_with_an_id_is_404_to_a_foreign_key(two: TwoTenants) -> None:
    paths = two.live.client(None).get("/openapi.json").json()["paths"]
    walked = 0
    with ids_of(two) as ids:
        for path, operations in paths.items():
            if "{" not in path:
                continue
            for method in operations:
                last = path.rsplit("/", 1)[-1]
                body = {"content": "x", "reason": "y"} if method == "patch" else BODIES.get(last, {"reason": "y"})
                sent = None if method == "get" else body
                answer = two.live.owner.request(
                    method, path.format(**ids), json=sent, headers={"If-Match": "1"} if method == "patch" else {}
                )
                assert answer.status_code == 404, (method, path, answer.text)
                walked += 1
    assert walked > 15


def test_lists_and_searches_of_a_foreign_user_are_empty(two: TwoTenants) -> None:
    owner = two.live.owner
    for path in ("/memories", "/contradictions", "/writes"):
        assert owner.get(path, params={"user_id": "ann"}).json()["items"] == [], path
    assert owner.get("/decisions").json()["items"] == []
    body = {"query": "Ann lives in Lisbon", "user_id": "bob", "scope": "collective"}
    assert owner.post("/memories/search", json=body).json()["results"] == []
