"""The extractor behind a server: each fact is checked, and nonsense is an outage, never an empty message."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from app.charter.model import MemoryType
from app.engine.chat import ChatClient
from app.engine.extraction import LLMExtractor
from app.engine.port import Atom
from app.errors import ExtractorUnavailableError
from tests.model_stub import ModelStub, Reply

pytestmark = pytest.mark.asyncio
NOW = datetime(2026, 5, 1, tzinfo=UTC)
PRIVATE = "the safe opens with 7291"


@pytest_asyncio.fixture
async def stub() -> AsyncIterator[ModelStub]:
    async with ModelStub() as stub:
        yield stub


@pytest_asyncio.fixture
async def extractor(stub: ModelStub) -> AsyncIterator[LLMExtractor]:
    extractor = LLMExtractor(ChatClient(base_url=stub.base_url, model="stub", api_key="k", timeout_seconds=0.5))
    yield extractor
    await extractor.close()


def facts(*rows: Any) -> Reply:
    return Reply.completion(json.dumps({"facts": rows}))


async def test_the_message_is_data_only(stub: ModelStub, extractor: LLMExtractor) -> None:
    await extractor.extract(PRIVATE, NOW)
    (call,) = stub.calls
    assert call.document == {"task": "extract", "message": PRIVATE, "accepted_at": "2026-05-01T00:00:00Z"}
    assert call.body["response_format"]["type"] == "json_schema"
    call.body["messages"].pop()
    assert PRIVATE not in json.dumps(call.body)
    assert extractor.name == "llm:stub"
    assert len(extractor.prompt_sha256) == 64


async def test_atoms_come_in_order_with_types_and_times(stub: ModelStub, extractor: LLMExtractor) -> None:
    stub.script(
        "chat",
        facts(
            {"content": " I live in Lisbon ", "memory_type": "experience", "valid_from": "2026-04-01T02:00:00+02:00"},
            {"content": "I prefer tea", "memory_type": "rumour", "valid_from": None},
            {"content": "I walk", "valid_from": "2026-04-01T00:00:00"},
            {"content": "I run", "memory_type": "fact", "valid_from": "last year"},
            {"content": "I swim", "memory_type": "fact", "valid_from": "0001-01-01T00:00:00+23:59"},
        ),
    )
    message = "I live in Lisbon since 1 April. I prefer tea. I walk, I run, I swim."
    assert await extractor.extract(message, NOW) == [
        Atom("I live in Lisbon", MemoryType.EXPERIENCE, datetime(2026, 4, 1, tzinfo=UTC)),
        Atom("I prefer tea", MemoryType.PREFERENCE),
        Atom("I walk", MemoryType.FACT),
        Atom("I run", MemoryType.FACT),
        Atom("I swim", MemoryType.FACT),
    ]


@pytest.mark.parametrize("bad", [None, "text", {}, {"content": 5}, {"content": " "}, {"content": "x" * 8001}, {"content": "\x00"}])
async def test_a_bad_fact_costs_only_itself(stub: ModelStub, extractor: LLMExtractor, bad: Any) -> None:
    stub.script("chat", facts(bad, {"content": "I live in Lisbon", "memory_type": "fact"}))
    assert [atom.content for atom in await extractor.extract("I live in Lisbon now", NOW)] == ["I live in Lisbon"]


async def test_at_most_fifty(stub: ModelStub, extractor: LLMExtractor) -> None:
    stub.script("chat", facts(*({"content": f"fact {n}", "memory_type": "fact"} for n in range(60))))
    message = " ".join(f"fact {n}." for n in range(60))
    assert [atom.content for atom in await extractor.extract(message, NOW)] == [f"fact {n}" for n in range(50)]


async def test_a_message_that_states_nothing_has_no_atoms(stub: ModelStub, extractor: LLMExtractor) -> None:
    stub.script("chat", facts())
    assert await extractor.extract("hello", NOW) == []


async def test_what_the_message_does_not_carry_is_left_out_and_counted(stub: ModelStub, extractor: LLMExtractor) -> None:
    said = ["I live in Lisbon", "I live in Porto", "I like tea", "The safe opens with 7291", "I have 2 dogs"]
    stub.script("chat", facts(*({"content": content, "memory_type": "fact"} for content in said), 5))
    with capture_logs() as logs:
        atoms = await extractor.extract("I live in Lisbon. I don't like tea. I have two dogs.", NOW)
    assert [atom.content for atom in atoms] == ["I live in Lisbon", "I have 2 dogs"]
    (log,) = logs
    assert (log["log_level"], log["answered"], log["usable"], log["in_message"], log["kept"]) == ("warning", 6, 5, 2, 2)
    assert not any(content in str(log) for content in said)


async def test_where_nothing_stands_in_the_message_its_sentences_are_the_atoms(stub: ModelStub, extractor: LLMExtractor) -> None:
    stub.script("chat", facts({"content": "Bob owns a castle", "memory_type": "fact"}))
    atoms = await extractor.extract("I moved to Lisbon. I prefer tea.", NOW)
    assert [(atom.content, atom.memory_type.value) for atom in atoms] == [("I moved to Lisbon.", "action"), ("I prefer tea.", "preference")]


async def test_a_date_out_of_a_message_that_names_none_is_left_out(stub: ModelStub, extractor: LLMExtractor) -> None:
    fact = {"content": "I live in Lisbon", "memory_type": "fact", "valid_from": "2026-04-01T00:00:00Z"}
    stub.script("chat", facts(fact), facts(fact))
    assert [atom.valid_from for atom in await extractor.extract("I live in Lisbon", NOW)] == [None]
    assert [atom.valid_from for atom in await extractor.extract("I live in Lisbon since 2026-04", NOW)] == [
        datetime(2026, 4, 1, tzinfo=UTC)
    ]


NONSENSE = {
    "truncated": Reply.completion('{"facts": [{"content": "I li'),
    "not JSON": Reply.completion("Hello!"),
    "empty": Reply.completion(""),
    "no list": Reply.completion('{"facts": {}}'),
    "all bad": Reply.completion('{"facts": [{"content": ""}, 5]}'),
    "500": Reply({"error": PRIVATE}, status=500),
    "429": Reply(None, status=429),
    "reset": Reply(reset=True),
    "slow": Reply(delay=5),
}


@pytest.mark.parametrize("reply", NONSENSE.values(), ids=NONSENSE.keys())
async def test_nonsense_and_outage_are_the_same_error(stub: ModelStub, extractor: LLMExtractor, reply: Reply) -> None:
    stub.script("chat", *[reply] * 3)
    with pytest.raises(ExtractorUnavailableError) as caught:
        await extractor.extract(PRIVATE, NOW)
    assert PRIVATE not in caught.value.detail
    assert caught.value.retryable
