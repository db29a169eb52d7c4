"""Every error as an RFC 9457 problem document. The one place where the domain's errors get their HTTP status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from uuid import UUID

import orjson
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic_core import to_jsonable_python
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Scope

from app.api.field_errors import describe, describe_all
from app.api.schemas.clarification import Clarification
from app.api.schemas.contradiction import Contradiction
from app.errors import (
    ConflictError,
    ForbiddenError,
    HelixirError,
    InvalidInputError,
    NotFoundError,
    RevisionRequiredError,
    StaleRevisionError,
    TooManyRequestsError,
    UnauthenticatedError,
    UnavailableError,
)
from app.metrics import LIMITED
from app.services.views import ClarificationView, ContradictionView

MEDIA_TYPE = "application/problem+json"


class BodyTooLargeError(HelixirError):
    """The body is larger than any legal one (413)."""

    code = "body_too_large"


class UnsupportedMediaTypeError(HelixirError):
    """The body is not declared as JSON (415)."""

    code = "unsupported_media_type"


_STATUSES: Mapping[type[HelixirError], HTTPStatus] = {
    UnauthenticatedError: HTTPStatus.UNAUTHORIZED,
    ForbiddenError: HTTPStatus.FORBIDDEN,
    NotFoundError: HTTPStatus.NOT_FOUND,
    ConflictError: HTTPStatus.CONFLICT,
    StaleRevisionError: HTTPStatus.PRECONDITION_FAILED,
    BodyTooLargeError: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    UnsupportedMediaTypeError: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    InvalidInputError: HTTPStatus.UNPROCESSABLE_ENTITY,
    RevisionRequiredError: HTTPStatus.PRECONDITION_REQUIRED,
    TooManyRequestsError: HTTPStatus.TOO_MANY_REQUESTS,
    UnavailableError: HTTPStatus.SERVICE_UNAVAILABLE,
}

_ROUTING_DETAILS: Mapping[int, str] = {
    HTTPStatus.NOT_FOUND: "There is no such path.",
    HTTPStatus.METHOD_NOT_ALLOWED: "This path does not know this method.",
}


def status_of(error: HelixirError) -> HTTPStatus:
    """The status of a domain error: that of its nearest base, 500 where none has one."""
    for base in type(error).__mro__:
        if status := _STATUSES.get(base):
            return status
    return HTTPStatus.INTERNAL_SERVER_ERROR


@dataclass(frozen=True, slots=True)
class _Occurrence:
    """One problem: what all documents hold, `extra` members, and headers of the answer."""

    status: int
    code: str
    detail: str
    retryable: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    def answer(self, scope: Scope) -> Response:
        """The response; the standard members win over further ones."""
        document = {
            **_shown(self.extra),
            "type": f"/problems/{self.code}",
            "title": self.code.replace("_", " ").capitalize(),
            "status": int(self.status),
            "detail": self.detail,
            "instance": _instance(scope),
            "code": self.code,
            "request_id": scope.get("state", {}).get("request_id", ""),
            "retryable": self.retryable,
        }
        return Response(orjson.dumps(document), self.status, dict(self.headers), MEDIA_TYPE)


def domain_problem(scope: Scope, error: HelixirError) -> Response:
    """The answer for an error of the domain; one without a status is internal, and its detail stays inside."""
    status = status_of(error)
    if status is HTTPStatus.INTERNAL_SERVER_ERROR:
        return internal_problem(scope)
    headers: dict[str, str] = {}
    if status is HTTPStatus.TOO_MANY_REQUESTS:
        LIMITED.labels(error.code).inc()
    if status is HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    if error.retry_after is not None:
        headers["Retry-After"] = str(error.retry_after)
    extra = dict(error.extra)
    if error.articles:
        extra["articles"] = list(error.articles)
    retryable = error.retryable or error.retry_after is not None
    return _Occurrence(status, error.code, error.detail, retryable, extra, headers).answer(scope)


def internal_problem(scope: Scope) -> Response:
    """The answer for what nobody expected: it says nothing about the cause."""
    detail = "Something went wrong inside. The log has it under this request id."
    return _Occurrence(HTTPStatus.INTERNAL_SERVER_ERROR, "internal", detail).answer(scope)


def stopping_problem(scope: Scope) -> Response:
    """The answer for a request that the end of the process cut short."""
    detail = "the service is stopping; whether the act was done is unknown: repeat it with the same Idempotency-Key"
    return domain_problem(scope, UnavailableError(detail, code="shutting_down", retry_after=2))


def install(app: FastAPI, routes: Sequence[APIRoute]) -> None:
    """Let `app` answer every error as a problem; `routes` tell the methods of a path for `Allow`."""

    async def on_domain_error(request: Request, error: Exception) -> Response:
        if not isinstance(error, HelixirError):
            raise error
        return domain_problem(request.scope, error)

    async def on_invalid_request(request: Request, error: Exception) -> Response:
        if not isinstance(error, RequestValidationError):
            raise error
        errors = describe_all(error.errors())
        extra = {"errors": [entry.model_dump(exclude_none=True) for entry in errors]}
        code = InvalidInputError.code
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return _Occurrence(status, code, describe(errors), extra=extra).answer(request.scope)

    async def on_routing_error(request: Request, error: Exception) -> Response:
        if not isinstance(error, HTTPException):
            raise error
        headers = dict(error.headers or {})
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            headers["Allow"] = ", ".join(_methods(routes, request.scope["path"])) or headers.get("Allow", "")
        code = HTTPStatus(error.status_code).name.lower()
        detail = _ROUTING_DETAILS.get(error.status_code, "The request was refused.")
        return _Occurrence(error.status_code, code, detail, headers=headers).answer(request.scope)

    app.add_exception_handler(HelixirError, on_domain_error)
    app.add_exception_handler(RequestValidationError, on_invalid_request)
    app.add_exception_handler(HTTPException, on_routing_error)


def _methods(routes: Sequence[APIRoute], path: str) -> list[str]:
    """The methods of a path: of the one that is written so, else of those with a parameter in its place."""
    found = [route for route in routes if route.path == path] or [route for route in routes if route.path_regex.match(path)]
    return sorted({method for route in found for method in route.methods or ()})


def _shown(extra: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _as_json(value) for name, value in extra.items()}


def _as_json(value: object) -> object:
    """A further member; a dispute looks as it does everywhere else."""
    if isinstance(value, ContradictionView):
        return Contradiction.model_validate(value).model_dump(mode="json")
    if isinstance(value, ClarificationView):
        return Clarification.model_validate(value).model_dump(mode="json")
    return to_jsonable_python(value)


def _instance(scope: Scope) -> str:
    """The path when nothing in it but ids is the caller's own words, else its template, or `/`."""
    route = scope.get("route")
    if not isinstance(route, APIRoute):
        return "/"
    for value in scope.get("path_params", {}).values():
        try:
            UUID(str(value))
        except ValueError:
            return route.path
    return str(scope["path"])
