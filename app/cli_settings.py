"""What every command needs: the settings, and errors that say what to do."""

# ruff: noqa: PLC0415 - each command imports what it needs, so that `--help` and `run` start at once

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from app.errors import ConfigurationError, UnavailableError

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from app.settings import Settings

Result = TypeVar("Result")


def read_settings() -> Settings:
    """Read the settings. Raises `ConfigurationError` that names the variables, never their values."""
    from pydantic import ValidationError
    from pydantic_settings import SettingsError

    from app.settings import Settings

    try:
        return Settings()
    except ValidationError as error:
        faults = [
            f"HELIXIR_{'__'.join(map(str, fault['loc'])).upper()}: {fault['msg']}"
            for fault in error.errors(include_input=False, include_url=False, include_context=False)
        ]
        raise ConfigurationError("; ".join(faults)) from None
    except SettingsError as error:
        raise ConfigurationError(str(error)) from None


def run_with_hint(settings: Settings, work: Coroutine[None, None, Result]) -> Result:
    """Run `work`; where the embedded database is out of reach, say what starts it."""
    try:
        return asyncio.run(work)
    except UnavailableError as error:
        if settings.database_url is not None:
            raise
        message = f"{error.detail}. Is `make run` running with this HELIXIR_HOME ({settings.home.resolve()})?"
        raise UnavailableError(message) from error
