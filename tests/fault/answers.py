"""What a caller does with an answer that it did not get: it asks again with the same key, as long as it is told to."""

from __future__ import annotations

import time
from collections.abc import Callable

import httpx

RETRYABLE = {
    503: {"database_unavailable", "database_busy", "transaction_conflict", "pool_exhausted", "user_busy", "shutting_down"},
    409: {"still_running"},
}
"""The problems that operations.md tells of, after which the same request may succeed."""


def assert_retryable(response: httpx.Response) -> None:
    """A problem that says that it may pass, when to come back, and which one it is."""
    assert response.status_code in RETRYABLE, response.text
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert problem["code"] in RETRYABLE[response.status_code], problem
    assert problem["retryable"] is True
    assert 0 < int(response.headers["retry-after"]) <= 60


def assert_done_or_retryable(response: httpx.Response) -> None:
    """Never a maybe: it is done, or a problem that may pass."""
    if response.status_code not in {200, 201, 202}:
        assert_retryable(response)


def in_the_end(send: Callable[[], httpx.Response], seconds: float = 30.0) -> httpx.Response:
    """The success that comes when the same request is sent again and again; until then only problems that may pass."""
    end = time.monotonic() + seconds
    while (response := send()).status_code not in {200, 201, 202}:
        assert_retryable(response)
        assert time.monotonic() < end, response.text
        time.sleep(0.1)
    return response
