"""Reading what a model answers: the one JSON object in its text, and texts that a database can keep."""

from __future__ import annotations

import json
import re
from typing import Any

MAX_CONTENT = 8000

# How models mark what they think before they answer. Some servers cut the opening mark off.
_THOUGHT = re.compile(r"<(?:think|thinking|thought|reasoning|seed:think)>|\[THINK\]", re.IGNORECASE)
_THOUGHT_END = re.compile(r"</(?:think|thinking|thought|reasoning|seed:think)>|\[/THINK\]", re.IGNORECASE)


def read_object(answer: str) -> dict[str, Any] | None:
    """The JSON object of an answer, or None where there is not exactly one.

    Code fences and prose around it are tolerated, and a chain of thought before it is dropped. What remains between
    the first brace and the last must be one whole object: a model that quotes a memory which looks like an answer, and
    then answers or is cut off, is not readable, since the two cannot be told apart safely. A thought that does not end
    holds no answer either.
    """
    text = answer.strip()
    if not text.startswith("{"):
        end = _THOUGHT_END.search(text)
        if end is None and _THOUGHT.match(text):
            return None
        text = text[end.end() :] if end else text
    first, last = text.find("{"), text.rfind("}")
    if text.find("{", last + 1) >= 0:
        return None
    try:
        found = json.loads(text[max(first, 0) : last + 1])
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def is_storable(text: str) -> bool:
    """True for 1 to 8,000 characters that are not all white space, without NUL and lone surrogates."""
    return 0 < len(text) <= MAX_CONTENT and bool(text.strip()) and clean(text) == text


def clean(text: str) -> str:
    """The text without the characters that neither UTF-8 nor the database can hold: lone surrogates and NUL."""
    return text.encode("utf-8", "ignore").decode("utf-8").replace("\x00", "")
