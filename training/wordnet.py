"""Writes the list of antonyms that the guards use, out of WordNet's data files.

apt-get download wordnet-base && dpkg-deb --extract wordnet-base_*.deb wordnet
python -m training.antonyms wordnet/usr/share/wordnet app/engine/data/antonyms.txt
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

_FILES = ("data.adj", "data.adv", "data.noun", "data.verb")
_HEADER = "# Antonyms from WordNet 3.0 (c) 2006 Princeton University; see antonyms.NOTICE. Written by training/antonyms.py.\n"


def read_antonyms(folder: Path) -> set[tuple[str, str]]:
    """Pairs of single lower-case words that WordNet calls antonyms, each once, in alphabetical order."""
    synsets = {(kind, offset): (words, pointers) for kind, offset, words, pointers in _synsets(folder)}
    pairs: set[tuple[str, str]] = set()
    for words, pointers in synsets.values():
        for kind, offset, source, target in pointers:
            other = synsets.get((kind, offset))
            if other is None or not source or not target:
                continue
            pair = (words[source - 1], other[0][target - 1])
            if all(word.isalpha() and word.islower() for word in pair) and pair[0] != pair[1]:
                pairs.add((min(pair), max(pair)))
    return pairs


def _synsets(folder: Path) -> Iterator[tuple[str, str, list[str], list[tuple[str, str, int, int]]]]:
    """Each synset: part of speech, offset, its words, and its antonym pointers (part, offset, own word, other word)."""
    for name in _FILES:
        for line in (folder / name).read_text(encoding="latin-1").splitlines():
            if line.startswith("  "):  # the licence
                continue
            parts = line.split("|")[0].split()
            count = int(parts[3], 16)
            words = [word.split("(")[0] for word in parts[4 : 4 + 2 * count : 2]]
            start = 5 + 2 * count
            pointers = [parts[place : place + 4] for place in range(start, start + 4 * int(parts[start - 1]), 4)]
            antonyms = [(_part(kind), offset, *bytes.fromhex(ends)) for sign, offset, kind, ends in pointers if sign == "!"]
            yield _part(parts[2]), parts[0], words, antonyms


def _part(kind: str) -> str:
    """Satellite adjectives lie in the file of the adjectives."""
    return "a" if kind == "s" else kind


def main() -> None:
    """Read a folder of WordNet data, write the list."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("output", type=Path)
    arguments = parser.parse_args()
    lines = [f"{one} {other}\n" for one, other in sorted(read_antonyms(arguments.folder))]
    arguments.output.write_text(_HEADER + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
