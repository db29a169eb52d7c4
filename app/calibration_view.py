"""How a calibration looks in a terminal: where each label lies, what each tier does with it, what to set."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from app.embedding.calibration import CHANGES, Cut, Label, Measured, Recommendation, Share, Tiers, histogram, missed, tiers
from app.services.calibration import Measurement

_BARS = " ▁▂▃▄▅▆▇█"
_BINS = 50
_FIRST = 11  # columns before the plot
_COLOURS = {Label.DUPLICATE: "green", Label.CONFLICT: "red", Label.UPDATE: "yellow", Label.NEW: "cyan"}


def show(model: str, measurement: Measurement, current: Cut, recommended: Recommendation, loss: float) -> None:
    """Print it all to standard output."""
    console = Console(highlight=False, soft_wrap=False)
    pairs = measurement.pairs
    console.print(Text(f"Embedding model {model}, {len(pairs)} labelled pairs.\n"))
    for line in _plot(pairs, current, recommended.cut):
        console.print(line)
    console.print()
    console.print(_table("At the thresholds in force", pairs, current))
    console.print(_table(f"At the recommended ones, for a loss of at most {_percent(loss)}", pairs, recommended.cut))
    for sentence in _sentences(measurement, current, recommended, loss):
        console.print(Text(sentence), soft_wrap=True)


def _plot(pairs: tuple[Measured, ...], current: Cut, recommended: Cut) -> Iterator[Text]:
    """One row of bars a label, each scaled to its own highest, over one axis from 0 to 1."""
    for label in Label:
        counts = histogram((pair.cosine for pair in pairs if pair.label is label), _BINS)
        bars = "".join(_bar(count, max(counts)) for count in counts)
        yield Text(f"{label.value:<{_FIRST}}").append(bars, style=_COLOURS[label]).append(f" {sum(counts):>4}")
    yield Text(f"{'cosine':<{_FIRST}}" + "".join(f"{tenth / 10:<5.1f}" for tenth in range(0, 10, 1)) + "1.0")
    yield _marks("in force", current)
    yield _marks("better", recommended)


def _bar(count: int, highest: int) -> str:
    return _BARS[0] if not count else _BARS[max(1, round(count / highest * (len(_BARS) - 1)))]


def _marks(name: str, cut: Cut) -> Text:
    row = [" "] * (_BINS + 1)
    for cosine in (cut.new_below, cut.duplicate_at):
        row[min(int(cosine * _BINS), _BINS)] = "^"
    return Text(f"{name:<{_FIRST}}{''.join(row)} {cut.new_below:g} and {cut.duplicate_at:g}")


def _table(title: str, pairs: tuple[Measured, ...], cut: Cut) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("label")
    for heading in (
        "pairs",
        f"added silently (< {cut.new_below:g})",
        "to the engine",
        f"dropped silently (>= {cut.duplicate_at:g})",
        "held by guard",
    ):
        table.add_column(heading, justify="right")
    for label, counts in tiers(pairs, cut).items():
        if counts.total:
            table.add_row(*_cells(label, counts))
    return table


def _cells(label: Label, counts: Tiers) -> tuple[Text, ...]:
    """A row; what is lost stands in red."""
    lost_below, lost_above = label in CHANGES, label is not Label.DUPLICATE
    return (
        Text(label.value),
        Text(str(counts.total)),
        _cell(counts.added, counts.total, lost=lost_below),
        _cell(counts.engine, counts.total, lost=False),
        _cell(counts.dropped, counts.total, lost=lost_above),
        Text(str(counts.guarded)),
    )


def _cell(count: int, total: int, *, lost: bool) -> Text:
    return Text(f"{count} ({_percent(count / total)})", style="bold red" if lost and count else "")


def _sentences(measurement: Measurement, current: Cut, recommended: Recommendation, loss: float) -> Iterator[str]:
    cut, alike = recommended.cut, recommended.alike
    now = missed(measurement.pairs, current)
    yield f"Recommended: new_below {cut.new_below:g}, duplicate_at {cut.duplicate_at:g}."
    yield f"Changed facts added silently: {_share(now)} now, {_share(recommended.missed)} then."
    strangers = [1000 * measurement.strangers_reaching(gate) for gate in (current.new_below, cut.new_below)]
    yield f"Of 1,000 stored facts about something else the engine is shown {strangers[0]:.0f} now, {strangers[1]:.0f} then."
    kept = f"{alike.lost} of {alike.total}"
    yield f"Pairs that say different things at {cut.duplicate_at:g} or more, kept by the divergence guard alone: {kept}."
    if not recommended.within:
        yield "That is more than the bound: this model gives different texts one vector. The guard, which reads the words, keeps them."
    total = recommended.missed.total
    if loss and total < 1 / loss:
        yield f"These are too few pairs to speak of {_percent(loss)}: none of {total} may be lost. Give more with --pairs."


def _share(share: Share) -> str:
    return f"{share.lost} of {share.total} ({_percent(share.rate)}, at most {_percent(share.at_most)} with 95 % confidence)"


def _percent(rate: float) -> str:
    return f"{100 * rate:.3g} %"
