"""Keyset cursors: the id after which the next page begins, so that pages stay stable under inserts."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from typing import TypeVar
from uuid import UUID

from app.errors import InvalidInputError
from app.services.views import Page

Item = TypeVar("Item")


def after(cursor: str | None) -> UUID | None:
    """The id that a cursor names; None for the first page. Raises `InvalidInputError` for anything else."""
    if cursor is None:
        return None
    try:
        named = UUID(bytes=base64.urlsafe_b64decode(cursor.encode("ascii") + b"=="))
    except (ValueError, binascii.Error) as fault:
        raise _refused() from fault
    if _cursor(named) != cursor:  # what the decoder skips, and bits that count for nothing
        raise _refused()
    return named


def _refused() -> InvalidInputError:
    return InvalidInputError("this cursor is none of this list's", code="invalid_cursor")


def _cursor(item: UUID) -> str:
    return base64.urlsafe_b64encode(item.bytes).decode().rstrip("=")


def page_of(items: Sequence[Item], limit: int, key: Callable[[Item], UUID]) -> Page[Item]:
    """A page out of up to `limit` + 1 items: the one too many tells that there is another page."""
    kept = items[:limit]
    more = len(items) > limit
    return Page(kept, _cursor(key(kept[-1])) if more else None)
