"""Traces: a real service, a real export, and nothing in it that a user said; and no trace of it where nobody asked."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from signal import SIGTERM
from socket import create_server
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from app.tracing.export import KNOWN
from tests.fault.processes import Process
from tests.integration.models import DIMENSIONS, Said, running_models
from tests.live import _new_key
from tests.postgres import Database, run

SECRETS = ("Zeldovar", "prefers", "zora-user", "nowhere-in-particular", "my-own-request-id", "vendor=word", "wordy-baggage")
OLD, NEW, LATE = "Zeldovar prefers tea", "Zeldovar prefers coffee", "Zeldovar has a cat"
TRACE = "0af7651916cd43dd8448eb211c80319c"


@dataclass
class Collector:
    """What came over the wire: paths, and whole bodies."""

    paths: list[str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    url: str = ""

    def spans(self) -> list[Any]:
        """All spans so far, in the order they came."""
        requests = [ExportTraceServiceRequest.FromString(body) for body in list(self.bodies)]
        return [span for request in requests for one in request.resource_spans for scope in one.scope_spans for span in scope.spans]

    def wait_for(self, *names: str) -> list[Any]:
        """All spans, once those of these names came."""
        end = time.monotonic() + 60
        while not set(names) <= {span.name for span in self.spans()}:
            assert time.monotonic() < end, (names, sorted({span.name for span in self.spans()}))
            time.sleep(0.1)
        return self.spans()


@pytest.fixture
def collector() -> Iterator[Collector]:
    found = Collector()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            found.paths.append(self.path)
            found.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    found.url = f"http://127.0.0.1:{server.server_address[1]}"
    yield found
    server.shutdown()
    server.server_close()


def settings_of(database: Database, models_url: str) -> dict[str, Any]:
    return {
        "database_url": database.service_dsn,
        "embedding": {"kind": "openai", "base_url": models_url, "model": "stub", "dimensions": DIMENSIONS},
        "engine": {"kind": "llm", "base_url": models_url, "model": "stub-engine"},
        "intake": {"retry_seconds": 0.5},
    }


@pytest.mark.timeout(240)
def test_spans_go_out_by_route_and_hold_nothing_that_anybody_said(
    database: Database, collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "200")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "memory-of-ours")
    monkeypatch.setenv("FASTAPI_OTEL_AUTO_CONFIGURE", "true")  # must not open a way for what FastAPI would send by itself
    key = run(_new_key(database, "owner", None, "default", can_answer=True))
    with running_models() as models:
        models.place([OLD, NEW], 0.9)
        models.said[NEW] = Said("SUPERSEDE", OLD)
        service = Process(settings_of(database, models.base_url), tmp_path / "log")
        service.start()
        sent = {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01", "tracestate": "vendor=word", "baggage": "a=wordy-baggage"}
        headers = {"Authorization": f"Bearer {key}", "X-Request-ID": "my-own-request-id"}
        with httpx.Client(base_url=service.base_url, headers=headers, timeout=30, trust_env=False) as client:
            for text in (OLD, NEW):
                body = {"user_id": "zora-user", "facts": [{"content": text, "memory_type": "preference"}]}
                written = client.post("/memories", json=body, headers=sent)
            assert written.json()["needs_clarification"]
            client.post("/memories", json={"user_id": "zora-user", "message": LATE}, headers={"Prefer": "respond-async"})
            memory = written.json()["results"][0]["memory_id"]
            assert client.get(f"/memories/{memory}").status_code == 200
            assert client.get("/memories", params={"user_id": "zora-user"}).status_code == 200
            assert client.post("/memories/search", json={"user_id": "zora-user", "query": LATE}).status_code == 200
            assert client.get("/nowhere-in-particular", params={"q": "Zeldovar"}).status_code == 404
            assert client.post("/memories", json={"user_id": "zora-user", "facts": "Zeldovar"}).status_code == 422
            assert client.get("/metrics").status_code == 200
        spans = collector.wait_for(
            "POST /memories", "GET /memories/{memory_id}", "GET /memories", "POST /memories/search", "job write", "GET",
            "transaction", "engine", "call chat", "call embeddings",
        )  # fmt: skip
        service.signal(SIGTERM)
        assert service.wait() == 0
    assert set(collector.paths) == {"/v1/traces"}
    whole = b"".join(collector.bodies)
    assert b"memory-of-ours" in whole
    for secret in (*SECRETS, key, memory):
        assert secret.encode() not in whole, secret
    assert {attribute.key for span in spans for attribute in span.attributes} <= KNOWN
    assert not [span.name for span in spans if span.events or span.links or span.status.message or span.trace_state]
    assert "GET /metrics" not in {span.name for span in spans}
    # What the caller began goes on here, down to the database and the models.
    theirs = [span for span in spans if span.trace_id.hex() == TRACE]
    assert {span.name for span in theirs} == {"POST /memories", "transaction", "engine", "call chat", "call embeddings"}
    by_id = {span.span_id: span for span in theirs}
    [call] = [span for span in theirs if span.name == "call chat"]
    assert by_id[call.parent_span_id].name == "engine"
    assert by_id[by_id[call.parent_span_id].parent_span_id].name == "POST /memories"
    lines = [json.loads(line) for line in service.output.splitlines() if '"request"' in line]
    assert TRACE in {line.get("trace_id") for line in lines}
    # The model servers are told nothing of the caller's trace.
    assert not [call for call in models.calls if {"traceparent", "tracestate", "baggage"} & set(call.headers)]


@pytest.mark.timeout(240)
def test_a_collector_that_never_answers_keeps_nobody_waiting(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = run(_new_key(database, "owner", None, "default", can_answer=True))
    silent = create_server(("127.0.0.1", 0))  # takes connections and never answers
    with closing(silent):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", f"http://127.0.0.1:{silent.getsockname()[1]}/v1/traces")
        service = Process({"database_url": database.service_dsn}, tmp_path / "log")
        service.start()
        answer = httpx.get(f"{service.base_url}/me", headers={"Authorization": f"Bearer {key}"}, timeout=20, trust_env=False)
        assert answer.status_code == 200
        began = time.monotonic()
        service.signal(SIGTERM)
        assert service.wait() == 0
        assert time.monotonic() - began < 15  # the exporter itself would go on for longer


LOADED = """
import sys, threading
from app.main import create_app
from app.tracing.spans import span
create_app()
with span("anything") as noted:
    noted.note(facts=1)
found = sorted(name for name in sys.modules if name.startswith(("opentelemetry.sdk", "opentelemetry.exporter", "requests")))
print(found, threading.active_count())
"""


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://127.0.0.1:9/v1/metrics", "FASTAPI_OTEL_AUTO_CONFIGURE": "true"},
    ],
    ids=["nothing is set", "an endpoint for metrics"],
)
def test_nothing_is_loaded_or_started_where_no_exporter_is_set(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    command = [sys.executable, "-c", LOADED]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)  # noqa: S603 - our own
    assert done.stdout.split() == ["[]", "1"]
