"""The face over a real wire: what only a server shows."""

from __future__ import annotations

import json
import socket

import pytest

from app.api.body_limit import WRITE_BODY_LIMIT
from tests.api_face import assert_problem
from tests.live import LiveServer, StartServer, live_server, start_server

__all__ = ["live_server", "start_server"]

JSON = {"Content-Type": "application/json"}


def test_a_body_that_grows_too_large_is_413_and_the_service_goes_on(live_server: LiveServer) -> None:
    agent = live_server.agent
    assert_problem(agent.post("/memories", content=b" " * (WRITE_BODY_LIMIT + 1), headers=JSON), 413, "body_too_large")
    pieces = (b" " * 65_536 for _ in range(WRITE_BODY_LIMIT // 65_536 + 1))
    assert_problem(agent.post("/memories", content=pieces, headers=JSON), 413, "body_too_large")
    assert agent.get("/me").status_code == 200


def test_a_large_body_without_a_key_is_not_read(live_server: LiveServer) -> None:
    stranger = live_server.client(None)
    assert_problem(stranger.post("/memories", content=b"[" * 5_000_000, headers=JSON), 401, "unauthenticated")


def test_a_caller_who_hangs_up_hurts_nobody(live_server: LiveServer) -> None:
    host, port = live_server.base_url.removeprefix("http://").split(":")
    head = f"POST /memories HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {live_server.agent_key}\r\nContent-Length: 99\r\n\r\n"
    with socket.create_connection((host, int(port)), timeout=5) as wire:
        wire.sendall(head.encode() + b'{"user_id":')
    assert live_server.agent.get("/me").status_code == 200


def test_every_memory_field_comes_back_as_given(live_server: LiveServer) -> None:
    metadata = {"tags": ["a", {"b": 1.5}], "ü": None, "": -(2**63), "big": 2**63 - 1}
    fact = {"content": " Alice owns a boat ", "memory_type": "fact", "valid_from": "2026-05-01T02:00:00+02:00", "metadata": metadata}
    written = live_server.agent.post("/memories", json={"user_id": "alice", "facts": [fact], "agent_id": "a"})
    answer = live_server.agent.get(f"/memories/{written.json()['results'][0]['memory_id']}")
    memory = answer.json()
    assert (memory["content"], memory["metadata"], memory["agent_id"]) == (fact["content"], metadata, "a")
    assert memory["valid_from"] == "2026-05-01T00:00:00Z"
    assert answer.headers["etag"] == '"1"'


def test_the_charter_as_a_document_holds_the_articles(live_server: LiveServer) -> None:
    text = live_server.agent.get("/charter", headers={"Accept": "text/markdown"}).text
    articles = live_server.agent.get("/charter").json()["articles"]
    assert [article["id"] for article in articles] == ["C1", "C2", "C3", "C4", "C5"]
    assert all(article["text"] in text for article in articles)


def test_the_log_holds_no_text_and_no_key(live_server: LiveServer, capfd: pytest.CaptureFixture[str]) -> None:
    body = {"user_id": "alice", "facts": [{"content": "Alice hides a treasure"}]}
    assert live_server.agent.post("/memories", json=body).status_code == 201
    live_server.agent.get("/memories", params={"user_id": "alice"})
    live_server.agent.post("/memories", content=b"treasure", headers=JSON)
    logged = capfd.readouterr().err
    assert not [word for word in ("treasure", "alice", live_server.agent_key) if word in logged]


def test_a_service_that_cannot_work_says_why_and_ends(start_server: StartServer, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RuntimeError):
        start_server(embedding={"kind": "openai"})
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    (refusal,) = [line for line in lines if line["event"] == "the service refuses to start"]
    assert "HELIXIR_EMBEDDING__BASE_URL" in refusal["detail"]
    assert not [line for line in lines if "Traceback" in line["event"]]
