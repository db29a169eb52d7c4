"""The figures of a run: put together, shown, and compared with an earlier run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from bench.deciding.marks import Mark, figures
from bench.deciding.sequences import Walk, chain_figures

ENGLISH = "everyday_pairs, English"
ALL = "all pairs"
# What the project set out to reach with what comes with it: group, place, bound, and whether more is better.
TARGETS: Sequence[tuple[str, tuple[str, ...], float, bool]] = (
    (ALL, ("lenient", "silent_loss"), 0, False),
    (ALL, ("lenient", "missed_rate"), 0.15, False),
    (ALL, ("false_alarm_rate",), 0.12, False),
    (ENGLISH, ("lenient", "accuracy"), 0.90, True),
    ("pairs_dev", ("lenient", "accuracy"), 0.75, True),
)
COLUMNS: Sequence[tuple[str, tuple[str, ...], bool]] = (
    ("silent loss, strict", ("strict", "silent_loss"), False),
    ("silent loss, lenient", ("lenient", "silent_loss"), False),
    ("missed, strict", ("strict", "missed_rate"), False),
    ("missed, lenient", ("lenient", "missed_rate"), False),
    ("false alarms", ("false_alarm_rate",), False),
    ("accuracy, strict", ("strict", "accuracy"), True),
    ("accuracy, lenient", ("lenient", "accuracy"), True),
    ("asked: precision", ("clarification_precision",), True),
    ("asked: recall", ("clarification_recall",), True),
)
CHAIN_COLUMNS = ("silent_loss", "replaced", "asked", "missed_rate", "false_alarm_rate", "there", "alone", "by_valid_time")
_COUNTS = frozenset({"silent_loss"})


def put_together(marks: Sequence[Mark], walks: Sequence[Walk], about: Mapping[str, Any]) -> dict[str, Any]:
    """The whole result as JSON holds it. No text of any row is in it."""
    files = sorted({mark.file for mark in marks})
    english = [mark for mark in marks if mark.file == "everyday_pairs" and mark.source.startswith("en:")]
    groups = {name: [mark for mark in marks if mark.file == name] for name in files}
    sources = sorted({(mark.file, mark.source) for mark in marks})
    return {
        **about,
        "groups": {name: figures(chosen) for name, chosen in {ALL: marks, **groups, ENGLISH: english}.items() if chosen},
        "sources": {
            f"{file}, {source}": figures([mark for mark in marks if (mark.file, mark.source) == (file, source)]) for file, source in sources
        },
        "sequences": {
            name: chain_figures([walk for walk in walks if name in {"all", walk.source}])
            for name in ("all", *sorted({walk.source for walk in walks}))
            if walks
        },
    }


def show(console: Console, result: Mapping[str, Any]) -> None:
    """All tables of a run."""
    thresholds = result["thresholds"]
    console.print(f"engine {', '.join(result['engines']) or 'never asked'}; embedder {', '.join(result['embedders'])}")
    console.print(
        f"thresholds {thresholds['duplicate_at']:g} / {thresholds['new_below']:g} ({thresholds['origin']}); mode {result['mode']}"
    )
    if result["groups"]:
        console.print(_groups("Pairs", result["groups"]))
        console.print(_groups("By source", result["sources"]))
        console.print(_costs(result["groups"]))
        for line in targets(result["groups"]):
            console.print(line)
    if result["sequences"]:
        console.print(_chains(result["sequences"]))


def targets(groups: Mapping[str, Any]) -> Iterator[str]:
    """One line a target: reached or missed, with its figure."""
    for group, path, bound, more in TARGETS:
        value = at(groups.get(group, {}), path)
        if value is not None:
            reached = value >= bound if more else value <= bound
            name = " ".join(path).replace("_", " ")
            yield f"{'reached' if reached else 'MISSED '}  {group}: {name} {value:g}, wanted {'>=' if more else '<='} {bound:g}"


def compare(console: Console, result: Mapping[str, Any], baseline: Mapping[str, Any], tolerance: float) -> bool:
    """Show what changed since a baseline; False when something got worse: any more silent loss, or a rate by more than that."""
    table = Table(
        title=f"Against the baseline ({', '.join(baseline['engines'])}, {baseline['date']})", title_justify="left", box=SIMPLE_HEAD
    )
    for heading in ("group", "figure", "baseline", "now", "change"):
        table.add_column(heading)
    good = True
    for group in result["groups"]:
        for name, path, more in COLUMNS:
            before, now = at(baseline["groups"].get(group, {}), path), at(result["groups"][group], path)
            if before is None or now is None:
                continue
            worse = (before - now if more else now - before) > (0 if path[-1] in _COUNTS else tolerance)
            good = good and not worse
            if before != now:
                table.add_row(group, name, f"{before:g}", f"{now:g}", f"{now - before:+.4g}{' WORSE' if worse else ''}")
    console.print(table)
    if baseline["limit"] != result["limit"]:
        console.print(f"The baseline had the limit {baseline['limit']}, this run {result['limit']}: other rows were asked.")
    return good


def at(figures_: Mapping[str, Any], path: Sequence[str]) -> float | None:
    """A figure by its place."""
    value: Any = figures_
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return None if value is None else float(value)


def _groups(title: str, groups: Mapping[str, Any]) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    table.add_column("", no_wrap=True)
    table.add_column("pairs", justify="right")
    for name, _, _ in COLUMNS:
        table.add_column(name, justify="right")
    for name, one in groups.items():
        table.add_row(name, str(one["pairs"]), *(_shown(at(one, path), count=path[-1] in _COUNTS) for _, path, _ in COLUMNS))
    return table


def _costs(groups: Mapping[str, Any]) -> Table:
    table = Table(title="What it took", title_justify="left", box=SIMPLE_HEAD)
    headings = ("", "to the engine", "calls a fact", "prompt characters a fact", "p50 ms", "p90 ms", "p99 ms", "undecided", "new dropped")
    for heading in headings:
        table.add_column(heading, justify="left" if not heading else "right")
    for name, one in groups.items():
        latency = one["latency_ms"]
        table.add_row(
            name,
            _shown(one["engine_share"], count=False),
            f"{one['engine_calls_per_fact']:g}",
            f"{one['prompt_characters_per_fact']:g}",
            *(f"{latency[share]:g}" for share in ("p50", "p90", "p99")),
            str(one["undecided"]),
            str(one["new_dropped"]),
        )
    return table


def _chains(sequences: Mapping[str, Any]) -> Table:
    table = Table(title="Sequences", title_justify="left", box=SIMPLE_HEAD)
    for heading in ("", "sequences", "changes", *(name.replace("_", " ") for name in CHAIN_COLUMNS)):
        table.add_column(heading, justify="left" if not heading else "right")
    for name, one in sequences.items():
        shown = (_shown(one[column], count=column in _COUNTS) for column in CHAIN_COLUMNS)
        table.add_row(name, str(one["sequences"]), str(one["changes"]), *shown)
    return table


def _shown(value: float | None, *, count: bool) -> str:
    if value is None:
        return "-"
    return f"{value:g}" if count else f"{100 * value:.1f} %"
