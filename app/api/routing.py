"""The route class of everything that needs a key."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.routing import Match
from starlette.types import Scope

from app.api.auth import authenticate
from app.api.body import JsonRequest, require_json
from app.api.query import require_plain_headers, require_plain_query
from app.services.requests import Once


class GuardedRoute(APIRoute):
    """Authenticates, then reads query and body strictly, and only then lets the schemas look at them.

    A dependency would come too late: FastAPI reads and parses the body before the first one, and collects the faults of
    body and parameters before it raises.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The endpoint with the key checked and the body parsed in front of it, and a repeated answer marked behind it."""
        endpoint = super().get_route_handler()
        takes_body, takes_query = self.body_field is not None, bool(self.dependant.query_params)

        async def guarded(request: Request) -> Response:
            request.state.principal = await authenticate(request)
            if takes_query:
                require_plain_query(request)
            if request.method != "GET":
                require_plain_headers(request)
            if takes_body:
                request = JsonRequest(request.scope, request.receive)
                if await request.body():
                    require_json(request.headers.get("content-type"))
                    await request.json()
            response = await endpoint(request)
            once = getattr(request.state, "once", None)
            if isinstance(once, Once) and once.replayed:
                response.headers["Idempotency-Replayed"] = "true"
            return response

        return guarded


class SoleRoute(GuardedRoute):
    """The one route of a path that a path with a parameter would take as well: another method is 405, not that other path's."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """A full match for any method; `handle` refuses the wrong ones."""
        match, child_scope = super().matches(scope)
        return (Match.FULL if match is Match.PARTIAL else match), child_scope
