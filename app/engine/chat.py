"""The wire to a server that speaks OpenAI's chat completions API: one document there, one text back."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from functools import partial
from http import HTTPStatus
from typing import Any

import httpx
import orjson
import stamina
import structlog

from app.engine.breaker import Breaker
from app.metrics import count_tokens, model_call
from app.tracing.spans import span

_LONGEST_RETRY_AFTER_SECONDS = 10.0
_JITTER_SECONDS = 0.3
# A refusal that is about the form of the answer names it, each server in its own words.
_FORM_WORDS = ("response_format", "schema", "json_object", "structured output", "grammar", "guided")

_log = structlog.get_logger("helixir.chat")


class ChatUnavailableError(Exception):
    """There is no answer. The message names the kind of failure; it quotes no text and no key.

    `reached` says whether the server answered at all, `retries` how often the call was repeated before.
    """

    def __init__(self, message: str, *, reached: bool = False) -> None:
        super().__init__(message)
        self.reached = reached
        self.retries = 0


class _PassingError(ChatUnavailableError):
    """A failure that may be gone a moment later. `pause` is what the server asked for, in seconds, if it did."""

    def __init__(self, message: str, *, reached: bool = False, pause: float | None = None) -> None:
        super().__init__(message, reached=reached)
        self.pause = pause


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered and what it cost, in tokens as the server counts. No whole answer is an empty `text`."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_characters: int = 0
    retries: int = 0


class Form(StrEnum):
    """How a server can be asked for JSON, the strictest first."""

    SCHEMA = "json_schema"
    OBJECT = "json_object"
    TEXT = "text"

    @property
    def weaker(self) -> Form | None:
        """The next one, for servers that lack this."""
        return {Form.SCHEMA: Form.OBJECT, Form.OBJECT: Form.TEXT}.get(self)


class ChatClient:
    """Sends instructions and one JSON document, at temperature 0, with the schema that the answer must have."""

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        api_key: str | None,
        timeout_seconds: float,
        retries: int = 2,
        max_tokens: int | None = None,
        breaker: Breaker | None = None,
    ) -> None:
        """`base_url` ends before `/chat/completions`; `timeout_seconds` bounds a call with all its repetitions."""
        self._url = base_url.rstrip("/") + "/chat/completions"
        self._model = model
        self._timeout_seconds = timeout_seconds
        self._tries = 1 + retries
        self._max_tokens = max_tokens
        self._breaker = breaker or Breaker()
        self._form = Form.SCHEMA
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.AsyncClient(headers=headers, timeout=timeout_seconds)

    @property
    def model(self) -> str:
        """The model asked for."""
        return self._model

    async def complete(self, system: str, document: Mapping[str, Any], schema: Mapping[str, Any]) -> Completion:
        """One call. `schema` is the `json_schema` member of `response_format`: name, strict, schema.

        The document is the whole of the last message, so that no text in it can pass for an instruction. Raises
        `ChatUnavailableError` when the server is out of reach, slow, refuses, or answers what is no completion; at once
        while the breaker is open.
        """
        if not self._breaker.admit():
            raise ChatUnavailableError("the model server failed several times in a row and is left alone for now")
        try:
            completion = await self._bounded(system, document, schema)
        except ChatUnavailableError as error:
            if error.reached:
                self._breaker.succeeded()
            elif self._breaker.failed():
                _log.warning("the model server keeps failing and is left alone for a while", model=self._model, cause=str(error))
            raise
        except BaseException:
            self._breaker.given_up()
            raise
        self._breaker.succeeded()
        count_tokens(completion.prompt_tokens, completion.completion_tokens)
        return completion

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _bounded(self, system: str, document: Mapping[str, Any], schema: Mapping[str, Any]) -> Completion:
        """Httpx bounds each single read; this bound also ends a server that drips, and retries that go on too long."""
        count = _Count()
        try:
            async with asyncio.timeout(self._timeout_seconds):
                return await self._ask(system, orjson.dumps(document).decode(), schema, count)
        except TimeoutError:
            fault = count.fault or ChatUnavailableError("the model server did not answer in time")
        except ChatUnavailableError as error:
            fault = error
        fault.retries = count.retries
        raise fault from None

    async def _ask(self, system: str, data: str, schema: Mapping[str, Any], count: _Count) -> Completion:
        """Ask in the strictest form that the server is known to take; one that it refuses is followed by the next."""
        form: Form | None = self._form
        while form is not None:
            prompt = system if form is Form.SCHEMA else _with_schema(system, schema)
            response = await self._send(self._body(prompt, data, schema, form), count)
            if response.status_code == HTTPStatus.OK:
                self._remember(form)
                return _read_completion(response.content, len(prompt) + len(data), count.retries)
            form = form.weaker if _is_about_the_form(response) else None
        raise ChatUnavailableError(f"the model server answered status {response.status_code}", reached=True)

    def _body(self, prompt: str, data: str, schema: Mapping[str, Any], form: Form) -> bytes:
        body: dict[str, Any] = {
            "model": self._model,
            "temperature": 0,
            "messages": [{"role": "system", "content": prompt}, {"role": "user", "content": data}],
        }
        if self._max_tokens is not None:
            body["max_tokens"] = self._max_tokens
        if form is Form.SCHEMA:
            body["response_format"] = {"type": form.value, "json_schema": schema}
        elif form is Form.OBJECT:
            body["response_format"] = {"type": form.value}
        return orjson.dumps(body)

    def _remember(self, form: Form) -> None:
        """Only what was answered is remembered: a refusal may have been about something else, in the form's words."""
        if form is not self._form:
            _log.warning("the model server does not take this form of answer", model=self._model, form=self._form.value, instead=form.value)
            self._form = form

    async def _send(self, content: bytes, count: _Count) -> httpx.Response:
        """The response, asked for again after a failure that may pass, while there is time."""
        pause = partial(_pause, until=asyncio.get_running_loop().time() + self._timeout_seconds)
        tries = stamina.retry_context(
            on=pause, attempts=self._tries, timeout=None, wait_initial=0.2, wait_max=2.0, wait_jitter=_JITTER_SECONDS
        )
        async for attempt in tries:
            with attempt:
                count.begin(attempt.num)
                return await self._post(content, count)
        raise AssertionError  # the last failure is let through

    async def _post(self, content: bytes, count: _Count) -> httpx.Response:
        try:
            with span("call chat", outward=True, model=self._model) as noted, model_call("chat") as answered:
                response = await self._client.post(self._url, content=content, headers={"Content-Type": "application/json"})
                answered.status = response.status_code
                noted.note(status=response.status_code)
        except (httpx.NetworkError, httpx.RemoteProtocolError, httpx.ConnectTimeout) as error:
            count.fault = _PassingError(f"the model server is out of reach ({type(error).__name__})")
            raise count.fault from None
        except httpx.TimeoutException:
            raise ChatUnavailableError("the model server did not answer in time") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ChatUnavailableError(f"the model server is out of reach ({type(error).__name__})") from None
        busy = response.status_code == HTTPStatus.TOO_MANY_REQUESTS
        if busy or response.is_server_error:
            said = f"the model server answered status {response.status_code}"
            count.fault = _PassingError(said, reached=busy, pause=_retry_after(response))
            raise count.fault
        return response


