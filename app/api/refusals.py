"""The responses of an operation, as the document declares them: its answers, and its refusals as problem documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from app.api import problem_cases as cases
from app.api.problem_cases import Case
from app.api.problems import MEDIA_TYPE

PROBLEM_REFERENCE = "#/components/schemas/Problem"

_REQUEST_ID = "0198f3d2-7a10-7c44-9a55-0b8f0b9a4e11"

_MEANINGS: Mapping[HTTPStatus, str] = {
    HTTPStatus.UNAUTHORIZED: "No key, or one that is not known.",
    HTTPStatus.FORBIDDEN: "The key may not do this, or an article of the charter forbids it.",
    HTTPStatus.NOT_FOUND: "There is no such thing, or the key may not see it.",
    HTTPStatus.CONFLICT: "It does not fit the present state; the code says why.",
    HTTPStatus.PRECONDITION_FAILED: "`If-Match` names an older revision.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "The body is larger than any legal one.",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "The body is not declared as JSON.",
    HTTPStatus.UNPROCESSABLE_ENTITY: "The request says something that cannot be; nothing was stored.",
    HTTPStatus.PRECONDITION_REQUIRED: "`If-Match` is absent.",
    HTTPStatus.TOO_MANY_REQUESTS: "More than this key or this user may ask for now; nothing was done. `Retry-After` says when.",
    HTTPStatus.SERVICE_UNAVAILABLE: "Something that the request needs is out of reach; try again later.",
}

BODY = (cases.INVALID_BODY, cases.INVALID_JSON, cases.BODY_TOO_LARGE, cases.UNSUPPORTED_MEDIA_TYPE)
"""What may be wrong with any body."""

ACT = (*BODY, cases.STILL_RUNNING, cases.IDEMPOTENCY_MISMATCH)
"""What may be wrong with any act that is carried out once for an Idempotency-Key."""

LIST = (cases.INVALID_QUERY, cases.REPEATED, cases.INVALID_CURSOR)
"""What may be wrong with the query of any list."""


def refusals(*declared: Case, instance: str = "/") -> dict[int | str, dict[str, Any]]:
    """Responses 401, 429 and 503, and those of the `declared` cases, each a problem document with examples."""
    by_status: dict[HTTPStatus, list[Case]] = {}
    for case in (cases.UNAUTHENTICATED, *declared, cases.RATE_LIMITED, cases.UNAVAILABLE):
        by_status.setdefault(case.status, []).append(case)
    return {status.value: refusal(*by_status[status], instance=instance) for status in sorted(by_status)}


def refusal(*same_status: Case, instance: str) -> dict[str, Any]:
    """The problem response of one status."""
    shown = [_document(case, instance) for case in same_status]
    content = {MEDIA_TYPE: {"schema": {"$ref": PROBLEM_REFERENCE}, **_examples(shown, [case.code for case in same_status])}}
    return {"description": _MEANINGS[same_status[0].status], "content": content}


def _document(case: Case, instance: str) -> dict[str, Any]:
    return {
        "type": f"/problems/{case.code}",
        "title": case.code.replace("_", " ").capitalize(),
        "status": case.status.value,
        "detail": case.detail,
        "instance": instance,
        "code": case.code,
        "request_id": _REQUEST_ID,
        "retryable": case.retryable,
        **case.extra,
    }


def _examples(shown: Sequence[object], names: Sequence[str]) -> dict[str, Any]:
    """One example stands alone; several have names."""
    if len(shown) == 1:
        return {"example": shown[0]}
    return {"examples": {name: {"value": value} for name, value in zip(names, shown, strict=True)}}


REPLAYED: Mapping[str, Any] = {
    "Idempotency-Replayed": {
        "description": "`true` when an earlier request's answer is given again, as things are now.",
        "schema": {"type": "string", "enum": ["true"]},
    }
}
"""The header of an answer to a repeat."""


def answers(example: object, description: str, **more: object) -> dict[str, Any]:
    """A successful response with its example."""
    return {"description": description, "content": {"application/json": {"example": example}}, **more}


def answers_each(examples: Mapping[str, object], description: str, **more: object) -> dict[str, Any]:
    """A successful response that looks different from case to case, with an example of each."""
    content = _examples(list(examples.values()), list(examples))
    return {"description": description, "content": {"application/json": content}, **more}
