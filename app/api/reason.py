"""The body that every owner's act has: its reason."""

from __future__ import annotations

from typing import Annotated

from fastapi import Body

from app.api import examples
from app.api.schemas.memory import ActBody

Act = Annotated[ActBody, Body(openapi_examples={"reason": {"summary": "With its reason", "value": examples.ACT}})]
"""`{"reason"}`, for a route."""
