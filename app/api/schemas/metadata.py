"""Metadata: whatever JSON object the caller wants beside a memory, within limits."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

METADATA_BYTES = 16 * 1024
METADATA_DEPTH = 32


def _nests_within(root: dict[str, Any], limit: int) -> bool:
    """True when objects and arrays nest at most `limit` deep. No recursion: the input is hostile."""
    containers: list[Any] = [root]
    depth = 1
    while containers:
        if depth > limit:
            return False
        children = (child for parent in containers for child in (parent.values() if isinstance(parent, dict) else parent))
        containers = [child for child in children if isinstance(child, (dict, list))]
        depth += 1
    return True


def _within_limits(metadata: dict[str, Any]) -> dict[str, Any]:
    if not _nests_within(metadata, METADATA_DEPTH):
        raise PydanticCustomError("too_deep", "nests too deep", {"limit": METADATA_DEPTH})
    if len(json.dumps(metadata, ensure_ascii=False, separators=(",", ":")).encode()) > METADATA_BYTES:
        raise PydanticCustomError("too_large", "is too large", {"limit": METADATA_BYTES})
    return metadata


Metadata = Annotated[dict[str, Any], AfterValidator(_within_limits)]
"""A JSON object of at most 16 KiB as compact UTF-8 and at most 32 levels."""