@dataclass(slots=True)
class _Count:
    """How often a call was repeated so far, and the failure that it waits to repeat, if it does."""

    retries: int = 0
    fault: ChatUnavailableError | None = None

    def begin(self, attempt: int) -> None:
        """Count one more try, from 1."""
        self.retries += attempt > 1
        self.fault = None


def _pause(error: Exception, *, until: float) -> bool | float:
    """Whether to ask again (`stamina`'s hook): false, true for its own growing pause, or the seconds to wait.

    `until` is the time of the event loop at which the whole call ends.
    """
    if not isinstance(error, _PassingError):
        return False
    if error.pause is None:
        return True
    left = until - asyncio.get_running_loop().time()
    # No security in it: clients that were told the same time should not come back at the same moment.
    return error.pause < min(left, _LONGEST_RETRY_AFTER_SECONDS) and error.pause + random.uniform(0, _JITTER_SECONDS)  # noqa: S311


def _retry_after(response: httpx.Response) -> float | None:
    """Seconds that the server asks to wait: a number or a date; None where it says neither."""
    text = response.headers.get("Retry-After", "").strip()
    if not text:
        return None
    try:
        return max(0.0, float(text)) if text[0].isdigit() else max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):  # a date without a zone, or nonsense
        return None


def _is_about_the_form(response: httpx.Response) -> bool:
    if response.status_code not in {HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY}:
        return False
    said = response.text[:10_000].casefold()
    return any(word in said for word in _FORM_WORDS)


def _with_schema(system: str, schema: Mapping[str, Any]) -> str:
    """The instructions with the schema in them, for a server that does not enforce it."""
    return f"{system}\n\nThe answer follows this JSON schema:\n{orjson.dumps(schema['schema']).decode()}"


def _read_completion(body: bytes, prompt_characters: int, retries: int) -> Completion:
    try:
        document = orjson.loads(body)
        choice = document["choices"][0]
        text = choice["message"].get("content")
        # Half an answer may end inside a thought that quotes a memory, so none of it is read.
        whole = choice.get("finish_reason") != "length"
    except (orjson.JSONDecodeError, KeyError, IndexError, TypeError, AttributeError):
        raise ChatUnavailableError("the model server answered what is no chat completion", reached=True) from None
    usage = document.get("usage")
    return Completion(
        text=text if whole and isinstance(text, str) else "",
        prompt_tokens=_count(usage, "prompt_tokens"),
        completion_tokens=_count(usage, "completion_tokens"),
        prompt_characters=prompt_characters,
        retries=retries,
    )


def _count(usage: object, name: str) -> int:
    """A number of tokens; 0 where the server does not say or says nonsense."""
    number = usage.get(name) if isinstance(usage, dict) else None
    return number if type(number) is int and number >= 0 else 0
