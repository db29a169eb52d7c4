"""The laws of the charter (section 7) under a hostile engine and owners of many minds, on a real database.

Every act is data that prints as what repeats it. `HELIXIR_LAWS_EXAMPLES`, `HELIXIR_LAWS_STEPS`, `HELIXIR_LAWS_SEEDS` and
`HELIXIR_LAWS_LONG_LIFE` look further than `make test`;
`HELIXIR_LAWS_SHRINK=1` makes what failed shorter, which takes minutes.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, note, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from tests.hostile import chance
from tests.hostile.acts import Act, Trespass, Write
from tests.hostile.past import Past
from tests.hostile.world import World, open_world
from tests.postgres import Database

EXAMPLES = int(os.environ.get("HELIXIR_LAWS_EXAMPLES", "5"))
STEPS = int(os.environ.get("HELIXIR_LAWS_STEPS", "20"))
LONG_LIFE = int(os.environ.get("HELIXIR_LAWS_LONG_LIFE", "200"))
SEEDS = int(os.environ.get("HELIXIR_LAWS_SEEDS", "1"))
SHRINK = bool(os.environ.get("HELIXIR_LAWS_SHRINK"))

randoms = st.randoms(use_true_random=False)
tenants = st.sampled_from((0, 0, 0, 1))
writes = st.lists(randoms.map(chance.write), min_size=1, max_size=2)
"""Before each act something is written, so that there is always something to act on, whatever rules an example goes without."""


def only_asks(act: Act) -> bool:
    """True for an act that may not change anything."""
    return isinstance(act, Trespass) or (isinstance(act, Write) and act.dry)


class HostileWorld(RuleBasedStateMachine):
    """One service on a database of its own, and everything that may be done to it."""

    def __init__(self, new_database: Callable[[], Database]) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.database = new_database()
        self.world: World
        self.past: Past

    @initialize(bar=st.sampled_from((None, 80)), lived=st.lists(randoms.map(chance.anything), min_size=6, max_size=6))
    def open(self, bar: int | None, lived: list[Act]) -> None:
        database = self.database
        self.opened = open_world(database.service_dsn, database.owner_dsn, database.superuser_dsn, bar)
        self.world = self.runner.run(self.opened.__aenter__())
        self.past = Past(self.world)
        self.look()
        self.steps(*lived, tenant=0)

    @rule(writes=writes, act=randoms.map(chance.other), tenant=tenants)
    def anything(self, writes: list[Write], act: Act, tenant: int) -> None:
        self.steps(*writes, act, tenant=tenant)

    @rule(writes=writes, act=randoms.map(chance.together), tenant=tenants)
    def write_together(self, writes: list[Write], act: Act, tenant: int) -> None:
        self.steps(*writes, act, tenant=tenant)

    @rule(writes=writes, act=randoms.map(chance.answer), tenant=tenants)
    def answer(self, writes: list[Write], act: Act, tenant: int) -> None:
        self.steps(*writes, act, tenant=tenant)

    @rule(writes=writes, act=randoms.map(chance.answer_twice), tenant=tenants)
    def answer_twice(self, writes: list[Write], act: Act, tenant: int) -> None:
        self.steps(*writes, act, tenant=tenant)

    @rule(writes=writes, act=randoms.map(chance.answer_again), tenant=tenants)
    def answer_again(self, writes: list[Write], act: Act, tenant: int) -> None:
        self.steps(*writes, act, tenant=tenant)

    @rule(writes=writes, act=randoms.map(chance.edit), tenant=tenants)
    def edit(self, writes: list[Write], act: Act, tenant: int) -> None:
        self.steps(*writes, act, tenant=tenant)

    @rule(writes=writes, act=randoms.map(chance.own), tenant=tenants)
    def own(self, writes: list[Write], act: Act, tenant: int) -> None:
        self.steps(*writes, act, tenant=tenant)

    @rule(writes=writes, act=randoms.map(chance.govern), tenant=tenants)
    def govern(self, writes: list[Write], act: Act, tenant: int) -> None:
        self.steps(*writes, act, tenant=tenant)

    @rule(writes=writes, act=randoms.map(chance.decide), tenant=tenants)
    def decide(self, writes: list[Write], act: Act, tenant: int) -> None:
        self.steps(*writes, act, tenant=tenant)

    @rule(writes=writes, act=randoms.map(chance.smuggle), tenant=tenants)
    def smuggle(self, writes: list[Write], act: Act, tenant: int) -> None:
        self.steps(*writes, act, tenant=tenant)

    @rule(writes=writes, act=randoms.map(chance.later), tenant=tenants)
    def later(self, writes: list[Write], act: Act, tenant: int) -> None:
        self.steps(*writes, act, tenant=tenant)

    @rule(writes=writes, act=randoms.map(chance.trespass), tenant=tenants)
    def trespass(self, writes: list[Write], act: Act, tenant: int) -> None:
        self.steps(*writes, act, tenant=tenant)

    def steps(self, *acts: Act, tenant: int) -> None:
        for act in acts:
            self.step(act, tenant)

    def step(self, act: Act, tenant: int) -> None:
        note(f"{act!r} in tenant {tenant}")
        refused = self.runner.run(self.world.perform(act, tenant))
        self.look(unchanged=refused is not None or only_asks(act))

    def look(self, *, unchanged: bool = False) -> None:
        broken = self.runner.run(self.past.check(unchanged=unchanged))
        assert broken == [], "\n".join(broken)

    def teardown(self) -> None:
        try:
            if hasattr(self, "past"):
                broken = self.runner.run(self.past.rebuilt())
                assert broken == [], "\n".join(broken)
        finally:
            if hasattr(self, "world"):
                self.runner.run(self.opened.__aexit__(None, None, None))
            self.runner.close()


@pytest.mark.slow
@pytest.mark.timeout(60 + EXAMPLES * STEPS)
def test_the_laws_hold_whatever_is_said_and_done(new_database: Callable[[], Database]) -> None:
    bounds = settings(
        max_examples=EXAMPLES,
        stateful_step_count=STEPS,
        derandomize="HELIXIR_LAWS_EXAMPLES" not in os.environ,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=tuple(Phase) if SHRINK else (Phase.generate,),
        report_multiple_bugs=False,
    )

    class Here(HostileWorld):
        def __init__(self) -> None:
            super().__init__(new_database)

    run_state_machine_as_test(Here, settings=bounds)


@pytest.mark.slow
@pytest.mark.timeout(60 + LONG_LIFE * 2)
@pytest.mark.parametrize("seed", range(SEEDS))
async def test_the_laws_hold_over_a_long_life(database: Database, seed: int) -> None:
    """What only a world with a past shows: one long run by chance, looked at after every act."""
    random = Random(seed)  # noqa: S311 - a test repeats itself
    async with open_world(database.service_dsn, database.owner_dsn, database.superuser_dsn) as world:
        past = Past(world)
        assert await past.check() == []
        for number in range(LONG_LIFE):
            act, tenant = chance.anything(random), random.choice((0, 0, 0, 1))
            refused = await world.perform(act, tenant)
            assert await past.check(unchanged=refused is not None or only_asks(act)) == [], (number, act, tenant)
        assert await past.rebuilt() == []
