"""How the benchmark reads labels and counts: what is a loss, a miss, a false alarm, and when a run is worse than another."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from bench.deciding.markdown import BEGIN, put_into
from bench.deciding.marks import Mark, figures, percentile, said
from bench.deciding.report import compare, put_together, show
from bench.deciding.rows import read_pairs, read_sequences
from bench.deciding.sequences import Answer, Step, Walk, chain_figures
from bench.marks import END


def mark(label: str, answer: str, *lenient: str, asked: bool = False, source: str = "en:flip", file: str = "everyday_pairs") -> Mark:
    return Mark(file, source, label, frozenset({label, *lenient}), answer, asked, "engine", 2, 100, 0.01)


@pytest.mark.parametrize(
    ("outcome", "operation", "asked", "label"),
    [
        ("stored", "ADD", False, "new"),
        ("stored", "CONTRADICT", True, "conflict"),
        ("deferred", "CONTRADICT", True, "conflict"),
        ("deferred", "SUPERSEDE", True, "update"),
        ("deferred", "UPDATE", True, "update"),
        ("deferred", "DELETE", True, "update"),
        ("held", "CONTRADICT", True, "conflict"),
        ("updated", "UPDATE", False, "update"),
        ("superseded", "SUPERSEDE", False, "update"),
        ("deduplicated", "NOOP", False, "duplicate"),
        ("linked", "NOOP", False, "duplicate"),
        ("previously_withdrawn", "NOOP", False, "duplicate"),
        ("undecided", "ADD", False, "undecided"),
    ],
)
def test_what_an_outcome_says(outcome: str, operation: str, asked: bool, label: str) -> None:  # noqa: FBT001
    assert said({"outcome": outcome, "operation": operation}, asked=asked) == label


LOST_STRICTLY = [
    mark("conflict", "duplicate"),
    mark("update", "duplicate"),
    mark("conflict", "update"),
    mark("new", "update"),
    mark("conflict", "update", "update"),  # right when only the two texts are known
    mark("update", "duplicate", "duplicate"),
]
NOT_LOST = [
    mark("conflict", "update", asked=True),
    mark("update", "update"),
    mark("duplicate", "update"),
    mark("conflict", "new"),
    mark("new", "conflict", asked=True),
    mark("update", "undecided"),
]


def test_silent_loss() -> None:
    assert [one.lost_silently(strict=True) for one in LOST_STRICTLY] == [True] * 6
    assert [one.lost_silently(strict=False) for one in LOST_STRICTLY] == [True] * 4 + [False] * 2
    assert not any(one.lost_silently(strict=strict) for one in NOT_LOST for strict in (True, False))


def test_missed_and_false_alarms() -> None:
    beside = mark("update", "new", "new")
    assert (beside.missed(strict=True), beside.missed(strict=False)) == (True, False)
    assert mark("conflict", "new").missed(strict=False)
    assert not mark("conflict", "undecided").missed(strict=True)
    assert mark("duplicate", "update", asked=True).false_alarm()
    assert not mark("update", "conflict", asked=True).false_alarm()
    assert mark("new", "duplicate").new_dropped()


def test_the_figures_of_a_run() -> None:
    marks = [
        mark("conflict", "conflict", "update", asked=True),
        mark("conflict", "new", "update"),
        mark("update", "update", "conflict"),
        mark("update", "conflict", "conflict", asked=True),
        mark("duplicate", "duplicate"),
        mark("new", "conflict", asked=True),
    ]
    found = figures(marks)
    assert found["strict"] == {"silent_loss": 0, "missed": 1, "missed_rate": 0.25, "accuracy": 0.5}
    assert found["lenient"]["accuracy"] == pytest.approx(4 / 6, abs=1e-4)
    assert (found["false_alarms"], found["false_alarm_rate"]) == (1, 0.5)
    assert found["clarification_precision"] == pytest.approx(2 / 3, abs=1e-4)
    assert found["clarification_recall"] == 0.5
    assert (found["engine_calls_per_fact"], found["prompt_characters_per_fact"]) == (2, 100)
    assert found["confusion"]["update"] == {"update": 1, "conflict": 1}


def test_nothing_counted_is_no_rate() -> None:
    found = figures([mark("new", "new")])
    assert found["strict"]["missed_rate"] is None
    assert found["clarification_precision"] is None


@pytest.mark.parametrize(("share", "expected"), [(50, 5), (90, 9), (99, 10), (1, 1)])
def test_percentiles(share: int, expected: float) -> None:
    assert percentile(list(range(10, 0, -1)), share) == expected
    assert percentile([], share) is None


def test_the_files_are_read_and_drawn_evenly(tmp_path: Path) -> None:
    rows = [{"group": "flip", "lang": "en" if n else "ru", "a": f"a{n}", "b": "b", "label": "new", "lenient": ["new"]} for n in range(9)]
    (tmp_path / "everyday_pairs.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    pairs = read_pairs(tmp_path, None)
    assert [pair.source for pair in pairs] == ["ru", *["en:flip"] * 8]
    drawn = read_pairs(tmp_path, 4)
    assert len(drawn) == 4
    assert drawn == read_pairs(tmp_path, 4)
    assert drawn != pairs[:4]


def sequence(source: str, events: list[dict[str, Any]], *questions: str) -> dict[str, Any]:
    return {"source": source, "id": "x", "events": events, "questions": [{"as_of": day} for day in questions]}


def test_which_event_changes_what_and_which_one_answers(tmp_path: Path) -> None:
    states = [
        {"t": "1990", "text": "A", "value": "1"},
        {"t": "1995-05", "text": "B", "value": "2"},
        {"t": "1999", "text": "B", "value": "2"},
    ]
    facts: list[dict[str, Any]] = [
        {"t": "2025-01-01", "text": "C"},
        {"t": "2025-01-02", "text": "D"},
        {"t": "2025-06-01", "text": "not C", "changes": 0},
    ]
    rows = [sequence("tsqa", states, "1990", "1996", "1989"), sequence("letta", facts, "2025-02-01", "2025-07-01")]
    (tmp_path / "sequences_dev.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    first, second = read_sequences(tmp_path, None)
    assert [event.replaces for event in first.events] == [None, 0, None]
    assert [(one.after, one.answer) for one in first.questions] == [(0, 0), (1, 1)]
    assert [event.replaces for event in second.events] == [None, None, 0]
    assert [(one.after, one.answer) for one in second.questions] == [(1, 0), (2, 2)]


def test_the_figures_of_sequences() -> None:
    steps = (Step(True, "asked"), Step(True, "missed"), Step(False, "kept"), Step(False, "lost"))  # noqa: FBT003
    found = chain_figures([Walk("letta", steps, (Answer(there=True, alone=False, by_valid_time=True),))])
    assert (found["changes"], found["silent_loss"], found["asked"], found["missed_rate"]) == (2, 1, 0.5, 0.5)
    assert (found["there"], found["alone"], found["by_valid_time"]) == (1.0, 0.0, 1.0)


ABOUT = {
    "date": "2026-01-01",
    "engines": ["local:x"],
    "embedders": ["m"],
    "mode": "defer",
    "thresholds": {"duplicate_at": 0.98, "new_below": 0.33, "origin": "o"},
    "limit": None,
}


def result_of(*marks: Mark) -> dict[str, Any]:
    return put_together(marks, [Walk("tsqa", (), ())], ABOUT)


def compared(now: dict[str, Any], before: dict[str, Any], tolerance: float = 0.03) -> tuple[bool, str]:
    to = StringIO()
    good = compare(Console(file=to, width=200), now, before, tolerance)
    return good, to.getvalue()


def test_a_run_is_worse_by_one_more_silent_loss_or_a_rate_beyond_the_tolerance() -> None:
    good = [mark("conflict", "conflict", asked=True)] * 98
    before = result_of(*good, mark("conflict", "new"), mark("conflict", "conflict", asked=True))
    assert compared(before, before)[0]
    lost, shown = compared(result_of(*good, mark("conflict", "new"), mark("conflict", "duplicate")), before)
    assert not lost
    assert "silent loss, strict" in shown
    assert compared(result_of(*good, *[mark("conflict", "new")] * 2), before)[0]
    assert not compared(result_of(*good, *[mark("conflict", "new")] * 8), before)[0]
    assert compared(result_of(*good, *[mark("conflict", "new")] * 8), before, tolerance=0.2)[0]


def test_everything_is_shown_and_no_text_is_kept() -> None:
    result = result_of(mark("conflict", "new"), mark("update", "new", source="x:y", file="pairs_dev"))
    to = StringIO()
    show(Console(file=to, width=200), result)
    shown = to.getvalue()
    assert "MISSED   all pairs: lenient missed rate 1, wanted <= 0.15" in shown
    assert "reached  all pairs: lenient silent loss 0" in shown
    assert "pairs_dev, x:y" in shown
    assert json.loads(json.dumps(result)) == result


def test_the_figures_stand_between_the_marks_of_a_document(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_text(f"# Page\n\n{BEGIN}\nyesterday\n{END}\n\nAfter\n", encoding="utf-8")
    result = result_of(mark("conflict", "new")) | {"concurrency": 4}
    put_into(file, result)
    put_into(file, result)
    text = file.read_text(encoding="utf-8")
    assert text.startswith(f"# Page\n\n{BEGIN}\n")
    assert text.endswith(f"{END}\n\nAfter\n")
    assert text.count("| all pairs | 1 | 0 | 0 | 100.0 % |") == 1
    assert "yesterday" not in text
    file.write_text("# Page\n", encoding="utf-8")
    with pytest.raises(ValueError, match="lacks the lines"):
        put_into(file, result)
