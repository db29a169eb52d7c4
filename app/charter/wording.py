"""How two texts are compared: what counts as the same text, and what a merge may not add or lose.

An embedding barely moves on a changed number or a negation, so these functions read the words themselves. They are
strict on purpose: when they see a difference that means nothing, the engine is asked once more than needed; when they
missed one that means something, a statement would be dropped silently.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import zip_longest

_FULL_STOPS = (".", "。")
_CJK = "\u2e80-\u2fff\u3005-\u3007\u3021-\u302f\u3031-\u30fa\u30fc-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_CJK_PUNCTUATION = "　、。〈〉《》「」『』【】〔〕〖〗〝〞〟・！（），：；？．"

# A token is a number with its decimals (.5 too), one CJK character, a word with its inner apostrophes, or one symbol that
# means something (C++, 5 %, €, the signs of -5 and O-). Plain punctuation and white space only separate.
_TOKEN = re.compile(
    rf"(?:(?<![\w.,])[.,])?\d+(?:[.,]\d+)*|[{_CJK}]|(?:(?![{_CJK}\d])\w)+(?:'(?![{_CJK}])\w+)*|\w"
    rf"|(?<![\w)])[-−](?=[.,]?\d)|(?<=\w)[-−](?![\w−-])|[^\w\s.,;:!?'\"()\[\]{{}}«»“”‘’„…–—\-{_CJK_PUNCTUATION}]"
)

# What the guard reads beside the tokens: signs that are typed as dashes, the points of names and paths (a.b, ../a, 10:30),
# the exclamation mark of code (a != b), question marks, and where a text pauses.
_GUARD = re.compile(
    r"(?P<mark>(?<=\w)[.:](?=\w)|\.+(?=/)|!(?=[=\w])|[?？]|(?<![\w)])[–—](?=[.,]?\d))"
    rf"|(?P<token>{_TOKEN.pattern})|(?P<pause>[.,;:!()…–—。，、；：！（）]|(?<=\s)-(?=\s))"
)
_PAUSE = "|"
_LONGEST_UNIT = 3  # letters of a unit whose case counts: Mb and MB, mW and MW

_ARTICLES = frozenset({"a", "an", "the"})

_NEGATIONS = frozenset(
    # English, Russian, German, Spanish, French, Chinese
    "no not never none nobody nothing nowhere neither nor without cannot dont doesnt didnt isnt arent wasnt cant wont "
    "не нет ни без никогда никто никого ничего ничем нигде никуда нельзя "
    "nicht nichts kein keine keinen keinem keiner keines nie niemals niemand niemanden nirgends nirgendwo weder ohne "
    "nunca sin jamás ningún ninguna ninguno nadie nada tampoco ni "
    "ne pas jamais rien sans aucun aucune "
    "不 没 無 无 未 非 别 沒 勿".split()
)

# Words that a merge may add to join two sentences. No negation, number or name is among them.
_GLUE = frozenset(
    "a an the and or but also too as well while both then that which who whose where when with in on at of for from to by "
    "is are was were be been being am has have had having do does did it its this these those he she they his her their him them "
    "i my me mine we our us you your so because since now currently still "
    "и а но также который которая которые в на с у из к по для это "
    "und oder aber auch der die das den dem des ein eine einen einem einer in im am zu von mit für "
    "y o pero también el la los las un una de del en con por para que "
    "的 了 和 也 在 是".split()
)


def fold(text: str, *, keep_case: bool) -> str:
    """The text as it counts for equality: NFC, white space folded, one final full stop dropped, case folded.

    `keep_case` for protected types, where case counts (charter, Defaults).
    """
    folded = " ".join(unicodedata.normalize("NFC", text).split())
    if folded.endswith(_FULL_STOPS):
        folded = folded[:-1].rstrip()
    return folded if keep_case else unicodedata.normalize("NFC", folded.casefold())


def tokens(text: str) -> tuple[str, ...]:
    """The words, numbers and meaningful symbols of a text, in order, with case folded."""
    plain = unicodedata.normalize("NFC", text).replace("’", "'").casefold()
    return tuple(_TOKEN.findall(unicodedata.normalize("NFC", plain)))


def agree(one: str, other: str) -> bool:
    """The divergence guard: the same numbers, units, negations and content words in the same order on both sides.

    Where a text denies something its pauses count too: "No, more tea" is not "No more tea".
    """
    return _weighty(one) == _weighty(other)


def _weighty(text: str) -> tuple[str, ...]:
    """What of a text must stand on both sides: all but articles, and plain punctuation only beside a negation."""
    plain = unicodedata.normalize("NFC", text).replace("’", "'")
    found = [(match.lastgroup, match[0]) for match in _GUARD.finditer(plain)]
    words = [word for kind, word in found if kind != "pause"]
    if not any(is_negation(word.casefold()) for word in words):
        found = [(kind, word) for kind, word in found if kind != "pause"]
    weighty: list[str] = []
    end = max((place for place, (kind, _) in enumerate(found) if kind != "pause"), default=0)
    for place, (kind, word) in enumerate(found):
        if kind == "pause":
            weighty += [_PAUSE] if weighty and weighty[-1] != _PAUSE else []
        elif not _is_article(word, first=place == 0, last=place == end):
            weighty.append(word if _is_unit(word, found[place - 1][1] if place else "") else unicodedata.normalize("NFC", word.casefold()))
    return tuple(weighty[:-1] if weighty[-1:] == [_PAUSE] else weighty)


def _is_article(word: str, *, first: bool, last: bool) -> bool:
    """Not the A of "hepatitis A" or "plan A"."""
    return word.casefold() in _ARTICLES and not last and (first or word != "A")


def _is_unit(word: str, before: str) -> bool:
    return is_number(before) and len(word) <= _LONGEST_UNIT and word.isascii() and word.isalpha()


def is_number(token: str) -> bool:
    """True for a token that carries a digit of any script, such as `5`, `1.5` or `10²`."""
    return any(character.isdigit() for character in token)


def is_negation(token: str) -> bool:
    """True for a word that turns a statement around, in the languages that the guard knows."""
    return token in _NEGATIONS or token.endswith("n't") or token.startswith("n'")


def merge_fault(merged: str, incoming: str, target: str) -> str | None:
    """What is wrong with a merge (charter section 3), or None. The sentence quotes no text.

    Every number (with its unit), negation and content word must stand in one of the two texts, and no number or
    negation of the incoming text may be lost: that would drop a correction under the name of a merge.
    """
    sources = (tokens(incoming), tokens(target))
    known = set(sources[0]) | set(sources[1])
    pairs = set(_number_pairs(sources[0])) | set(_number_pairs(sources[1]))
    words = tokens(merged)
    if any(word not in known for word in words if word not in _GLUE):
        return "merged_content has words, numbers or negations that stand in neither text"
    signed = set(_signed_numbers(sources[0])) | set(_signed_numbers(sources[1]))
    other_sign = any(number not in signed for number in _signed_numbers(words))
    if other_sign or any(pair not in pairs for pair in _number_pairs(words) if pair[1] and pair[1] not in _GLUE):
        return "merged_content gives a number another unit"
    if any(word not in words for word in sources[0] if is_number(word) or is_negation(word)):
        return "merged_content drops a number or a negation of the new text"
    return None


def merge_drops(merged: str, target: str) -> bool:
    """True when a merge lacks content words of the target: it is then a SUPERSEDE by the merged text."""
    kept = set(tokens(merged))
    return any(word not in kept for word in tokens(target) if word not in _GLUE)


def _number_pairs(words: tuple[str, ...]) -> list[tuple[str, str | None]]:
    return [(word, after) for word, after in zip_longest(words, words[1:]) if is_number(word)]


def _signed_numbers(words: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """Each number with the symbols that touch it in meaning: -5, €5, 5 %."""
    around = zip(("", *words), words, (*words[1:], ""), strict=False)
    return [(_symbol(before), word, _symbol(after)) for before, word, after in around if is_number(word)]


def _symbol(token: str) -> str:
    return token if token and unicodedata.category(token[0])[0] in "SP" else ""
