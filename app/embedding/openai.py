"""A client of any server that speaks OpenAI's embeddings API."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from http import HTTPStatus

import httpx
import orjson

from app.embedding.vectors import unit_rows
from app.errors import EmbedderUnavailableError
from app.metrics import embedding, model_call
from app.tracing.spans import span

_BATCH_TEXTS = 128
_TRIES = 2
_PAUSE_SECONDS = 0.2
_LONGEST_PAUSE_SECONDS = 2.0
# The request never reached a model, or the wire broke: asking again costs nothing. A slow model is not asked again.
_TRANSIENT_ERRORS = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.ReadError,
    httpx.WriteError,
    httpx.RemoteProtocolError,
)


class OpenAIEmbedder:
    """Asks a server for vectors and lets only sound ones through. No message of it quotes a text or the key."""

    def __init__(self, *, base_url: str, model: str, dimensions: int, api_key: str | None, timeout_seconds: float) -> None:
        """`base_url` ends before `/embeddings`; `timeout_seconds` bounds each request from connect to last byte."""
        self._url = base_url.rstrip("/") + "/embeddings"
        self._model = model
        self._dimensions = dimensions
        self._timeout_seconds = timeout_seconds
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.AsyncClient(headers=headers, timeout=timeout_seconds)

    @property
    def model(self) -> str:
        """The name stored beside each vector."""
        return self._model

    @property
    def dimensions(self) -> int:
        """Length of each vector, as configured."""
        return self._dimensions

    async def start(self) -> None:
        """Nothing to load: a server that is away at the start may be there for the first write."""

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One unit vector a text, in order, at most 128 texts a request.

        Raises `EmbedderUnavailableError` for every failure: out of reach, slow, refused, or an unusable answer.
        """
        vectors: list[list[float]] = []
        with embedding(EmbedderUnavailableError):
            for first in range(0, len(texts), _BATCH_TEXTS):
                batch = list(texts[first : first + _BATCH_TEXTS])
                body = await self._ask(batch)
                vectors += unit_rows(_rows_in_order(body, len(batch)), len(batch), self._dimensions)
        return vectors

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _ask(self, texts: list[str]) -> bytes:
        content = orjson.dumps({"model": self._model, "input": texts})
        for attempt in range(1, _TRIES + 1):
            pause = _PAUSE_SECONDS
            try:
                response = await self._post(content)
            except _TRANSIENT_ERRORS as error:
                fault = EmbedderUnavailableError(f"the embedder is out of reach ({type(error).__name__})")
            else:
                if response.status_code == HTTPStatus.OK:
                    return response.content
                fault = EmbedderUnavailableError(f"the embedder answered status {response.status_code}")
                pause = _pause_before_retry(response)
            if attempt == _TRIES or pause > _LONGEST_PAUSE_SECONDS:
                raise fault
            await asyncio.sleep(pause)
        raise AssertionError

    async def _post(self, content: bytes) -> httpx.Response:
        """The response, whole. httpx bounds each single read; the outer bound also ends a server that drips."""
        try:
            async with asyncio.timeout(self._timeout_seconds):
                with span("call embeddings", outward=True, model=self._model) as noted, model_call("embeddings") as answered:
                    response = await self._client.post(self._url, content=content, headers={"Content-Type": "application/json"})
                    answered.status = response.status_code
                    noted.note(status=response.status_code)
                    return response
        except _TRANSIENT_ERRORS:
            raise
        except (TimeoutError, httpx.TimeoutException):
            raise EmbedderUnavailableError("the embedder did not answer in time") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise EmbedderUnavailableError(f"the embedder is out of reach ({type(error).__name__})") from None


def _pause_before_retry(response: httpx.Response) -> float:
    """Seconds to wait, infinity where asking again makes no sense."""
    if response.status_code != HTTPStatus.TOO_MANY_REQUESTS and not response.is_server_error:
        return float("inf")
    try:
        return max(0.0, float(response.headers.get("Retry-After", _PAUSE_SECONDS)))
    except ValueError:
        # The other form of the header is a date, hence a matter of seconds at least.
        return float("inf")


def _rows_in_order(body: bytes, count: int) -> list[object]:
    """The vectors by their `index`, which must name each text exactly once; servers may send them in any order."""
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise EmbedderUnavailableError("the embedder answered what is not JSON") from None
    data = document.get("data") if isinstance(document, dict) else None
    if not isinstance(data, list) or not all(isinstance(row, dict) for row in data):
        raise EmbedderUnavailableError("the embedder answered no list of vectors")
    if len(data) != count:
        raise EmbedderUnavailableError(f"the embedder answered {len(data)} vectors for {count} texts")
    by_index = {row["index"]: row.get("embedding") for row in data if type(row.get("index")) is int}
    if sorted(by_index) != list(range(count)):
        raise EmbedderUnavailableError("the embedder's vectors do not name each text exactly once")
    return [by_index[index] for index in range(count)]
