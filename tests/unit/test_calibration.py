"""Which thresholds labelled cosines lead to, and what a file of pairs may look like."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.embedding.calibration import CHANGES, Cut, Label, Measured, Share, Tiers, histogram, missed, recommend, tiers, upper_bound
from app.errors import InvalidInputError
from app.services.calibration import measure, read_pairs, shipped_pairs


def labelled(label: Label, *cosines: float, same_words: bool = False) -> list[Measured]:
    return [Measured(label, cosine, same_words) for cosine in cosines]


HUNDRED = [
    *labelled(Label.CONFLICT, *(0.40 + n / 200 for n in range(100))),  # 0.40 to 0.895
    *labelled(Label.UPDATE, *(0.30 + n / 200 for n in range(100))),  # 0.30 to 0.795
    *labelled(Label.NEW, *(n / 100 for n in range(50))),
    *labelled(Label.DUPLICATE, *(0.95 + n / 1000 for n in range(50)), same_words=True),
]


@pytest.mark.parametrize(("loss", "gate", "lost"), [(0.0, 0.30, 0), (0.01, 0.31, 2), (0.05, 0.35, 10), (0.1, 0.40, 20)])
def test_the_gate_is_the_highest_within_the_bound(loss: float, gate: float, lost: int) -> None:
    found = recommend(HUNDRED, loss)
    assert found.cut.new_below == pytest.approx(gate)
    assert found.missed == Share(lost, 200)
    assert missed(HUNDRED, Cut(0.98, gate + 0.01)).rate > loss


def test_only_changes_count_for_the_gate() -> None:
    pairs = [*labelled(Label.CONFLICT, *[0.8] * 50), *labelled(Label.NEW, *[0.1] * 50), *labelled(Label.DUPLICATE, *[0.2] * 50)]
    assert recommend(pairs, 0.0).cut.new_below == 0.80


@pytest.mark.parametrize(
    ("alike", "loss", "duplicate_at", "within"),
    [
        pytest.param([0.97], 0.0, 0.98, True, id="never under the charter's"),
        pytest.param([0.985], 0.0, 0.986, True, id="above the last that says something else"),
        pytest.param([0.985], 0.02, 0.98, True, id="one in fifty may"),
        pytest.param([1.0], 0.0, 0.999, False, id="one vector for two meanings"),
    ],
)
def test_the_duplicate_threshold(alike: list[float], loss: float, duplicate_at: float, within: bool) -> None:  # noqa: FBT001
    pairs = [*labelled(Label.CONFLICT, *[0.8] * 49, *alike), *labelled(Label.DUPLICATE, 0.99, same_words=True)]
    found = recommend(pairs, loss)
    assert found.cut.duplicate_at == duplicate_at
    assert found.within is within
    assert found.alike.lost == sum(cosine >= duplicate_at for cosine in alike)


def test_where_each_label_goes() -> None:
    pairs = [
        *labelled(Label.CONFLICT, 0.2, 0.5, 0.99),
        *labelled(Label.CONFLICT, 0.98, same_words=True),
        *labelled(Label.DUPLICATE, 0.98, 0.33, same_words=True),
    ]
    found = tiers(pairs, Cut(0.98, 0.33))
    assert found[Label.CONFLICT] == Tiers(added=1, engine=2, dropped=1, guarded=1)
    assert found[Label.DUPLICATE] == Tiers(added=0, engine=1, dropped=1, guarded=0)
    assert found[Label.CONFLICT].total == 4
    assert found[Label.NEW].total == 0


COSINES = st.lists(st.tuples(st.sampled_from(Label), st.floats(-1, 1), st.booleans()), min_size=1, max_size=60)


@given(COSINES, st.floats(0, 0.5))
def test_a_recommendation_keeps_its_bound_and_counts_every_pair(rows: list[tuple[Label, float, bool]], loss: float) -> None:
    pairs = [Measured(*row) for row in rows]
    found = recommend(pairs, loss)
    assert found.cut.new_below < found.cut.duplicate_at
    # A gate of 0 is the lowest there is; a cosine may lie under it.
    assert found.missed.rate <= loss or found.cut.new_below == 0
    assert found.alike.rate <= loss or not found.within
    assert sum(one.total for one in tiers(pairs, found.cut).values()) == len(pairs)


@pytest.mark.parametrize(("lost", "total", "bound"), [(0, 100, 0.0295), (1, 100, 0.0466), (0, 0, 1.0), (5, 5, 1.0), (0, 3000, 0.000998)])
def test_what_so_few_pairs_can_say(lost: int, total: int, bound: float) -> None:
    assert upper_bound(lost, total) == pytest.approx(bound, rel=0.01)


def test_a_bound_of_many_pairs_does_not_overflow() -> None:
    assert 0.4 < upper_bound(2000, 5000) < 0.42


def test_the_histogram_has_all_in_it() -> None:
    assert histogram([-0.5, 0.0, 0.24, 0.25, 0.999, 1.0], 4) == [3, 1, 0, 2]


def test_the_pairs_that_come_along() -> None:
    pairs = shipped_pairs()
    assert {label: sum(pair.label is label for pair in pairs) for label in Label} == dict.fromkeys(Label, 50)
    assert len({(pair.a, pair.b) for pair in pairs}) == 200
    assert all(pair.a != pair.b for pair in pairs)


def test_pairs_are_read_with_whatever_stands_beside_them(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    rows = [{"a": "x", "b": "y", "label": label, "source": "s", "lenient": ["new"]} for label in Label]
    file.write_bytes(b"\xef\xbb\xbf" + "\n\n".join(json.dumps(row) for row in rows).encode())
    assert [pair.label for pair in read_pairs(file)] == list(Label)


GOOD = '{"a": "x", "b": "secret words", "label": "conflict"}\n{"a": "x", "b": "y", "label": "new"}\n'


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        pytest.param("nonsense", "line 3: not JSON", id="no JSON"),
        pytest.param("[1]", "line 3: not an object", id="no object"),
        pytest.param('{"a": "x", "b": "y", "label": "same"}', "line 3: label must be one of duplicate", id="another label"),
        pytest.param('{"a": "x", "b": "y"}', "line 3: label", id="no label"),
        pytest.param('{"a": "x", "label": "new"}', "line 3: b must be a text", id="no b"),
        pytest.param('{"a": " ", "b": "y", "label": "new"}', "line 3: a must be a text", id="an empty a"),
        pytest.param(json.dumps({"a": "x", "b": "y" * 8001, "label": "new"}), "line 3: b must be a text", id="too long"),
        pytest.param('{"a": 5, "b": "y", "label": "new"}', "line 3: a must be a text", id="a number"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, fault: str) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text(GOOD + line + "\n", encoding="utf-8")
    with pytest.raises(InvalidInputError, match=fault) as raised:
        read_pairs(file)
    assert "secret" not in raised.value.detail


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        pytest.param(b'{"a": "x", "b": "y", "label": "new"}', "no pair labelled conflict or update", id="nothing to lose"),
        pytest.param(b'{"a": "x", "b": "y", "label": "update"}', "no pair labelled new", id="nothing unrelated"),
        pytest.param(b"", "no pair", id="empty"),
        pytest.param(b"\xff\xfe", "not UTF-8", id="another encoding"),
        pytest.param(None, "cannot be read", id="not there"),
    ],
)
def test_a_file_that_says_too_little(tmp_path: Path, content: bytes | None, fault: str) -> None:
    file = tmp_path / "pairs.jsonl"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InvalidInputError, match=fault):
        read_pairs(file)


class Angles:
    """An embedder in the plane: a text is its angle in degrees."""

    model = "angles"
    dimensions = 2

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def start(self) -> None: ...

    async def embed(self, texts: object) -> list[list[float]]:
        assert isinstance(texts, list)
        self.asked += texts
        return [[math.cos(math.radians(float(text))), math.sin(math.radians(float(text)))] for text in texts]

    async def close(self) -> None: ...


async def test_each_text_is_embedded_once_and_strangers_are_other_facts(tmp_path: Path) -> None:
    rows = [("0", "60", "conflict"), ("0", "90", "update"), ("180", "180.0", "new")]
    file = tmp_path / "pairs.jsonl"
    file.write_text("\n".join(json.dumps({"a": a, "b": b, "label": label}) for a, b, label in rows), encoding="utf-8")
    embedder, told = Angles(), list[tuple[int, int]]()
    found = await measure(embedder, read_pairs(file), lambda done, total: told.append((done, total)))
    assert sorted(embedder.asked) == sorted({"0", "60", "90", "180", "180.0"})
    assert told == [(5, 5)]
    assert [pair.cosine for pair in found.pairs] == pytest.approx([0.5, 0.0, 1.0], abs=1e-9)
    # Of the others' first texts: 180 beside 60 and 90, 0 (twice) beside 180.0; the 0 that both first pairs share is none.
    assert sorted(found.strangers) == pytest.approx([-1.0, -1.0, -0.5, 0.0], abs=1e-9)
    assert found.strangers_reaching(-0.75) == 0.5
    assert {pair.label for pair in found.pairs} & CHANGES
