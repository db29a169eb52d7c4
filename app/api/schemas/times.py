"""Instants: RFC 3339 with an offset on the way in, UTC with `Z` on the way out."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BeforeValidator, Field
from pydantic_core import PydanticCustomError

_RFC_3339 = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})", re.ASCII)


def _rfc_3339(value: object) -> object:
    if not isinstance(value, str) or not _RFC_3339.fullmatch(value):
        raise PydanticCustomError("not_rfc_3339", "must be an RFC 3339 time with its offset")
    return value


def _in_utc(instant: datetime) -> datetime:
    try:
        return instant.astimezone(UTC)
    except OverflowError as error:  # an offset that leads out of the years 1-9999
        raise PydanticCustomError("not_rfc_3339", "must lie in the years 1 to 9999 of UTC") from error


GivenTime = Annotated[AwareDatetime, BeforeValidator(_rfc_3339), AfterValidator(_in_utc)]
"""An instant that a caller names: aware, in the years 1-9999, kept in UTC to the microsecond."""

ShownTime = Annotated[datetime, AfterValidator(_in_utc), Field(examples=["2026-05-01T09:30:00.125000Z"])]
"""An instant that the service names."""
