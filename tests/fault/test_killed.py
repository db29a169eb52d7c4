"""SIGKILL of the service, and of Postgres, in the middle of a burst of writes: what was acknowledged is there once."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Iterator

import pytest

from app.local.postgres import EmbeddedPostgres
from tests.fault.burst import Burst
from tests.fault.own_postgres import end, own_postgres
from tests.fault.quarters import LONG, Quarters, opened
from tests.integration.stage import Stage

ROUNDS = range(30 if LONG else 3)


@pytest.fixture(scope="module")
def both() -> Iterator[tuple[EmbeddedPostgres, Quarters]]:
    """A Postgres of this module's own, and a service on it."""
    with own_postgres() as (postgres, database), opened(database, {}) as quarters:
        yield postgres, quarters


@pytest.fixture(scope="module")
def house(both: tuple[EmbeddedPostgres, Quarters]) -> Quarters:
    return both[1]


def wait_a_moment(number: int) -> None:
    """Another moment of the burst in each round, and the same in each run."""
    time.sleep(random.Random(number).uniform(0.05, 0.8))  # noqa: S311 - no secret


@pytest.mark.parametrize("number", ROUNDS)
def test_no_acknowledged_write_is_lost_or_doubled_when_the_service_is_killed(stage: Stage, house: Quarters, number: int) -> None:
    with Burst(stage, house) as burst:
        wait_a_moment(number)
        house.processes[0].kill()
    burst.check_safe()
    house.processes[0].start()
    burst.check_safe()
    burst.check_finished()


@pytest.mark.parametrize("number", ROUNDS)
def test_no_acknowledged_write_is_lost_or_doubled_when_postgres_is_killed(
    stage: Stage, both: tuple[EmbeddedPostgres, Quarters], number: int
) -> None:
    postgres, house = both
    with Burst(stage, house) as burst:
        wait_a_moment(number)
        end(postgres, signal.SIGKILL)
        postgres.start()
    house.watch_again()
    burst.check_safe()
    burst.check_finished()
    assert house.processes[0].running
