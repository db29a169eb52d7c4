"""The constitution's text: its canonical form, its hash, and its articles."""

from __future__ import annotations

import re
from hashlib import sha256

from app.charter.model import Article

_BEGIN, _END = "1. Constitution", "2. Learned rules"
_ARTICLE = re.compile(r"^• (C[1-5])\. (.+?[.])(?: (.*))?$")


def canonical(text: str) -> str:
    """From the line `1. Constitution` to the line before `2. Learned rules` (or the end), with LF ends and no trailing space.

    Raises `ValueError` when there is no such section.
    """
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    begin = next((place for place, line in enumerate(lines) if line.startswith(_BEGIN)), None)
    if begin is None:
        raise ValueError("the text has no section `1. Constitution`")
    end = next((place for place, line in enumerate(lines) if place > begin and line.startswith(_END)), len(lines))
    section = lines[begin:end]
    while section and not section[-1]:
        section.pop()
    return "\n".join([*section, "", ""]) if section else ""


def digest(canonical_text: str) -> str:
    """SHA-256 of the canonical text's UTF-8 bytes, in lower-case hex."""
    return sha256(canonical_text.encode()).hexdigest()


def articles_in(text: str) -> list[tuple[Article, str, str]]:
    """The articles of a constitution: id, title (its first sentence) and whole text."""
    found = []
    for line in text.split("\n"):
        match = _ARTICLE.match(line)
        if match:
            title = match[2].rstrip(".")
            found.append((Article(match[1]), title, " ".join(part for part in (match[2], match[3]) if part)))
    return found
