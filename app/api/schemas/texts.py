"""Texts with their limits. Lengths count Unicode code points; no text is trimmed or folded on the way in."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, WithJsonSchema
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from app.charter.model import SYSTEM_USER


def _no_nul(text: str) -> str:
    if "\0" in text:
        raise PydanticCustomError("nul", "must not hold a NUL character")
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "must hold more than white space")
    return text


def _not_reserved(user_id: str) -> str:
    if user_id == SYSTEM_USER:
        raise PydanticCustomError("reserved", "is the system's own user")
    return user_id


def _visible_ascii(text: str) -> str:
    if not all("!" <= character <= "~" for character in text):
        raise PydanticCustomError("not_visible_ascii", "must be visible ASCII characters")
    return text


CONTENT_LIMIT = 8_000
MESSAGE_LIMIT = 100_000
NOTE_LIMIT = 2_000
USER_LIMIT = 256

_Meaningful = AfterValidator(_not_blank)
_Storable = AfterValidator(_no_nul)

# The same two for the document; white space is what `str.strip` takes, which is not what `\s` is in every dialect.
_BLANK = r"\u0009-\u000d\u001c-\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_MEANINGFUL: JsonDict = {"pattern": rf"^[^\u0000]*[^\u0000{_BLANK}][^\u0000]*$"}
_FREE: JsonDict = {**_MEANINGFUL, "not": {"const": SYSTEM_USER}}

Content = Annotated[str, Field(min_length=1, max_length=CONTENT_LIMIT, json_schema_extra=_MEANINGFUL), _Meaningful, _Storable]
"""The text of one memory: 1-8,000 characters, more than white space."""

Message = Annotated[str, Field(min_length=1, max_length=MESSAGE_LIMIT, json_schema_extra=_MEANINGFUL), _Meaningful, _Storable]
"""A message to split: 1-100,000 characters, more than white space."""

Note = Annotated[str, Field(min_length=1, max_length=NOTE_LIMIT, json_schema_extra=_MEANINGFUL), _Meaningful, _Storable]
"""A reason, a note or a context: 1-2,000 characters, more than white space."""

Label = Annotated[str, Field(min_length=1, max_length=USER_LIMIT, json_schema_extra=_MEANINGFUL), _Meaningful, _Storable]
"""A name that the caller gives something: 1-256 characters, more than white space."""

UserId = Label
"""Whose memory it is."""

WritableUserId = Annotated[UserId, Field(json_schema_extra=_FREE), AfterValidator(_not_reserved)]
"""Whose memory is written: any user but the system's own."""

HeaderToken = Annotated[str, Field(min_length=1, max_length=255, json_schema_extra={"pattern": "^[!-~]+$"}), AfterValidator(_visible_ascii)]
"""An opaque header value: 1-255 visible ASCII characters."""

_CURSOR_FORM = {"type": "string", "pattern": "^[A-Za-z0-9_-]{21}[AQgw]$"}

Cursor = Annotated[str, Field(min_length=1, max_length=1_024), AfterValidator(_visible_ascii), WithJsonSchema(_CURSOR_FORM)]
"""Where a list goes on, as the page before gave it. Its form is declared; one of another form is `invalid_cursor`."""
