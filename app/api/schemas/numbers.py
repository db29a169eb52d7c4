"""Integers as JSON has them: 1.0 is the number 1, while 1.5, "1" and true are none."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field, StrictInt


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


# Comes after the limits: before them, a nullable field would show the limits under names that JSON Schema does not know.
_WHOLE = BeforeValidator(_whole)

VersionNumber = Annotated[StrictInt, Field(ge=1, le=2_147_483_647), _WHOLE]
"""A version of a dispute or of the constitution's text, from 1."""

PageSize = Annotated[StrictInt, Field(ge=1, le=200), _WHOLE]
"""How many items an answer holds at most, 1-200."""
