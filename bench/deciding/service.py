"""The few calls of the API that the judging of decisions needs."""

from __future__ import annotations

import time
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Self

import httpx

from bench.service import NO_LIMITS, Address


@dataclass(frozen=True, slots=True)
class Written:
    """What became of one fact: its part of the answer, what it asks, its decision, and how long the answer took."""

    result: dict[str, Any]
    questions: list[dict[str, Any]]
    decision: dict[str, Any]
    seconds: float
    at: str


class Service:
    """A few calls of the API."""

    def __init__(self, address: Address, connections: int) -> None:
        self._client = httpx.AsyncClient(
            base_url=address.url,
            headers={"Authorization": f"Bearer {address.key}"},
            timeout=300,
            limits=httpx.Limits(max_connections=connections),
            trust_env=False,
        )

    async def __aenter__(self) -> Self:
        """Open it."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close its connections."""
        await self._client.aclose()

    async def write(self, user: str, text: str, valid_from: str | None = None) -> Written:
        """Write one fact and read its decision."""
        fact = {"content": text} if valid_from is None else {"content": text, "valid_from": valid_from}
        began = time.perf_counter()
        answer = await self._client.post("/memories", json={"user_id": user, "facts": [fact]})
        seconds = time.perf_counter() - began
        if answer.status_code == HTTPStatus.TOO_MANY_REQUESTS:
            raise RuntimeError(f"the service limits this run; start it with {' '.join(f'{k}={v}' for k, v in NO_LIMITS.items())}")
        answer.raise_for_status()
        body = answer.json()
        if not body["results"]:
            raise RuntimeError("the service accepted a write and did not finish it; is its embedder out of reach?")
        result = body["results"][0]
        decision = await self._read(f"/decisions/{result['decision_id']}", {})
        return Written(result, body["needs_clarification"], decision, seconds, decision["created_at"])

    async def memories(self, user: str, **when: str) -> list[dict[str, Any]]:
        """A user's current memories, or those of an instant."""
        found: list[dict[str, Any]] = []
        cursor: str | None = None
        while True:
            more = {} if cursor is None else {"cursor": cursor}
            page = await self._read("/memories", {"user_id": user, "limit": "200", **when, **more})
            found += page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return found

    async def thresholds(self) -> dict[str, Any]:
        """The thresholds in force, with their origin."""
        charter = await self._read("/charter", {})
        thresholds: dict[str, Any] = charter["thresholds"]
        return thresholds

    async def _read(self, path: str, query: dict[str, str]) -> dict[str, Any]:
        answer = await self._client.get(path, params=query)
        answer.raise_for_status()
        body: dict[str, Any] = answer.json()
        return body
