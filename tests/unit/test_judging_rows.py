"""The labelled pairs in the repository: whole, labelled as the benchmark reads them, and never trained on."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROWS = [json.loads(line) for line in (ROOT / "bench/data/everyday_pairs.jsonl").read_text(encoding="utf-8").splitlines()]
LABELS = {"duplicate", "new", "conflict", "update"}
SHORT = 5  # words; shorter sentences are written by anybody


def test_every_row_has_what_the_benchmark_reads() -> None:
    for row in ROWS:
        assert set(row) == {"id", "lang", "group", "label", "lenient", "a", "b"}
        assert row["label"] in row["lenient"]
        assert set(row["lenient"]) <= LABELS
        assert row["a"].strip() == row["a"] != row["b"] == row["b"].strip()
    assert max(Counter(row["id"] for row in ROWS).values()) == 1
    assert max(Counter((row["a"], row["b"]) for row in ROWS).values()) == 1
    assert {row["label"] for row in ROWS} == LABELS


def test_no_sentence_of_them_is_trained_on() -> None:
    trained = "\n".join(path.read_text(encoding="utf-8").casefold() for path in sorted((ROOT / "training/data").glob("*.txt")))
    for row in ROWS:
        for text in (row["a"], row["b"]):
            assert len(text.split()) <= SHORT or text.casefold().rstrip(".") not in trained, text
