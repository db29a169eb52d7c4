"""Over the wire to a real model: the transport and the form of its answers, never what it thinks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
import pytest_asyncio

from app.charter.model import MemoryType, Operation, Source
from app.engine.chat import ChatClient, ChatUnavailableError, Completion
from app.engine.documents import DECIDE_SCHEMA
from app.engine.extraction import LLMExtractor
from app.engine.grounding import Message
from app.engine.llm import LLMEngine
from app.engine.port import Candidate, NoVerdict, Proposal, Question
from app.errors import ExtractorUnavailableError
from tests.live import StartServer
from tests.llm.conftest import Served

pytestmark = [pytest.mark.llm, pytest.mark.timeout(600)]
NOW = datetime(2026, 5, 1, tzinfo=UTC)
PATIENCE = 300.0
TINY: dict[str, Any] = {
    "name": "tiny",
    "strict": True,
    "schema": {
        "type": "object",
        "properties": {
            "operation": {"type": "string", "enum": [operation.value for operation in Operation]},
            "sure": {"type": "boolean"},
        },
        "required": ["operation", "sure"],
        "additionalProperties": False,
    },
}


class Listening(ChatClient):
    """A client that keeps what was answered."""

    def __init__(self, served: Served, *, key: str | None = None, max_tokens: int = 60) -> None:
        super().__init__(base_url=served.base_url, model="tiny", api_key=key or served.key, timeout_seconds=PATIENCE, max_tokens=max_tokens)
        self.answers: list[Completion] = []

    async def complete(self, system: str, document: Mapping[str, Any], schema: Mapping[str, Any]) -> Completion:
        """One call, kept."""
        self.answers.append(await super().complete(system, document, schema))
        return self.answers[-1]


@pytest_asyncio.fixture
async def chat(served: Served) -> AsyncIterator[Listening]:
    client = Listening(served)
    yield client
    await client.close()


@pytest.mark.asyncio
async def test_the_server_holds_the_model_to_the_schema_and_counts(chat: Listening) -> None:
    answer = await chat.complete("Answer in JSON.", {"task": "decide"}, TINY)
    said = json.loads(answer.text)
    assert set(said) == {"operation", "sure"}
    assert said["operation"] in set(Operation)
    assert type(said["sure"]) is bool
    assert 0 < answer.prompt_tokens < 200
    assert 0 < answer.completion_tokens <= 60
    assert answer.retries == 0


@pytest.mark.asyncio
async def test_a_schema_that_the_server_cannot_use_is_followed_by_plain_json(chat: Listening) -> None:
    unusable = {"name": "x", "strict": True, "schema": {"$ref": "#/$defs/nowhere"}}
    answer = await chat.complete('Answer {"ok": true} and nothing else.', {"task": "decide"}, unusable)
    assert answer.prompt_tokens > 0
    assert (await chat.complete("Answer in JSON.", {"task": "decide"}, TINY)).prompt_tokens > answer.prompt_tokens  # with the schema in it


@pytest.mark.asyncio
async def test_a_key_that_the_server_does_not_know_is_refused(served: Served) -> None:
    client = Listening(served, key="another")
    with pytest.raises(ChatUnavailableError, match="status 401"):
        await client.complete("", {}, TINY)
    await client.close()


@pytest.mark.asyncio
async def test_half_an_answer_is_none(served: Served) -> None:
    client = Listening(served, max_tokens=3)
    assert (await client.complete("Answer in JSON.", {"task": "decide"}, TINY)).text == ""
    await client.close()


@pytest.mark.asyncio
async def test_a_whole_decision_is_a_checked_proposal_or_no_verdict(chat: Listening) -> None:
    engine = LLMEngine(chat)
    stored = Candidate("c1", "Alice lives in Lisbon", MemoryType.FACT, "self", 0.9, NOW, None, immutable=False)
    judged = await engine.decide([Question(0, "Alice lives in Porto", MemoryType.FACT, NOW, None, Source.USER, (stored,))])
    assert judged.calls == len(chat.answers) in {1, 2}
    assert judged.prompt_tokens == sum(answer.prompt_tokens for answer in chat.answers) > 500
    assert (judged.prompt_sha256, judged.retries) == (engine.prompt_sha256, 0)
    for text in filter(None, (answer.text for answer in chat.answers)):
        _fits_the_schema(json.loads(text))
    (answer,) = judged.answers
    if isinstance(answer, NoVerdict):
        assert not any(word in answer.fault for word in ("status", "in time", "out of reach", "completion"))
    else:
        assert isinstance(answer, Proposal)
        assert answer.target in {"c1", None}


def _fits_the_schema(document: dict[str, Any]) -> None:
    assert set(document) == {"decisions"}
    properties = DECIDE_SCHEMA["schema"]["properties"]["decisions"]["items"]["properties"]
    for decision in document["decisions"]:
        assert set(decision) == set(properties)
        assert decision["operation"] in set(Operation)
        assert type(decision["i"]) is type(decision["confidence"]) is int


@pytest.mark.asyncio
async def test_what_is_extracted_stands_in_the_message(chat: Listening) -> None:
    message = "I moved to Lisbon. I prefer tea."
    (atoms,) = await asyncio.gather(LLMExtractor(chat).extract(message, NOW), return_exceptions=True)
    if isinstance(atoms, BaseException):
        assert isinstance(atoms, ExtractorUnavailableError)
        assert "facts" in atoms.detail  # it talked nonsense; it was not out of reach
    else:
        assert all(Message(message).carries(atom.content) for atom in atoms)
    assert len(chat.answers) == 1


def test_the_service_decides_with_it_and_loses_nothing(served: Served, start_server: StartServer) -> None:
    engine = {
        "kind": "llm",
        "base_url": served.base_url,
        "model": "tiny",
        "api_key": served.key,
        "timeout_seconds": PATIENCE,
        "max_tokens": 40,
    }
    server = start_server(engine=engine)
    for place in ("Lisbon", "Porto"):
        body = {"user_id": "alice", "facts": [{"content": f"Alice lives in {place}", "memory_type": "fact"}]}
        answer = server.agent.post("/memories", json=body, timeout=2 * PATIENCE)
        assert answer.status_code == 201, answer.text
    (result,) = answer.json()["results"]
    assert result["tier"] == "engine"
    decision = server.agent.get(f"/decisions/{result['decision_id']}").json()
    assert decision["engine"]["name"] == "llm:tiny"
    assert decision["engine"]["prompt_tokens"] > 500
    assert len(decision["engine"]["prompt_sha256"]) == 64
    listed = server.agent.get("/decisions").json()["items"]
    assert {one["content"] for one in listed} == {"Alice lives in Lisbon", "Alice lives in Porto"}
