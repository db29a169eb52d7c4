"""Which database the settings mean: the embedded one of HELIXIR_HOME, or the one they name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.local import place

if TYPE_CHECKING:
    from app.settings import Settings


def service_dsn(settings: Settings) -> str:
    """Return the URL for the service's own role."""
    if settings.database_url is None:
        return place.service_dsn(settings.home)
    return settings.database_url.get_secret_value()


def owner_dsn(settings: Settings) -> str:
    """Return the URL for the role that owns the schema: `migrate`, `keys` and `erase` use it."""
    if settings.database_url is None:
        return place.migration_dsn(settings.home)
    return (settings.migration_database_url or settings.database_url).get_secret_value()
