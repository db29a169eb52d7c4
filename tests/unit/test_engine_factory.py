"""The engine and the extractor that the settings ask for, or a sentence about what to set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from app.engine.factory import build_engine, build_extractor
from app.errors import ConfigurationError
from app.settings import EngineSettings, ExtractionSettings, Settings

COMPLETE = {"kind": "llm", "base_url": "http://models.test/v1", "model": "m", "api_key": "k"}


def settings(extraction: str = "llm", /, **engine: Any) -> Settings:
    return Settings(engine=EngineSettings.model_validate(engine), extraction=ExtractionSettings.model_validate({"kind": extraction}))


def test_the_defaults_are_local() -> None:
    assert build_engine(settings("local")).name.startswith("local:")
    assert build_extractor(settings("local", **COMPLETE)).name.startswith("local:")


def test_a_complete_configuration_gives_the_clients() -> None:
    assert build_engine(settings(**COMPLETE)).name == "llm:m"
    assert build_extractor(settings(**COMPLETE | {"kind": "local"})).name == "llm:m"


@pytest.mark.parametrize("build", [build_engine, build_extractor])
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("base_url", None),
        ("base_url", "models.test"),
        ("base_url", "http://h:99999"),
        ("model", None),
        ("api_key", "a\nb"),
    ],
)
def test_what_is_wrong_is_named(build: Callable[[Settings], object], field: str, value: str | None) -> None:
    with pytest.raises(ConfigurationError, match=f"HELIXIR_ENGINE__{field.upper()}"):
        build(settings(**COMPLETE | {field: value}))
