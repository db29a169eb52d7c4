"""A client generated from the snapshot plays the first five minutes: Alice drank tea, and now she says coffee."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Self
from uuid import uuid4

import pytest

from tests.live import LiveServer, live_server, start_server

__all__ = ["live_server", "start_server"]

SNAPSHOT = Path(__file__).parents[2] / "openapi" / "openapi.json"
PACKAGE = "helixir_generated_client"


@pytest.fixture
def generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The generated package, imported; the generator warned about nothing."""
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"post_hooks": []}), encoding="utf-8")
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--fail-on-warning", "--meta", "none"]
    where = ["--path", str(SNAPSHOT), "--config", str(config), "--output-path", str(tmp_path / PACKAGE)]
    done = subprocess.run([*command, *where], capture_output=True, text=True, timeout=120, check=False)  # noqa: S603
    assert done.returncode == 0, done.stdout + done.stderr
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module(PACKAGE)
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


class Generated:
    """Short names for what the generator spread over many modules."""

    def __init__(self, package: ModuleType, server: LiveServer, key: str) -> None:
        self.models: Any = importlib.import_module(f"{package.__name__}.models")
        self._client = package.AuthenticatedClient(base_url=server.base_url, token=key)

    def __enter__(self) -> Self:
        """Keep one connection."""
        self._client.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        """Close it."""
        self._client.__exit__(*error)

    def call(self, tag: str, operation: str, *arguments: Any, **more: Any) -> Any:
        """The parsed answer of one operation."""
        module = importlib.import_module(f"{PACKAGE}.api.{tag}.{operation}")
        return module.sync_detailed(*arguments, client=self._client, **more)

    def tell(self, user_id: str, content: str) -> Any:
        """Write one preference."""
        fact = self.models.FactBody(content=content, memory_type=self.models.MemoryType.PREFERENCE)
        body = self.models.WriteBody(user_id=user_id, facts=[fact], source=self.models.Source.USER)
        answer = self.call("memories", "write_memories", body=body, idempotency_key=str(uuid4()))
        assert answer.status_code == 201, answer.content
        return answer.parsed


def test_the_first_five_minutes(generated: ModuleType, live_server: LiveServer) -> None:
    with Generated(generated, live_server, live_server.agent_key) as agent:
        play(agent, agent.models)


def play(agent: Generated, models: Any) -> None:
    """What an agent backend would do."""
    tea = agent.tell("alice", "I prefer tea")
    assert tea.results[0].outcome == models.Outcome.STORED
    assert tea.needs_clarification == []

    coffee = agent.tell("alice", "I prefer coffee")
    assert coffee.results[0].outcome == models.Outcome.DEFERRED
    (question,) = coffee.needs_clarification
    assert models.Article.C3 in question.articles
    assert "I prefer tea" in question.suggested_question
    assert "I prefer coffee" in question.suggested_question

    both = agent.call("memories", "list_memories", user_id="alice").parsed
    assert {memory.content for memory in both.items} == {"I prefer tea", "I prefer coffee"}

    answer = models.AnswerBody(
        resolution=models.Resolution.RETRACT, version=question.version, answered_by="Alice", note="coffee since Lisbon"
    )
    resolved = agent.call("contradictions", "resolve_contradiction", question.contradiction_id, body=answer)
    assert resolved.status_code == 200, resolved.content
    assert resolved.parsed.contradiction.status == models.DisputeStatus.RESOLVED
    assert resolved.parsed.effects.superseded == [question.existing_memory_id]

    history = agent.call("memories", "get_history", question.existing_memory_id).parsed
    assert [(link.content, link.status) for link in history.chain] == [
        ("I prefer tea", models.Status.SUPERSEDED),
        ("I prefer coffee", models.Status.ACTIVE),
    ]
    assert question.contradiction_id in {event.contradiction_id for event in history.events}

    found = agent.call("memories", "search_memories", body=models.SearchBody(query="tea or coffee?", user_id="alice"))
    assert [hit.memory.content for hit in found.parsed.results] == ["I prefer coffee"]


def test_a_refusal_is_a_parsed_problem(generated: ModuleType, live_server: LiveServer) -> None:
    with Generated(generated, live_server, live_server.agent_key) as agent:
        tea = agent.tell("alice", "I prefer tea")
        body = agent.models.ActBody(reason="for good")
        answer = agent.call("owners_acts", "finalize_memory", tea.results[0].memory_id, body=body)
    assert isinstance(answer.parsed, agent.models.Problem)
    assert (answer.status_code, answer.parsed.code, answer.parsed.retryable) == (403, "role", False)
