"""Settings: secrets come from the environment or from files, and no way to print them shows one."""

from __future__ import annotations

import json
import pprint
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, SecretStr

from app.cli_settings import read_settings
from app.errors import ConfigurationError
from app.settings import Settings

SECRETS = {
    "HELIXIR_DATABASE_URL": "postgresql://helixir_app:the-apps-password@db/helixir",
    "HELIXIR_MIGRATION_DATABASE_URL": "postgresql://helixir_owner:the-owners-password@db/helixir",
    "HELIXIR_EMBEDDING__API_KEY": "sk-of-the-embedder",
    "HELIXIR_ENGINE__API_KEY": "sk-of-the-engine",
}


def secrets_of(model: BaseModel) -> set[str]:
    found = set()
    for _, value in model:
        if isinstance(value, BaseModel):
            found |= secrets_of(value)
        elif isinstance(value, SecretStr):
            found.add(value.get_secret_value())
    return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of secrets that the environment names."""
    monkeypatch.setenv("HELIXIR_SECRETS_DIR", str(tmp_path))
    return tmp_path


def test_secrets_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    assert secrets_of(Settings()) == set(SECRETS.values())


@pytest.mark.parametrize("spelt", [str, str.lower])
def test_secrets_come_from_files(folder: Path, spelt: Callable[[str], str]) -> None:
    for name, value in SECRETS.items():
        (folder / spelt(name)).write_text(f"{value}\n", encoding="utf-8")
    assert secrets_of(Settings()) == set(SECRETS.values())


def test_a_file_and_the_environment_fill_one_group_and_the_environment_goes_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "helixir_engine__api_key").write_text("from a file", encoding="utf-8")
    (folder / "helixir_engine__model").write_text("from a file", encoding="utf-8")
    monkeypatch.setenv("HELIXIR_ENGINE__MODEL", "from the environment")
    engine = Settings().engine
    assert engine.api_key is not None
    assert (engine.api_key.get_secret_value(), engine.model) == ("from a file", "from the environment")


def test_a_folder_that_is_not_there_stops_the_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HELIXIR_SECRETS_DIR", str(tmp_path / "nowhere"))
    with pytest.raises(ConfigurationError, match="does not exist"):
        read_settings()


@pytest.mark.parametrize("shown", [repr, str, pprint.pformat, lambda settings: settings.model_dump_json(), lambda settings: f"{settings:}"])
def test_no_way_to_show_settings_shows_a_secret(monkeypatch: pytest.MonkeyPatch, shown: Callable[[Any], str]) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    text = shown(Settings())
    assert "**********" in text
    assert not [value for value in SECRETS.values() if value in text or json.dumps(value) in text]


@pytest.mark.parametrize("name", ["HELIXIR_PORT", "HELIXIR_ENGINE__TIMEOUT_SECONDS", "HELIXIR_EMBEDDING", "HELIXIR_ENGINE__KIND"])
def test_a_wrong_value_is_named_and_not_quoted(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "sk-in-the-wrong-place")
    with pytest.raises(ConfigurationError) as refused:
        read_settings()
    assert "sk-in-the-wrong-place" not in str(refused.value)
    assert name.removeprefix("HELIXIR_").partition("__")[0].lower() in str(refused.value).lower()
