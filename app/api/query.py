"""Reading query and headers strictly: UTF-8, and what counts only once. The framework would put other characters in, and keep one."""

from __future__ import annotations

from urllib.parse import parse_qsl

from fastapi import Request

from app.errors import InvalidInputError

_HEADERS = ("idempotency-key", "if-match")


def require_plain_query(request: Request) -> None:
    """Raises `InvalidInputError` (422): `invalid_text` for a query that is not UTF-8, `repeated` for a parameter given twice."""
    try:
        pairs = parse_qsl(request.scope["query_string"].decode("latin-1"), keep_blank_values=True, errors="strict")
    except UnicodeDecodeError:
        raise InvalidInputError("The query is not UTF-8.", code="invalid_text") from None
    if len({name for name, _ in pairs}) < len(pairs):
        raise InvalidInputError("A parameter of the query is given more than once.", code="repeated")


def require_plain_headers(request: Request) -> None:
    """Raises `InvalidInputError` (422) with code `repeated` for a header that counts and is given twice."""
    for name in _HEADERS:
        if len(request.headers.getlist(name)) > 1:
            raise InvalidInputError(f"The header {name} is given more than once.", code="repeated")
