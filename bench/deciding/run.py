"""Drive the service: a fresh user for each pair and each sequence, so many at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import uuid4

from bench.deciding.marks import Mark, said
from bench.deciding.rows import Chain, Pair
from bench.deciding.sequences import Walk, walk
from bench.deciding.service import Service, Written

Item = TypeVar("Item")
Result = TypeVar("Result")
Told = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Judged:
    """A mark, and what was seen of the decision behind it; for whoever looks for mistakes."""

    pair: Pair
    mark: Mark
    written: Written

    @property
    def engine(self) -> str | None:
        """The engine that decided; None where a tier did."""
        name: str | None = self.written.decision["engine"].get("name")
        return name

    def row(self) -> dict[str, Any]:
        """One line for a file."""
        result, mark = self.written.result, self.mark
        verdict = self.written.decision.get("verdict") or {}
        return {
            "file": self.pair.file,
            "source": self.pair.source,
            "id": self.pair.name,
            "a": self.pair.a,
            "b": self.pair.b,
            "label": mark.label,
            "lenient": sorted(mark.lenient),
            "said": mark.said,
            "asked": mark.asked,
            "tier": mark.tier,
            "similarity": result["similarity"],
            "operation": result["operation"],
            "outcome": result["outcome"],
            "confidence": result["confidence"],
            "reasoning": verdict.get("reasoning"),
        }


async def judge_pairs(service: Service, pairs: Sequence[Pair], at_once: int, told: Told) -> list[Judged]:
    """Every pair, in its order."""
    run = uuid4().hex[:8]

    async def judge(place: int, pair: Pair) -> Judged:
        user = f"bench-{run}-{place}"
        await service.write(user, pair.a)
        written = await service.write(user, pair.b)
        asked = bool(written.questions)
        engine = written.decision["engine"]
        mark = Mark(
            file=pair.file,
            source=pair.source,
            label=pair.label,
            lenient=pair.lenient,
            said=said(written.result, asked=asked),
            asked=asked,
            tier=written.result["tier"],
            calls=engine.get("calls") or 0,
            prompt_characters=engine.get("prompt_characters") or 0,
            seconds=written.seconds,
        )
        return Judged(pair, mark, written)

    return await _all(judge, pairs, at_once, told)


async def walk_chains(service: Service, chains: Sequence[Chain], at_once: int, told: Told) -> list[Walk]:
    """Every sequence, in its order."""
    run = uuid4().hex[:8]

    async def one(place: int, chain: Chain) -> Walk:
        return await walk(service, f"bench-{run}-s{place}", chain)

    return await _all(one, chains, at_once, told)


async def _all(work: Callable[[int, Item], Awaitable[Result]], items: Sequence[Item], at_once: int, told: Told) -> list[Result]:
    turns = asyncio.Semaphore(at_once)

    async def one(place: int, item: Item) -> Result:
        async with turns:
            result = await work(place, item)
        told()
        return result

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(place, item)) for place, item in enumerate(items)]
    return [task.result() for task in tasks]
