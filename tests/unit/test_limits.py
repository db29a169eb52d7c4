"""Limits: a key's rate, a user's waiting writes, a key's open disputes."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from pydantic import ValidationError

from app.errors import EmbedderUnavailableError, ExtractorUnavailableError, HelixirError, TooManyRequestsError, UnavailableError
from app.services.limits import ANSWERING_SECONDS, DECIDING_SECONDS, Limits, Stock
from app.services.requests import Principal, Role
from app.settings import LimitSettings, Settings


def key() -> Principal:
    return Principal(UUID(int=1), "default", uuid4(), Role.AGENT, None, can_answer=True, expires_at=None)


def test_a_key_past_its_rate_is_told_when_to_come_again_and_others_are_not() -> None:
    limits, one, two = Limits(LimitSettings(rate="3/minute")), key(), key()
    for _ in range(3):
        limits.count_request(one)
    with pytest.raises(TooManyRequestsError) as refused:
        limits.count_request(one)
    assert refused.value.code == "rate_limited"
    assert refused.value.retry_after is not None
    assert 1 <= refused.value.retry_after <= 60
    limits.count_request(two)


def test_a_rate_that_is_off_counts_nothing() -> None:
    limits, one = Limits(LimitSettings(rate="OFF")), key()
    for _ in range(200):
        limits.count_request(one)


@pytest.mark.parametrize("rate", ["many", "", "-1/minute", "5 per fortnight"])
def test_a_rate_that_cannot_be_read_stops_the_start(rate: str) -> None:
    with pytest.raises(ValidationError):
        LimitSettings(rate=rate)


def test_the_rate_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELIXIR_LIMITS__RATE", "7/second")
    assert Settings().limits.rate == "7/second"


def test_waiting_writes_are_counted_for_each_user_and_given_back() -> None:
    limits, tenant = Limits(LimitSettings(waiting_writes=2)), UUID(int=1)
    with limits.waiting_write(tenant, "ann"), limits.waiting_write(tenant, "ann"):
        with pytest.raises(TooManyRequestsError) as refused, limits.waiting_write(tenant, "ann"):
            pass
        assert (refused.value.code, refused.value.retry_after) == ("user_busy", 2)
        with limits.waiting_write(tenant, "bob"), limits.waiting_write(UUID(int=2), "ann"):
            pass
    with pytest.raises(KeyError), limits.waiting_write(tenant, "ann"):
        raise KeyError
    with limits.waiting_write(tenant, "ann"), limits.waiting_write(tenant, "ann"):
        pass


@pytest.mark.parametrize(
    ("stock", "more", "wait"),
    [
        (Stock(0), 5, None),
        (Stock(4), 1, None),
        (Stock(5), 0, None),
        (Stock(9, 9), 0, None),
        (Stock(3, 1), 1, None),
        (Stock(5), 1, ANSWERING_SECONDS),
        (Stock(4), 2, ANSWERING_SECONDS),
        (Stock(4, 3), 2, ANSWERING_SECONDS),
        (Stock(3, 2), 1, DECIDING_SECONDS),
        (Stock(0, 5), 1, DECIDING_SECONDS),
    ],
)
def test_more_disputes_than_the_cap_are_refused_and_none_are_always_let_through(stock: Stock, more: int, wait: int | None) -> None:
    limits = Limits(LimitSettings(open_disputes=5))
    if wait is None:
        limits.require_room(stock, more)
        return
    with pytest.raises(TooManyRequestsError) as refused:
        limits.require_room(stock, more)
    assert (refused.value.code, refused.value.retry_after) == ("too_many_disputes", wait)


@pytest.mark.parametrize("error", [TooManyRequestsError, UnavailableError, EmbedderUnavailableError, ExtractorUnavailableError])
def test_what_may_succeed_later_says_when(error: type[HelixirError]) -> None:
    plain, told = error("why"), error("why", retry_after=9)
    assert plain.retryable
    assert plain.retry_after is not None
    assert plain.retry_after >= 1
    assert told.retry_after == 9
