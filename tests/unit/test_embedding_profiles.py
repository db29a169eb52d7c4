"""Thresholds: measured for a model, else the charter's, with the operator's settings on top."""

from __future__ import annotations

import pytest

from app.charter.model import Thresholds
from app.embedding.profiles import thresholds_for
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
