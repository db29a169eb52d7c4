"""What the process counts, for Prometheus: open to everyone who reaches it, and quiet in the log."""

from __future__ import annotations

from fastapi import APIRouter, Response

from app.api import problem_cases as cases
from app.api.parts import PartsInUse
from app.api.refusals import refusal
from app.metrics import MEDIA_TYPE, exposition, show_pool

router = APIRouter(tags=["health"])

_SHOWN = {"text/plain": {"schema": {"type": "string"}, "example": 'helixir_tiers_total{tier="exact"} 12.0\n'}}


@router.get(
    "/metrics",
    operation_id="read_metrics",
    summary="Read the metrics",
    response_class=Response,
    responses={
        200: {"description": "Prometheus' text format.", "content": _SHOWN},
        503: refusal(cases.NOT_READY, instance="/metrics"),
    },
)
async def read_metrics(parts: PartsInUse) -> Response:
    """Counts, times and what waits, of this process and over all tenants. No user, no id and no text is in it."""
    size, idle = parts.pool.get_size(), parts.pool.get_idle_size()
    show_pool(size, size - idle)
    return Response(exposition(), media_type=MEDIA_TYPE)
