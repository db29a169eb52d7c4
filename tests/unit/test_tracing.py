"""Which environment asks for spans, and what is left of a span before it goes out."""

from __future__ import annotations

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Link, SpanContext, StatusCode, TraceFlags, TraceState

from app.errors import ConfigurationError
from app.tracing import spans
from app.tracing.export import known
from app.tracing.traces import Traces, _endpoint


@pytest.mark.parametrize(
    ("environment", "endpoint"),
    [
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}, "http://collector:4318/v1/traces"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "https://collector/base/"}, "https://collector/base/v1/traces"),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c/as/it/is", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://d"}, "http://c/as/it/is"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, "http://c/v1/traces"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": " "}, None),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_SDK_DISABLED": "True"}, None),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_TRACES_EXPORTER": "none"}, None),
    ],
)
def test_the_endpoint_is_that_of_the_standard_variables(environment: dict[str, str], endpoint: str | None) -> None:
    assert _endpoint(environment) == endpoint


@pytest.mark.parametrize(
    "environment",
    [
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "collector:4318"},
        {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "ftp://collector"},
    ],
)
def test_what_cannot_be_done_is_said_at_the_start(environment: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match="OTEL_EXPORTER_OTLP"):
        Traces(environment)


def test_without_an_endpoint_fastapi_may_trace_nothing() -> None:
    allowed = Traces({}).for_requests()
    assert [name for name in ("tracing", "metrics", "logs", "operation_spans", "auto_configure") if allowed[name]] == []


def fail() -> None:
    with spans.span("engine", facts=2) as noted:
        noted.note(calls=1, said="Alice prefers tea")
        raise ValueError("Alice prefers tea")


def test_only_known_attributes_are_left_and_no_words_of_anybody() -> None:
    kept = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(kept))
    tracer = provider.get_tracer("test")
    away = SpanContext(1, 2, is_remote=True, trace_flags=TraceFlags(1), trace_state=TraceState([("vendor", "word")]))
    spans.listen(tracer)
    try:
        with pytest.raises(ValueError, match="Alice prefers tea"):
            fail()
        attributes = {"url.query": "user_id=alice", "http.route": "/me"}
        with tracer.start_as_current_span("GET", links=[Link(away)], attributes=attributes) as request:
            request.add_event("said", {"text": "Alice prefers tea"})
            request.set_status(StatusCode.ERROR, "Alice prefers tea")
    finally:
        spans.forget(tracer)
    cleaned = [known(span) for span in kept.get_finished_spans()]
    assert [span.attributes for span in cleaned] == [
        {"helixir.facts": 2, "helixir.calls": 1, "error.type": "ValueError"},
        {"http.route": "/me"},
    ]
    for span in cleaned:
        assert (span.events, span.links, span.status.description) == ((), (), None)
        assert span.status.status_code is StatusCode.ERROR
        assert "tea" not in span.to_json()
    assert spans.current_trace() is None
