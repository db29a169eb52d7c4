"""What thresholds do to labelled pairs, and which ones to choose. Pure: cosines in, counts out.

Two texts of a pair were embedded; `cosine` is their likeness. Under `new_below` the second would be added silently, so a
conflict or an update is lost there. At `duplicate_at` and more it would be dropped silently where the divergence guard
agrees (charter section 2, Defaults), so all but duplicates are lost there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

# In thousandths, so that no threshold is 0.9800000000000001. The gate may not rise so high that the engine sees nothing.
_GATES = range(0, 960, 10)
# Never under the charter's own 0.98: the guard lets through the same words only, and those lie above it in any model.
_DUPLICATES = range(980, 1000)


class Label(StrEnum):
    """What the second text of a pair is to the first."""

    DUPLICATE = "duplicate"
    CONFLICT = "conflict"
    UPDATE = "update"
    NEW = "new"


CHANGES = frozenset({Label.CONFLICT, Label.UPDATE})
"""Labels that must not be added silently: somebody has to be told that the stored fact is not what it was."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts, the stored one first."""

    a: str
    b: str
    label: Label


@dataclass(frozen=True, slots=True)
class Measured:
    """A pair's label, its cosine in [-1, 1], and whether the divergence guard sees the same words on both sides."""

    label: Label
    cosine: float
    same_words: bool


@dataclass(frozen=True, slots=True)
class Cut:
    """Two thresholds, cosines in [0, 1]."""

    duplicate_at: float
    new_below: float


@dataclass(frozen=True, slots=True)
class Tiers:
    """How many pairs of one label go where. `guarded` of those that the engine gets were alike enough to be dropped."""

    added: int = 0
    engine: int = 0
    dropped: int = 0
    guarded: int = 0

    @property
    def total(self) -> int:
        """All pairs of the label."""
        return self.added + self.engine + self.dropped


@dataclass(frozen=True, slots=True)
class Share:
    """`lost` of `total`, and how much it may truly be."""

    lost: int
    total: int

    @property
    def rate(self) -> float:
        """In [0, 1]; 0 of nothing is 0."""
        return self.lost / self.total if self.total else 0.0

    @property
    def at_most(self) -> float:
        """Upper end of the one-sided 95 % interval (Clopper and Pearson), in [0, 1]; 1 where nothing was counted."""
        return upper_bound(self.lost, self.total)


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The thresholds for a loss bound.

    `missed` are conflicts and updates under the gate. `alike` are pairs that say different things at `duplicate_at` or
    more, which only the guard keeps; where they exceed the bound, `within` is false: the model cannot tell them.
    """

    cut: Cut
    missed: Share
    alike: Share
    within: bool


def tiers(pairs: Iterable[Measured], cut: Cut) -> Mapping[Label, Tiers]:
    """Where each label's pairs go."""
    counts = {label: [0, 0, 0, 0] for label in Label}
    for pair in pairs:
        alike = pair.cosine >= cut.duplicate_at
        place = 0 if pair.cosine < cut.new_below else 2 if alike and pair.same_words else 1
        counts[pair.label][place] += 1
        counts[pair.label][3] += alike and not pair.same_words
    return {label: Tiers(*count) for label, count in counts.items()}


def recommend(pairs: Sequence[Measured], loss: float) -> Recommendation:
    """The thresholds for a loss bound in [0, 1).

    The gate is the highest, in steps of 0.01, that adds at most the share `loss` of conflicts and updates silently. The
    duplicate threshold is the lowest of 0.980 to 0.999 that at most `loss` of the pairs reach which say different things:
    the guard is not counted on, it stands behind the threshold.
    """
    changes = [pair.cosine for pair in pairs if pair.label in CHANGES]
    different = [pair.cosine for pair in pairs if pair.label is not Label.DUPLICATE]
    allowed = math.floor(loss * len(changes))
    gate = max((step for step in _GATES if _under(changes, step / 1000) <= allowed), default=0)
    bound = math.floor(loss * len(different))
    fitting = [step for step in _DUPLICATES if _reaching(different, step / 1000) <= bound]
    duplicate_at = (fitting[0] if fitting else _DUPLICATES[-1]) / 1000
    return Recommendation(
        cut=Cut(duplicate_at, gate / 1000),
        missed=Share(_under(changes, gate / 1000), len(changes)),
        alike=Share(_reaching(different, duplicate_at), len(different)),
        within=bool(fitting),
    )


def missed(pairs: Iterable[Measured], cut: Cut) -> Share:
    """Conflicts and updates that would be added silently."""
    changes = [pair.cosine for pair in pairs if pair.label in CHANGES]
    return Share(_under(changes, cut.new_below), len(changes))


def histogram(cosines: Iterable[float], bins: int) -> list[int]:
    """Counts in `bins` equal parts of [0, 1]; what lies outside counts in the first or the last."""
    counts = [0] * bins
    for cosine in cosines:
        counts[min(max(int(cosine * bins), 0), bins - 1)] += 1
    return counts


def upper_bound(lost: int, total: int, confidence: float = 0.95) -> float:
    """The rate above which seeing no more than `lost` of `total` has a chance under 1 - `confidence`; in [0, 1]."""
    if lost >= total:
        return 1.0
    low, high = lost / total, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        chance = sum(_binomial(k, total, middle) for k in range(lost + 1))
        low, high = (middle, high) if chance > 1 - confidence else (low, middle)
    return high


def _binomial(k: int, total: int, rate: float) -> float:
    ways = math.lgamma(total + 1) - math.lgamma(k + 1) - math.lgamma(total - k + 1)
    return math.exp(ways + k * math.log(rate) + (total - k) * math.log1p(-rate)) if rate else float(k == 0)


def _under(cosines: Iterable[float], gate: float) -> int:
    return sum(cosine < gate for cosine in cosines)


def _reaching(cosines: Iterable[float], duplicate_at: float) -> int:
    return sum(cosine >= duplicate_at for cosine in cosines)
