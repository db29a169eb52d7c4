"""What rows are made from: what is trained on, and what is kept back to choose by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from training.corpus import Cue, Frame, HandPair, read_choices, read_cues, read_frames, read_pairs

_FRAMES: Final = (
    "frames.txt",
    "frames_facts.txt",
    "numbers.txt",
    "clusters.txt",
    "clusters_life.txt",
    "clusters_work.txt",
    "clusters_facts.txt",
)
_PAIRS: Final = ("pairs.txt", "pairs_more.txt")
_HELD_OUT: Final = 8  # one frame in so many is kept for development


@dataclass(frozen=True, slots=True)
class Material:
    """What rows are made from."""

    frames: list[Frame]
    pairs: list[HandPair]
    cues: list[Cue]
    choices: list[tuple[str, list[str]]]


def material() -> tuple[Material, Material]:
    """What to train on, and what is held out: every eighth frame of each file and every eighth pair."""
    train, held_out = Material([], [], [], []), Material([], [], [], [])
    for name in _FRAMES:
        for place, frame in enumerate(read_frames(name)):
            (held_out if place % _HELD_OUT == _HELD_OUT - 1 else train).frames.append(frame)
    for name in _PAIRS:
        for place, pair in enumerate(read_pairs(name)):
            (held_out if place % _HELD_OUT == _HELD_OUT - 1 else train).pairs.append(pair)
    for place, cue in enumerate(read_cues("cues.txt")):
        (held_out if place % _HELD_OUT == _HELD_OUT - 1 else train).cues.append(cue)
    for place, one in enumerate(read_choices("choices.txt")):
        (held_out if place % _HELD_OUT == _HELD_OUT - 1 else train).choices.append(one)
    return train, held_out
