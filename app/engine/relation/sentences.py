"""Statements of several sentences: what the model reads of a long pair is its beginning, so their sentences are paired as well."""

from __future__ import annotations

import re
from itertools import product
from typing import Final

from app.engine.relation import guards
from app.engine.sentences import split_sentences

MOST_PAIRS: Final = 3
"""So many pairs of sentences are read at most: each costs as much as a pair of short statements."""

_MOST_SENTENCES: Final = 8
_LONGEST_SENTENCE: Final = 400  # characters, as much as the model reads of one with room for another
_LONGEST_TEXT: Final = 4_000
_LEAST_SHARED: Final = 2
_OPENING: Final = re.compile(
    r"^(?:(?:oh|and|also|but|so|well|hey|hi|thanks|anyway|actually|wait|by the way|btw)[,!] ?"
    r"|(?:oh|and|also|but|by the way|btw) |speaking of [^,]{1,40}, )+",
    re.IGNORECASE,
)


def sentence_pairs(stored: str, new: str) -> list[tuple[str, str]]:
    """The pairs of sentences (of the stored text, of the new one) that speak of the same, the likeliest first; none for single sentences.

    Of a text of several sentences the first eight statements count: no questions, no openings such as "by the way", nothing very long.
    """
    olds, news = _statements_in(stored), _statements_in(new)
    if (olds, news) == ([stored], [new]):
        return []
    content = {sentence: guards.content_of(sentence) for sentence in (*olds, *news)}
    ranked = []
    for old, other in product(olds, news):
        shared = len(content[old] & content[other])
        if shared >= _LEAST_SHARED:
            ranked.append((-shared / min(len(content[old]), len(content[other])), -shared, old, other))
    return [(old, other) for _, _, old, other in sorted(ranked)[:MOST_PAIRS]]


def _statements_in(text: str) -> list[str]:
    sentences = split_sentences(text[:_LONGEST_TEXT])
    if len(sentences) == 1 and len(text) <= _LONGEST_SENTENCE:
        return [text]
    opened = (_OPENING.sub("", sentence) for sentence in sentences if not sentence.rstrip().endswith("?"))
    return list(dict.fromkeys(sentence for sentence in opened if 0 < len(sentence) <= _LONGEST_SENTENCE))[:_MOST_SENTENCES]
