"""The cosine thresholds of each model: 0.98 and 0.70 mean something else in each of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from app.charter.model import LOW_CONFIDENCE, Thresholds
from app.errors import ConfigurationError
from app.settings import CharterSettings


@dataclass(frozen=True, slots=True)
class Profile:
    """Cosines in [0, 1] that were measured for one model, and where they come from."""

    duplicate_at: float
    new_below: float
    origin: str


CHARTER_DEFAULT = Profile(duplicate_at=0.98, new_below=0.70, origin="charter default")
"""The charter's own numbers, in force where nothing else is known."""

PROFILES: Mapping[str, Profile] = MappingProxyType(
    {
        # Under 0.70 lie 22 % of real conflicts for this model, under 0.33 1.5 %; unrelated facts stay under 0.33.
        "all-MiniLM-L6-v2-int8": Profile(0.98, 0.33, "profile:all-MiniLM-L6-v2-int8"),
    }
)


def thresholds_for(model: str, charter: CharterSettings) -> Thresholds:
    """The thresholds in force for `model`: its profile, or the charter's numbers, with the operator's settings on top.

    `origin` names the base and then what was set, for instance `charter default, setting: new_below`. Raises
    `ConfigurationError` when a fact could be new and a duplicate at once.
    """
    profile = PROFILES.get(model, CHARTER_DEFAULT)
    overrides = charter.model_dump(exclude_none=True, include={"duplicate_at", "new_below", "low_confidence"})
    thresholds = Thresholds(
        duplicate_at=overrides.get("duplicate_at", profile.duplicate_at),
        new_below=overrides.get("new_below", profile.new_below),
        low_confidence=overrides.get("low_confidence", LOW_CONFIDENCE),
        origin=f"{profile.origin}, setting: {' '.join(sorted(overrides))}" if overrides else profile.origin,
    )
    if thresholds.duplicate_at <= thresholds.new_below:
        raise ConfigurationError(
            f"the duplicate threshold {thresholds.duplicate_at} must lie above the one for new facts, "
            f"{thresholds.new_below}; change HELIXIR_CHARTER__DUPLICATE_AT or HELIXIR_CHARTER__NEW_BELOW"
        )
    return thresholds
