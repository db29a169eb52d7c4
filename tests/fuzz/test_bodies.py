"""Bodies that are no requests: JSON that nests, swells, repeats itself or is none. All are refused at once, and nothing is stored."""

from __future__ import annotations

import itertools
import json
import math
import time
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.conftest import PROFILE
from tests.fuzz.http import problem, read, send, send_raw
from tests.fuzz.texts import LEGAL
from tests.integration.house import House

MEMORY = "0198f3d0-11c2-7e0a-8b6e-5a0d6c1f7a01"
ROUTES = (
    ("POST", "/memories"),
    ("POST", "/memories/search"),
    ("PATCH", f"/memories/{MEMORY}"),
    ("POST", f"/memories/{MEMORY}/finalize"),
    ("POST", f"/contradictions/{MEMORY}/resolve"),
    ("POST", "/charter/approve"),
    ("POST", f"/rules/{MEMORY}/revoke"),
    ("POST", f"/rule-proposals/{MEMORY}/approve"),
)
BOMBS: dict[str, tuple[bytes, str]] = {
    "lists": (b'{"metadata": ' + b"[" * 300_000 + b"]" * 300_000 + b"}", "too_deep"),
    "objects": (b'{"a":' * 150_000 + b"1" + b"}" * 150_000, "too_deep"),
    "unclosed": (b"[" * 900_000, "too_deep"),
    "sixty_five": (b"[" * 65 + b"]" * 65, "too_deep"),
    "long_integer": (b'{"metadata": {"a": ' + b"9" * 900_000 + b"}}", "invalid_number"),
    "just_too_long": (b'{"metadata": {"a": 9223372036854775808}}', "invalid_number"),
    "long_fraction": (b'{"metadata": {"a": 1e' + b"9" * 900_000 + b"}}", "invalid_number"),
    "vanishing": (b'{"metadata": {"a": 0.' + b"0" * 900_000 + b"1}}", "invalid_number"),
    "nan": (b'{"metadata": {"a": NaN}}', "invalid_number"),
    "infinity": (b'{"metadata": {"a": -Infinity}}', "invalid_number"),
    "twice": (b'{"user_id": "alice", "user_id": "bob", "facts": [{"content": "a"}]}', "invalid_json"),
    "twice_inside": (b'{"user_id": "alice", "facts": [{"content": "a", "metadata": {"k": {"n": 1, "n": 1}}}]}', "invalid_json"),
    "many_twice": (b"{" + b'"a":1,' * 150_000 + b'"a":1}', "invalid_json"),
    "surrogate": (b'{"user_id": "\\ud800", "message": "a"}', "invalid_text"),
    "surrogate_bytes": (b'{"user_id": "\xed\xa0\x80", "message": "a"}', "invalid_json"),
    "overlong_bytes": (b'{"user_id": "\xc0\x80", "message": "a"}', "invalid_json"),
    "past_unicode": (b'{"user_id": "\xf4\x90\x80\x80", "message": "a"}', "invalid_json"),
    "nul": (b'{"user_id": "\\u0000", "message": "a"}', "invalid_text"),
    "utf_16": ('{"user_id": "alice", "message": "a"}'.encode("utf-16"), "invalid_json"),
    "mark": (b'\xef\xbb\xbf{"user_id": "alice", "message": "a"}', "invalid_json"),
    "two": (b'{"user_id": "alice", "message": "a"}{}', "invalid_json"),
    "comment": (b'{"user_id": "alice", /* */ "message": "a"}', "invalid_json"),
    "quotes": (b"{'user_id': 'alice', 'message': 'a'}", "invalid_json"),
    "trailing_comma": (b'{"user_id": "alice", "message": "a",}', "invalid_json"),
    "escape": (b'{"user_id": "alice", "message": "\\x41"}', "invalid_json"),
    "white": (b" " * 900_000, "invalid_json"),
    "null_bytes": (b"\0" * 1_000, "invalid_json"),
}
COUNT = itertools.count(1)
NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | LEGAL, lambda inner: st.lists(inner) | st.dictionaries(LEGAL, inner), max_leaves=20
)


@pytest.fixture
def owner(local_house: House) -> httpx.Client:
    return local_house.live.owner


@pytest.mark.parametrize(("body", "code"), BOMBS.values(), ids=BOMBS)
def test_a_bomb_is_refused_at_once_on_every_route(owner: httpx.Client, body: bytes, code: str) -> None:
    began = time.monotonic()
    for method, path in ROUTES:
        answer = send_raw(owner, method, path, body, If_Match="1")
        assert answer.status_code == 422, (path, answer.text)
        assert problem(answer)[0] == code, (path, answer.text)
    assert time.monotonic() - began < 30
    assert read(owner, "/memories", user_id="alice").json()["items"] == []


@PROFILE
@given(body=st.binary(max_size=200), route=st.sampled_from(ROUTES))
def test_any_bytes_are_refused(owner: httpx.Client, body: bytes, route: tuple[str, str]) -> None:
    method, path = route
    answer = send_raw(owner, method, path, body, If_Match="1")
    # A proposal's body may be left out; then it is the id that is not known.
    assert answer.status_code == (404 if not body and "rule-proposals" in path else 422), answer.text


@PROFILE
@given(metadata=st.dictionaries(LEGAL, VALUES, max_size=5), content=LEGAL)
def test_any_metadata_comes_back_as_it_was(owner: httpx.Client, metadata: dict[str, Any], content: str) -> None:
    user = f"carol-{next(COUNT)}"
    answer = send(owner, "POST", "/memories", {"user_id": user, "facts": [{"content": content, "metadata": metadata}]})
    if len(json.dumps(metadata, ensure_ascii=False, separators=(",", ":")).encode()) > 16 * 1024:
        assert answer.status_code == 422
        return
    assert answer.status_code == 201, answer.text
    (result,) = answer.json()["results"]
    got = read(owner, f"/memories/{result['memory_id']}").json()["metadata"]
    assert same(got, metadata)
    again = {"user_id": user, "facts": [{"content": content, "metadata": got}], "dry_run": True}
    assert send(owner, "POST", "/memories", again).status_code == 200


def same(got: Any, sent: Any) -> bool:
    """Equal as JSON values: a number is a number, true is none."""
    if isinstance(sent, dict):
        return isinstance(got, dict) and got.keys() == sent.keys() and all(same(got[key], value) for key, value in sent.items())
    if isinstance(sent, list):
        return isinstance(got, list) and len(got) == len(sent) and all(map(same, got, sent))
    if isinstance(sent, float):
        return isinstance(got, (int, float)) and not isinstance(got, bool) and (got == sent or math.isclose(float(got), sent, rel_tol=0))
    return type(got) is type(sent) and bool(got == sent)
