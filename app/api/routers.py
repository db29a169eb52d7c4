"""All routes of the REST face."""

from __future__ import annotations

from fastapi import FastAPI
from fastapi.routing import APIRoute

from app.api import charter, contradictions, decisions, health, me, memories, metrics, owner_acts, problems, rule_proposals, rules, writes

_ROUTERS = (
    memories.search,  # before the paths with a memory's id in its place
    memories.router,
    owner_acts.router,
    writes.router,
    contradictions.router,
    decisions.router,
    charter.router,
    rules.router,
    rule_proposals.router,
    me.router,
    health.router,
    metrics.router,
)

ROUTES = tuple(route for router in _ROUTERS for route in router.routes if isinstance(route, APIRoute))


def install(app: FastAPI) -> None:
    """Give `app` the routes, and let it answer every error as a problem."""
    for router in _ROUTERS:
        app.include_router(router)
    problems.install(app, ROUTES)
