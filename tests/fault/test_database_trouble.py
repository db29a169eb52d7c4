"""A database that ends connections, is full, locked, slow, deadlocked, busy: a retryable problem, counted, and nothing half."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import pytest

from tests.fault.answers import assert_retryable, in_the_end
from tests.fault.quarters import Quarters
from tests.integration.stage import Stage, at_once, wait_until

SETTINGS = {"pool_size": 4}
_MAKE = """
CREATE SEQUENCE trouble_met;
CREATE FUNCTION trouble() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $trouble$ BEGIN
  IF nextval('trouble_met') <= {times} THEN {act} END IF;
  RETURN NULL;
END $trouble$;
CREATE TRIGGER trouble BEFORE INSERT ON {table} FOR EACH STATEMENT EXECUTE FUNCTION trouble();
"""
_END = "DROP TRIGGER trouble ON {table}; DROP FUNCTION trouble(); DROP SEQUENCE trouble_met"
ALWAYS = 1_000_000

RAISED = {
    "53100": "database_unavailable",  # disk full
    "53200": "database_unavailable",  # out of memory
    "58030": "database_unavailable",  # an error of input or output
    "25006": "database_unavailable",  # a server that only reads
    "55P03": "database_busy",
    "57014": "database_busy",
    "40001": "transaction_conflict",
    "40P01": "transaction_conflict",
}
DONE = {  # what the server does, rather than what is said that it did
    "terminated": ("PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(5);", "database_unavailable"),
    "cancelled": ("PERFORM pg_cancel_backend(pg_backend_pid()); PERFORM pg_sleep(5);", "database_busy"),
    "locked out": ("SET LOCAL lock_timeout = '100ms'; PERFORM pg_advisory_lock(4711);", "database_busy"),
}
TROUBLES = [(f"RAISE EXCEPTION 'trouble' USING ERRCODE = '{state}';", code) for state, code in RAISED.items()] + list(DONE.values())
NAMES = [*RAISED, *(name.replace(" ", "-") for name in DONE)]
troubles = pytest.mark.parametrize(("act", "code"), TROUBLES, ids=NAMES)


@contextmanager
def trouble(house: Quarters, table: str, act: str, times: int = ALWAYS) -> Iterator[None]:
    """What the database does at the next so many INSERTs into a table. The lock of `locked out` is taken by us."""
    house.execute("SELECT pg_advisory_lock(4711)")
    house.execute(_MAKE.format(table=table, act=act, times=times))
    try:
        yield
    finally:
        house.execute(_END.format(table=table))
        house.execute("SELECT pg_advisory_unlock(4711)")


def writing(stage: Stage, user: str, text: str) -> Callable[[], httpx.Response]:
    """The same write with the same key, each time it is called."""
    body = {"user_id": user, "facts": [{"content": text, "memory_type": "fact"}]}
    return lambda: stage.agent.http.post("/memories", json=body, headers={"Idempotency-Key": user})


def once_in_the_end(stage: Stage, send: Callable[[], httpx.Response], user: str, text: str) -> None:
    """Sent again the write is done, once."""
    write = in_the_end(send).json()["write_id"]
    wait_until(lambda: stage.agent.ask("GET", f"/writes/{write}"), lambda one: one["status"] == "completed")
    assert [row["content"] for row in stage.rows("SELECT content FROM memories WHERE user_id = $1", user)] == [text]
    assert stage.value("SELECT count(*) FROM writes WHERE user_id = $1", user) == 1


@troubles
def test_a_write_that_cannot_be_kept_is_refused_whole(stage: Stage, house: Quarters, act: str, code: str) -> None:
    user, text = stage.user(), stage.t("lives in Lisbon")
    send, before = writing(stage, user, text), house.faults(code)
    with trouble(house, "writes", act):
        response = send()
        assert_retryable(response)
        assert response.json()["code"] == code
        assert house.faults(code) > before
        assert stage.value("SELECT count(*) FROM writes WHERE user_id = $1", user) == 0
    once_in_the_end(stage, send, user, text)


@troubles
def test_a_write_that_cannot_be_decided_stays_accepted_and_is_finished_later(stage: Stage, house: Quarters, act: str, code: str) -> None:
    user, text = stage.user(), stage.t("lives in Lisbon")
    send, before = writing(stage, user, text), house.faults(code)
    with trouble(house, "decisions", act):
        response = send()
        assert (response.status_code, response.json()["status"], response.json()["results"]) == (202, "accepted", [])
        assert house.faults(code) > before
        assert stage.value("SELECT count(*) FROM memories WHERE user_id = $1", user) == 0
    once_in_the_end(stage, send, user, text)


@pytest.mark.parametrize(
    ("act", "code", "what"),
    [(*one, "answer") for one in TROUBLES] + [(*TROUBLES[0], "finalize"), (*TROUBLES[0], "edit")],
    ids=[*NAMES, "finalize", "edit"],
)
def test_an_act_that_cannot_be_carried_out_changes_nothing(stage: Stage, house: Quarters, act: str, code: str, what: str) -> None:
    met, key = stage.disputed(), {"Idempotency-Key": stage.name}
    plain = stage.agent.store(stage.user(), stage.t("lives in Lisbon"))
    sends: dict[str, Callable[[], httpx.Response]] = {
        "answer": lambda: stage.agent.http.post(f"/contradictions/{met.dispute}/resolve", json={"resolution": "retract"}, headers=key),
        "finalize": lambda: stage.owner.http.post(f"/memories/{plain}/finalize", json={"reason": "final"}, headers=key),
        "edit": lambda: stage.agent.http.patch(
            f"/memories/{plain}", json={"content": stage.t("lives in Porto"), "reason": "moved"}, headers={**key, "If-Match": "1"}
        ),
    }
    before, events = house.faults(code), stage.value("SELECT count(*) FROM memory_events")
    with trouble(house, "memory_events", act):
        response = sends[what]()
        assert_retryable(response)
        assert response.json()["code"] == code
        assert house.faults(code) > before
        assert stage.value("SELECT count(*) FROM memory_events") == events
        assert stage.agent.dispute(met.dispute)["status"] == "open"
        assert (stage.agent.memory(plain)["immutable"], stage.agent.memory(plain)["revision"]) == (False, 1)
    assert in_the_end(sends[what]).status_code == 200


@pytest.mark.parametrize("state", ["40001", "40P01"])
@pytest.mark.parametrize("table", ["writes", "decisions"])
def test_a_conflict_that_passes_is_not_even_seen(stage: Stage, house: Quarters, state: str, table: str) -> None:
    user, text = stage.user(), stage.t("lives in Lisbon")
    before = house.metric("helixir_transaction_retries_total")
    with trouble(house, table, f"RAISE EXCEPTION 'trouble' USING ERRCODE = '{state}';", times=2):
        assert writing(stage, user, text)().status_code == 201
    assert house.metric("helixir_transaction_retries_total") == before + 2


def test_two_writes_that_lock_each_other_out_are_both_done(stage: Stage, house: Quarters) -> None:
    """A real deadlock, which Postgres ends after a second."""
    users = [stage.user(), stage.user()]
    before = house.metric("helixir_transaction_retries_total")
    one_first = """
    IF nextval('trouble_order') % 2 = 1 THEN
      PERFORM pg_advisory_xact_lock(1); PERFORM pg_sleep(0.5); PERFORM pg_advisory_xact_lock(2);
    ELSE
      PERFORM pg_advisory_xact_lock(2); PERFORM pg_sleep(0.5); PERFORM pg_advisory_xact_lock(1);
    END IF;
    """
    house.execute("CREATE SEQUENCE trouble_order")
    with trouble(house, "decisions", one_first, times=2):
        responses = at_once([writing(stage, user, stage.t("lives in Lisbon")) for user in users])
    house.execute("DROP SEQUENCE trouble_order")
    assert [response.status_code for response in responses] == [201, 201]
    assert house.metric("helixir_transaction_retries_total") > before


def test_with_all_connections_busy_a_request_is_told_so_and_nothing_is_lost(stage: Stage, house: Quarters) -> None:
    users = [stage.user() for _ in range(4)]
    extra = stage.user()
    with trouble(house, "writes", "PERFORM pg_advisory_xact_lock(4711);"), ThreadPoolExecutor(4) as pool:
        writes = [pool.submit(writing(stage, user, stage.t("lives in Lisbon"))) for user in users]
        waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = 4711"
        wait_until(lambda: stage.value(waiting), lambda count: count == 4)
        response = writing(stage, extra, stage.t("lives in Lisbon"))()
        assert_retryable(response)
        assert response.json()["code"] == "pool_exhausted"
        house.execute("SELECT pg_advisory_unlock(4711)")
        assert [write.result().status_code for write in writes] == [201] * 4
        house.execute("SELECT pg_advisory_lock(4711)")
    assert stage.value("SELECT count(*) FROM writes WHERE user_id = $1", extra) == 0
    once_in_the_end(stage, writing(stage, extra, stage.t("lives in Lisbon")), extra, stage.t("lives in Lisbon"))


def test_connections_that_are_ended_again_and_again_in_a_burst_lose_nothing(stage: Stage, house: Quarters) -> None:
    """All of the service's connections, whatever each was doing."""
    named = [(stage.user(), stage.t(f"lives in place {number}")) for number in range(24)]
    users = [(user, text, writing(stage, user, text)) for user, text in named]
    ending = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'helixir' AND datname = current_database()"
    with ThreadPoolExecutor(6) as pool:
        sent = [pool.submit(in_the_end, send) for _, _, send in users]
        for _ in range(8):
            house.execute(ending)
            time.sleep(0.3)
        assert {one.result().status_code for one in sent} <= {201, 202}
    for user, text, send in users:
        once_in_the_end(stage, send, user, text)
