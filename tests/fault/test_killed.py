"""SIGKILL of the service and of Postgres, and restarts, in the middle of a burst of writes: what was acknowledged is there once."""

from __future__ import annotations

import os
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

ROUNDS = range(30 if LONG else 2)


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


def backend_of(house: Quarters) -> int:
    """The process of one of the service's connections."""
    (row,) = house.fetch("SELECT pid FROM pg_stat_activity WHERE application_name = 'helixir' LIMIT 1")
    pid: int = row["pid"]
    return pid


@pytest.mark.parametrize("how", ["fast", "immediate", "smart", "crash"])
def test_no_acknowledged_write_is_lost_or_doubled_when_postgres_restarts(
    stage: Stage, both: tuple[EmbeddedPostgres, Quarters], how: str
) -> None:
    """57P01, 57P02 and 57P03: sessions are ended, or new ones refused, or the server recovers from the crash of one of its own."""
    postgres, house = both
    before = house.faults("database_unavailable")
    with Burst(stage, house) as burst:
        if how == "crash":
            os.kill(backend_of(house), signal.SIGKILL)
        else:
            if how == "smart":
                assert postgres.pid is not None
                os.kill(postgres.pid, signal.SIGTERM)
                time.sleep(0.5)
            end(postgres, signal.SIGQUIT if how == "immediate" else signal.SIGINT)
            postgres.start()
        time.sleep(0.5)
    house.watch_again()
    burst.check_safe()
    burst.check_finished()
    assert house.faults("database_unavailable") > before
