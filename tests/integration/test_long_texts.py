"""Texts longer than the embedder's window: their ends are not in the vector, so the text itself is compared."""

from __future__ import annotations

from typing import Any

import pytest

from tests.live import LiveServer

PREFIX = "The long report went on and on about the harbour and its ships. " * 50  # 600 words, well over 256 tokens


def write(server: LiveServer, user: str, content: str) -> dict[str, Any]:
    answer = server.agent.post("/memories", json={"user_id": user, "facts": [{"content": content, "memory_type": "fact"}]})
    assert answer.status_code == 201, answer.text
    result: dict[str, Any] = answer.json()["results"][0]
    return result


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The gate code is 4711.", "The gate code is 4712."),
        ("The gate is open.", "The gate is not open."),
        ("Anna trusts Boris.", "Boris trusts Anna."),
        ("我喜欢喝茶", "我不喜欢喝茶"),
    ],
)
def test_two_facts_behind_one_long_prefix_are_no_duplicate(live_server: LiveServer, first: str, second: str) -> None:
    write(live_server, "alice", PREFIX + first)
    result = write(live_server, "alice", PREFIX + second)
    assert result["similarity"] > 0.999
    assert result["tier"] == "engine"
    assert result["outcome"] not in {"deduplicated", "linked"}
    listed = live_server.agent.get("/memories", params={"user_id": "alice", "status": "active"}).json()["items"]
    assert PREFIX + second in {memory["content"] for memory in listed}


def test_the_same_long_text_is_one_still(live_server: LiveServer) -> None:
    stored = write(live_server, "alice", PREFIX + "The gate code is 4711.")
    exact = write(live_server, "alice", "  " + PREFIX + "The gate code is 4711")
    alike = write(live_server, "alice", PREFIX + "The gate code is 4711!")
    assert [exact["tier"], alike["tier"]] == ["exact", "duplicate"]
    assert exact["memory_id"] == alike["memory_id"] == stored["memory_id"]
