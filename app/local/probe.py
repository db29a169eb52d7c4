"""Asking the service that we started whether it is ready, and showing how to call it."""

from __future__ import annotations

import http.client
import json
import shlex
from typing import TYPE_CHECKING

from app.local.address import local_host

if TYPE_CHECKING:
    from collections.abc import Mapping

_TIMEOUT = 2.0  # seconds
_EXAMPLE = {"user_id": "alice", "facts": [{"content": "Alice prefers tea", "memory_type": "preference"}]}


def status_of(host: str, port: int, path: str, headers: Mapping[str, str] | None = None) -> int | None:
    """Return the HTTP status that the service answers for `path`, None when it does not answer."""
    connection = http.client.HTTPConnection(local_host(host), port, timeout=_TIMEOUT)
    try:
        connection.request("GET", path, headers=dict(headers or {}))
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def first_request(url: str, agent_key: str) -> str:
    """Return one shell line that stores a preference of the user `alice`."""
    headers = [f"Authorization: Bearer {agent_key}", "Content-Type: application/json"]
    options = [part for header in headers for part in ("-H", shlex.quote(header))]
    return " ".join(["curl", "-sS", f"{url}/memories", *options, "-d", shlex.quote(json.dumps(_EXAMPLE))])
