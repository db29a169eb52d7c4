"""The parts that the lifespan put together, for the routes."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from app.errors import UnavailableError
from app.services.parts import Parts


def parts_of(request: Request) -> Parts:
    """The process's parts. Raises `UnavailableError` (503) before they are there."""
    parts: Parts | None = getattr(request.app.state, "parts", None)
    if parts is None:
        raise UnavailableError("The service is starting.", code="not_ready", retry_after=1)
    return parts


async def get_parts(request: Request) -> Parts:
    """The dependency of the routes; a plain function would be sent to a thread."""
    return parts_of(request)


PartsInUse = Annotated[Parts, Depends(get_parts)]
"""The process's parts, for a route."""
