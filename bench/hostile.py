"""A hostile engine against the charter: `make bench-hostile VERDICTS=200000`.

Every verdict is ruled on and checked against the pure laws and the oracle; one in `--services-every` of them also goes
through the services on a Postgres of its own, with owners' acts between, and the laws of the database are checked every
500 of those and at the end. Standard output ends with one line of counts; exit code 1 says that a law was broken.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from random import Random
from types import FrameType
from typing import TYPE_CHECKING, Final, NoReturn, Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from app.charter.model import Article, Outcome, Ruling
from app.db import migrate
from app.local import place
from tests.hostile import chance
from tests.hostile.acts import Act, Fact, Said, Write
from tests.hostile.cases import NOW, Case, case
from tests.hostile.past import Past
from tests.hostile.rulings import broken_by
from tests.hostile.world import World, open_world
from tests.postgres import Database, RunningServer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

CHECKED_EVERY: Final = 500
"""So many verdicts go through the services between two looks at the whole database."""

REMEMBERED: Final = 12
"""So many acts are printed with a violation in the services."""

_OTHER_ACTS: Final = (0, 0, 1, 1, 1, 2)


@dataclass
class Counts:
    """What was ruled so far."""

    verdicts: int = 0
    served: int = 0
    acts: int = 0
    articles: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)

    def count(self, ruling: Ruling) -> None:
        """Count one ruling under every article that decided it, or under what decided instead."""
        self.verdicts += 1
        self.articles.update(ruling.articles)
        if ruling.outcome is Outcome.UNDECIDED:
            self.articles["no usable verdict"] += 1
        elif ruling.rules:
            self.articles["a learned rule"] += 1
        elif not ruling.articles:
            self.articles["no article"] += 1

    def line(self) -> str:
        """The last line."""
        kinds = (*Article, "no article", "a learned rule", "no usable verdict")
        by_article = ", ".join(f"{kind} {self.articles[kind]}" for kind in kinds)
        return f"verdicts {self.verdicts}, through the services {self.served}, rulings: {by_article}; violations {len(self.violations)}"


class Advance(Protocol):
    """Tells the progress bar of so many more verdicts."""

    def __call__(self, verdicts: int) -> None:
        """Advance."""
        ...


def random_of(seed: int, number: int) -> Random:
    """The chance of one case, whatever came before it."""
    return Random(seed * 1_000_000_007 + number)  # noqa: S311 - a bench repeats itself


def rule_all(seed: int, numbers: Sequence[int], counts: Counts) -> Case | None:
    """Rule on the cases and check each; ends at the first violation. Returns the last case."""
    found = None
    for number in numbers:
        found = case(random_of(seed, number))
        ruling, broken = broken_by(found)
        counts.count(ruling)
        if broken:
            counts.violations += [f"{law}\n  {found}\n  {ruling}" for law in broken]
            break
    return found


async def serve(world: World, found: Case, random: Random, number: int, told: deque[str], counts: Counts) -> None:
    """One verdict through the services, and some acts of owners, agents and strangers before it.

    Raises `AssertionError` when one of them breaks a law.
    """
    tenant = random.choice((0, 0, 0, 1))
    acts: list[Act] = [chance.other(random) for _ in range(random.choice(_OTHER_ACTS))]
    for act in (*acts, write_of(found, random, number)):
        told.append(f"tenant {tenant}: {act}")
        await world.perform(act, tenant)
        counts.acts += 1
    counts.served += 1


def write_of(found: Case, random: Random, number: int) -> Write:
    """A write whose one fact, and what the engine says about it, are those of the case; users and texts grow with the run."""
    verdict, new, old = found.verdict, found.incoming, found.target.content if found.target else ""
    known = {f"{old} and {new.content}": "both", old: "old", new.content: "new", " ": "blank"}
    target = random.randrange(4) if found.target and verdict.target == found.target.memory_id else "c99" if verdict.target else None
    begins = None if new.valid_from is None else chance.MOMENTS[1 if new.valid_from <= NOW else 2]
    said = Said(
        operation=verdict.operation,
        target=target,
        confidence=verdict.confidence,
        merge=known.get(verdict.merged_content or "", "foreign"),
        new_type=verdict.new_type,
        target_type=verdict.target_type,
    )
    fact = Fact(random.randrange(40 + number), random.choice((0, 0, 0, 1, 2)), new.memory_type, new.source, begins)
    user = random.choice(("alice", "bob", f"user {number // 60}", f"user {number // 60}"))
    return Write(user, "agent", (fact,), (said,), shared=random.randrange(4) == 0)


@asynccontextmanager
async def world_of(server: RunningServer) -> AsyncIterator[World]:
    """A world on the server's own database."""
    database = Database(place.DATABASE, server.home)
    await migrate.migrate(database.owner_dsn)
    async with open_world(database.service_dsn, database.owner_dsn, database.superuser_dsn) as world:
        yield world


