"""The request headers that mean something, as dependencies that declare and check them."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import Depends, Header, Request

from app.api.body import JsonRequest
from app.api.negotiation import asks_for_async, preferred_language
from app.api.schemas.texts import HeaderToken
from app.errors import InvalidInputError, RevisionRequiredError
from app.services.replay import once
from app.services.requests import Once

_REVISION = re.compile(r'(?P<quote>"?)(?P<number>[1-9][0-9]{0,8})(?P=quote)', re.ASCII)

IdempotencyKey = Annotated[
    HeaderToken | None,
    Header(
        alias="Idempotency-Key",
        description="Makes a repeat safe for 24 h: same key and body, same answer. 1-255 visible ASCII characters.",
    ),
]
"""`Idempotency-Key` of a write: 1-255 visible ASCII characters, or absent."""


async def get_once(request: Request, idempotency_key: IdempotencyKey = None) -> Once | None:
    """The request as one that is carried out once, where it names a key; `GuardedRoute` tells when it was a repeat."""
    body = await request.json() if isinstance(request, JsonRequest) and await request.body() else None
    revision = request.headers.get("if-match", "").strip().strip('"')
    wanted = once(idempotency_key, f"{request.method} {request.scope['path']}", [body, revision])
    request.state.once = wanted
    return wanted


Repeatable = Annotated[Once | None, Depends(get_once)]
"""`Idempotency-Key` of any other act, with what it stands for."""


async def get_language(
    accept_language: Annotated[
        str | None,
        Header(alias="Accept-Language", description="Language of questions: en, ru, de, es or zh; else English."),
    ] = None,
) -> str:
    """The best known language, `en` by default."""
    return preferred_language(accept_language)


async def get_respond_async(
    request: Request,
    _declared: Annotated[
        str | None,
        Header(alias="Prefer", description="`respond-async`: answer 202 at once, the work goes on in the background."),
    ] = None,
) -> bool:
    """True when the caller would rather not wait; the header may come more than once."""
    return asks_for_async(request.headers.getlist("prefer"))


async def get_revision(
    if_match: Annotated[
        str | None,
        Header(alias="If-Match", description="The revision that the edit was made from: the number, bare or quoted."),
    ] = None,
) -> int:
    """The revision named.

    Raises `RevisionRequiredError` (428) when the header is absent, `InvalidInputError` (422) when it is malformed.
    """
    if if_match is None:
        raise RevisionRequiredError("Name the revision that you edit in If-Match.")
    match = _REVISION.fullmatch(if_match.strip())
    if match is None:
        errors = [{"field": "header.if-match", "kind": "malformed"}]
        detail = "If-Match must be one revision number, bare or quoted; weak and listed tags do not count."
        raise InvalidInputError(detail, extra={"errors": errors})
    return int(match["number"])


Language = Annotated[str, Depends(get_language)]
"""The language of questions."""

RespondAsync = Annotated[bool, Depends(get_respond_async)]
"""Whether the caller asked for an answer at once."""

Revision = Annotated[int, Depends(get_revision)]
"""The revision that `If-Match` names."""
