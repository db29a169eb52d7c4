"""The training loop: one seed, one network. The same rows and the same seed give the same weights on the same machine."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional

from training.corpus import Row
from training.labels import LABELS
from training.network import RelationNetwork, load_tokenizer

_LOG = logging.getLogger(__name__)

_BATCH, _WARM_UP, _SMOOTHING = 32, 40, 0.005
_FROZEN = 2  # the lowest layers know words already; leaving them alone saves a fifth of the time


@dataclass(frozen=True, slots=True)
class Recipe:
    """What may be changed from the command line."""

    seed: int
    epochs: float
    rate: float = 1e-4
    threads: int = 1


def fit(rows: Sequence[Row], recipe: Recipe) -> RelationNetwork:
    """A network trained on `rows`, in evaluation mode."""
    torch.manual_seed(recipe.seed)
    torch.set_num_threads(recipe.threads)
    choice = random.Random(recipe.seed)  # noqa: S311 - an order, no secret
    rows, examples = _encode(rows)
    targets = torch.tensor([row.target for row in rows]) * (1 - _SMOOTHING) + _SMOOTHING / len(LABELS)
    mass = targets.sum(0)
    balance = (mass.mean() / mass) ** 0.5
    network = RelationNetwork()
    network.load_base()
    network.freeze(_FROZEN)
    optimiser = _optimiser(network, recipe.rate)
    steps = int(len(rows) / _BATCH * recipe.epochs)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: min((step + 1) / _WARM_UP, max(0.02, 1 - step / steps)))
    network.train()
    started, total = time.monotonic(), 0.0
    for step, places in enumerate(_batches(examples, choice, steps), start=1):
        ids, mask, segments = pad([examples[place] for place in places])
        logits = network(ids, mask, segments)
        loss = -(targets[places] * balance * functional.log_softmax(logits, -1)).sum(-1).mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        total += loss.item()
        if step % 50 == 0:
            _LOG.info("seed %d step %d of %d loss %.3f after %.0f s", recipe.seed, step, steps, total / 50, time.monotonic() - started)
            total = 0.0
    return network.eval()


def logits_of(network: RelationNetwork, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
    """Logits of (stored, new) pairs, in their order, in full precision."""
    encodings = load_tokenizer().encode_batch(list(pairs))
    examples = [(encoding.ids, encoding.type_ids) for encoding in encodings]
    order = sorted(range(len(examples)), key=lambda place: len(examples[place][0]))
    found = np.zeros((len(examples), len(LABELS)), dtype=np.float32)
    with torch.inference_mode():
        for start in range(0, len(order), 64):
            places = order[start : start + 64]
            found[places] = network(*pad([examples[place] for place in places])).numpy()
    return found


Example = tuple[list[int], list[int]]


def _encode(rows: Sequence[Row]) -> tuple[list[Row], list[Example]]:
    """The rows that the model can read to their end, and what it reads of them."""
    encodings = load_tokenizer().encode_batch([(row.stored, row.new) for row in rows])
    whole = [(row, encoding) for row, encoding in zip(rows, encodings, strict=True) if not encoding.overflowing]
    return [row for row, _ in whole], [(encoding.ids, encoding.type_ids) for _, encoding in whole]


def pad(examples: Sequence[Example]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Ids, mask and segments of like width."""
    width = max(len(ids) for ids, _ in examples)
    full = [
        (ids + [0] * (width - len(ids)), [1] * len(ids) + [0] * (width - len(ids)), kinds + [0] * (width - len(ids)))
        for ids, kinds in examples
    ]
    ids, mask, segments = (torch.tensor(column) for column in zip(*full, strict=True))
    return ids, mask, segments


def _optimiser(network: RelationNetwork, rate: float) -> torch.optim.AdamW:
    groups: dict[tuple[bool, bool], list[torch.nn.Parameter]] = {}
    for name, parameter in network.named_parameters():
        if parameter.requires_grad:
            groups.setdefault((name.startswith(("head", "answer")), parameter.ndim > 1), []).append(parameter)
    return torch.optim.AdamW(
        [
            {"params": parameters, "lr": rate * (5 if fresh else 1), "weight_decay": 0.01 if decays else 0.0}
            for (fresh, decays), parameters in groups.items()
        ],
        fused=True,
    )


def _batches(examples: Sequence[Example], choice: random.Random, steps: int) -> Iterator[list[int]]:
    """Batches of texts of like length, in random order, until `steps` have been given."""
    given = 0
    while True:
        places = list(range(len(examples)))
        choice.shuffle(places)
        epoch: list[list[int]] = []
        for start in range(0, len(places), _BATCH * 40):
            block = sorted(places[start : start + _BATCH * 40], key=lambda place: len(examples[place][0]))
            batches = [block[begin : begin + _BATCH] for begin in range(0, len(block), _BATCH)]
            choice.shuffle(batches)
            epoch += batches
        for batch in epoch:
            if given == steps:
                return
            given += 1
            yield batch
