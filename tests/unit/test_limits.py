"""Limits: a key's rate, a user's waiting writes, a key's open disputes."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from pydantic import ValidationError

from app.errors import TooManyRequestsError
from app.services.limits import ANSWERING_SECONDS, Limits
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


@pytest.mark.parametrize(("before", "more", "fits"), [(0, 5, True), (4, 1, True), (5, 0, True), (9, 0, True), (5, 1, False), (4, 2, False)])
def test_more_disputes_than_the_cap_are_refused_and_none_are_always_let_through(before: int, more: int, *, fits: bool) -> None:
    limits = Limits(LimitSettings(open_disputes=5))
    if fits:
        limits.require_room(before, more)
        return
    with pytest.raises(TooManyRequestsError) as refused:
        limits.require_room(before, more)
    assert (refused.value.code, refused.value.retry_after) == ("too_many_disputes", ANSWERING_SECONDS)
