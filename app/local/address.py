"""The address that the service listens on: free or taken, and how to write it in a URL."""

from __future__ import annotations

import socket
import time

from app.errors import ConfigurationError

_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104 - compared with, not bound to
_PATIENCE = 2.0  # seconds; a server that was just killed may need a moment to let go of its port


def free_port(host: str, port: int) -> int:
    """Return `port`, or any free one when it is 0. Raises `ConfigurationError` when it is taken."""
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            return _bind(host, port)
        except OSError as error:
            if time.monotonic() > end:
                reason = error.strerror or str(error)
                message = f"cannot listen on {host}:{port}: {reason}; stop what uses it, or set HELIXIR_PORT"
                raise ConfigurationError(message) from error
        time.sleep(0.1)


def local_host(host: str) -> str:
    """Return an address of this machine under which a server that listens on `host` can be called."""
    return _ANY.get(host, host)


def base_url(host: str, port: int) -> str:
    """Return the URL to paste, without a slash at its end."""
    name = local_host(host)
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


def _bind(host: str, port: int) -> int:
    family, kind, protocol, _, address = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server itself will
        probe.bind(address)
        bound: int = probe.getsockname()[1]
        return bound
