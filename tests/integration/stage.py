"""One test's view of the house: users and texts of its own, the script of the models, and what the API says."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

import asyncpg
import httpx

from tests.integration.house import House
from tests.integration.models import Models, Said

Json = dict[str, Any]
Result = TypeVar("Result")
Fact = str | tuple[str, str] | Json
"""A fact's text (a `fact`), its text and type, or its whole body."""


class Caller:
    """The API as one key sees it. Every method checks the status and gives the body."""

    def __init__(self, http: httpx.Client) -> None:
        self.http = http

    def ask(self, method: str, path: str, expect: int | tuple[int, ...] = 200, **more: Any) -> Json:
        """Any request."""
        response = self.http.request(method, path, **more)
        wanted = (expect,) if isinstance(expect, int) else expect
        assert response.status_code in wanted, f"{method} {path}: {response.status_code} {response.text}"
        body: Json = response.json()
        return body

    def write(self, user: str, *facts: Fact, expect: int | tuple[int, ...] = 201, key: str | None = None, **more: Any) -> Json:
        """POST /memories with facts."""
        body = {"user_id": user, "facts": [_fact(one) for one in facts], **more}
        return self.ask("POST", "/memories", expect, json=body, headers=_keyed(key))

    def say(self, user: str, message: str, expect: int | tuple[int, ...] = 201, key: str | None = None, **more: Any) -> Json:
        """POST /memories with a message."""
        return self.ask("POST", "/memories", expect, json={"user_id": user, "message": message, **more}, headers=_keyed(key))

    def store(self, user: str, fact: Fact, **more: Any) -> str:
        """Write one fact and give the id of the memory that carries it."""
        result: Json = self.write(user, fact, **more)["results"][0]
        return str(result["memory_id"])

    def edit(self, memory_id: str, content: str, revision: int | None, expect: int = 200, key: str | None = None) -> Json:
        """PATCH a memory."""
        match = {} if revision is None else {"If-Match": f'"{revision}"'}
        body = {"content": content, "reason": "a better wording"}
        return self.ask("PATCH", f"/memories/{memory_id}", expect, json=body, headers={**match, **_keyed(key)})

    def act(self, act: str, memory_id: str, expect: int = 200, reason: str = "the owner says so") -> Json:
        """Finalise and the other acts of an owner."""
        return self.ask("POST", f"/memories/{memory_id}/{act}", expect, json={"reason": reason})

    def answer(self, dispute_id: str, resolution: str, expect: int = 200, **more: Any) -> Json:
        """Resolve a dispute."""
        return self.ask("POST", f"/contradictions/{dispute_id}/resolve", expect, json={"resolution": resolution, **more})

    def memory(self, memory_id: str, expect: int = 200) -> Json:
        """GET one memory."""
        return self.ask("GET", f"/memories/{memory_id}", expect)

    def listed(self, user: str | None = None, **query: Any) -> list[Json]:
        """GET /memories, one page."""
        return self.items("/memories", **({} if user is None else {"user_id": user}), **query)

    def texts(self, user: str, **query: Any) -> list[str]:
        """The contents of a user's memories, sorted."""
        return sorted(one["content"] for one in self.listed(user, **query))

    def history(self, memory_id: str) -> Json:
        """GET a memory's history."""
        return self.ask("GET", f"/memories/{memory_id}/history")

    def search(self, user: str, query: str, **more: Any) -> list[Json]:
        """Recall."""
        found: list[Json] = self.ask("POST", "/memories/search", json={"query": query, "user_id": user, **more})["results"]
        return found

    def dispute(self, dispute_id: str, expect: int = 200) -> Json:
        """GET one contradiction."""
        return self.ask("GET", f"/contradictions/{dispute_id}", expect)

    def disputes(self, user: str | None = None, **query: Any) -> list[Json]:
        """GET /contradictions, one page."""
        return self.items("/contradictions", **({} if user is None else {"user_id": user}), **query)

    def items(self, path: str, **query: Any) -> list[Json]:
        """One page of any list."""
        found: list[Json] = self.ask("GET", path, params=query)["items"]
        return found


def _fact(fact: Fact) -> Json:
    if isinstance(fact, dict):
        return {"memory_type": "fact", **fact}
    content, memory_type = (fact, "fact") if isinstance(fact, str) else fact
    return {"content": content, "memory_type": memory_type}


def _keyed(key: str | None) -> dict[str, str]:
    return {} if key is None else {"Idempotency-Key": key}


