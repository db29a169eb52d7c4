"""What the process counts, for Prometheus. Labels are names of the contract and templates of routes: no ids, no users, no text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

MEDIA_TYPE: Final = CONTENT_TYPE_LATEST
REGISTRY: Final = CollectorRegistry()
ProcessCollector(registry=REGISTRY)

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
BREAKER_OPEN: Final = Gauge(
    "helixir_engine_breaker_open", "1 while the engine's server is left alone by the engine or the extractor.", ("by",), registry=REGISTRY
)
MODEL_CALLS: Final = Counter(
    "helixir_model_calls",
    "Requests to model servers, repetitions too, by status.",
    ("to", "status"),
    registry=REGISTRY,
)
MODEL_SECONDS: Final = Histogram("helixir_model_seconds", "One request to a model server.", ("to",), buckets=_SECONDS, registry=REGISTRY)
EMBEDDER_SECONDS: Final = Histogram(
    "helixir_embedder_seconds", "All texts of one act embedded, wherever that is done.", buckets=_SECONDS, registry=REGISTRY
)
EMBEDDER_FAULTS: Final = Counter("helixir_embedder_faults", "Acts whose texts could not be embedded.", registry=REGISTRY)
JOBS: Final = Counter("helixir_jobs", "What the background worker did, by what became of it.", ("kind", "outcome"), registry=REGISTRY)
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


def count_engine(calls: int, faults: int, seconds: float) -> None:
    """One round of questions to the engine."""
    ENGINE_CALLS.inc(calls)
    ENGINE_FAULTS.inc(faults)
    ENGINE_SECONDS.observe(seconds)


def count_tokens(prompt: int, completion: int) -> None:
    """What one answer of the engine's server cost, whoever asked and whatever became of it."""
    ENGINE_TOKENS.labels("prompt").inc(prompt)
    ENGINE_TOKENS.labels("completion").inc(completion)


def count_job(kind: str, outcome: str) -> None:
    """One job of the background worker: `done`, `postponed` because something is out of reach, or `failed`."""
    JOBS.labels(kind, outcome).inc()


@dataclass(slots=True)
class Answered:
    """The status that a model server answered; None while it has not."""

    status: int | None = None


@contextmanager
def model_call(to: str) -> Iterator[Answered]:
    """One request to a model server; `to` is `chat` or `embeddings`. Also counted when there is no answer."""
    began, answered = perf_counter(), Answered()
    try:
        yield answered
    finally:
        MODEL_CALLS.labels(to, "none" if answered.status is None else str(answered.status)).inc()
        MODEL_SECONDS.labels(to).observe(perf_counter() - began)


@contextmanager
def embedding(fault: type[Exception]) -> Iterator[None]:
    """All texts of one act on their way to be vectors; `fault` says that they could not."""
    began = perf_counter()
    try:
        yield
    except fault:
        EMBEDDER_FAULTS.inc()
        raise
    finally:
        EMBEDDER_SECONDS.observe(perf_counter() - began)


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
