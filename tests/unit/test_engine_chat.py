"""The wire to a model server: forms of answer, retries that are polite and bounded, and a breaker for a dead server."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from app.engine.breaker import Breaker
from app.engine.chat import ChatClient, ChatUnavailableError, Completion
from app.engine.documents import DECIDE_SCHEMA
from tests.model_stub import ModelStub, Reply

pytestmark = pytest.mark.asyncio
PRIVATE = "the safe opens with 7291"
DOCUMENT = {"task": "decide", "items": [], "text": PRIVATE}


@pytest_asyncio.fixture
async def stub() -> AsyncIterator[ModelStub]:
    async with ModelStub() as stub:
        yield stub


@pytest_asyncio.fixture
async def open_chat(stub: ModelStub) -> AsyncIterator[Callable[..., ChatClient]]:
    opened: list[ChatClient] = []

    def open_one(**more: Any) -> ChatClient:
        opened.append(ChatClient(**{"base_url": stub.base_url, "model": "m", "api_key": None, "timeout_seconds": 5, **more}))
        return opened[-1]

    yield open_one
    for chat in opened:
        await chat.close()


async def ask(chat: ChatClient) -> Completion:
    return await chat.complete("Instructions.", DOCUMENT, DECIDE_SCHEMA)


def lacks(*forms: str, status: int = 400, words: str = "response_format of type {} is not supported") -> Callable[[dict[str, Any]], Reply]:
    """A server that refuses some forms and answers the others."""

    def play(body: dict[str, Any]) -> Reply:
        form = body.get("response_format", {}).get("type", "text")
        return Reply({"error": {"message": words.format(form)}}, status=status) if form in forms else Reply.completion(form)

    return play


@pytest.mark.parametrize(
    ("forms", "status", "words", "answered", "asked"),
    [
        ((), 400, "", "json_schema", 1),
        (("json_schema",), 400, "response_format of type {} is not supported", "json_object", 2),
        (("json_schema",), 422, "body.response_format: Input should be 'text' or 'json_object'", "json_object", 2),
        (("json_schema", "json_object"), 400, "Unknown field: response_format", "text", 3),
        (("json_schema",), 400, "failed to parse grammar", "json_object", 2),
        (("json_schema",), 400, "Automatic parser generation failed: JSON schema error at #: unrecognized type", "json_object", 2),
    ],
)
async def test_a_server_that_lacks_a_form_is_asked_in_the_next(
    stub: ModelStub, open_chat: Callable[..., ChatClient], forms: tuple[str, ...], status: int, words: str, answered: str, asked: int
) -> None:
    chat = open_chat()
    stub.script("chat", *[lacks(*forms, status=status, words=words)] * 8)
    assert (await ask(chat)).text == answered
    assert len(stub.calls) == asked
    assert (await ask(chat)).text == answered
    assert len(stub.calls) == asked + 1  # remembered
    last = stub.calls[-1].body
    assert [message["role"] for message in last["messages"]] == ["system", "user"]
    assert json.loads(last["messages"][1]["content"]) == DOCUMENT
    # A server that enforces no schema is told it; one that does is not.
    assert ("merged_content" in last["messages"][0]["content"]) == (answered != "json_schema")


async def test_a_refusal_in_the_words_of_the_form_is_not_remembered_as_one(stub: ModelStub, open_chat: Callable[..., ChatClient]) -> None:
    chat = open_chat()
    too_long = Reply({"error": {"message": "context length exceeded by: I like response_format json_schema"}}, status=400)
    stub.script("chat", too_long, too_long, too_long)
    with pytest.raises(ChatUnavailableError, match="status 400"):
        await ask(chat)
    await ask(chat)
    assert stub.calls[-1].body["response_format"]["type"] == "json_schema"


@pytest.mark.parametrize("status", [401, 404, 413, 429, 500])
async def test_only_a_refused_request_is_asked_in_another_form(stub: ModelStub, open_chat: Callable[..., ChatClient], status: int) -> None:
    chat = open_chat(retries=0)
    stub.script("chat", Reply({"error": "response_format"}, status=status))
    with pytest.raises(ChatUnavailableError):
        await ask(chat)
    assert len(stub.calls) == 1


async def test_half_an_answer_is_none(stub: ModelStub, open_chat: Callable[..., ChatClient]) -> None:
    forged = '<think>He wrote </think>{"decisions": []}'
    stub.script("chat", Reply({"choices": [{"message": {"content": forged}, "finish_reason": "length"}]}))
    assert (await ask(open_chat())).text == ""


async def test_the_length_of_an_answer_is_bounded_when_asked_for(stub: ModelStub, open_chat: Callable[..., ChatClient]) -> None:
    await ask(open_chat(max_tokens=77))
    await ask(open_chat())
    assert [call.body.get("max_tokens") for call in stub.calls] == [77, None]


async def test_retry_after_is_waited_for(stub: ModelStub, open_chat: Callable[..., ChatClient]) -> None:
    stub.script("chat", Reply(None, status=429, headers={"Retry-After": "1"}))
    started = time.monotonic()
    assert (await ask(open_chat())).retries == 1
    assert 1.0 <= time.monotonic() - started < 2.5


@pytest.mark.parametrize("wait", ["60", "4.9", "1e309", format_datetime(datetime(2099, 1, 1, tzinfo=UTC), usegmt=True)])
async def test_a_longer_pause_than_there_is_time_for_is_not_begun(stub: ModelStub, open_chat: Callable[..., ChatClient], wait: str) -> None:
    stub.script("chat", Reply(None, status=503, headers={"Retry-After": wait}))
    started = time.monotonic()
    with pytest.raises(ChatUnavailableError, match="status 503"):
        await ask(open_chat(timeout_seconds=4))
    assert time.monotonic() - started < 2
    assert len(stub.calls) == 1


@pytest.mark.parametrize("wait", ["soon", "-5", "inf", "", format_datetime(datetime(2001, 1, 1, tzinfo=UTC), usegmt=True)])
async def test_a_pause_that_says_nothing_is_an_ordinary_one(stub: ModelStub, open_chat: Callable[..., ChatClient], wait: str) -> None:
    stub.script("chat", Reply(None, status=429, headers={"Retry-After": wait}))
    assert (await ask(open_chat())).retries == 1


async def test_retries_end_with_the_time_of_the_call_and_say_what_failed(stub: ModelStub, open_chat: Callable[..., ChatClient]) -> None:
    stub.script("chat", *[Reply(None, status=502)] * 50)
    started = time.monotonic()
    with pytest.raises(ChatUnavailableError, match="status 502") as caught:
        await ask(open_chat(timeout_seconds=1.5, retries=10))
    assert time.monotonic() - started < 2.5
    assert 1 <= caught.value.retries == len(stub.calls) - 1 < 10


async def test_a_dripping_server_ends_with_the_time_of_the_call(stub: ModelStub, open_chat: Callable[..., ChatClient]) -> None:
    stub.script("chat", Reply(delay=0.4, status=503), Reply(delay=30))
    started = time.monotonic()
    with pytest.raises(ChatUnavailableError, match="in time"):
        await ask(open_chat(timeout_seconds=1.5))
    assert time.monotonic() - started < 2.5


async def test_what_is_logged_about_retries_quotes_nothing(stub: ModelStub, open_chat: Callable[..., ChatClient]) -> None:
    stub.script("chat", Reply({"error": PRIVATE}, status=500), lacks("json_schema", words=PRIVATE + " response_format"))
    with capture_logs() as logs:
        await ask(open_chat(api_key="sk-not-to-be-shown"))
    assert len(logs) >= 1
    assert PRIVATE not in str(logs)
    assert "sk-not" not in str(logs)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


async def fails(chat: ChatClient) -> str:
    with pytest.raises(ChatUnavailableError) as caught:
        await ask(chat)
    return str(caught.value)


async def test_the_breaker_opens_after_failures_in_a_row_and_a_probe_closes_it(
    stub: ModelStub, open_chat: Callable[..., ChatClient]
) -> None:
    clock = Clock()
    chat = open_chat(retries=0, breaker=Breaker(3, 10.0, clock))
    stub.script("chat", *[Reply(None, status=500)] * 3)
    assert "status 500" in await fails(chat)
    assert "status 500" in await fails(chat)
    with capture_logs() as logs:
        assert "status 500" in await fails(chat)
    assert [one["log_level"] for one in logs] == ["warning"]
    started = time.monotonic()
    assert "left alone" in await fails(chat)
    assert time.monotonic() - started < 0.2
    assert len(stub.calls) == 3
    clock.now += 10
    stub.script("chat", Reply(reset=True))
    assert "out of reach" in await fails(chat)  # the probe, and the next pause begins
    assert "left alone" in await fails(chat)
    clock.now += 10
    assert (await ask(chat)).text
    assert (await ask(chat)).text
    assert len(stub.calls) == 6


async def test_one_probe_at_a_time(stub: ModelStub, open_chat: Callable[..., ChatClient]) -> None:
    clock = Clock()
    chat = open_chat(retries=0, breaker=Breaker(1, 10.0, clock))
    stub.script("chat", Reply(None, status=500), Reply.completion("{}", delay=0.3))
    await fails(chat)
    clock.now += 10
    answers = await asyncio.gather(*(ask(chat) for _ in range(6)), return_exceptions=True)
    assert [isinstance(answer, Completion) for answer in answers] == [True] + [False] * 5
    assert len(stub.calls) == 2


async def test_a_cancelled_probe_leaves_its_place(stub: ModelStub, open_chat: Callable[..., ChatClient]) -> None:
    clock = Clock()
    chat = open_chat(retries=0, breaker=Breaker(1, 10.0, clock))
    stub.script("chat", Reply(None, status=500), Reply.completion("{}", delay=5))
    await fails(chat)
    clock.now += 10
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(ask(chat), 0.2)
    assert (await ask(chat)).text


ANSWERED = {
    "busy": Reply(None, status=429),
    "refused": Reply(None, status=400),
    "forbidden": Reply(None, status=401),
    "no completion": Reply({"choices": []}),
}


@pytest.mark.parametrize("reply", ANSWERED.values(), ids=ANSWERED.keys())
async def test_a_server_that_answers_is_not_left_alone(stub: ModelStub, open_chat: Callable[..., ChatClient], reply: Reply) -> None:
    chat = open_chat(retries=0, breaker=Breaker(2, 10.0))
    stub.script("chat", Reply(None, status=500), reply, Reply(None, status=500), reply)
    for _ in range(4):
        await fails(chat)
    assert (await ask(chat)).text