@dataclass(frozen=True)
class Meeting:
    """A stored statement met by a new one, and what the service made of it."""

    user: str
    old_text: str
    new_text: str
    old: str
    body: Json

    @property
    def result(self) -> Json:
        """The result of the new statement."""
        assert len(self.body["results"]) == 1, self.body
        result: Json = self.body["results"][0]
        return result

    @property
    def new(self) -> str:
        """The id of the memory that carries the new statement."""
        return str(self.result["memory_id"])

    @property
    def asked(self) -> Json:
        """The one question that it raised."""
        assert len(self.body["needs_clarification"]) == 1, self.body
        asked: Json = self.body["needs_clarification"][0]
        return asked

    @property
    def dispute(self) -> str:
        """The id of the one dispute that it opened."""
        return str(self.asked["contradiction_id"])


class Stage:
    """What a test works with. Its texts carry a name that no other test has."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.models: Models = house.models
        self.name = "Z" + "".join(random.choices("bcdfghklmnprstvz", k=7))  # noqa: S311 - a name, no secret
        self.owner, self.agent = Caller(house.live.owner), Caller(house.live.agent)
        self._users = 0
        self.texts: list[str] = []

    def t(self, text: str) -> str:
        """The text about this test's own person."""
        return f"{self.name} {text}"

    def user(self, name: str = "ann") -> str:
        """A new user."""
        self._users += 1
        return f"{name}-{self.name}-{self._users}"

    def key(self, role: str, *user_ids: str, tenant: str = "default", can_answer: bool = True) -> Caller:
        """A caller with a key of its own."""
        key = self.house.live.new_key(role, *user_ids, tenant=tenant, can_answer=can_answer)
        return Caller(self.house.live.client(key))

    def rows(self, query: str, *arguments: Any) -> list[asyncpg.Record]:
        """The rows of a query; texts that are ids become ids."""
        return self.house.fetch(query, *(_id(one) for one in arguments))

    def value(self, query: str, *arguments: Any) -> Any:
        """The only value of a query's only row."""
        (row,) = self.rows(query, *arguments)
        return row[0]

    def expect(self, new: str, operation: str, about: str | None = None, confidence: Any = 95, **more: Any) -> None:
        """Script what the engine says about a new text."""
        self.models.said[new] = Said(operation, about, confidence, **more)

    def meet(
        self,
        operation: str = "SUPERSEDE",
        confidence: Any = 95,
        old: Fact = "lives in Lisbon",
        new: Fact = "lives in Porto",
        user: str | None = None,
        cosine: float = 0.9,
        by: Caller | None = None,
        expect: int = 201,
        **said: Any,
    ) -> Meeting:
        """Store one statement, then let a new one meet it, and the engine say what it says."""
        before, after = self._named(old), self._named(new)
        user, by = user or self.user(), by or self.agent
        self.models.place([before["content"], after["content"]], cosine)
        self.expect(after["content"], operation, before["content"], confidence, **said)
        stored = self.agent.store(user, before)
        body = by.write(user, after, expect=expect)
        return Meeting(user, before["content"], after["content"], stored, body)

    def disputed(self, operation: str = "SUPERSEDE", kind: str = "preference", **more: Any) -> Meeting:
        """A meeting of two protected statements, which always raises a question."""
        old, new = {"content": "prefers tea", "memory_type": kind}, {"content": "prefers coffee", "memory_type": kind}
        return self.meet(operation, **{"old": old, "new": new, **more})

    def _named(self, fact: Fact) -> Json:
        whole = _fact(fact)
        named = str(whole["content"])
        return whole if named.startswith(self.name) else {**whole, "content": self.t(named)}


def _id(value: Any) -> Any:
    try:
        return UUID(value) if isinstance(value, str) else value
    except ValueError:
        return value


def at_once(works: Sequence[Callable[[], Result]]) -> list[Result]:
    """Run all of them at the same moment, each in a thread; their results in order."""
    gate = threading.Barrier(len(works))

    def begin(work: Callable[[], Result]) -> Result:
        gate.wait(30)
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(begin, works))


def wait_until(look: Callable[[], Result], holds: Callable[[Result], bool], seconds: float = 30.0) -> Result:
    """Look again and again until it holds."""
    end = time.monotonic() + seconds
    while not holds(seen := look()):
        assert time.monotonic() < end, seen
        time.sleep(0.05)
    return seen
