"""The part of a document that a bench writes, between two marks."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

END = "<!-- end of figures -->"


def put_between(file: Path, begin: str, lines: Iterable[str]) -> None:
    """Replace what stands between the mark `begin` and the end of the figures. Raises `ValueError` where the file lacks them."""
    text = file.read_text(encoding="utf-8")
    before, found, rest = text.partition(begin)
    _, end, after = rest.partition(END)
    if not found or not end:
        raise ValueError(f"{file} lacks the lines {begin} and {END}")
    file.write_text(f"{before}{begin}\n\n" + "\n".join(lines) + f"\n\n{END}{after}", encoding="utf-8")
