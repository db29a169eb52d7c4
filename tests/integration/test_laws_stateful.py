"""The laws of the charter (section 7) under a hostile engine and owners of many minds, on a real database.

Every act is data that prints as what repeats it. `HELIXIR_LAWS_EXAMPLES` and `HELIXIR_LAWS_STEPS` look further than `make test`;
`HELIXIR_LAWS_SHRINK=1` makes what failed shorter, which takes minutes.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, Phase, note, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from tests.hostile import chance
from tests.hostile.acts import Act, Trespass, Write
from tests.hostile.past import Past
from tests.hostile.world import World, open_world
from tests.postgres import Database

EXAMPLES = int(os.environ.get("HELIXIR_LAWS_EXAMPLES", "12"))
STEPS = int(os.environ.get("HELIXIR_LAWS_STEPS", "25"))
SHRINK = bool(os.environ.get("HELIXIR_LAWS_SHRINK"))

randoms = st.randoms(use_true_random=False)
tenants = st.sampled_from((0, 0, 0, 1))


class HostileWorld(RuleBasedStateMachine):
    """One service on a database of its own, and everything that may be done to it."""

    def __init__(self, new_database: Callable[[], Database]) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.database = new_database()
        self.world: World
        self.past: Past

    @initialize(bar=st.sampled_from((None, 80)))
    def open(self, bar: int | None) -> None:
        database = self.database
        self.opened = open_world(database.service_dsn, database.owner_dsn, database.superuser_dsn, bar)
        self.world = self.runner.run(self.opened.__aenter__())
        self.past = Past(self.world)
        self.look()

    @rule(act=randoms.map(chance.write), tenant=tenants)
    def write(self, act: Write, tenant: int) -> None:
        self.step(act, tenant)

    @rule(act=randoms.map(chance.write), tenant=tenants)
    def write_again(self, act: Write, tenant: int) -> None:
        self.step(act, tenant)

    @rule(act=randoms.map(chance.together), tenant=tenants)
    def write_together(self, act: Act, tenant: int) -> None:
        self.step(act, tenant)

    @rule(act=randoms.map(chance.answer), tenant=tenants)
    def answer(self, act: Act, tenant: int) -> None:
        self.step(act, tenant)

    @rule(act=randoms.map(chance.answer_twice), tenant=tenants)
    def answer_twice(self, act: Act, tenant: int) -> None:
        self.step(act, tenant)

    @rule(act=randoms.map(chance.answer_again), tenant=tenants)
    def answer_again(self, act: Act, tenant: int) -> None:
        self.step(act, tenant)

    @rule(act=randoms.map(chance.edit), tenant=tenants)
    def edit(self, act: Act, tenant: int) -> None:
        self.step(act, tenant)

    @rule(act=randoms.map(chance.own), tenant=tenants)
    def own(self, act: Act, tenant: int) -> None:
        self.step(act, tenant)

    @rule(act=randoms.map(chance.govern), tenant=tenants)
    def govern(self, act: Act, tenant: int) -> None:
        self.step(act, tenant)

    @rule(act=randoms.map(chance.decide), tenant=tenants)
    def decide(self, act: Act, tenant: int) -> None:
        self.step(act, tenant)

    @rule(act=randoms.map(chance.smuggle), tenant=tenants)
    def smuggle(self, act: Act, tenant: int) -> None:
        self.step(act, tenant)

    @rule(act=randoms.map(chance.later), tenant=tenants)
    def later(self, act: Act, tenant: int) -> None:
        self.step(act, tenant)

    @rule(act=randoms.map(chance.trespass), tenant=tenants)
    def trespass(self, act: Act, tenant: int) -> None:
        self.step(act, tenant)

    def step(self, act: Act, tenant: int) -> None:
        note(f"{act!r} in tenant {tenant}")
        refused = self.runner.run(self.world.perform(act, tenant))
        asked = isinstance(act, Trespass) or (isinstance(act, Write) and act.dry)
        self.look(unchanged=asked or refused is not None)

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
