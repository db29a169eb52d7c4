"""Ids: UUIDv7, so that they sort by the time they were made."""

from __future__ import annotations

from uuid import UUID

import uuid_utils.compat


def new_id() -> UUID:
    """A new UUIDv7, greater than every one that this process made before."""
    return uuid_utils.compat.uuid7()
