"""What counts as the same request, and how the face marks a repeat."""

from __future__ import annotations

from typing import Any

import pytest

from app.services.replay import fingerprint, once
from tests.api_face import MEMORY_ID, Face, face, memory_view

__all__ = ["face"]
FINALIZE = f"/memories/{MEMORY_ID}/finalize"


def test_the_spelling_of_a_body_does_not_matter_and_all_that_it_says_does() -> None:
    same = fingerprint("POST /a", {"x": 1, "y": ["é"]})
    assert fingerprint("POST /a", {"y": ["\u00e9"], "x": 1}) == same
    others: list[tuple[str, Any]] = [
        ("POST /b", {"x": 1, "y": ["é"]}),
        ("POST /a", {"x": 1}),
        ("POST /a", None),
        ("POST /a", {"x": "1", "y": ["é"]}),
    ]
    assert len({same, *(fingerprint(*other) for other in others)}) == 5


def test_without_a_key_nothing_is_claimed() -> None:
    assert once(None, "POST /a", {}) is None


@pytest.mark.parametrize("replayed", [False, True])
def test_a_repeat_is_marked(face: Face, monkeypatch: pytest.MonkeyPatch, *, replayed: bool) -> None:
    async def finalize(_parts: Any, _principal: Any, _id: Any, _reason: str, wanted: Any) -> Any:
        wanted.replayed = replayed
        return memory_view()

    monkeypatch.setattr("app.services.acts.finalize", finalize)
    answer = face.client.post(FINALIZE, json={"reason": "sure"}, headers={"Idempotency-Key": "k"})
    assert (answer.status_code, answer.headers.get("Idempotency-Replayed")) == (200, "true" if replayed else None)


def test_route_body_and_revision_make_the_request(face: Face) -> None:
    face.script["finalize"] = face.script["unfinalize"] = memory_view()
    send = [
        (FINALIZE, "sure", {}),
        (FINALIZE, "sure", {}),
        (FINALIZE, "no", {}),
        (FINALIZE.replace("/f", "/unf"), "sure", {}),
        (FINALIZE, "sure", {"If-Match": "2"}),
    ]
    for path, reason, more in send:
        assert face.client.post(path, json={"reason": reason}, headers={"Idempotency-Key": "k", **more}).status_code == 200
    prints = [wanted.fingerprint for wanted in face.once if wanted]
    assert (len(prints), prints[0] == prints[1], len(set(prints))) == (5, True, 4)


@pytest.mark.parametrize("key", ["", "x" * 256, "two words"])
def test_a_key_that_is_none_is_refused_on_every_act(face: Face, key: str) -> None:
    assert face.client.post(FINALIZE, json={"reason": "sure"}, headers={"Idempotency-Key": key}).status_code == 422
    assert face.calls == []
