"""Reading a body strictly: UTF-8 JSON, without what databases, clients or stacks choke on."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import NoReturn

from fastapi import Request

from app.api.problems import UnsupportedMediaTypeError
from app.errors import InvalidInputError

DEPTH_LIMIT = 64
"""Levels of objects and arrays; metadata of 32 levels inside a fact inside a write is 35."""

_INTEGER_RANGE = range(-(2**63), 2**63)
_INTEGER_DIGITS = 20
_NOT_ZERO = re.compile(r"-?[0.]*[1-9]")


class _NotStorableError(ValueError):
    """A number that does not survive a round trip."""


class _TwiceError(ValueError):
    """An object with two members of one name, of which readers keep one or the other."""


class JsonRequest(Request):
    """A request whose body is parsed strictly, once."""

    async def json(self) -> object:
        """The body's value. Raises `InvalidInputError` (422) that says what is wrong and quotes nothing."""
        if not hasattr(self, "_strict"):
            self._strict = parse(await self.body())
        return self._strict


def require_json(content_type: str | None) -> None:
    """Raises `UnsupportedMediaTypeError` (415) unless the body is declared as JSON."""
    essence = (content_type or "").partition(";")[0].strip().lower()
    if essence != "application/json" and not (essence.startswith("application/") and essence.endswith("+json")):
        raise UnsupportedMediaTypeError("The body must be declared as application/json.")


def parse(body: bytes) -> object:
    """The JSON value of `body`.

    Raises `InvalidInputError` with code `invalid_json`, `invalid_number`, `invalid_text` or `too_deep`.
    """
    try:
        value = _DECODER.decode(body.decode("utf-8"))
    except _TwiceError:
        raise InvalidInputError("An object of the body has two members of one name.", code="invalid_json") from None
    except _NotStorableError as error:
        raise InvalidInputError(str(error), code="invalid_number") from None
    except UnicodeDecodeError as error:
        detail = f"The body is not UTF-8: a wrong byte at position {error.start}."
        raise InvalidInputError(detail, code="invalid_json") from None
    except json.JSONDecodeError as error:
        detail = f"The body is not JSON: it breaks off at line {error.lineno}, column {error.colno}."
        raise InvalidInputError(detail, code="invalid_json") from None
    except RecursionError:
        raise _too_deep() from None
    _check(value)
    return value


def _refuse_constant(_: str) -> NoReturn:
    raise _NotStorableError("NaN and Infinity are not JSON.")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise _NotStorableError("A number is too large.")
    if number == 0 and _NOT_ZERO.match(digits):
        raise _NotStorableError("A number is too close to zero.")
    return number


def _storable_integer(digits: str) -> int:
    if len(digits) > _INTEGER_DIGITS or (number := int(digits)) not in _INTEGER_RANGE:
        raise _NotStorableError("An integer needs more than 64 bits.")
    return number


def _object(members: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(members)
    if len(value) < len(members):
        raise _TwiceError
    return value


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite, parse_int=_storable_integer, object_pairs_hook=_object)


def _too_deep() -> InvalidInputError:
    return InvalidInputError(f"The body nests deeper than {DEPTH_LIMIT} levels.", code="too_deep", extra={"limit": DEPTH_LIMIT})


def _check(root: object) -> None:
    """Depth and texts of the whole value, level by level: no recursion, the input is hostile."""
    level, depth = [root], 0
    while level:
        containers: list[Iterable[object]] = []
        for value in level:
            if isinstance(value, str):
                _check_text(value)
            elif isinstance(value, dict):
                containers.append(value.values())
                for key in value:
                    _check_text(key)
            elif isinstance(value, list):
                containers.append(value)
        depth += bool(containers)
        if depth > DEPTH_LIMIT:
            raise _too_deep()
        level = [child for container in containers for child in container]


def _check_text(text: str) -> None:
    if "\0" in text:
        raise InvalidInputError("The body holds a NUL character.", code="invalid_text")
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise InvalidInputError("The body holds a lone surrogate.", code="invalid_text")
