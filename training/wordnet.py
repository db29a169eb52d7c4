"""Writes the lists of words that the guards use, out of WordNet's data files.

apt-get download wordnet-base && dpkg-deb --extract wordnet-base_*.deb wordnet
python -m training.wordnet wordnet/usr/share/wordnet app/engine/data
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FILES = ("data.adj", "data.adv", "data.noun", "data.verb")
_HEADER = "# {what} from WordNet 3.0 (c) 2006 Princeton University; see wordnet.NOTICE. Written by training/wordnet.py.\n"
_SENSES = 2  # a noun's rarer senses make kin of words that nobody takes for such


@dataclass(frozen=True, slots=True)
class Synset:
    """`antonyms`: part of speech, offset, place of the own word and of the other, from 1, 0 for all. `wider`: offsets."""

    words: list[str]
    antonyms: list[tuple[str, str, int, int]]
    wider: list[str]


def read_antonyms(folder: Path) -> list[str]:
    """Lines of two single lower-case words that WordNet calls antonyms, each pair once, in alphabetical order."""
    synsets = {(kind, offset): synset for name in _FILES for kind, offset, synset in _synsets(folder / name)}
    pairs: set[tuple[str, str]] = set()
    for synset in synsets.values():
        for kind, offset, source, target in synset.antonyms:
            other = synsets.get((kind, offset))
            if other is None or not source or not target:
                continue
            pair = (synset.words[source - 1], other.words[target - 1])
            if all(map(_is_plain, pair)) and pair[0] != pair[1]:
                pairs.add((min(pair), max(pair)))
    return [f"{one} {other}\n" for one, other in sorted(pairs)]


def read_kinds(folder: Path) -> list[str]:
    """Lines of a noun, its synsets and the wider ones: `violin 12 13 > 14`. A number means a synset, and nothing else."""
    synsets = {offset: synset for _, offset, synset in _synsets(folder / "data.noun")}
    numbers: dict[str, int] = {}
    lines = []
    for line in (folder / "index.noun").read_text(encoding="latin-1").splitlines():
        if line.startswith("  ") or not _is_plain(line.split()[0]):
            continue
        word, _, count, *rest = line.split()
        senses = rest[-int(count) :]
        wider = [offset for sense in senses[:_SENSES] for offset in synsets[sense].wider]
        sides = ([str(numbers.setdefault(offset, len(numbers))) for offset in dict.fromkeys(side)] for side in (senses, wider))
        own, others = (" ".join(side) for side in sides)
        lines.append(f"{word} {own} > {others}".rstrip() + "\n")
    return lines


def _is_plain(word: str) -> bool:
    return word.isascii() and word.isalpha() and word.islower()


def _synsets(path: Path) -> Iterator[tuple[str, str, Synset]]:
    """Each synset of a file with its part of speech and its offset."""
    for line in path.read_text(encoding="latin-1").splitlines():
        if line.startswith("  "):  # the licence
            continue
        parts = line.split("|")[0].split()
        count = int(parts[3], 16)
        words = [word.split("(")[0] for word in parts[4 : 4 + 2 * count : 2]]
        start = 5 + 2 * count
        pointers = [parts[place : place + 4] for place in range(start, start + 4 * int(parts[start - 1]), 4)]
        antonyms = [(_part(kind), offset, *bytes.fromhex(ends)) for sign, offset, kind, ends in pointers if sign == "!"]
        wider = [offset for sign, offset, _, _ in pointers if sign in {"@", "@i"}]
        yield _part(parts[2]), parts[0], Synset(words, antonyms, wider)


def _part(kind: str) -> str:
    """Satellite adjectives lie in the file of the adjectives."""
    return "a" if kind == "s" else kind


def main() -> None:
    """Read a folder of WordNet data, write the lists."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("output", type=Path)
    arguments = parser.parse_args()
    for name, what, lines in (
        ("antonyms.txt", "Antonyms", read_antonyms(arguments.folder)),
        ("kinds.txt", "Nouns, their synsets and the wider ones,", read_kinds(arguments.folder)),
    ):
        (arguments.output / name).write_text(_HEADER.format(what=what) + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
