"""Who asks: the bearer key of a request."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from app.api.parts import parts_of
from app.errors import UnauthenticatedError
from app.services import keys
from app.services.requests import Principal

_TOKEN_LIMIT = 512

# It only declares the scheme for the document: the key is checked in `authenticate`, before the body is read.
_scheme = HTTPBearer(
    scheme_name="key",
    bearerFormat="opaque",
    description="A key made with `helixir keys create`. It names the tenant, the role and perhaps the users.",
    auto_error=False,
)


async def authenticate(request: Request) -> Principal:
    """The key behind `request`. Raises `UnauthenticatedError` (401) when there is none or it is not known."""
    return await keys.authenticate(parts_of(request), _bearer_token(request))


def _bearer_token(request: Request) -> str:
    headers = request.headers.getlist("authorization")
    if len(headers) != 1:
        raise UnauthenticatedError("A key is needed: Authorization: Bearer <key>, once.")
    scheme, _, token = headers[0].partition(" ")
    token = token.strip(" ")
    well_formed = 0 < len(token) <= _TOKEN_LIMIT and all("!" <= character <= "~" for character in token)
    if scheme.lower() != "bearer" or not well_formed:
        raise UnauthenticatedError("A key is needed: Authorization: Bearer <key>.")
    return token


async def get_principal(request: Request, _declared: Annotated[HTTPAuthorizationCredentials | None, Security(_scheme)]) -> Principal:
    """The key that `GuardedRoute` found."""
    principal = request.state.principal
    if not isinstance(principal, Principal):
        raise UnauthenticatedError("A key is needed: Authorization: Bearer <key>.")
    return principal


Caller = Annotated[Principal, Depends(get_principal)]
"""The authenticated key, for a route of class `GuardedRoute`."""
