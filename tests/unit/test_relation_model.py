"""The committed model file: checked before it is used, and reading pairs as its card says."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from app.engine.relation.model import FOLDER, RelationModel
from app.errors import ConfigurationError

CLEAR = [
    ("Hana lives in Oslo", "Hana's home is in Oslo", "duplicate"),
    ("Hana lives in Oslo", "Hana moved from Oslo to Porto", "change"),
    ("The gate is locked", "The gate is not locked", "conflict"),
    ("Hana has a dog", "Otto likes jazz", "new"),
]


def copied(to: Path) -> Path:
    for name in ("relation.onnx", "relation.json"):
        shutil.copyfile(FOLDER / name, to / name)
    return to


@pytest.fixture(scope="module")
def model() -> RelationModel:
    return RelationModel()


@pytest.mark.parametrize(("stored", "new", "relation"), CLEAR)
def test_clear_pairs_are_read_rightly(model: RelationModel, stored: str, new: str, relation: str) -> None:
    (found,) = model.judge([(stored, new)])
    shares = {name: getattr(found, name) for name in ("duplicate", "detail", "change", "conflict", "new")}
    assert max(shares, key=shares.__getitem__) == relation
    assert sum(shares.values()) == pytest.approx(1)
    assert not found.truncated


def test_the_same_pairs_give_the_same_shares_in_any_company(model: RelationModel) -> None:
    pairs = [(stored, new) for stored, new, _ in CLEAR]
    together = model.judge(pairs)
    assert together == [model.judge([pair])[0] for pair in pairs] == RelationModel().judge(pairs)


def test_a_pair_longer_than_the_model_reads_is_marked(model: RelationModel) -> None:
    (found,) = model.judge([("Hana lives in Oslo", "and then Hana moved " * 40)])
    assert found.truncated


def test_a_pair_that_is_cut_before_it_is_read_is_marked_however_few_its_words(model: RelationModel) -> None:
    (found,) = model.judge([("Hana lives in Oslo", "Hana lives in Oslo" + " " * 1500 + "no more")])
    assert found.truncated


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    with (copied(tmp_path) / "relation.onnx").open("ab") as file:
        file.write(b"\0")
    with pytest.raises(ConfigurationError, match=r"relation\.onnx"):
        RelationModel(tmp_path)


@pytest.mark.parametrize("name", ["relation.onnx", "relation.json"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    (copied(tmp_path) / name).unlink()
    with pytest.raises(ConfigurationError, match=name):
        RelationModel(tmp_path)


@pytest.mark.parametrize("card", ["", "[]", "{}", *(json.dumps({"sha256": "0", "temperature": heat}) for heat in ("warm", 0, -1, 99))])
def test_an_unreadable_card_is_refused(tmp_path: Path, card: str) -> None:
    (copied(tmp_path) / "relation.json").write_text(card)
    with pytest.raises(ConfigurationError, match=r"relation\.json"):
        RelationModel(tmp_path)


def test_what_the_licences_ask_for_lies_beside_the_files() -> None:
    assert "Apache License" in (FOLDER / "relation.LICENSE").read_text()
    assert "all-MiniLM-L6-v2" in (FOLDER / "relation.NOTICE").read_text()
    assert "Princeton University" in (FOLDER / "wordnet.NOTICE").read_text()
