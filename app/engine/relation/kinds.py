"""Nouns of one kind: a violin and a cello, of which a sentence means one or the other, and never both in other words."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_FILE = Path(__file__).parent.parent / "data" / "kinds.txt"


@cache
def _lines() -> dict[str, str]:
    """WordNet's nouns: each with its synsets and the wider ones, as they stand in the file, read when they are needed."""
    lines = _FILE.read_text(encoding="utf-8").splitlines()
    return dict(line.split(" ", 1) for line in lines if not line.startswith("#"))


@cache
def _synsets(word: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """The synsets of a noun in the order of their frequency, and those one step wider than the commonest of them."""
    for singular in (word, word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("ies") + "y"):
        line = _lines().get(singular)
        if line is not None:
            own, _, wider = line.partition(">")
            return tuple(own.split()), frozenset(wider.split())
    return (), frozenset()


def are_of_one_kind(one: str, other: str) -> bool:
    """True for two nouns right below the same wider one, as violin and cello. Synonyms, in any sense of theirs, are none."""
    (own, wider), (their, wider_too) = _synsets(one), _synsets(other)
    return not set(own) & set(their) and bool(wider & wider_too)
