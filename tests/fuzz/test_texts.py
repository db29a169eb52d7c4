"""Every text that a caller may send, through real HTTP and the models that come with the service: kept verbatim, or refused precisely."""

from __future__ import annotations

import itertools
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.conftest import PROFILE
from tests.fuzz.http import problem, read, send
from tests.fuzz.texts import ANY, HARD, LEGAL, REFUSED, is_legal
from tests.integration.house import House

Json = dict[str, Any]
NUMBERS = itertools.count(1)

every_hard_text = pytest.mark.parametrize("text", HARD.values(), ids=HARD)
every_refused_text = pytest.mark.parametrize(("text", "kind"), REFUSED.values(), ids=REFUSED)


@pytest.fixture
def owner(local_house: House) -> httpx.Client:
    return local_house.live.owner


def write(owner: httpx.Client, user: str, content: str, **more: Any) -> httpx.Response:
    return send(owner, "POST", "/memories", {"user_id": user, "facts": [{"content": content, "memory_type": "fact", **more}]})


def stored(owner: httpx.Client, content: str = "Alice has a boat") -> str:
    answer = write(owner, f"user-{next(NUMBERS)}", content)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["results"][0]["memory_id"])


def get(owner: httpx.Client, path: str) -> Json:
    answer = read(owner, path)
    assert answer.status_code == 200, answer.text
    body: Json = answer.json()
    return body


def assert_refused(answer: httpx.Response, kind: str) -> None:
    assert answer.status_code == 422, answer.text
    code, kinds = problem(answer)
    assert kind in {code, *kinds}


def assert_kept(owner: httpx.Client, written: Json, user: str, content: str, more: Json) -> None:
    """The fact is what was sent wherever it is shown: memory, list, history, write and decision."""
    (result,) = written["results"]
    memory = get(owner, f"/memories/{result['memory_id']}")
    assert {name: memory[name] for name in ("user_id", "content", *more)} == {"user_id": user, "content": content, **more}
    named = {name: more[name] for name in ("agent_id", "session_id")}
    assert [one["id"] for one in read(owner, "/memories", user_id=user, **named).json()["items"]] == [memory["id"]]
    assert [one["content"] for one in get(owner, f"/memories/{memory['id']}/history")["revisions"]] == [content]
    assert get(owner, f"/writes/{written['write_id']}") == written
    assert get(owner, f"/decisions/{result['decision_id']}")["content"] == content


@every_hard_text
def test_a_hard_text_is_kept_in_every_field(owner: httpx.Client, text: str) -> None:
    short, user = text[:256], f"{next(NUMBERS)} {text}"[:256]
    more = {"agent_id": short, "session_id": short, "metadata": {text[:900]: text[:900], "list": [text[:900]]}}
    answer = write(owner, user, text, **more)
    assert answer.status_code == 201, answer.text
    assert_kept(owner, answer.json(), user, text, more)


@PROFILE
@given(content=ANY, user=ANY, agent=ANY, session=ANY, key=ANY, value=ANY)
def test_any_text_is_kept_or_refused(owner: httpx.Client, content: str, user: str, agent: str, session: str, key: str, value: str) -> None:
    user = f"{user} {next(NUMBERS)}"
    more = {"agent_id": agent, "session_id": session, "metadata": {key: [value]}}
    answer = write(owner, user, content, **more)
    texts_are_whole = all(is_legal(f"{text}x", 8_000) for text in (key, value))
    if texts_are_whole and all(is_legal(text, 8_000) for text in (content, user, agent, session)):
        assert answer.status_code == 201, answer.text
        assert_kept(owner, answer.json(), user, content, more)
    else:
        assert answer.status_code == 422, answer.text
        problem(answer)


@every_refused_text
@pytest.mark.parametrize("field", ["content", "agent_id", "session_id", "user_id", "message"])
def test_a_text_that_cannot_be_kept_is_refused_by_name(owner: httpx.Client, field: str, text: str, kind: str) -> None:
    fact = {"content": "Alice has a boat"}
    bodies: dict[str, Json] = {
        "user_id": {"user_id": text, "facts": [fact]},
        "message": {"user_id": "alice", "message": text},
    }
    inside = {"user_id": "alice", "facts": [fact, {**fact, field: text}]}
    assert_refused(send(owner, "POST", "/memories", bodies.get(field, inside)), kind)
    assert read(owner, "/memories", user_id="alice").json()["items"] == []


@every_hard_text
def test_a_message_is_kept_whole(owner: httpx.Client, text: str) -> None:
    message = (f"{text}. " * 3)[:90_000]
    answer = send(owner, "POST", "/memories", {"user_id": f"user-{next(NUMBERS)}", "message": message})
    assert answer.status_code == 201, answer.text
    written = answer.json()
    assert get(owner, f"/memories/{written['raw_input_id']}")["content"] == message
    for result in written["results"]:
        assert get(owner, f"/memories/{result['memory_id']}")["raw_input_id"] == written["raw_input_id"]


