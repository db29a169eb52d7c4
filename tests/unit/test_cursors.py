"""Cursors: what a page gave leads on, and nothing else does."""

from __future__ import annotations

import re
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from app.api.schemas.texts import Cursor
from app.errors import InvalidInputError
from app.services.cursors import after, page_of

FORM = re.compile(TypeAdapter(Cursor).json_schema()["pattern"])


@given(st.uuids())
def test_the_cursor_of_a_page_names_its_last_item_and_has_the_declared_form(item: UUID) -> None:
    cursor = page_of([item, UUID(int=0)], 1, lambda one: one).next_cursor
    assert cursor is not None
    assert FORM.search(cursor)
    assert after(cursor) == item


@pytest.mark.parametrize(
    "cursor",
    ["0", "A" * 22 + "==", "A" * 21 + "B", "A" * 11 + "!" + "A" * 11, "A" * 21, "A" * 23, "+" * 21 + "A", str(UUID(int=1))],
)
def test_anything_else_is_no_cursor(cursor: str) -> None:
    assert not FORM.search(cursor)
    with pytest.raises(InvalidInputError, match="none of this list's"):
        after(cursor)
