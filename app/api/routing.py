"""The route class of everything that needs a key."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute

from app.api.auth import authenticate
from app.api.body import JsonRequest, require_json


class GuardedRoute(APIRoute):
    """Authenticates, then reads the body strictly, and only then lets the schemas look at it.

    A dependency would come too late: FastAPI reads and parses the body before the first one, and collects the faults of
    body and parameters before it raises.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The endpoint with the key checked and the body parsed in front of it."""
        endpoint = super().get_route_handler()
        takes_body = self.body_field is not None

        async def guarded(request: Request) -> Response:
            request.state.principal = await authenticate(request)
            if not takes_body:
                return await endpoint(request)
            strict = JsonRequest(request.scope, request.receive)
            if await strict.body():
                require_json(strict.headers.get("content-type"))
                await strict.json()
            return await endpoint(strict)

        return guarded
