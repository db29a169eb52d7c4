"""Liveness and readiness: open to everyone, and quiet in the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from fastapi import APIRouter

from app.api import examples
from app.api import problem_cases as cases
from app.api.parts import PartsInUse
from app.api.refusals import answers, refusal
from app.api.schemas.health import Liveness, Readiness
from app.errors import UnavailableError
from app.services import health
from app.services.views import Check

router = APIRouter(tags=["health"])


@router.get(
    "/livez",
    operation_id="check_liveness",
    summary="Is the process alive?",
    response_model=Liveness,
    responses={200: answers(examples.ALIVE, "It is.")},
)
async def check_liveness() -> Liveness:
    """Answers as long as the process does; it looks at nothing else."""
    return Liveness(status="alive")


@router.get(
    "/readyz",
    operation_id="check_readiness",
    summary="Can the service work?",
    response_model=Readiness,
    responses={
        200: answers(examples.READY, "It can."),
        503: refusal(cases.NOT_READY, instance="/readyz"),
    },
)
async def check_readiness(parts: PartsInUse) -> dict[str, str | Sequence[Check]]:
    """Database, migrations, constitution, embedder. The 503 lists the `checks`."""
    checks = await health.check(parts)
    failing = [check.name for check in checks if not check.ok]
    if failing:
        extra = {"checks": [asdict(check) for check in checks]}
        raise UnavailableError(f"Not ready: {', '.join(failing)}.", code="not_ready", extra=extra, retry_after=1)
    return {"status": "ready", "checks": checks}
