"""Requests as bytes, since no client sends what is tried here: lone surrogates as escapes, doubled members, broken UTF-8."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import httpx

JSON = {"Content-Type": "application/json"}


def send(client: httpx.Client, method: str, path: str, body: Any, **headers: str) -> httpx.Response:
    """A request with a JSON body in pure ASCII; a lone surrogate goes as its escape. The answer is never a 5xx."""
    return send_raw(client, method, path, json.dumps(body).encode("ascii"), **headers)


def send_raw(client: httpx.Client, method: str, path: str, body: bytes, **headers: str) -> httpx.Response:
    """A request whose body is declared as JSON. The answer is never a 5xx."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return _checked(client.request(method, path, content=body, headers={**JSON, **named}))


def read(client: httpx.Client, path: str, **query: str) -> httpx.Response:
    """A GET; the query's texts go as percent-encoded UTF-8, a lone surrogate as the three bytes that it would be."""
    pairs = [f"{name}={quote(text.encode('utf-8', 'surrogatepass'), safe='')}" for name, text in query.items()]
    return _checked(client.get(httpx.URL(path, query="&".join(pairs).encode("ascii"))))


def problem(answer: httpx.Response) -> tuple[str, set[str]]:
    """The code of a refusal, and the kinds of what is wrong in its fields."""
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    document = answer.json()
    return document["code"], {error["kind"] for error in document.get("errors", [])}


def _checked(answer: httpx.Response) -> httpx.Response:
    assert answer.status_code < 500, answer.text
    return answer
