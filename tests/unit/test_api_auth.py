"""Who may ask at all: the key comes before everything else."""

from __future__ import annotations

import pytest

from app.api import examples
from tests.api_face import KEY, Face, assert_problem, face

__all__ = ["face"]

GUARDED = [
    ("GET", "/memories"),
    ("POST", "/memories"),
    ("POST", "/memories/search"),
    ("GET", f"/memories/{examples.MEMORY_TEA}"),
    ("PATCH", f"/memories/{examples.MEMORY_TEA}"),
    ("GET", f"/memories/{examples.MEMORY_TEA}/history"),
    ("POST", f"/memories/{examples.MEMORY_TEA}/decide"),
    ("GET", f"/memories/{examples.MEMORY_TEA}/graph"),
    ("POST", f"/memories/{examples.MEMORY_TEA}/finalize"),
    ("POST", f"/memories/{examples.MEMORY_TEA}/unfinalize"),
    ("POST", f"/memories/{examples.MEMORY_TEA}/withdraw"),
    ("POST", f"/memories/{examples.MEMORY_TEA}/restore"),
    ("GET", "/writes"),
    ("GET", f"/writes/{examples.WRITE_ID}"),
    ("GET", "/contradictions"),
    ("GET", f"/contradictions/{examples.CONTRADICTION_ID}"),
    ("POST", f"/contradictions/{examples.CONTRADICTION_ID}/resolve"),
    ("GET", "/decisions"),
    ("GET", f"/decisions/{examples.DECISION_ID}"),
    ("GET", "/charter"),
    ("GET", "/charter/versions"),
    ("POST", "/charter/approve"),
    ("POST", "/charter/withdraw"),
    ("GET", "/rules"),
    ("GET", f"/rules/{examples.RULE_ID}"),
    ("POST", f"/rules/{examples.RULE_ID}/revoke"),
    ("GET", "/rule-proposals"),
    ("POST", f"/rule-proposals/{examples.PROPOSAL_ID}/approve"),
    ("POST", f"/rule-proposals/{examples.PROPOSAL_ID}/reject"),
    ("GET", "/me"),
]


def test_the_list_holds_every_guarded_operation(face: Face) -> None:
    paths = face.client.get("/openapi.json").json()["paths"]
    guarded = sum("security" in operation for path in paths.values() for operation in path.values())
    assert guarded == len(GUARDED)


@pytest.mark.parametrize(("method", "path"), GUARDED)
def test_the_key_comes_before_the_body(face: Face, method: str, path: str) -> None:
    for body in (b"{}", b"{", b"secret", b""):
        headers = {"Authorization": "Bearer nonsense", "Content-Type": "application/json"}
        answer = face.client.request(method, path, headers=headers, content=body if method != "GET" else None)
        assert_problem(answer, 401, "unauthenticated", "secret", "nonsense")
        assert answer.headers["www-authenticate"] == "Bearer"
    assert face.calls == []


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer ",
        f"Basic {KEY}",
        KEY,
        f"Bearer {KEY} more",
        "Bearer " + "x" * 600,
        f"Bearer {KEY}\u00e9",
        f"Bearer {KEY}\t",
    ],
)
def test_a_garbled_header_is_401(face: Face, header: str) -> None:
    answer = face.client.get("/me", headers={b"Authorization": header.encode("latin-1")})
    assert_problem(answer, 401, "unauthenticated", KEY)


def test_two_keys_are_none(face: Face) -> None:
    headers = [("Authorization", f"Bearer {KEY}"), ("Authorization", "Bearer other")]
    assert_problem(face.client.get("/me", headers=headers), 401, "unauthenticated")


@pytest.mark.parametrize("header", [f"Bearer {KEY}", f"bearer {KEY}", f"BEARER   {KEY}"])
def test_the_scheme_is_case_insensitive(face: Face, header: str) -> None:
    assert face.client.get("/me", headers={"Authorization": header}).status_code == 200


def test_open_routes_need_no_key(face: Face) -> None:
    face.script["check"] = []
    for path in ("/livez", "/readyz", "/openapi.json", "/docs"):
        del_key = {"Authorization": "Bearer nonsense"}
        assert face.client.get(path, headers=del_key).status_code == 200, path


def test_me_tells_what_the_key_is(face: Face) -> None:
    assert face.client.get("/me").json() == {
        "tenant": "default",
        "role": "owner",
        "key_id": examples.KEY_ID,
        "user_ids": None,
        "can_answer": True,
        "expires_at": None,
    }
