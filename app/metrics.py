"""What the process counts, for Prometheus. Labels are names of the contract and templates of routes: no ids, no users, no text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest

MEDIA_TYPE: Final = CONTENT_TYPE_LATEST
REGISTRY: Final = CollectorRegistry()

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)

REQUESTS: Final = Counter("helixir_requests", "Requests by route and status.", ("method", "route", "status"), registry=REGISTRY)
REQUEST_SECONDS: Final = Histogram(
    "helixir_request_seconds", "From the first byte to the last.", ("method", "route"), buckets=_SECONDS, registry=REGISTRY
)
RULINGS: Final = Counter(
    "helixir_rulings", "Facts that were ruled on, with the articles behind it.", ("operation", "outcome", "articles"), registry=REGISTRY
)
TIERS: Final = Counter("helixir_tiers", "Facts by the tier that decided on them.", ("tier",), registry=REGISTRY)
ENGINE_CALLS: Final = Counter("helixir_engine_calls", "Calls to the engine's model.", registry=REGISTRY)
ENGINE_SECONDS: Final = Histogram(
    "helixir_engine_seconds", "One question round to the engine, with its repetitions.", buckets=_SECONDS, registry=REGISTRY
)
ENGINE_TOKENS: Final = Counter("helixir_engine_tokens", "Tokens as the engine's server counts them.", ("kind",), registry=REGISTRY)
ENGINE_FAULTS: Final = Counter("helixir_engine_faults", "Questions that the engine gave no usable verdict on.", registry=REGISTRY)
BREAKER_OPEN: Final = Gauge("helixir_engine_breaker_open", "1 while the engine's server is left alone.", registry=REGISTRY)
POOL_CONNECTIONS: Final = Gauge("helixir_pool_connections", "Database connections that are open.", registry=REGISTRY)
POOL_IN_USE: Final = Gauge("helixir_pool_in_use", "Database connections at work.", registry=REGISTRY)
POOL_WAIT_SECONDS: Final = Histogram(
    "helixir_pool_wait_seconds", "How long work waited for a database connection.", buckets=_SECONDS, registry=REGISTRY
)
TRANSACTION_RETRIES: Final = Counter(
    "helixir_transaction_retries", "Transactions begun anew after a deadlock or a serialisation failure.", registry=REGISTRY
)
DATABASE_FAULTS: Final = Counter(
    "helixir_database_faults", "Faults of the database by what the caller was told.", ("code",), registry=REGISTRY
)
LIMITED: Final = Counter("helixir_limited", "Requests refused by a limit.", ("code",), registry=REGISTRY)
WAITING: Final = Gauge(
    "helixir_waiting", "What waits, over all tenants: disputes, undecided facts, accepted writes.", ("what",), registry=REGISTRY
)
WAITING_OLDEST: Final = Gauge("helixir_waiting_oldest_seconds", "How long the oldest of them has waited.", ("what",), registry=REGISTRY)


def count_request(method: str, route: str, status: int, seconds: float) -> None:
    """One request that was answered, or given up by its client."""
    REQUESTS.labels(method, route, str(status)).inc()
    REQUEST_SECONDS.labels(method, route).observe(seconds)


def count_ruling(operation: str, outcome: str, articles: Iterable[str], tier: str) -> None:
    """One fact that was ruled on and committed."""
    RULINGS.labels(operation, outcome, "+".join(sorted(articles)) or "none").inc()
    TIERS.labels(tier).inc()


def count_engine(calls: int, prompt_tokens: int, completion_tokens: int, faults: int, seconds: float) -> None:
    """One round of questions to the engine."""
    ENGINE_CALLS.inc(calls)
    ENGINE_TOKENS.labels("prompt").inc(prompt_tokens)
    ENGINE_TOKENS.labels("completion").inc(completion_tokens)
    ENGINE_FAULTS.inc(faults)
    ENGINE_SECONDS.observe(seconds)


def show_waiting(counts: Mapping[str, tuple[int, float]]) -> None:
    """What waits, by its name, with the age of the oldest in seconds."""
    for what, (count, oldest) in counts.items():
        WAITING.labels(what).set(count)
        WAITING_OLDEST.labels(what).set(oldest)


def show_pool(connections: int, in_use: int) -> None:
    """The pool as it is now."""
    POOL_CONNECTIONS.set(connections)
    POOL_IN_USE.set(in_use)


def exposition() -> bytes:
    """All of it, in Prometheus' text format."""
    return generate_latest(REGISTRY)
