"""A change of the embedding model is noticed at start: nothing stored would be found, and every statement would pass for new."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import asyncpg
import pytest

from tests.integration.models import DIMENSIONS, Models, running_models
from tests.live import LiveServer, StartServer, start_server
from tests.postgres import run

__all__ = ["start_server"]


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
