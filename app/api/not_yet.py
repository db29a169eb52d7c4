"""What the contract names and this version does not do: refused, never ignored."""

from __future__ import annotations

from pydantic import BaseModel

from app.errors import InvalidInputError


def refuse_times(schema: BaseModel, *fields: str) -> None:
    """Raises `InvalidInputError` with code `not_yet` when one of `fields` is given."""
    given = [field for field in fields if getattr(schema, field) is not None]
    if given:
        errors = [{"field": field, "kind": "not_yet"} for field in given]
        raise InvalidInputError("Time travel is not there yet.", code="not_yet", extra={"errors": errors})
