"""Integers as JSON has them: 1.0 is the number 1, while 1.5, "1" and true are none."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, StrictInt


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


Integer = Annotated[StrictInt, BeforeValidator(_whole)]
"""An integer of a body."""
