"""What is wrong with a request, field by field, without a word of the request itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.api.schemas.problem import FieldError

ERRORS_LIMIT = 100
"""How many errors one answer lists at most."""

_KINDS: Mapping[str, str] = {
    "bool_parsing": "wrong_type",
    "bool_type": "wrong_type",
    "datetime_from_date_parsing": "malformed",
    "datetime_object_invalid": "malformed",
    "datetime_parsing": "malformed",
    "dict_type": "wrong_type",
    "enum": "not_allowed",
    "extra_forbidden": "unknown_field",
    "greater_than_equal": "too_small",
    "int_from_float": "wrong_type",
    "int_parsing": "wrong_type",
    "int_type": "wrong_type",
    "less_than_equal": "too_large",
    "list_type": "wrong_type",
    "literal_error": "not_allowed",
    "model_attributes_type": "wrong_type",
    "model_type": "wrong_type",
    "string_too_long": "too_long",
    "string_too_short": "too_short",
    "string_type": "wrong_type",
    "string_unicode": "not_unicode",
    "timezone_aware": "not_rfc_3339",
    "too_long": "too_many",
    "too_short": "too_few",
    "uuid_parsing": "malformed",
    "uuid_type": "malformed",
}

_LIMITS = ("max_length", "min_length", "le", "ge", "limit")


def describe_all(errors: Sequence[Mapping[str, Any]]) -> list[FieldError]:
    """The first 100 of pydantic's errors as field errors: no input, no text, no name that the caller made up."""
    return [_describe_one(error) for error in errors[:ERRORS_LIMIT]]


def describe(errors: Sequence[FieldError]) -> str:
    """One sentence about the first error and the number of the others."""
    if not errors:
        return "The request is not valid."
    first, others = errors[0], len(errors) - 1
    limit = "" if first.limit is None else f", limit {first.limit:g}"
    more = f" There are {others} more, see errors." if others else ""
    return f"{first.field}: {first.kind.replace('_', ' ')}{limit}.{more}"


def _describe_one(error: Mapping[str, Any]) -> FieldError:
    location = list(error["loc"])
    if error["type"] == "extra_forbidden":
        location.pop()  # the name of an unknown field is the caller's own text
    context = error.get("ctx") or {}
    return FieldError(
        field=".".join(str(step) for step in location),
        kind=_KINDS.get(error["type"], error["type"]),
        limit=next((context[name] for name in _LIMITS if isinstance(context.get(name), int)), None),
        allowed=context.get("expected") if error["type"] in {"enum", "literal_error"} else None,
    )
