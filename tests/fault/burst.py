"""Many writers at once, each write with a key and a text of its own; and afterwards the count of what is there."""

from __future__ import annotations

import itertools
import threading
import time
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Self

import httpx

from tests.fault.answers import assert_done_or_retryable, in_the_end
from tests.fault.quarters import Quarters
from tests.integration.stage import Stage, wait_until

_CHAIN = 40  # texts that one group of the models' vectors holds
_PATIENCE = 60.0


@dataclass
class Sent:
    """One write, and what its client was told: a write's id, or nothing that counts."""

    key: str
    user: str
    text: str
    kind: str
    told: str | None = None
    status: int | None = None

    @property
    def body(self) -> dict[str, Any]:
        """What was sent, the same each time."""
        said = {"message": self.text} if self.kind == "raw_input" else {"facts": [{"content": self.text, "memory_type": "fact"}]}
        return {"user_id": self.user, **said}


class Burst:
    """Writers of three sorts: new facts, rewrites that make a chain, and messages. `with` it they write without a pause."""

    def __init__(self, stage: Stage, house: Quarters, writers: int = 6) -> None:
        self.sent: list[Sent] = []
        self._stage, self._house = stage, house
        self._stop = threading.Event()
        self._pool = ThreadPoolExecutor(writers)
        self._users = [stage.user(f"w{number}") for number in range(writers)]
        self._running: list[Future[None]] = []

    def __enter__(self) -> Self:
        for number, user in enumerate(self._users):
            kind = "raw_input" if number % 3 == 2 else "atom"
            if number % 3 == 1:
                self._chained([self._text(user, place) for place in range(_CHAIN)])
            self._running.append(self._pool.submit(self._write, user, kind, number % len(self._house.processes)))
        wait_until(lambda: self.acknowledged, lambda count: count >= len(self._users), 30)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._pool.shutdown()
        for one in self._running:
            one.result()

    @property
    def acknowledged(self) -> int:
        """Writes whose client was told that they are safe."""
        return sum(one.told is not None for one in list(self.sent))

    def _text(self, user: str, number: int) -> str:
        return self._stage.t(f"{user} lives in place {number}")

    def _chained(self, texts: list[str]) -> None:
        self._stage.models.place(texts, 0.9)
        for text in texts:
            self._stage.expect(text, "SUPERSEDE")

    def _write(self, user: str, kind: str, server: int) -> None:
        client = self._client(server)
        with client:
            for number in itertools.count():
                if self._stop.is_set():
                    return
                one = Sent(f"{user}-{number}", user, self._text(user, number), kind)
                self.sent.append(one)
                try:
                    response = send(client, one)
                except httpx.TransportError:
                    time.sleep(0.2)
                    continue
                assert_done_or_retryable(response)
                one.status = response.status_code
                if response.status_code < 300:
                    one.told = response.json()["write_id"]
                else:
                    time.sleep(0.2)

    def _client(self, server: int) -> httpx.Client:
        headers = {"Authorization": f"Bearer {self._house.live.agent_key}"}
        return httpx.Client(base_url=self._house.servers[server].base_url, headers=headers, timeout=30, trust_env=False)

    def check_safe(self) -> None:
        """What was acknowledged is there once, whatever was not is there at most once, and nothing is half there."""
        kept, done = self._kept(), self._there()
        for one in self.sent:
            assert kept[one.text] <= 1, one
            assert all(done[one.text, kind] <= 1 for kind in ("atom", "raw_input")), one
            if one.told is not None:
                assert kept[one.text] == 1, one
                assert one.status == 202 or done[one.text, "atom"] == 1, one
        self._house.check_invariants()

    def check_finished(self, server: int = 0) -> None:
        """Every write, sent once more with its key, ends there exactly once, and it is the write that was told of."""
        with self._client(server) as client, ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda one: in_the_end(lambda: send(client, one), _PATIENCE).json(), self.sent))
        for one, answer in zip(self.sent, answers, strict=True):
            assert one.told in (None, answer["write_id"]), one
        waiting = "SELECT count(*) FROM writes WHERE status <> 'completed' AND user_id = ANY($1)"
        wait_until(lambda: self._house.fetch(waiting, self._users)[0][0], lambda count: count == 0, _PATIENCE)
        kept, done = self._kept(), self._there()
        for one in self.sent:
            assert (kept[one.text], done[one.text, "atom"], done[one.text, "raw_input"]) == (1, 1, int(one.kind == "raw_input")), one
        self._house.check_invariants()

    def _kept(self) -> Counter[str]:
        """How many writes say a text."""
        query = "SELECT coalesce(body ->> 'message', body #>> '{facts,0,content}') AS text FROM writes WHERE user_id = ANY($1)"
        return Counter(row["text"] for row in self._house.fetch(query, self._users))

    def _there(self) -> Counter[tuple[str, str]]:
        """How many memories say a text, by kind."""
        query = "SELECT content, kind FROM memories WHERE user_id = ANY($1)"
        return Counter((row["content"], row["kind"]) for row in self._house.fetch(query, self._users))


def send(client: httpx.Client, one: Sent) -> httpx.Response:
    """The write, with its key."""
    return client.post("/memories", json=one.body, headers={"Idempotency-Key": one.key})
