"""Splitting a message into sentences without knowing its language: by lines, list marks and sentence ends.

All of it runs in a time that grows with the length of the message and no faster: messages come from anywhere.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from itertools import pairwise

_FENCES = ("```", "~~~")
_BULLET = re.compile(r"\s*(?:[-*+•–—]|\(?\d{1,3}[.)]|[a-zA-Z]\))\s+(?:\[[ xX]\]\s+)?")
_QUOTE_MARK = re.compile(r"\s*>\s?")
_END = re.compile(r"[.!?…]+|[。！？]+|[;；](?=\s|$)")
_NEXT = re.compile(r"(\s*)(\S?)")
_SPAN = re.compile(r"`[^`]+`|\"[^\"]+\"|\([^()]*\)|\[[^\[\]]*\]|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|「[^「」]*」|『[^『』]*』")
_WORD = re.compile(r"\S+")
_CLOSING = "\"'”’»)]}」』"
_TRAILING = ".,;:!?…\"')]}"
_LONGEST_ABBREVIATION = 12

# Abbreviations that another word always follows, then those that may also stand at the end of a sentence.
_TITLES = frozenset(
    "mr mrs ms dr prof st rev gen col sgt capt hon no nr vs e.g i.e cf fig vol approx ca dept est "
    "z.b d.h bzw evtl ggf inkl sr sra srta ud uds p.ej т.е г ул им проф".split()
)
_MAYBE_LAST = frozenset(
    "etc a.m p.m am pm inc ltd co corp jr u.s u.k usw u.a т.д т.п др jan feb mar apr jun jul aug sep sept oct nov dec".split()
)


def split_sentences(message: str) -> list[str]:
    """The sentences in order, as written, without list marks. A code fence is one; a list item takes its heading."""
    lines = message.splitlines()
    pieces: list[str] = []
    last = 0
    for first, after in _fences(lines):
        pieces += _split_prose(lines[last:first])
        pieces.append("\n".join(lines[first:after]).strip())
        last = after
    pieces += _split_prose(lines[last:])
    return [piece for piece in pieces if any(character.isalnum() for character in piece)]


def _fences(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Code fences as places of their first line and of the line after their last. One that never ends is none."""
    closing = {mark: deque(n for n, line in enumerate(lines) if line.strip() == mark) for mark in _FENCES}
    after = 0
    for place, line in enumerate(lines):
        mark = line.lstrip()[:3]
        if place < after or mark not in closing:
            continue
        while closing[mark] and closing[mark][0] <= place:
            closing[mark].popleft()
        if closing[mark]:
            after = closing[mark].popleft() + 1
            yield place, after


def _split_prose(text: list[str]) -> Iterator[str]:
    heading = ""
    for (line, bullet), (_, listed) in pairwise([*_lines(text), ("", False)]):
        if bullet and heading:
            yield f"{heading} {line}"
            continue
        heading = ""
        sentences = list(_split_line(line))
        # A line that ends in a colon says what the list under it is about; alone it states nothing.
        if listed and sentences and sentences[-1].endswith((":", "：")):
            heading = sentences.pop()
        yield from sentences


def _lines(text: list[str]) -> list[tuple[str, bool]]:
    """Lines without their marks, and whether each is a list item; a line that wraps is joined to the one before."""
    lines: list[tuple[list[str], bool]] = []
    joinable = False
    for raw in text:
        mark = _QUOTE_MARK.match(raw)
        line = raw[mark.end() :] if mark else raw
        bullet = _BULLET.match(line)
        line = (line[bullet.end() :] if bullet else line).strip()
        if line and joinable and not bullet and line[0].islower():
            lines[-1][0].append(line)
        elif line:
            lines.append(([line], bullet is not None))
        joinable = any(map(str.isalnum, line)) and line[-1] not in ".!?…。！？;；:："
    return [(" ".join(parts), bullet) for parts, bullet in lines]


def _split_line(line: str) -> Iterator[str]:
    start = 0
    shelters = _shelters(line)
    shelter = next(shelters, None)
    for end in _END.finditer(line):
        stop = end.end()
        while stop < len(line) and line[stop] in _CLOSING:
            stop += 1
        while shelter and shelter[1] <= end.start():
            shelter = next(shelters, None)
        # A quotation may itself be the last word of the sentence; then the sentence ends with it.
        sheltered = shelter is not None and shelter[0] < end.start() and stop < shelter[1]
        if sheltered or not _ends(line, end, start, stop):
            continue
        if sentence := line[start:stop].strip().rstrip(";；").rstrip():
            yield sentence
        start = stop
    if rest := line[start:].strip():
        yield rest


def _ends(line: str, end: re.Match[str], start: int, stop: int) -> bool:
    """Whether a mark really ends a sentence."""
    mark = end.group(0)
    space, following = (_NEXT.match(line, stop) or end).groups()
    if mark[0] in "。！？;；" or not following:
        return True
    if not space or following.islower():
        # Inside a word or a number, or the sentence goes on: "He said no! and left", "well... maybe".
        return False
    if mark != ".":
        return True
    before = line[max(start, end.start() - _LONGEST_ABBREVIATION) : end.start()]
    word = re.split(r"[\s(\[\"“«]", before)[-1].casefold()
    initial = len(word) == 1 and word.isalpha() and word != "i"
    # "1. Buy milk" inside a line is a list mark, not a sentence that consists of a number.
    alone = word.isdigit() and end.start() - start <= _LONGEST_ABBREVIATION and before.strip() == word
    last = word not in _MAYBE_LAST or following.isupper()
    return last and not initial and not alone and word not in _TITLES


def _shelters(line: str) -> Iterator[tuple[int, int]]:
    """Spans in which no sentence ends, by their start: quotations, brackets, addresses, inline code."""
    spans = [match.span() for match in _SPAN.finditer(line)]
    for word in _WORD.finditer(line):
        text = word.group(0)
        if "://" in text or text.startswith("www.") or "@" in text[1:]:
            spans.append((word.start() - 1, word.start() + len(text.rstrip(_TRAILING))))
    reach = -1
    for low, high in sorted(spans):
        # Spans that lie within another one would hide its end.
        if high > reach:
            reach = high
            yield low, high
