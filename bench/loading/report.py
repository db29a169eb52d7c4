"""The figures of a load: rates, times by kind beside the floor of the same run, answers by status and code."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from bench.loading.clients import MIX, Sample, Seen
from bench.marks import put_between

BEGIN = "<!-- figures: written by bench.load -->"
READS: Final = ("search", "get", "list", "history")
TIMES: Final = ("p50", "p95", "p99", "max")


def figures(seen: Seen, floor: Seen) -> dict[str, Any]:
    """All that was counted, as JSON values. Times in milliseconds, rates a second, ratios to the floor's p50."""
    floor_times = _times(floor.samples)
    samples = seen.samples
    fine = Counter(sample.kind for sample in samples if not (sample.failed or sample.limited or sample.overtaken))
    return {
        "seconds": round(seen.seconds, 2),
        "requests": len(samples),
        "rates": {
            "writes": _rate(fine["write"], seen),
            "facts": _rate(seen.facts, seen),
            "reads": _rate(sum(fine[kind] for kind in READS), seen),
            "answers": _rate(fine["answer"], seen),
            "requests": _rate(len(samples), seen),
        },
        "floor": {**floor_times, "requests": _rate(len(floor.samples), floor)},
        "kinds": {kind: _of_kind([sample for sample in samples if sample.kind == kind], floor_times["p50"]) for kind in MIX},
        "errors": sum(sample.failed for sample in samples),
        "limited": sum(sample.limited for sample in samples),
        "overtaken": sum(sample.overtaken for sample in samples),
        "postponed": seen.postponed,
        "statuses": dict(sorted(Counter(_status(sample) for sample in samples).items())),
    }


def load_now() -> dict[str, float | int]:
    """How busy the machine is: runnable processes in the last minute, beside its processors."""
    return {"processors": os.cpu_count() or 1, "load": round(os.getloadavg()[0], 2)}


def _of_kind(samples: Sequence[Sample], floor: float) -> dict[str, float | int]:
    times = _times(samples)
    return {"requests": len(samples), **times, "to_floor": round(times["p50"] / floor, 1) if floor else 0.0}


def _times(samples: Sequence[Sample]) -> dict[str, float]:
    """Nearest-rank percentiles in milliseconds; zeros where there is nothing."""
    ordered = sorted(sample.seconds * 1_000 for sample in samples) or [0.0]
    shares = {name: ordered[max(0, -(-len(ordered) * int(name[1:]) // 100) - 1)] for name in TIMES if name != "max"}
    return {name: round(value, 1) for name, value in {**shares, "max": ordered[-1]}.items()}


def _rate(count: int, seen: Seen) -> float:
    return round(count / seen.seconds, 1) if seen.seconds else 0.0


def _status(sample: Sample) -> str:
    status = str(sample.status) if sample.status else "no answer"
    return f"{sample.kind} {status} {sample.code}".rstrip()


def show(console: Console, result: Mapping[str, Any]) -> None:
    """The figures as tables on a terminal."""
    table = Table(title=" ".join(_about(result)), title_justify="left")
    heads, *rows = _rows(result)
    for number, head in enumerate(heads):
        table.add_column(head, justify="right" if number else "left")
    for row in rows:
        table.add_row(*row)
    console.print(table)
    for line in _lines(result):
        console.print(line)


def put_into(file: Path, result: Mapping[str, Any]) -> None:
    """Replace the figures in the document. Raises `ValueError` where it lacks the marks."""
    heads, *rows = _rows(result)
    table = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    lines = [*_about(result), "", *(f"| {' | '.join(row)} |" for row in table), "", *(f"- {line}" for line in _lines(result))]
    put_between(file, BEGIN, lines)


def _about(result: Mapping[str, Any]) -> list[str]:
    before, after = result["machine"]["before"], result["machine"]["after"]
    return [
        f"{result['date']}: {result['clients']} clients, {result['owners']} owners, {result['seconds']:g} s, seed {result['seed']},",
        f"engine `{result['engine']}`, embedder `{result['embedder']}`, mode {result['mode']},",
        f"{before['processors']} processors, load {before['load']:g} before and {after['load']:g} after.",
    ]


def _rows(result: Mapping[str, Any]) -> Iterator[list[str]]:
    yield ["requests", "number", *(f"{name} ms" for name in TIMES), "p50 to the floor"]
    floor = result["floor"]
    yield ["floor: /livez", f"{floor['requests']:g}/s", *(f"{floor[name]:.0f}" for name in TIMES), "1"]
    for kind, one in result["kinds"].items():
        yield [kind, str(one["requests"]), *(f"{one[name]:.0f}" for name in TIMES), f"{one['to_floor']:g}"]


def _lines(result: Mapping[str, Any]) -> Iterator[str]:
    rates = result["rates"]
    yield f"{rates['writes']:g} writes/s ({rates['facts']:g} facts/s), {rates['reads']:g} reads/s, {rates['answers']:g} answers/s"
    yield f"errors {result['errors']}, refused by a limit (429) {result['limited']}, overtaken answers {result['overtaken']}"
    yield f"writes that were accepted and finished later: {result['postponed']}"
    found = result["invariants"]
    broken = "not looked for, for want of --database-url" if found is None else str(len(found))
    yield f"broken invariants, lost writes and answers: {broken}"
    yield "answers: " + ", ".join(f"{name} {count}" for name, count in result["statuses"].items())
