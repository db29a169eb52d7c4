"""Judges the engine as a write meets it: the tiers, then the engine, then the charter's ruling. For judging only.

    python -m training.evaluate --data DIR [--engine rules|relation] [--typed] [--errors] [--json FILE]
    python -m training.evaluate --development [--errors]

It runs in the service's own environment and needs nothing that training needs. DIR holds `pairs_dev.jsonl` or
`everyday_pairs.jsonl`; nothing of them is ever trained on, and no seed is chosen by them. With `--development` the rows are ours,
of frames that were not trained on: seed and temperature are chosen by those.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from app.charter.defaults import Neighbour, tier_of
from app.charter.model import Charter, Incoming, Kind, MemoryType, Mode, Operation, Outcome, Source, Status, Target, Verdict
from app.charter.policy import rule_on
from app.embedding.local import MODEL, LocalEmbedder
from app.embedding.profiles import thresholds_for
from app.engine.cues import type_by_cue
from app.engine.local import LocalEngine as Rules
from app.engine.port import Candidate, Engine, Proposal, Question
from app.engine.relation.engine import LocalEngine
from app.engine.relation.model import FOLDER, RelationModel
from app.settings import CharterSettings
from training.generate import development
from training.labels import LABELS
from training.material import material

_NOW = datetime(2026, 1, 1, tzinfo=UTC)
_ID = UUID(int=1)
_ANSWERS = {
    Operation.NOOP: "duplicate",
    Operation.ADD: "new",
    Operation.CONTRADICT: "conflict",
    Operation.UPDATE: "update",
    Operation.SUPERSEDE: "update",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of one row."""

    row: dict[str, Any]
    said: str
    silent: bool
    asks: bool
    confidence: int
    similarity: float
    tier: str

    @property
    def silent_loss(self) -> bool:
        """A conflict or update dropped, or a conflict or new fact that rewrote the stored one, with nobody told."""
        label, lenient = self.row["label"], self.row["lenient"]
        if self.said == "duplicate":
            return label in {"conflict", "update"} and "duplicate" not in lenient
        rewrites = self.said == "update" and self.silent
        return rewrites and (label == "new" or (label == "conflict" and "update" not in lenient))

    @property
    def missed(self) -> bool:
        """A conflict or update stored beside the old fact with nobody told."""
        return self.row["label"] in {"conflict", "update"} and self.said == "new"

    @property
    def missed_lenient(self) -> bool:
        """The same, without those that may as well be new."""
        return self.missed and "new" not in self.row["lenient"]

    @property
    def false_alarm(self) -> bool:
        """A clarification for a duplicate or a compatible new fact."""
        return self.row["label"] in {"duplicate", "new"} and self.asks


async def judge(rows: Sequence[dict[str, Any]], engine: Engine, *, typed: bool) -> list[Answer]:
    """One answer a row, as a write of its new text beside its stored one would be answered under a draft charter."""
    embedder = LocalEmbedder()
    old = await embedder.embed([row["a"] for row in rows])
    new = await embedder.embed([row["b"] for row in rows])
    await embedder.close()
    thresholds = thresholds_for(MODEL, CharterSettings())
    charter = Charter(Mode.DEFER, thresholds)
    answers = []
    for row, one, other in zip(rows, old, new, strict=True):
        similarity = max(-1.0, min(1.0, sum(a * b for a, b in zip(one, other, strict=True))))
        types = [type_by_cue(row[side]) if typed else MemoryType.FACT for side in ("a", "b")]
        target = Target(_ID, "u", Kind.ATOM, row["a"], types[0], Status.ACTIVE, False, Source.USER, _NOW - timedelta(days=1))  # noqa: FBT003
        incoming = Incoming("u", row["b"], types[1], Source.USER, _NOW)
        verdict = tier_of(incoming, target, [Neighbour(target, similarity)], thresholds)
        tier = verdict.tier.value if verdict else "engine"
        if verdict is None:
            verdict = await _ask(engine, row, types, similarity)
        ruling = rule_on(verdict, incoming, target if verdict.target else None, charter)
        pending = ruling.pending_operation or ruling.operation
        silent = ruling.outcome in {Outcome.UPDATED, Outcome.SUPERSEDED}
        said = "duplicate" if ruling.outcome in {Outcome.DEDUPLICATED, Outcome.LINKED} else _ANSWERS[pending or Operation.ADD]
        answers.append(Answer(row, said, silent, ruling.asks, int(str(verdict.confidence)), similarity, tier))
    return answers


async def _ask(engine: Engine, row: dict[str, Any], types: Sequence[MemoryType], similarity: float) -> Verdict:
    candidate = Candidate("c1", row["a"], types[0], "self", similarity, _NOW - timedelta(days=1), None, immutable=False)
    question = Question(0, row["b"], types[1], _NOW, None, Source.USER, (candidate,))
    (proposal,) = (await engine.decide([question])).answers
    assert isinstance(proposal, Proposal)  # noqa: S101 - the local engines always propose
    target = _ID if proposal.target else None
    return Verdict(proposal.operation, target, proposal.confidence, proposal.reasoning, proposal.merged_content)


