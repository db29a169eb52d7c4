"""Where spans go: over HTTP to the collector that OpenTelemetry's own environment variables name. Off unless they do."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from app.errors import ConfigurationError
from app.tracing import spans

if TYPE_CHECKING:
    from fastapi.telemetry import TelemetryConfig

    from app.tracing.export import Export

QUIET_PATHS: Final = frozenset({"/livez", "/readyz", "/metrics"})
_PROTOCOL: Final = "http/protobuf"
_LAST_BATCH_SECONDS = 0.5  # what the other steps of the end leave of the 20 seconds in which the process is gone


class Traces:
    """The way out for spans: closed, unless the environment names an endpoint."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        """Read OpenTelemetry's variables. Raises `ConfigurationError` for an endpoint or a protocol that is none for us."""
        endpoint = _endpoint(environment)
        self._export: Export | None = None
        if endpoint is not None:
            from app.tracing.export import Export  # noqa: PLC0415 - the SDK is loaded only where spans are wanted

            self._export = Export(endpoint)

    def for_requests(self) -> TelemetryConfig:
        """What FastAPI may do: spans of requests where they are wanted, and nothing else whatever the environment says."""
        return {
            "tracing": self._export is not None,
            "tracer_provider": self._export.provider if self._export is not None else None,
            "metrics": False,
            "logs": False,
            "operation_spans": False,
            "auto_configure": False,
            "exclude": lambda scope: scope.get("path") in QUIET_PATHS,
        }

    def start(self) -> None:
        """Begin to send, from a thread that collects what is done and sends it every few seconds."""
        if self._export is not None:
            self._export.start()
            spans.listen(self._export.tracer)

    async def close(self) -> None:
        """Send what is left, for a moment: a collector that is away must not keep the service from ending."""
        if self._export is not None:
            spans.forget(self._export.tracer)
            last = threading.Thread(target=self._export.provider.shutdown, daemon=True)
            last.start()
            await asyncio.to_thread(last.join, _LAST_BATCH_SECONDS)


def _endpoint(environment: Mapping[str, str]) -> str | None:
    """The whole URL for spans; None where none is wanted."""
    off = environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    if off or environment.get("OTEL_TRACES_EXPORTER", "").strip().lower() == "none":
        return None
    endpoint = environment.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "").strip()
    if not endpoint and (base := environment.get("OTEL_EXPORTER_OTLP_ENDPOINT", "").strip()):
        endpoint = f"{base.rstrip('/')}/v1/traces"
    if not endpoint:
        return None
    protocol = environment.get("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") or environment.get("OTEL_EXPORTER_OTLP_PROTOCOL") or _PROTOCOL
    if protocol != _PROTOCOL:
        raise ConfigurationError(f"spans are sent as {_PROTOCOL}; OTEL_EXPORTER_OTLP_PROTOCOL (or _TRACES_PROTOCOL) asks for another way")
    if urlsplit(endpoint).scheme not in {"http", "https"} or not urlsplit(endpoint).hostname:
        raise ConfigurationError("OTEL_EXPORTER_OTLP_ENDPOINT (or _TRACES_ENDPOINT) is no http or https URL")
    return endpoint
