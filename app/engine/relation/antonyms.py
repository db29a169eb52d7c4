"""Words that say the opposite of one another: WordNet's list and the short one of the rules."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from app.engine import lexicon

_FILE = Path(__file__).parent.parent / "data" / "antonyms.txt"


@cache
def _opposites() -> frozenset[frozenset[str]]:
    lines = _FILE.read_text(encoding="utf-8").splitlines()
    listed = {frozenset(line.split()) for line in lines if line and not line.startswith("#")}
    return frozenset(listed) | lexicon.ANTONYMS


def are_opposites(one: str, other: str) -> bool:
    """True for antonyms in their plain form, and for a word and its negation by prefix, as in valid and invalid."""
    if frozenset({one, other}) in _opposites():
        return True
    short, long = sorted((one, other), key=len)
    return len(short) > 3 and any(long == prefix + short for prefix in ("un", "in", "im", "ir", "il", "dis", "non"))