def figures(answers: Sequence[Answer]) -> dict[str, float]:
    """What counts, in the order in which it counts."""
    changed = [one for one in answers if one.row["label"] in {"conflict", "update"}]
    same = [one for one in answers if one.row["label"] in {"duplicate", "new"}]
    share = lambda found, of: round(sum(found) / len(of), 3) if of else 0.0
    return {
        "rows": len(answers),
        "silent_loss": sum(one.silent_loss for one in answers),
        "missed": share((one.missed for one in changed), changed),
        "missed_lenient": share((one.missed_lenient for one in changed), changed),
        "false_alarm": share((one.false_alarm for one in same), same),
        "strict": share((one.said == one.row["label"] for one in answers), answers),
        "lenient": share((one.said in one.row["lenient"] for one in answers), answers),
    }


def reliability(answers: Sequence[Answer]) -> list[tuple[str, int, float]]:
    """For the engine's verdicts other than ADD, by confidence: how many there were, and how many were right."""
    bands: defaultdict[str, list[bool]] = defaultdict(list)
    for one in answers:
        if one.tier == "engine" and one.said != "new":
            band = "90-100" if one.confidence >= 90 else "70-89" if one.confidence >= 70 else "under 70"
            bands[band].append(one.said in one.row["lenient"])
    return [(band, len(found), round(sum(found) / len(found), 3)) for band, found in sorted(bands.items(), reverse=True)]


def read_rows(folder: Path) -> list[dict[str, Any]]:
    """The rows of the files that are there, each with the group that its figures are told by."""
    rows: list[dict[str, Any]] = []
    for name in ("pairs_dev", "everyday_pairs"):
        path = folder / f"{name}.jsonl"
        for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
            row = json.loads(line)
            language = row.get("lang", "en")
            group = row.get("source") or (row["group"] if language == "en" else f"in {language}")
            rows.append(row | {"file": name, "of": f"{name}: {group}", "english": language == "en"})
    return rows


def report(answers: Sequence[Answer]) -> dict[str, dict[str, float]]:
    """Figures overall, per file, and per source."""
    groups: defaultdict[str, list[Answer]] = defaultdict(list)
    for one in answers:
        groups["all"].append(one)
        groups[one.row["file"]].append(one)
        if one.row["file"] == "everyday_pairs" and one.row["english"]:
            groups["everyday_pairs in English"].append(one)
        groups[one.row["of"]].append(one)
    return {name: figures(found) for name, found in groups.items()}


_LENIENT = {
    "duplicate": ["duplicate"],
    "detail": ["update", "duplicate", "new"],
    "change": ["update", "conflict"],
    "conflict": ["conflict", "update"],
    "new": ["new"],
}
_LABELS = {"detail": "update", "change": "update"}


def development_rows() -> list[dict[str, Any]]:
    """Rows of our own, each with the group that its figures are told by. A row may be what its soft label says, too."""
    _, held_out = material()
    rows = []
    for row in development(held_out):
        label = _LABELS.get(row.label, row.label)
        lenient = [name for label, share in zip(LABELS, row.target, strict=True) if share for name in _LENIENT[label]]
        told = {"a": row.stored, "b": row.new, "label": label, "lenient": lenient}
        rows.append(told | {"file": "development", "of": f"development: {row.kind}", "english": True})
    return rows


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--development", action="store_true", help="judge our own development rows")
    parser.add_argument("--engine", choices=["relation", "rules"], default="relation")
    parser.add_argument("--model", type=Path, default=FOLDER, help="another folder with relation.onnx and relation.json")
    parser.add_argument("--typed", action="store_true", help="type the rows by cue instead of calling all of them facts")
    parser.add_argument("--errors", action="store_true", help="print every row that was answered wrongly")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    engine = Rules() if arguments.engine == "rules" else LocalEngine(RelationModel(arguments.model))
    rows = development_rows() if arguments.development else read_rows(arguments.data)
    answers = asyncio.run(judge(rows, engine, typed=arguments.typed))
    found = report(answers)
    columns = ("rows", "silent_loss", "missed", "missed_lenient", "false_alarm", "strict", "lenient")
    print(f"{engine.name:42}" + "".join(f"{column:>15}" for column in columns))  # noqa: T201
    for name, values in found.items():
        print(f"{name:42}" + "".join(f"{values[column]:15g}" for column in columns))  # noqa: T201
    for band, count, right in reliability(answers):
        print(f"confidence {band:10} {count:5} verdicts, right {right}")  # noqa: T201
    print("tiers:", dict(Counter(one.tier for one in answers)))  # noqa: T201
    for one in answers:
        if arguments.errors and (one.said not in one.row["lenient"] or one.silent_loss or one.false_alarm):
            mark = "LOSS" if one.silent_loss else "ALARM" if one.false_alarm else "missed" if one.missed else "wrong"
            texts = f"{one.row['a']} | {one.row['b']}"
            print(f"{mark:7}{one.row['label']} said {one.said} {one.confidence} {one.tier} {one.row['of']} | {texts}")  # noqa: T201
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
