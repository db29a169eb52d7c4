"""The clients of the load: each sends its next request when the last was answered, and notes what it saw."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from random import Random
from typing import Any, Final, Self
from uuid import uuid4

import httpx

from bench.loading.said import Owner, answer_body, first_body, owners_of, search_body, write_body
from bench.service import Address

MIX: Final = {"write": 35, "search": 20, "get": 15, "list": 10, "history": 10, "answer": 10}
"""How often each kind is chosen, in percent. An answer that finds no open question is a look at the list of them."""

_TIMEOUT = 90.0
_LONGEST_WAIT = 5.0
_KEPT = 20
# What a dispute may say to an answer that came after another act: part of the contract, and no error.
_OVERTAKEN: Final = frozenset({"dispute_changed", "dispute_moot", "already_resolved", "same_text"})


@dataclass(frozen=True, slots=True)
class Sample:
    """One request: its kind, its status (0 where the connection broke), the problem's code, and its time in seconds."""

    kind: str
    status: int
    code: str
    seconds: float

    @property
    def limited(self) -> bool:
        """True for a refusal by a limit."""
        return self.status == HTTPStatus.TOO_MANY_REQUESTS

    @property
    def overtaken(self) -> bool:
        """True for an answer to a dispute that had changed or ended meanwhile."""
        return self.kind == "answer" and self.status == HTTPStatus.CONFLICT and self.code in _OVERTAKEN

    @property
    def failed(self) -> bool:
        """True for what must not happen under load."""
        return not (HTTPStatus.OK <= self.status < HTTPStatus.MULTIPLE_CHOICES or self.limited or self.overtaken)


@dataclass(slots=True)
class Seen:
    """What all clients saw: requests, acknowledged writes and answers by their ids, questions that nobody answered yet."""

    samples: list[Sample] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)
    facts: int = 0
    postponed: int = 0
    questions: deque[dict[str, Any]] = field(default_factory=deque)
    seconds: float = 0.0


