"""What a fault of the database becomes, by SQLSTATE: retryable with Retry-After, and counted."""

from __future__ import annotations

import asyncpg
import pytest

from app.db.transaction import ATTEMPTS, domain_errors, repeat_on_conflict
from app.errors import ForbiddenError, UnavailableError
from app.metrics import REGISTRY


def counted(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


def raised(state: str) -> BaseException:
    return asyncpg.PostgresError.new({"C": state, "M": "what the server says"})


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (raised("40001"), "transaction_conflict"),
        (raised("40P01"), "transaction_conflict"),
        (raised("55P03"), "database_busy"),
        (raised("57014"), "database_busy"),
        (raised("25P03"), "database_busy"),  # idle in a transaction for too long
        (raised("25P04"), "database_busy"),  # a transaction that took too long
        (raised("08006"), "database_unavailable"),
        (raised("25006"), "database_unavailable"),  # a server that only reads, as a former primary
        (raised("28P01"), "database_unavailable"),  # no login
        (raised("3D000"), "database_unavailable"),  # no such database
        (raised("40003"), "database_unavailable"),  # the server does not know the outcome
        (raised("53100"), "database_unavailable"),  # disk full
        (raised("53300"), "database_unavailable"),
        (raised("57P01"), "database_unavailable"),  # shutting down
        (raised("57P03"), "database_unavailable"),  # starting up
        (raised("58030"), "database_unavailable"),  # an error of input or output
        (asyncpg.InterfaceError("closed"), "database_unavailable"),
        (asyncpg.InternalClientError("cannot switch to state 11"), "database_unavailable"),  # a send failed before
        (ConnectionResetError(), "database_unavailable"),
        (TimeoutError(), "database_unavailable"),
    ],
)
def test_a_fault_that_may_pass_is_retryable_says_when_and_is_counted(fault: BaseException, code: str) -> None:
    before = counted("helixir_database_faults_total", code=code)
    with pytest.raises(UnavailableError) as told, domain_errors():
        raise fault
    assert (told.value.code, told.value.retryable) == (code, True)
    assert told.value.retry_after is not None
    assert "what the server says" not in told.value.detail
    assert counted("helixir_database_faults_total", code=code) == before + 1


def test_a_guard_is_no_fault() -> None:
    with pytest.raises(ForbiddenError) as told, domain_errors():
        raise raised("HX003")
    assert told.value.articles == ("C3",)


@pytest.mark.parametrize(("state", "expected"), [("40001", ATTEMPTS), ("40P01", ATTEMPTS), ("08006", 1), ("55P03", 1)])
async def test_a_conflict_is_tried_again_a_few_times_and_nothing_else_is(state: str, expected: int) -> None:
    tries, before = 0, counted("helixir_transaction_retries_total")

    async def work() -> None:
        nonlocal tries
        tries += 1
        with domain_errors():
            raise raised(state)

    with pytest.raises(UnavailableError):
        await repeat_on_conflict(work)
    assert tries == expected
    assert counted("helixir_transaction_retries_total") == before + expected - 1
