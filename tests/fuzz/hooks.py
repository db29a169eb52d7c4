"""A check for Schemathesis, loaded in its process (`SCHEMATHESIS_HOOKS`): valid requests are accepted, limits that no schema says apart."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

import schemathesis
from schemathesis.specs.openapi.checks import positive_data_acceptance

_CODES: Final = frozenset(
    {
        "idempotency_mismatch",  # the key was used with another request: a matter of state
        "stale_revision",  # If-Match names an earlier revision: the same
        "invalid_number",  # inside metadata, whose values are any JSON: an integer of more than 64 bits
        "invalid_text",  # inside metadata: a NUL
        "too_deep",  # inside metadata: more than 32 levels
    }
)
_METADATA: Final = frozenset({"too_large", "too_deep"})
"""What metadata may be though it is an object: more than 16 KiB as UTF-8, more than 32 levels."""


@schemathesis.check
def valid_data_is_accepted(ctx: Any, response: Any, case: Any) -> bool | None:
    """What the schema allows is not refused as malformed, save for the limits above."""
    if response.status_code in {HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.PRECONDITION_FAILED} and _is_beyond_schemas(response.json()):
        return None
    return positive_data_acceptance(ctx, response, case)


def _is_beyond_schemas(problem: dict[str, Any]) -> bool:
    errors = problem.get("errors", [])
    of_metadata = errors and all(error["field"].endswith("metadata") and error["kind"] in _METADATA for error in errors)
    return problem.get("code") in _CODES or bool(of_metadata)