class Load:
    """All clients of one run against one service, each with a connection of its own."""

    def __init__(self, address: Address, clients: int, owners: int, seed: int) -> None:
        self._seed = seed
        self._owners = owners_of(uuid4().hex[:8], owners)
        self._seen = Seen()
        # A pool that they share costs more than the requests: it looks through all waiting ones for each that ends.
        self._clients = [_client(address) for _ in range(clients)]

    async def __aenter__(self) -> Self:
        """Open it."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close all connections."""
        await asyncio.gather(*(client.aclose() for client in self._clients))

    async def decisions(self) -> list[dict[str, Any]]:
        """The newest decisions."""
        answer = await self._clients[0].get("/decisions", params={"limit": 200})
        items: list[dict[str, Any]] = answer.raise_for_status().json()["items"]
        return items

    async def furnish(self) -> None:
        """Give each owner some memories, before anything is measured. Raises `RuntimeError` where one is refused."""
        chance = Random(self._seed)  # noqa: S311 - a load that can be repeated, no secret
        waiting = iter([(owner, first_body(chance, owner)) for owner in self._owners])

        async def bring(http: httpx.AsyncClient) -> None:
            for owner, body in waiting:
                await self._write(http, owner, body)
                if self._seen.samples[-1].failed:
                    raise RuntimeError(f"the service refused a first write: {self._seen.samples[-1]}")

        await asyncio.gather(*(bring(http) for http in self._clients))
        self._seen = Seen(written=self._seen.written, questions=self._seen.questions)

    async def floor(self, seconds: float) -> Seen:
        """The same clients on the route that does nothing: what wire, server and the driver itself take."""
        seen = Seen()
        end = time.perf_counter() + seconds

        async def look(http: httpx.AsyncClient) -> None:
            while time.perf_counter() < end:
                await _ask(seen, "livez", lambda: http.get("/livez"))

        began = time.perf_counter()
        await asyncio.gather(*(look(http) for http in self._clients))
        seen.seconds = time.perf_counter() - began
        return seen

    async def run(self, seconds: float, told: Callable[[float], None]) -> Seen:
        """All kinds mixed, for so long; what is under way at the end is waited for and counted."""
        began = time.perf_counter()
        end = began + seconds

        async def client(number: int, http: httpx.AsyncClient) -> None:
            chance = Random(self._seed * 1_000 + number)  # noqa: S311 - as above
            while time.perf_counter() < end:
                await self._act(http, chance)
                told(min(seconds, time.perf_counter() - began))

        await asyncio.gather(*(client(number, http) for number, http in enumerate(self._clients, 1)))
        self._seen.seconds = time.perf_counter() - began
        return self._seen

    async def _act(self, http: httpx.AsyncClient, chance: Random) -> None:
        owner = chance.choice(self._owners)
        [kind] = chance.choices(list(MIX), weights=list(MIX.values()))
        memory = chance.choice(owner.memories) if owner.memories else None
        if kind == "write":
            await self._write(http, owner, write_body(chance, owner))
        elif kind == "answer":
            await self._answer(http, chance)
        elif kind == "search":
            await _ask(self._seen, "search", lambda: http.post("/memories/search", json=search_body(chance, owner)))
        elif kind == "list" or memory is None:
            await _ask(self._seen, "list", lambda: http.get("/memories", params={"user_id": owner.user_id, "limit": 20}))
        else:
            await _ask(self._seen, kind, lambda: http.get(f"/memories/{memory}{'/history' if kind == 'history' else ''}"))

    async def _write(self, http: httpx.AsyncClient, owner: Owner, body: dict[str, Any]) -> None:
        key = {"Idempotency-Key": str(uuid4())}
        answer = await _ask(self._seen, "write", lambda: http.post("/memories", json=body, headers=key))
        if answer is None or not answer.is_success:
            return
        written = answer.json()
        self._seen.written.append(written["write_id"])
        self._seen.facts += len(written["results"])
        self._seen.postponed += written["status"] == "accepted"
        self._seen.questions.extend(written["needs_clarification"])
        owner.memories.extend(result["memory_id"] for result in written["results"] if result["memory_id"])
        del owner.memories[:-_KEPT]

    async def _answer(self, http: httpx.AsyncClient, chance: Random) -> None:
        if not self._seen.questions:
            await _ask(self._seen, "list", lambda: http.get("/contradictions", params={"status": "open", "limit": 20}))
            return
        # The newest as often as the oldest: of those some were overtaken by what was said since.
        question = self._seen.questions.pop() if chance.random() < 1 / 2 else self._seen.questions.popleft()
        path = f"/contradictions/{question['contradiction_id']}/resolve"
        answer = await _ask(self._seen, "answer", lambda: http.post(path, json=answer_body(chance, question)))
        if answer is not None and answer.is_success:
            self._seen.answered.append(question["contradiction_id"])


def _client(address: Address) -> httpx.AsyncClient:
    authorization = {"Authorization": f"Bearer {address.key}"}
    return httpx.AsyncClient(base_url=address.url, headers=authorization, timeout=_TIMEOUT, trust_env=False)


async def _ask(seen: Seen, kind: str, call: Callable[[], Awaitable[httpx.Response]]) -> httpx.Response | None:
    """Send one request and note it; None where the connection broke. After a 429 the client waits as it is told."""
    began = time.perf_counter()
    try:
        answer = await call()
    except httpx.TransportError as fault:
        seen.samples.append(Sample(kind, 0, type(fault).__name__, time.perf_counter() - began))
        return None
    code = "" if answer.is_success else _code_of(answer)
    seen.samples.append(Sample(kind, answer.status_code, code, time.perf_counter() - began))
    if answer.status_code == HTTPStatus.TOO_MANY_REQUESTS:
        await asyncio.sleep(min(_LONGEST_WAIT, float(answer.headers.get("Retry-After", "1"))))
    return answer


def _code_of(answer: httpx.Response) -> str:
    try:
        code: str = answer.json()["code"]
    except (ValueError, KeyError, TypeError):
        return "no problem document"
    return code
