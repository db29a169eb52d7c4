"""The cosine thresholds of each model: 0.98 and 0.70 mean something else in each of them.

`profiles.json` beside this file holds what was measured, with where it comes from, and what is only known about a model
without numbers of its own. `helixir calibrate --write FILE` makes such a file for any other model;
HELIXIR_CHARTER__PROFILE_FILE names it, and what it says goes first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Self

import structlog
from pydantic import BaseModel, Field, TypeAdapter, ValidationError, model_validator

from app.charter.model import LOW_CONFIDENCE, Thresholds
from app.errors import ConfigurationError
from app.settings import CharterSettings

_SHIPPED = Path(__file__).with_name("profiles.json")
_NEXT = "helixir calibrate --write profiles.local.json"
_DEFAULT_ORIGIN = "charter default"
_DUPLICATE_AT, _NEW_BELOW = 0.98, 0.70  # the charter's own numbers, in force where nothing else is known

_log = structlog.stdlib.get_logger("helixir.embedding")

Cosine = Annotated[float, Field(ge=0, le=1)]


class Entry(BaseModel, frozen=True, extra="forbid"):
    """What a profile file says of one model. Both cosines are there, or neither: then the model was not measured."""

    duplicate_at: Cosine | None = None
    new_below: Cosine | None = None
    note: Annotated[str, Field(min_length=1, max_length=500)]
    names: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if (self.duplicate_at is None) is not (self.new_below is None):
            raise ValueError("duplicate_at and new_below belong together")
        if self.duplicate_at is not None and self.new_below is not None and self.duplicate_at <= self.new_below:
            raise ValueError("duplicate_at must lie above new_below")
        return self


_ENTRIES = TypeAdapter(dict[str, Entry])


@dataclass(frozen=True, slots=True)
class Profile:
    """The cosines in [0, 1] that hold for one model, and where they come from. `note` says more for a reader."""

    duplicate_at: float
    new_below: float
    origin: str
    note: str = ""
    measured: bool = True


def thresholds_for(model: str, charter: CharterSettings) -> Thresholds:
    """The thresholds in force for `model`: its profile, or the charter's numbers, with the operator's settings on top.

    `origin` names the base and then what was set, for instance `charter default, setting: new_below`. A model that was
    not measured is told of in the log, with the command that measures it. Raises `ConfigurationError` for a profile
    file that cannot be used, and when a fact could be new and a duplicate at once.
    """
    profile = profile_of(model, charter.profile_file)
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
    if not profile.measured and not {"duplicate_at", "new_below"} <= overrides.keys():
        _log.warning(
            "the thresholds of this embedding model were not measured",
            model=model,
            duplicate_at=thresholds.duplicate_at,
            new_below=thresholds.new_below,
            origin=thresholds.origin,
            known=profile.note,
            next=_NEXT,
        )
    return thresholds


def profile_of(model: str, file: Path | None) -> Profile:
    """What holds for a model: the profile file's entry, else the shipped one, else the charter's numbers.

    Raises `ConfigurationError` for a file that cannot be used.
    """
    own = _entry(read_profiles(file), model) if file is not None else None
    if own is not None and own.duplicate_at is not None and own.new_below is not None:
        return Profile(own.duplicate_at, own.new_below, f"profile file:{model}", own.note)
    entry = _entry(_shipped(), model)
    if entry is None:
        return Profile(_DUPLICATE_AT, _NEW_BELOW, _DEFAULT_ORIGIN, "nothing is known about this model", measured=False)
    if entry.duplicate_at is None or entry.new_below is None:
        return Profile(_DUPLICATE_AT, _NEW_BELOW, _DEFAULT_ORIGIN, entry.note, measured=False)
    return Profile(entry.duplicate_at, entry.new_below, f"profile:{model}", entry.note)


def read_profiles(file: Path) -> Mapping[str, Entry]:
    """The entries of a profile file by model. Raises `ConfigurationError` that says what is wrong with it, and where."""
    try:
        return _ENTRIES.validate_json(file.read_bytes())
    except OSError as fault:
        reason = fault.strerror or "it cannot be read"
        raise ConfigurationError(f"the profile file {file} (HELIXIR_CHARTER__PROFILE_FILE): {reason}") from fault
    except ValidationError as fault:
        first = fault.errors(include_input=False, include_url=False, include_context=False)[0]
        place = " > ".join(map(str, first["loc"])) or "the file"
        raise ConfigurationError(f"the profile file {file} (HELIXIR_CHARTER__PROFILE_FILE), {place}: {first['msg']}") from None


def write_profile(file: Path, model: str, entry: Entry) -> None:
    """Put a model's entry into a profile file and keep the others; the file is there whole or as it was before.

    Raises `ConfigurationError` for a file that is there and is no profile file, or that cannot be written.
    """
    entries = dict(read_profiles(file)) if file.exists() else {}
    text = _ENTRIES.dump_json(entries | {model: entry}, indent=2, exclude_defaults=True)
    part = file.with_name(f"{file.name}.part")
    try:
        part.write_bytes(text + b"\n")
        part.replace(file)
    except OSError as fault:
        part.unlink(missing_ok=True)
        raise ConfigurationError(f"{file} cannot be written: {fault.strerror}") from fault


@cache
def _shipped() -> Mapping[str, Entry]:
    return _ENTRIES.validate_json(_SHIPPED.read_bytes())


def _entry(entries: Mapping[str, Entry], model: str) -> Entry | None:
    """The entry under the model's own name, else under a name that servers give it: any owner before it, `:latest` after."""
    if model in entries:
        return entries[model]
    plain = _plain(model)
    return next((entry for name, entry in entries.items() if plain in {_plain(one) for one in (name, *entry.names)}), None)


def _plain(name: str) -> str:
    return name.rpartition("/")[2].removesuffix(":latest").casefold()
