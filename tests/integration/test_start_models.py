"""A change of the embedding model is noticed at start: nothing stored would be found, and every statement would pass for new."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from app.db.server import VECTORS_BY_MODEL
from app.services.keys import create_key
from tests.integration.models import DIMENSIONS, Models, running_models
from tests.live import LiveServer, StartServer, start_server
from tests.postgres import Database, run

__all__ = ["start_server"]
NEWEST_BUT_10_000 = UUID(f"00000000-0000-7000-8000-{500:012x}")


@pytest.fixture
def models() -> Iterator[Models]:
    with running_models() as running:
        yield running


def embedding(models: Models, model: str, dimensions: int = DIMENSIONS) -> dict[str, Any]:
    return {"kind": "openai", "base_url": models.base_url, "model": model, "dimensions": dimensions}


def store(server: LiveServer, *texts: str) -> None:
    body = {"user_id": "alice", "facts": [{"content": text, "memory_type": "fact"} for text in texts]}
    assert server.agent.post("/memories", json=body).status_code == 201


def logged(capfd: pytest.CaptureFixture[str], event: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines() if line.startswith("{")]
    return [line for line in lines if event in line["event"]]


def test_another_model_than_the_stored_vectors_is_refused(
    start_server: StartServer, models: Models, capfd: pytest.CaptureFixture[str]
) -> None:
    first = start_server(embedding=embedding(models, "old-model"))  # nothing is stored: any model will do
    store(first, "Alice lives in Lisbon", "Alice owns a boat")
    with pytest.raises(RuntimeError):
        start_server(embedding=embedding(models, "new-model"))
    (refusal,) = logged(capfd, "refuses to start")
    assert refusal["code"] == "configuration"
    assert "HELIXIR_EMBEDDING__MODEL back to old-model" in refusal["detail"]
    assert "2 have one" in refusal["detail"]
    assert "Lisbon" not in str(refusal)
    start_server(embedding=embedding(models, "old-model"))
    assert logged(capfd, "no vector") == []


def test_another_length_than_the_stored_vectors_is_refused(
    start_server: StartServer, models: Models, capfd: pytest.CaptureFixture[str]
) -> None:
    store(start_server(embedding=embedding(models, "a-model")), "Alice lives in Lisbon")
    with pytest.raises(RuntimeError):
        start_server(embedding=embedding(models, "a-model", DIMENSIONS * 2))
    (refusal,) = logged(capfd, "refuses to start")
    assert f"HELIXIR_EMBEDDING__DIMENSIONS back to {DIMENSIONS}" in refusal["detail"]


def test_some_vectors_of_another_model_are_a_warning_with_counts(
    start_server: StartServer, models: Models, capfd: pytest.CaptureFixture[str]
) -> None:
    first = start_server(embedding=embedding(models, "old-model"))
    store(first, "Alice lives in Lisbon", "Alice owns a boat", "Alice sings")
    run(_rename_one(first.database.superuser_dsn))
    capfd.readouterr()
    start_server(embedding=embedding(models, "new-model"))
    (warning,) = logged(capfd, "no vector of the embedding model")
    assert (warning["level"], warning["model"], warning["memories"]) == ("warning", "new-model", {"old-model": 2, "new-model": 1})


async def _rename_one(dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(
            "ALTER TABLE embeddings DISABLE TRIGGER USER;"
            "UPDATE embeddings SET model = 'new-model' WHERE memory_id = (SELECT memory_id FROM memories WHERE content = 'Alice sings')"
        )
    finally:
        await connection.close()


MANY = """
SET session_replication_role = replica;
INSERT INTO memories (tenant_id, memory_id, user_id, kind, memory_type, content, status, immutable, shared, source, revision,
  created_at, recorded_at, charter_version, folded)
SELECT tenant_id, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'ann', 'atom', 'fact', 'text ' || n, 'active',
  false, false, 'user', 1, now(), now(), 1, convert_to(n::text, 'UTF8')
FROM tenants, generate_series(1, 10500) n WHERE name = 'default';
INSERT INTO embeddings
SELECT tenant_id, memory_id, 1, CASE WHEN content > 'text 9' THEN 'other' ELSE 'stub' END, '[1, 0, 0]' FROM memories WHERE kind = 'atom';
RESET session_replication_role;
"""


async def test_the_look_at_start_is_at_the_newest_and_bounded(database: Database) -> None:
    connection = await asyncpg.connect(database.superuser_dsn)
    try:
        await create_key(connection, tenant="default", role="owner", user_ids=None, can_answer=True, expires_at=None)
        await connection.execute(MANY)
        [oldest] = await connection.fetch("SELECT count(*) FROM memories WHERE kind = 'atom' AND memory_id <= $1", NEWEST_BUT_10_000)
        found = {row["model"]: (row["dimensions"], row["memories"]) for row in await connection.fetch(VECTORS_BY_MODEL)}
        newest = await connection.fetch("SELECT model, count(*) FROM embeddings WHERE memory_id > $1 GROUP BY model", NEWEST_BUT_10_000)
    finally:
        await connection.close()
    assert oldest["count"] == 500
    assert found == {row["model"]: (3, row["count"]) for row in newest}
    assert sum(memories for _, memories in found.values()) == 10_000
