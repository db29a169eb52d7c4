"""A bound on the size of bodies, before anything is parsed."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.problems import BodyTooLargeError, domain_problem

BODY_LIMIT = 1024 * 1024
"""Bytes of a body, where no larger one is legal."""

WRITE_BODY_LIMIT = 8 * 1024 * 1024
"""Bytes of a write. 50 facts of 8,000 characters and 16 KiB of metadata are 7.2 MB when every character is escaped."""


class BodyLimit:
    """ASGI middleware: 413 for a body that is, or turns out to be, too large."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand in front of `app`."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a declared length at once; count a streamed one while it is read."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = _limit(scope)
        declared = Headers(scope=scope).get("content-length", "")
        if declared.isdecimal() and int(declared) > limit:
            await domain_problem(scope, _too_large(limit))(scope, receive, send)
            return
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > limit:
                raise _too_large(limit)
            return message

        await self._app(scope, counted, send)


def _limit(scope: Scope) -> int:
    return WRITE_BODY_LIMIT if (scope["method"], scope["path"]) == ("POST", "/memories") else BODY_LIMIT


def _too_large(limit: int) -> BodyTooLargeError:
    return BodyTooLargeError(f"The body is larger than {limit} bytes.", extra={"limit": limit})
