"""The wire to a server that speaks OpenAI's chat completions API: one document there, one text back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import httpx
import orjson


class ChatUnavailableError(Exception):
    """There is no answer. The message names the kind of failure; it quotes no text and no key."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered and what it cost, in tokens as the server counts. No answer is an empty `text`."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_characters: int = 0


class ChatClient:
    """Sends instructions and one JSON document, at temperature 0, with the schema that the answer must have."""

    def __init__(self, *, base_url: str, model: str, api_key: str | None, timeout_seconds: float) -> None:
        """`base_url` ends before `/chat/completions`; `timeout_seconds` bounds a call from connect to last byte."""
        self._url = base_url.rstrip("/") + "/chat/completions"
        self._model = model
        self._timeout_seconds = timeout_seconds
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.AsyncClient(headers=headers, timeout=timeout_seconds)

    @property
    def model(self) -> str:
        """The model asked for."""
        return self._model

    async def complete(self, system: str, document: Mapping[str, Any], schema: Mapping[str, Any]) -> Completion:
        """One call. `schema` is the `json_schema` member of `response_format`: name, strict, schema.

        The document is the whole of the last message, so that no text in it can pass for an instruction. Raises
        `ChatUnavailableError` when the server is out of reach, slow, refuses, or answers what is no completion.
        """
        data = orjson.dumps(document).decode()
        body = {
            "model": self._model,
            "temperature": 0,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": data}],
            "response_format": {"type": "json_schema", "json_schema": schema},
        }
        response = await self._post(orjson.dumps(body))
        if response.status_code != HTTPStatus.OK:
            raise ChatUnavailableError(f"the model server answered status {response.status_code}")
        return _read_completion(response.content, prompt_characters=len(system) + len(data))

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _post(self, content: bytes) -> httpx.Response:
        """The response, whole. httpx bounds each single read; the outer bound also ends a server that drips."""
        try:
            async with asyncio.timeout(self._timeout_seconds):
                return await self._client.post(self._url, content=content, headers={"Content-Type": "application/json"})
        except (TimeoutError, httpx.TimeoutException):
            raise ChatUnavailableError("the model server did not answer in time") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise ChatUnavailableError(f"the model server is out of reach ({type(error).__name__})") from None


def _read_completion(body: bytes, *, prompt_characters: int) -> Completion:
    try:
        document = orjson.loads(body)
        message = document["choices"][0]["message"]
        text = message.get("content")
    except (orjson.JSONDecodeError, KeyError, IndexError, TypeError, AttributeError):
        raise ChatUnavailableError("the model server answered what is no chat completion") from None
    usage = document.get("usage")
    return Completion(
        text=text if isinstance(text, str) else "",
        prompt_tokens=_count(usage, "prompt_tokens"),
        completion_tokens=_count(usage, "completion_tokens"),
        prompt_characters=prompt_characters,
    )


def _count(usage: object, name: str) -> int:
    """A number of tokens; 0 where the server does not say or says nonsense."""
    number = usage.get(name) if isinstance(usage, dict) else None
    return number if type(number) is int and number >= 0 else 0
