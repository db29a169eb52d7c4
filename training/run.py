"""Makes the model file: rows, three seeds, the best of them by the development rows, temperature, checksum.

    python -m training.run [--output app/engine/data] [--seeds 1 2 3]

The rows come from this folder alone. The frames that the development rows are made from are never trained on, and no
judging data is read: neither for training nor for choosing.
"""

from __future__ import annotations

import argparse
import json
import logging
import shutil
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch

from training.calibrate import fit_temperature, reliability, score
from training.corpus import Row
from training.export import export, logits_of_file
from training.fit import Recipe, fit, logits_of
from training.generate import Generator, development
from training.material import material

_LOG = logging.getLogger(__name__)
_TRAIN_ROWS = 26000
_TRAIN_SEED = 11
_EPOCHS = 2.0

Card = dict[str, Any]


def main() -> None:
    """Train the seeds, keep the best."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path("app/engine/data"))
    parser.add_argument("--work", type=Path, default=Path("build/relation"))
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--rows", type=int, default=_TRAIN_ROWS)
    parser.add_argument("--epochs", type=float, default=_EPOCHS)
    arguments = parser.parse_args()
    _log_to_stderr()
    train, held_out = material()
    rows = Generator(_TRAIN_SEED, train).run(arguments.rows)
    to_choose_by = development(held_out)
    _LOG.info(
        "%d rows of %d frames to train on %s, %d of %d to choose by",
        len(rows),
        len(train.frames),
        dict(Counter(row.label for row in rows)),
        len(to_choose_by),
        len(held_out.frames),
    )
    arguments.work.mkdir(parents=True, exist_ok=True)
    recipes = [Recipe(seed, epochs=arguments.epochs) for seed in arguments.seeds]
    # One thread a seed, all seeds at once: two threads for one of them are a third slower in all.
    with ProcessPoolExecutor(len(recipes), get_context("spawn"), _log_to_stderr) as pool:
        cards = list(pool.map(partial(train_one, rows, to_choose_by, arguments.work), recipes))
    best = max(cards, key=lambda card: (card["development"]["score"], -card["seed"]))
    best["spread"] = {str(card["seed"]): card["development"] for card in cards}
    shutil.copyfile(arguments.work / f"seed-{best['seed']}.onnx", arguments.output / "relation.onnx")
    (arguments.output / "relation.json").write_text(json.dumps(best, indent=1) + "\n", encoding="utf-8")
    _LOG.info("seed %d is the best of %s; temperature %.2f", best["seed"], arguments.seeds, best["temperature"])


def train_one(rows: list[Row], to_choose_by: list[Row], work: Path, recipe: Recipe) -> Card:
    """Train one seed; its file and its card are left in `work`. Returns the card, which says what the file answers."""
    started = time.monotonic()
    network = fit(rows, recipe)
    seconds = time.monotonic() - started
    torch.save(network.state_dict(), work / f"seed-{recipe.seed}.pt")
    path = work / f"seed-{recipe.seed}.onnx"
    checksum = export(network, path)
    pairs = [(row.stored, row.new) for row in to_choose_by]
    full, small = logits_of(network, pairs), logits_of_file(path, pairs)
    temperature = fit_temperature(small, to_choose_by)
    card: Card = {
        "sha256": checksum,
        "temperature": temperature,
        "seed": recipe.seed,
        "rows": dict(Counter(row.label for row in rows)),
        "seconds": round(seconds),
        "agrees with full precision": round(float((full.argmax(1) == small.argmax(1)).mean()), 4),
        "development": score(small, to_choose_by, temperature),
        "reliability": [asdict(band) for band in reliability(small, to_choose_by, temperature)],
    }
    (work / f"seed-{recipe.seed}.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    _LOG.info("seed %d: %s", recipe.seed, card["development"])
    return card


def _log_to_stderr() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")


if __name__ == "__main__":
    main()
