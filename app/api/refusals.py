"""The problem responses of an operation, as the document declares them."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from app.api.problems import MEDIA_TYPE

PROBLEM_REFERENCE = "#/components/schemas/Problem"

_REQUEST_ID = "0198f3d2-7a10-7c44-9a55-0b8f0b9a4e11"

_EXAMPLES: Mapping[HTTPStatus, tuple[str, str, dict[str, Any]]] = {
    HTTPStatus.UNAUTHORIZED: ("unauthenticated", "A key is needed: Authorization: Bearer <key>.", {}),
    HTTPStatus.FORBIDDEN: (
        "forbidden",
        "This memory is final; only confirm and coexist are left.",
        {"articles": ["C2"]},
    ),
    HTTPStatus.NOT_FOUND: ("not_found", "There is no such memory.", {}),
    HTTPStatus.CONFLICT: ("dispute_changed", "The dispute changed since that version; look at it again.", {}),
    HTTPStatus.PRECONDITION_FAILED: ("stale_revision", "The memory has a newer revision.", {}),
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: (
        "body_too_large",
        "The body is larger than 1048576 bytes.",
        {"limit": 1048576},
    ),
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: ("unsupported_media_type", "The body must be declared as application/json.", {}),
    HTTPStatus.UNPROCESSABLE_ENTITY: (
        "invalid_input",
        "body.facts.0.content: too long, limit 8000.",
        {"errors": [{"field": "body.facts.0.content", "kind": "too_long", "limit": 8000}]},
    ),
    HTTPStatus.PRECONDITION_REQUIRED: ("revision_required", "Name the revision that you edit in If-Match.", {}),
    HTTPStatus.SERVICE_UNAVAILABLE: ("unavailable", "The database is out of reach; nothing was changed.", {}),
}

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
    HTTPStatus.SERVICE_UNAVAILABLE: "Something that the request needs is out of reach; try again later.",
}

_BODY = (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.UNSUPPORTED_MEDIA_TYPE, HTTPStatus.UNPROCESSABLE_ENTITY)


def refusals(*statuses: HTTPStatus, body: bool = False, instance: str = "/") -> dict[int | str, dict[str, Any]]:
    """Responses 401 and 503, those of a body, and `statuses`, each a problem document with an example."""
    declared = {HTTPStatus.UNAUTHORIZED, HTTPStatus.SERVICE_UNAVAILABLE, *(_BODY if body else ()), *statuses}
    return {status.value: refusal(status, instance) for status in sorted(declared)}


def refusal(status: HTTPStatus, instance: str = "/") -> dict[str, Any]:
    """One problem response."""
    code, detail, extra = _EXAMPLES[status]
    example = {
        "type": f"/problems/{code}",
        "title": code.replace("_", " ").capitalize(),
        "status": status.value,
        "detail": detail,
        "instance": instance,
        "code": code,
        "request_id": _REQUEST_ID,
        "retryable": status is HTTPStatus.SERVICE_UNAVAILABLE,
        **extra,
    }
    content = {MEDIA_TYPE: {"schema": {"$ref": PROBLEM_REFERENCE}, "example": example}}
    return {"description": _MEANINGS[status], "content": content}


def answers(example: object, description: str, **more: object) -> dict[str, Any]:
    """A successful response with its example."""
    return {"description": description, "content": {"application/json": {"example": example}}, **more}
