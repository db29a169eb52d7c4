"""What leaves the process as spans: nothing that is not known to hold no text.

FastAPI puts path and query into the span of a request, and they name users and memories. Only `KNOWN` attributes go out.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Final

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
from opentelemetry.trace import SpanContext, Status

from app.tracing.spans import PREFIX

KNOWN: Final = frozenset(
    {
        "error.type",
        "http.request.method",
        "http.response.status_code",
        "http.route",
        "network.protocol.version",
        "url.scheme",
        *(PREFIX + name for name in ("calls", "completion_tokens", "facts", "model", "prompt_tokens", "readonly", "status", "texts")),
    }
)
"""All attributes that leave the process."""


class Export:
    """The SDK's tracer, and the thread that sends its spans once it is started. Batches and sampling are as OTEL_* says."""

    def __init__(self, endpoint: str) -> None:
        """`endpoint` is the whole URL for spans. Nothing is opened yet."""
        ours = Resource({"service.name": "helixir", "service.version": version("helixir")})
        resource = Resource.create().merge(ours).merge(OTELResourceDetector().detect())
        self.provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self.tracer = self.provider.get_tracer("helixir", version("helixir"))
        self._endpoint = endpoint

    def start(self) -> None:
        """Begin to send."""
        self.provider.add_span_processor(BatchSpanProcessor(KnownOnly(endpoint=self._endpoint)))


class KnownOnly(OTLPSpanExporter):
    """Sends spans over HTTP, without what is not known."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send them, cleaned."""
        return super().export([known(span) for span in spans])


def known(span: ReadableSpan) -> ReadableSpan:
    """The span without events, links, messages of errors, and attributes that are not in `KNOWN`."""
    return ReadableSpan(
        name=span.name,
        context=_bare(span.get_span_context()),
        parent=_bare(span.parent),
        resource=span.resource,
        attributes={name: value for name, value in (span.attributes or {}).items() if name in KNOWN},
        kind=span.kind,
        instrumentation_scope=span.instrumentation_scope,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
    )


def _bare(context: SpanContext | None) -> SpanContext | None:
    """Its ids, without the words that a caller may have sent along."""
    return None if context is None else SpanContext(context.trace_id, context.span_id, context.is_remote, context.trace_flags)
