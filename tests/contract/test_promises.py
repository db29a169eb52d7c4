"""Each promise of docs/operations.md names a test that exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_ROW = re.compile(r"^\| (?!promise \||---)(?P<promise>[^|]+) \| (?P<tests>[^|]+) \|$", flags=re.MULTILINE)
_TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


def rows() -> list[tuple[str, str]]:
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    section = page.partition("\n## Promises\n")[2].partition("\n## ")[0]
    return [(row["promise"], row["tests"]) for row in _ROW.finditer(section)]


def test_there_are_promises_and_none_is_made_twice() -> None:
    promises = [promise for promise, _ in rows()]
    assert promises
    assert len(promises) == len(set(promises))


@pytest.mark.parametrize(("promise", "tests"), rows(), ids=lambda value: value[:40])
def test_each_promise_names_a_test_that_exists(promise: str, tests: str) -> None:
    named = _TEST.findall(tests)
    assert named, promise
    assert re.sub(r"[,\s]|<br>", "", _TEST.sub("", tests)) == "", "nothing but names of tests stands in this column"
    for path, name in named:
        source = (ROOT / path).read_text(encoding="utf-8")
        assert re.search(rf"^(?:async )?def {name}\(", source, flags=re.MULTILINE), f"{path}::{name}"
