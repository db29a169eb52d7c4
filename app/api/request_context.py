"""The outermost layer of a request: its id, its one log line, and the answer when nobody else has one."""

from __future__ import annotations

import asyncio
import time
import traceback

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uuid_utils.compat import uuid7

from app.api.problems import internal_problem, stopping_problem
from app.metrics import count_request
from app.services.requests import Principal
from app.tracing.spans import current_trace
from app.tracing.traces import QUIET_PATHS

_ID_LIMIT = 128
_CLIENT_CLOSED = 499
_FRAMES_LIMIT = 15
_CAUSES_LIMIT = 10
_DATA_POLICY = "default-src 'none'; frame-ancestors 'none'"
_PAGE_POLICY = "frame-ancestors 'none'"
"""The one page, `/docs`, has scripts: its own and a CDN's."""
_METHODS = frozenset({"GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"})

_log = structlog.stdlib.get_logger("helixir.access")


class RequestContext:
    """ASGI middleware. Logs the route's template, never the path, the query, the body or the key."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand in front of `app`."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request with its id, log it, and turn what nobody caught into a 500."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _request_id(scope)
        scope.setdefault("state", {})["request_id"] = request_id
        started, status = time.perf_counter(), 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = int(message["status"])
                _add_headers(message, request_id)
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self._app(scope, receive, send_with_headers)
            except ClientDisconnect:
                status = status or _CLIENT_CLOSED
            except asyncio.CancelledError:  # the server stops, and its time for open requests is up
                if status:
                    raise
                await stopping_problem(scope)(scope, receive, send_with_headers)
            except Exception as error:  # noqa: BLE001 - the last place that can answer; anything else would leak text
                _log_failure(scope, error)
                if not status:
                    await internal_problem(scope)(scope, receive, send_with_headers)
            finally:
                seconds = time.perf_counter() - started
                count_request(_method_of(scope), _route_of(scope), status, seconds)
                _log_access(scope, status, seconds)


def _request_id(scope: Scope) -> str:
    given = Headers(scope=scope).get("x-request-id", "")
    if 0 < len(given) <= _ID_LIMIT and all("!" <= character <= "~" for character in given):
        return given
    return str(uuid7())


def _add_headers(message: Message, request_id: str) -> None:
    headers = MutableHeaders(scope=message)
    headers["X-Request-ID"] = request_id
    headers["X-Content-Type-Options"] = "nosniff"
    headers["X-Frame-Options"] = "DENY"
    headers["Referrer-Policy"] = "no-referrer"
    headers["Content-Security-Policy"] = _PAGE_POLICY if headers.get("content-type", "").startswith("text/html") else _DATA_POLICY
    headers.setdefault("Cache-Control", "no-store")


def _route_of(scope: Scope) -> str:
    route = scope.get("route")
    return route.path if isinstance(route, Route) else "unmatched"


def _method_of(scope: Scope) -> str:
    """The method, or `other`: a label takes no word of the caller's own."""
    method = str(scope["method"])
    return method if method in _METHODS else "other"


def _log_access(scope: Scope, status: int, seconds: float) -> None:
    route = _route_of(scope)
    principal = scope["state"].get("principal")
    trace = current_trace()
    log = _log.debug if route in QUIET_PATHS and status < 400 else _log.info
    log(
        "request",
        method=scope["method"],
        route=route,
        status=status,
        duration_ms=round(seconds * 1_000, 1),
        key_id=str(principal.key_id) if isinstance(principal, Principal) else None,
        **({} if trace is None else {"trace_id": trace}),
    )


def _log_failure(scope: Scope, error: BaseException) -> None:
    """The types and the frames of an error and its causes. Not their messages: those may quote a memory."""
    causes: list[str] = []
    cause = error.__cause__ or error.__context__
    while cause is not None and len(causes) < _CAUSES_LIMIT:
        causes.append(type(cause).__qualname__)
        cause = cause.__cause__ or cause.__context__
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES_LIMIT:]
    _log.error(
        "unexpected error",
        method=scope["method"],
        route=_route_of(scope),
        error=type(error).__qualname__,
        causes=causes,
        frames=[f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
    )