@pytest.mark.parametrize("piece", ["\U0001f375", "e\u0301", ". ", "a, ", "1.", "I do not. "])
def test_a_message_of_a_hundred_thousand_characters_is_kept_in_time(owner: httpx.Client, piece: str) -> None:
    message = ("x" + piece * 100_000)[:100_000]
    answer = send(owner, "POST", "/memories", {"user_id": f"user-{next(NUMBERS)}", "message": message})  # or the client's minute is over
    assert answer.status_code == 201, answer.text
    assert get(owner, f"/memories/{answer.json()['raw_input_id']}")["content"] == message


@every_hard_text
def test_an_edit_and_its_reason_are_kept(owner: httpx.Client, text: str) -> None:
    memory, reason = stored(owner), text[:2_000]
    answer = send(owner, "PATCH", f"/memories/{memory}", {"content": text, "reason": reason}, If_Match="1")
    assert answer.status_code == 200, answer.text
    assert get(owner, f"/memories/{memory}")["content"] == text
    history = get(owner, f"/memories/{memory}/history")
    assert history["revisions"][-1]["content"] == text
    assert history["events"][-1]["reason"] == reason


@every_hard_text
def test_the_reason_of_an_owners_act_is_kept(owner: httpx.Client, text: str) -> None:
    memory, reason = stored(owner), text[:2_000]
    acts = ("finalize", "unfinalize", "withdraw", "restore")
    for act in acts:
        assert send(owner, "POST", f"/memories/{memory}/{act}", {"reason": reason}).status_code == 200
    reasons = [event["reason"] for event in get(owner, f"/memories/{memory}/history")["events"]]
    assert reasons[-len(acts) :] == [reason] * len(acts)


@every_refused_text
def test_a_reason_that_cannot_be_kept_is_refused(owner: httpx.Client, text: str, kind: str) -> None:
    memory = stored(owner)
    for act in ("finalize", "unfinalize", "withdraw", "restore"):
        assert_refused(send(owner, "POST", f"/memories/{memory}/{act}", {"reason": text}), kind)
    for body in ({"content": text, "reason": "so"}, {"content": "so", "reason": text}):
        assert_refused(send(owner, "PATCH", f"/memories/{memory}", body, If_Match="1"), kind)
    assert len(get(owner, f"/memories/{memory}/history")["events"]) == 1


@every_hard_text
def test_a_search_may_ask_anything(owner: httpx.Client, text: str) -> None:
    user = f"user-{next(NUMBERS)}"
    assert write(owner, user, text).status_code == 201
    answer = send(owner, "POST", "/memories/search", {"query": text, "user_id": user})
    assert answer.status_code == 200, answer.text
    assert [hit["memory"]["content"] for hit in answer.json()["results"]] == [text]


@PROFILE
@given(query=ANY, user=ANY)
def test_any_search_is_answered_or_refused(owner: httpx.Client, query: str, user: str) -> None:
    answer = send(owner, "POST", "/memories/search", {"query": query, "user_id": user})
    assert answer.status_code == (200 if is_legal(query, 8_000) and is_legal(user, 256) else 422), answer.text


@PROFILE
@given(text=ANY, name=st.sampled_from(["user_id", "agent_id", "session_id"]))
def test_any_filter_is_answered_or_refused(owner: httpx.Client, text: str, name: str) -> None:
    assert read(owner, "/memories", **{name: text}).status_code == (200 if is_legal(text, 256) else 422)


@PROFILE
@given(text=ANY, path=st.sampled_from(["/memories", "/writes", "/contradictions", "/decisions", "/rules", "/rule-proposals"]))
def test_any_cursor_is_refused_that_no_page_gave(owner: httpx.Client, text: str, path: str) -> None:
    assert read(owner, path, cursor=text).status_code == 422


def in_a_header(value: bytes) -> bytes:
    """Without the bytes that HTTP itself allows nowhere or at no end of a header: no server would see them."""
    return bytes(byte for byte in value if byte >= 0x20 and byte != 0x7F).strip()


@PROFILE
@given(key=st.binary(max_size=40), language=st.binary(max_size=40), wish=st.binary(max_size=40), text=LEGAL)
def test_any_header_is_taken_or_refused(owner: httpx.Client, key: bytes, language: bytes, wish: bytes, text: str) -> None:
    number = next(NUMBERS)
    key = in_a_header(key + str(number).encode())
    headers = {"Idempotency-Key": key, "Accept-Language": in_a_header(language), "Prefer": in_a_header(wish)}
    raw = [(name.encode(), value) for name, value in headers.items()]
    answer = owner.post("/memories", json={"user_id": f"user-{number}", "facts": [{"content": text}]}, headers=raw)
    visible = all(0x21 <= byte <= 0x7E for byte in key)
    assert answer.status_code in ({201, 202} if visible else {422}), answer.text
