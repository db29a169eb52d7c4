"""Thresholds: measured for a model, else the charter's, with the operator's settings on top."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import structlog

from app.charter.model import Thresholds
from app.embedding.profiles import Entry, read_profiles, thresholds_for, write_profile
from app.errors import ConfigurationError
from app.settings import CharterSettings

LOCAL = "all-MiniLM-L6-v2-int8"


def test_the_local_model_has_a_measured_profile() -> None:
    assert thresholds_for(LOCAL, CharterSettings()) == Thresholds(0.98, 0.33, 70, f"profile:{LOCAL}")


def test_an_unknown_model_has_the_charters_numbers() -> None:
    assert thresholds_for("somebody's", CharterSettings()) == Thresholds(0.98, 0.70, 70, "charter default")


def test_settings_override_and_are_named() -> None:
    charter = CharterSettings(new_below=0.5, low_confidence=80)
    expected = Thresholds(0.98, 0.5, 80, "charter default, setting: low_confidence new_below")
    assert thresholds_for("somebody's", charter) == expected


@pytest.mark.parametrize(("duplicate_at", "new_below"), [(0.3, None), (None, 0.99), (0.5, 0.5)])
def test_a_fact_cannot_be_new_and_a_duplicate(duplicate_at: float | None, new_below: float | None) -> None:
    with pytest.raises(ConfigurationError, match="HELIXIR_CHARTER__NEW_BELOW"):
        thresholds_for(LOCAL, CharterSettings(duplicate_at=duplicate_at, new_below=new_below))


def test_zero_is_a_setting_too() -> None:
    assert thresholds_for(LOCAL, CharterSettings(new_below=0.0)).new_below == 0.0


@pytest.mark.parametrize("name", ["sentence-transformers/all-MiniLM-L6-v2", "all-minilm:latest", "All-MiniLM-L6-v2"])
def test_a_model_is_known_by_the_names_that_servers_give_it(name: str) -> None:
    assert thresholds_for(name, CharterSettings()).new_below == 0.33


def test_another_model_of_the_family_is_not_taken_for_it() -> None:
    assert thresholds_for("all-minilm:33m", CharterSettings()).new_below == 0.70


def warnings(model: str, **charter: Any) -> list[dict[str, Any]]:
    with structlog.testing.capture_logs() as logs:
        thresholds_for(model, CharterSettings(**charter))
    return [dict(entry) for entry in logs if entry["log_level"] == "warning"]


@pytest.mark.parametrize("model", ["somebody's", "text-embedding-3-small"])
def test_a_model_that_was_not_measured_is_told_of_with_the_next_command(model: str) -> None:
    (entry,) = warnings(model)
    assert entry["model"] == model
    assert entry["next"].startswith("helixir calibrate")


def test_nobody_is_warned_of_what_was_measured_or_set() -> None:
    assert warnings(LOCAL) == []
    assert warnings("somebody's", duplicate_at=0.98, new_below=0.5) == []
    assert len(warnings("somebody's", new_below=0.5)) == 1


def profile_file(tmp_path: Path, content: object) -> Path:
    file = tmp_path / "profiles.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return file


def test_a_profile_file_goes_before_what_is_shipped_and_behind_the_settings(tmp_path: Path) -> None:
    file = profile_file(tmp_path, {LOCAL: {"duplicate_at": 0.99, "new_below": 0.4, "note": "ours"}})
    assert thresholds_for(LOCAL, CharterSettings(profile_file=file)) == Thresholds(0.99, 0.4, 70, f"profile file:{LOCAL}")
    charter = CharterSettings(profile_file=file, new_below=0.2)
    assert thresholds_for(LOCAL, charter) == Thresholds(0.99, 0.2, 70, f"profile file:{LOCAL}, setting: new_below")
    assert thresholds_for("somebody's", charter).duplicate_at == 0.98


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        pytest.param("{", "the file: Invalid JSON", id="no JSON"),
        pytest.param([], "the file: Input should be", id="no object"),
        pytest.param({"m": {"duplicate_at": 0.9, "new_below": 0.4}}, "m > note: Field required", id="no note"),
        pytest.param({"m": {"duplicate_at": 1.5, "new_below": 0.4, "note": "n"}}, "m > duplicate_at: Input should be less", id="above 1"),
        pytest.param({"m": {"duplicate_at": 0.4, "new_below": 0.4, "note": "n"}}, "must lie above new_below", id="the wrong way round"),
        pytest.param({"m": {"duplicate_at": 0.9, "note": "n"}}, "belong together", id="one alone"),
        pytest.param({"m": {"note": "n", "other": 1}}, "m > other: Extra inputs", id="a member too many"),
    ],
)
def test_a_profile_file_that_cannot_be_used_is_refused(tmp_path: Path, content: object, fault: str) -> None:
    file = profile_file(tmp_path, content)
    with pytest.raises(ConfigurationError, match=fault) as raised:
        thresholds_for(LOCAL, CharterSettings(profile_file=file))
    assert "HELIXIR_CHARTER__PROFILE_FILE" in raised.value.detail


def test_a_profile_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="No such file"):
        thresholds_for(LOCAL, CharterSettings(profile_file=tmp_path / "none.json"))


def test_writing_a_profile_keeps_the_others(tmp_path: Path) -> None:
    file = tmp_path / "profiles.json"
    write_profile(file, "one", Entry(duplicate_at=0.98, new_below=0.5, note="first"))
    write_profile(file, "two", Entry(duplicate_at=0.99, new_below=0.6, note="second"))
    write_profile(file, "one", Entry(duplicate_at=0.985, new_below=0.4, note="again"))
    assert {name: (entry.duplicate_at, entry.new_below) for name, entry in read_profiles(file).items()} == {
        "one": (0.985, 0.4),
        "two": (0.99, 0.6),
    }
    assert [one.name for one in tmp_path.iterdir()] == ["profiles.json"]


def test_a_file_that_is_no_profile_file_is_not_written_over(tmp_path: Path) -> None:
    file = profile_file(tmp_path, "my notes")
    with pytest.raises(ConfigurationError):
        write_profile(file, "one", Entry(duplicate_at=0.98, new_below=0.5, note="first"))
    assert file.read_text(encoding="utf-8") == "my notes"
