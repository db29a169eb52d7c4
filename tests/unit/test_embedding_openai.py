"""The client of an embeddings server: what it sends, what it accepts, and that every failure is the same error."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from app.embedding.openai import OpenAIEmbedder
from app.errors import EmbedderUnavailableError
from tests.model_stub import ModelStub, Reply

pytestmark = pytest.mark.asyncio
PRIVATE_TEXT = "the safe opens with 7291"
KEY = "sk-not-to-be-shown"


@pytest_asyncio.fixture
async def stub() -> AsyncIterator[ModelStub]:
    async with ModelStub(dimensions=3) as stub:
        yield stub


@pytest_asyncio.fixture
async def embedder(stub: ModelStub) -> AsyncIterator[OpenAIEmbedder]:
    client = OpenAIEmbedder(base_url=stub.base_url + "/", model="stub-model", dimensions=3, api_key=KEY, timeout_seconds=0.5)
    yield client
    await client.close()


async def test_it_sends_model_texts_and_key_and_answers_unit_vectors(stub: ModelStub, embedder: OpenAIEmbedder) -> None:
    stub.vectors = {"a": [3.0, 0.0, 4.0], "b": [0.0, 2.0, 0.0]}
    assert await embedder.embed(["a", "b"]) == [[0.6, 0.0, 0.8], [0.0, 1.0, 0.0]]
    (call,) = stub.calls
    assert call.body == {"model": "stub-model", "input": ["a", "b"]}
    assert call.headers["authorization"] == f"Bearer {KEY}"


async def test_no_text_is_no_call(stub: ModelStub, embedder: OpenAIEmbedder) -> None:
    assert await embedder.embed([]) == []
    assert stub.calls == []


async def test_without_a_key_no_authorization_is_sent(stub: ModelStub) -> None:
    client = OpenAIEmbedder(base_url=stub.base_url, model="m", dimensions=3, api_key=None, timeout_seconds=0.5)
    await client.embed(["a"])
    await client.close()
    assert "authorization" not in stub.calls[0].headers


async def test_many_texts_go_in_batches_of_128_and_keep_their_order(stub: ModelStub, embedder: OpenAIEmbedder) -> None:
    texts = [f"text {n}" for n in range(300)]
    vectors = await embedder.embed(texts)
    assert [len(call.body["input"]) for call in stub.calls] == [128, 128, 44]
    for text, vector in zip(texts, vectors, strict=True):
        expected = stub.vector(text)
        assert vector == pytest.approx([x / math.hypot(*expected) for x in expected])


async def test_rows_in_another_order_are_put_back_by_their_index(stub: ModelStub, embedder: OpenAIEmbedder) -> None:
    rows = [{"index": 1, "embedding": [0, 1, 0]}, {"index": 0, "embedding": [1, 0, 0]}]
    stub.script("embeddings", Reply({"data": rows}))
    assert await embedder.embed(["a", "b"]) == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]


GOOD = [1.0, 0.0, 0.0]
UNUSABLE = {
    "short list": Reply.vectors(GOOD),
    "long list": Reply.vectors(GOOD, GOOD, GOOD),
    "wrong dimension": Reply.vectors(GOOD, [1.0, 0.0]),
    "not a number": Reply.vectors(GOOD, [math.nan, 0.0, 0.0]),
    "infinite": Reply.vectors(GOOD, [math.inf, 0.0, 0.0]),
    "too large to measure": Reply.vectors(GOOD, [1e308, 1e308, 1e308]),
    "zero": Reply.vectors(GOOD, [0.0, 0.0, 0.0]),
    "a text for a number": Reply.vectors(GOOD, ["1.0", "0.0", "0.0"]),
    "a bool for a number": Reply.vectors(GOOD, [True, False, False]),
    "null for a vector": Reply.vectors(GOOD, None),
    "doubled index": Reply({"data": [{"index": 0, "embedding": GOOD}, {"index": 0, "embedding": GOOD}]}),
    "gap in the index": Reply({"data": [{"index": 0, "embedding": GOOD}, {"index": 2, "embedding": GOOD}]}),
    "no index": Reply({"data": [{"embedding": GOOD}, {"embedding": GOOD}]}),
    "no data": Reply({"error": "none"}),
    "rows that are no objects": Reply({"data": [GOOD, GOOD]}),
    "not JSON": Reply(b"<html>busy</html>"),
    "empty": Reply(b""),
    "a bare list": Reply([GOOD, GOOD]),
    "bad request": Reply({"error": PRIVATE_TEXT}, status=400),
    "unauthorised": Reply({"error": KEY}, status=401),
    "elsewhere": Reply(None, status=302, headers={"Location": "http://127.0.0.1:9/"}),
}


@pytest.mark.parametrize("reply", UNUSABLE.values(), ids=UNUSABLE.keys())
async def test_an_unusable_answer_is_one_error_after_one_call(stub: ModelStub, embedder: OpenAIEmbedder, reply: Reply) -> None:
    stub.script("embeddings", reply)
    with pytest.raises(EmbedderUnavailableError) as caught:
        await embedder.embed([PRIVATE_TEXT, "b"])
    assert len(stub.calls) == 1
    assert caught.value.retryable
    assert PRIVATE_TEXT not in caught.value.detail
    assert KEY not in caught.value.detail


TRANSIENT = {
    "500": Reply(None, status=500),
    "503": Reply(None, status=503),
    "429": Reply(None, status=429, headers={"Retry-After": "0"}),
    "reset": Reply(reset=True),
}


@pytest.mark.parametrize("reply", TRANSIENT.values(), ids=TRANSIENT.keys())
async def test_a_passing_fault_is_tried_once_more(stub: ModelStub, embedder: OpenAIEmbedder, reply: Reply) -> None:
    stub.script("embeddings", reply)
    assert len(await embedder.embed(["a"])) == 1
    assert len(stub.calls) == 2


@pytest.mark.parametrize("reply", TRANSIENT.values(), ids=TRANSIENT.keys())
async def test_a_lasting_fault_is_an_error_after_two_calls(stub: ModelStub, embedder: OpenAIEmbedder, reply: Reply) -> None:
    stub.script("embeddings", reply, reply)
    with pytest.raises(EmbedderUnavailableError):
        await embedder.embed(["a"])
    assert len(stub.calls) == 2


@pytest.mark.parametrize("wait", ["30", "Wed, 21 Oct 2026 07:28:00 GMT", "inf"])
async def test_a_long_pause_is_not_waited_for(stub: ModelStub, embedder: OpenAIEmbedder, wait: str) -> None:
    stub.script("embeddings", Reply(None, status=429, headers={"Retry-After": wait}))
    with pytest.raises(EmbedderUnavailableError):
        await embedder.embed(["a"])
    assert len(stub.calls) == 1


async def test_a_slow_server_is_given_up_once(stub: ModelStub, embedder: OpenAIEmbedder) -> None:
    stub.script("embeddings", Reply(delay=5))
    with pytest.raises(EmbedderUnavailableError, match="in time"):
        await embedder.embed(["a"])
    assert len(stub.calls) == 1


async def test_nobody_listening_is_the_same_error() -> None:
    async with ModelStub() as gone:
        address = gone.base_url
    client = OpenAIEmbedder(base_url=address, model="m", dimensions=3, api_key=None, timeout_seconds=0.5)
    with pytest.raises(EmbedderUnavailableError, match="out of reach"):
        await client.embed(["a"])
    await client.close()
