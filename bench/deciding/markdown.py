"""The figures of a run as tables of a document, put between two marks in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.deciding.report import CHAIN_COLUMNS, COLUMNS, at, targets
from bench.marks import put_between

BEGIN = "<!-- figures: written by bench.decisions -->"


def put_into(file: Path, result: Mapping[str, Any]) -> None:
    """Replace the figures in the document. Raises `ValueError` where it lacks the marks."""
    put_between(file, BEGIN, _lines(result))


def _lines(result: Mapping[str, Any]) -> Iterator[str]:
    thresholds = result["thresholds"]
    limit = "all rows" if result["limit"] is None else f"{result['limit']} rows of each file"
    yield f"Engine `{', '.join(result['engines'])}`, embedder `{', '.join(result['embedders'])}`, thresholds"
    yield f"{thresholds['duplicate_at']:g} / {thresholds['new_below']:g} ({thresholds['origin']}), mode {result['mode']}, {limit},"
    yield f"{result['concurrency']} users at once, {result['date']}."
    yield ""
    yield from (f"- {line}" for line in targets(result["groups"]))
    yield ""
    heads = [name for name, _, _ in COLUMNS]
    for title, groups in (("pairs", result["groups"]), ("source", result["sources"])):
        rows = [[name, str(one["pairs"]), *(_shown(at(one, path), path[-1]) for _, path, _ in COLUMNS)] for name, one in groups.items()]
        yield from _table([title, "rows", *heads], rows)
        yield ""
    yield from _table(
        ["pairs", "to the engine", "calls a fact", "prompt characters a fact", "p50 ms", "p90 ms", "p99 ms", "undecided", "new dropped"],
        [[name, *_cost(one)] for name, one in result["groups"].items()],
    )
    yield ""
    yield from _table(
        ["sequences", "rows", "changes", *(name.replace("_", " ") for name in CHAIN_COLUMNS)],
        [
            [name, str(one["sequences"]), str(one["changes"]), *(_shown(one[column], column) for column in CHAIN_COLUMNS)]
            for name, one in result["sequences"].items()
        ],
    )


def _cost(one: Mapping[str, Any]) -> list[str]:
    latency = (f"{one['latency_ms'][share]:.0f}" for share in ("p50", "p90", "p99"))
    calls, characters = f"{one['engine_calls_per_fact']:g}", f"{one['prompt_characters_per_fact']:g}"
    return [_shown(one["engine_share"], "rate"), calls, characters, *latency, str(one["undecided"]), str(one["new_dropped"])]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    for cells in (heads, ["---", *["---:"] * (len(heads) - 1)], *rows):
        yield f"| {' | '.join(cells)} |"


def _shown(value: float | None, name: str) -> str:
    if value is None:
        return "-"
    return f"{value:g}" if name == "silent_loss" else f"{100 * value:.1f} %"