async def hunt(server: RunningServer, verdicts: int, seed: int, services_every: int, counts: Counts, advance: Advance) -> None:
    """All of it; what is broken stands in `counts`."""
    told: deque[str] = deque(maxlen=REMEMBERED)
    async with world_of(server) as world:
        past = Past(world)
        await past.check()
        for first in range(0, verdicts, services_every):
            numbers = range(first, min(first + services_every, verdicts))
            found = rule_all(seed, numbers, counts)
            if counts.violations or found is None:
                return
            if len(numbers) == services_every:
                try:
                    await serve(world, found, random_of(seed, -1 - first), first // services_every, told, counts)
                except Exception as fault:  # noqa: BLE001 - whatever it is, it is a violation and its acts are printed
                    counts.violations.append("\n  ".join((f"{type(fault).__name__}: {fault}", *told)))
                    return
            last = first + services_every >= verdicts
            if last or (counts.served and counts.served % CHECKED_EVERY == 0):
                counts.violations += await past.check()
                counts.violations += await past.rebuilt() if last else []
                if counts.violations:
                    return
            advance(len(numbers))


@contextmanager
def progress(verdicts: int) -> Iterator[Advance]:
    """A bar on a terminal, else a line for every twentieth of the way, both on standard error."""
    console = Console(stderr=True)
    if console.is_terminal:
        columns = (TextColumn("hostile verdicts"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console) as shown:
            task = shown.add_task("", total=verdicts)
            yield lambda verdicts: shown.update(task, advance=verdicts)
        return
    done = told = 0

    def tell(verdicts: int) -> None:
        nonlocal done, told
        done += verdicts
        if done * 20 // total > told:
            told = done * 20 // total
            print(f"{done} of {total} verdicts", file=sys.stderr, flush=True)  # noqa: T201

    total = max(1, verdicts)
    yield tell


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the bench; 1 when a law was broken."""
    parser = argparse.ArgumentParser(prog="python -m bench.hostile", description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--verdicts", type=int, default=200_000, help="rulings (default 200000)")
    parser.add_argument("--services-every", type=int, default=100, help="one in so many also goes through the services (100)")
    parser.add_argument("--seed", type=int, default=1, help="the same seed makes the same cases (1)")
    asked = parser.parse_args(arguments)
    if asked.verdicts < 1 or asked.services_every < 1:
        parser.error("--verdicts and --services-every are at least 1")
    counts = Counts()
    server = RunningServer()
    try:
        with progress(asked.verdicts) as advance:
            server.start()
            asyncio.run(hunt(server, asked.verdicts, asked.seed, asked.services_every, counts, advance))
    finally:
        server.stop()
    for violation in counts.violations:
        print(f"VIOLATION at verdict {counts.verdicts} of seed {asked.seed}: {violation}")  # noqa: T201
    if counts.violations:
        again = f"--seed {asked.seed} --verdicts {counts.verdicts} --services-every {asked.services_every}"
        print(f"replay: python -m bench.hostile {again}")  # noqa: T201
    print(counts.line())  # noqa: T201
    return 1 if counts.violations else 0


def _end(_number: int, _frame: FrameType | None) -> NoReturn:
    """Ended from outside: the server and its folder go all the same."""
    raise SystemExit(143)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _end)
    sys.exit(main())
