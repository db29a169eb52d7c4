"""A scripted stand-in for a model server: OpenAI-compatible embeddings and chat completions over real HTTP.

    async with ModelStub() as stub:
        stub.script("chat", Reply.completion('{"decisions": []}'), Reply(status=500))
        ...  # point a client at stub.base_url
        assert stub.documents("decide")[0]["items"][0]["i"] == 0

Scripted replies are played once each, in order; with none left the stub answers well: each text its own fixed vector
(or the one in `vectors`), each item the decision of `judge` (ADD), each message one fact. `calls` holds what was asked.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Self

Endpoint = Literal["chat", "embeddings"]
_PATHS: dict[str, Endpoint] = {"/v1/chat/completions": "chat", "/v1/embeddings": "embeddings"}


@dataclass(frozen=True)
class Reply:
    """One answer. `delay` seconds pass first; `reset` cuts the wire instead of answering."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    reset: bool = False

    @classmethod
    def completion(cls, text: str | None, **more: Any) -> Self:
        """A chat completion with this text, cost 7 and 3 tokens."""
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        return cls({"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}, **more)

    @classmethod
    def decisions(cls, *decisions: dict[str, Any], **more: Any) -> Self:
        """A completion that holds these decisions."""
        return cls.completion(json.dumps({"decisions": decisions}), **more)

    @classmethod
    def vectors(cls, *rows: Any, **more: Any) -> Self:
        """An embeddings answer with these rows, in order."""
        return cls({"data": [{"index": i, "embedding": row} for i, row in enumerate(rows)]}, **more)

    def payload(self) -> bytes:
        """The bytes of the body: given bytes as they are, anything else as JSON."""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass(frozen=True)
class Call:
    """One request as it came."""

    endpoint: Endpoint
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def document(self) -> dict[str, Any]:
        """The JSON document in the last message of a chat request."""
        document: dict[str, Any] = json.loads(self.body["messages"][-1]["content"])
        return document


Play = Reply | Callable[[dict[str, Any]], Reply]


class ModelStub:
    """The server. `vectors` and `judge` say what it answers when no scripted reply is left."""

    def __init__(self, dimensions: int = 8) -> None:
        self.dimensions = dimensions
        self.calls: list[Call] = []
        self.vectors: dict[str, list[float]] = {}
        self.judge: Callable[[dict[str, Any]], dict[str, Any]] = _add
        self._scripts: dict[str, deque[Play]] = defaultdict(deque)
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._converse, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        await self._server.wait_closed()

    @property
    def base_url(self) -> str:
        """The address that ends before `/embeddings` and `/chat/completions`."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    def script(self, endpoint: Endpoint, *plays: Play) -> None:
        """Add replies, or functions of the request's body that give one, to be played next."""
        self._scripts[endpoint].extend(plays)

    def documents(self, task: str) -> list[dict[str, Any]]:
        """The documents of the chat calls of one task, in order."""
        documents = [call.document for call in self.calls if call.endpoint == "chat"]
        return [document for document in documents if document["task"] == task]

    def vector(self, text: str) -> list[float]:
        """The vector that a text gets."""
        if text in self.vectors:
            return self.vectors[text]
        source = random.Random(hashlib.sha256(text.encode()).digest())  # noqa: S311 - a fixture, no secret
        return [source.gauss(0.0, 1.0) for _ in range(self.dimensions)]

    def _answer(self, endpoint: Endpoint, body: dict[str, Any]) -> Reply:
        if self._scripts[endpoint]:
            play = self._scripts[endpoint].popleft()
            return play if isinstance(play, Reply) else play(body)
        if endpoint == "embeddings":
            return Reply.vectors(*(self.vector(text) for text in body["input"]))
        document = json.loads(body["messages"][-1]["content"])
        if document["task"] == "extract":
            return Reply.completion(json.dumps({"facts": [{"content": document["message"], "memory_type": "fact"}]}))
        return Reply.decisions(*(self.judge(item) for item in document["items"]))

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            while await self._exchange(reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client hung up, as one that ran out of patience does
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Read one request and answer it; false when the connection is to end."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        path = head[0].split(" ")[1]
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in head[1:] if line)}
        body = json.loads(await reader.readexactly(int(headers.get("content-length", "0"))) or b"{}")
        endpoint = _PATHS.get(path)
        reply = Reply({"error": "no such path"}, status=404)
        if endpoint is not None:
            self.calls.append(Call(endpoint, headers, body))
            reply = self._answer(endpoint, body)
        await asyncio.sleep(reply.delay)
        if reply.reset:
            writer.transport.abort()
            return False
        payload = reply.payload()
        lines = {"Content-Type": "application/json", "Content-Length": str(len(payload)), **reply.headers}
        rows = [f"HTTP/1.1 {reply.status} Scripted", *(f"{name}: {value}" for name, value in lines.items())]
        writer.write("\r\n".join(rows).encode() + b"\r\n\r\n" + payload)
        await writer.drain()
        return True


def _add(item: dict[str, Any]) -> dict[str, Any]:
    return {
        "i": item["i"],
        "operation": "ADD",
        "target": None,
        "confidence": 90,
        "reasoning": "",
        "merged_content": None,
    }
