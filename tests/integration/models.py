"""The model endpoints of a whole module of tests: `ModelStub` in a thread of its own, scripted by what the texts say.

Each test names its own texts, so what one test scripts never reaches another, and background work finds its script too.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.model_stub import Endpoint, ModelStub, Reply

DIMENSIONS = 64
_STARTING_SECONDS = 20.0
_GROUP = 40


@dataclass(frozen=True)
class Said:
    """What the engine says about one new text. `about` is the candidate's text (None: the best), `ref` overrides its ref."""

    operation: str
    about: str | None = None
    confidence: Any = 95
    merged: str | None = None
    reasoning: str = "the newer statement counts"
    ref: str | None = None
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class Fault:
    """A reply to the next `times` calls of an endpoint whose body holds `needle`, instead of a good one."""

    endpoint: Endpoint
    needle: str
    reply: Reply
    times: int = 1_000_000


class Models(ModelStub):
    """`ModelStub` with a script by text: `said`, `extracts`, `faults`."""

    def __init__(self) -> None:
        super().__init__(DIMENSIONS)
        self.said: dict[str, Said] = {}
        self.extracts: dict[str, Sequence[Mapping[str, Any]]] = {}
        self.faults: list[Fault] = []
        self.judge = self._judge

    def fail(self, endpoint: Endpoint, needle: str, reply: Reply, times: int = 1_000_000) -> Fault:
        """Let calls that hold this text fail; `heal` ends it."""
        fault = Fault(endpoint, needle, reply, times)
        self.faults.append(fault)
        return fault

    def heal(self, fault: Fault) -> None:
        """Answer well again."""
        self.faults.remove(fault)

    def place(self, texts: Sequence[str], cosine: float) -> None:
        """Give the texts vectors of which every two have exactly this cosine; more may follow after the same ones."""
        source = np.random.default_rng(list(texts[0].encode()))
        axes = np.linalg.qr(source.normal(size=(DIMENSIONS, _GROUP + 1)))[0].T
        for axis, text in zip(axes[1 : len(texts) + 1], texts, strict=True):
            self.vectors[text] = (np.sqrt(cosine) * axes[0] + np.sqrt(1 - cosine) * axis).tolist()

    def same(self, *texts: str) -> None:
        """Give all the texts the vector of the first."""
        for text in texts[1:]:
            self.vectors[text] = self.vector(texts[0])

    def asked(self, text: str, task: str = "decide") -> list[dict[str, Any]]:
        """The documents of one task that hold this text."""
        return [document for document in self.documents(task) if text in json.dumps(document, ensure_ascii=False)]

    def embedded(self, text: str) -> int:
        """How often the embedder was asked for exactly this text."""
        calls = [call for call in list(self.calls) if call.endpoint == "embeddings"]
        return sum(text in call.body["input"] for call in calls)

    def _answer(self, endpoint: Endpoint, body: dict[str, Any]) -> Reply:
        whole = json.dumps(body, ensure_ascii=False)
        for fault in list(self.faults):
            if fault.endpoint == endpoint and fault.times > 0 and fault.needle in whole:
                fault.times -= 1
                return fault.reply
        if endpoint == "chat":
            document = json.loads(body["messages"][-1]["content"])
            if document["task"] == "extract" and document["message"] in self.extracts:
                return Reply.completion(json.dumps({"facts": list(self.extracts[document["message"]])}))
        return super()._answer(endpoint, body)

    def _judge(self, item: dict[str, Any]) -> dict[str, Any]:
        said = self.said.get(item["new"]["content"], Said("ADD"))
        return {
            "i": item["i"],
            "operation": said.operation,
            "target": None if said.operation == "ADD" else said.ref or _ref(item["candidates"], said.about),
            "confidence": said.confidence,
            "reasoning": said.reasoning,
            "merged_content": said.merged,
            **said.more,
        }


def _ref(candidates: Sequence[Mapping[str, Any]], about: str | None) -> str | None:
    return next((str(one["ref"]) for one in candidates if about in (None, one["content"])), None)


@contextmanager
def running_models() -> Iterator[Models]:
    """The stub, serving from a thread."""
    models = Models()
    loop = asyncio.new_event_loop()
    ready, done = threading.Event(), asyncio.Event()

    async def serve() -> None:
        async with models:
            ready.set()
            await done.wait()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()  # an answer that was still to come slowly
        await asyncio.sleep(0)

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    assert ready.wait(_STARTING_SECONDS)
    try:
        yield models
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join(_STARTING_SECONDS)
        loop.close()
