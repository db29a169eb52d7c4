"""The REST face without anything behind it: every service is a stand-in that a test scripts and looks into."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from starlette.testclient import TestClient

from app.api import examples
from app.charter.model import CharterStatus, Kind, MemoryType, Mode, Source, Status
from app.errors import UnauthenticatedError
from app.main import create_app
from app.services import (
    acts,
    approval,
    audit,
    disputes,
    govern,
    graph,
    health,
    intake,
    keys,
    proposals,
    reading,
    recall,
    reconsider,
    remember,
    resolve,
    rulebook,
    standing,
)
from app.services.requests import Once, Principal, Role
from app.services.views import CharterStamp, WriteView
from app.settings import Settings

KEY = "hx_a_key_that_works"
PRINCIPAL = Principal(
    tenant_id=UUID(int=1),
    tenant="default",
    key_id=UUID(examples.KEY_ID),
    role=Role.OWNER,
    user_ids=None,
    can_answer=True,
    expires_at=None,
)
MEMORY_ID = UUID(examples.MEMORY_TEA)

_SERVICES = (
    (acts, ("edit", "finalize", "unfinalize")),
    (approval, ("approve", "withdraw_approval", "list_versions")),
    (audit, ("list_decisions", "get_decision")),
    (disputes, ("list_contradictions", "get_contradiction")),
    (govern, ("get_charter",)),
    (graph, ("get_graph",)),
    (health, ("check",)),
    (intake, ("get_write", "list_writes")),
    (proposals, ("list_proposals", "approve_proposal", "reject_proposal")),
    (reading, ("get_memory", "list_memories", "get_history")),
    (recall, ("search",)),
    (reconsider, ("decide_now",)),
    (remember, ("remember",)),
    (resolve, ("resolve",)),
    (rulebook, ("list_rules", "get_rule", "revoke_rule")),
    (standing, ("withdraw", "restore")),
)


_ONCE = frozenset(
    "finalize unfinalize withdraw restore approve withdraw_approval approve_proposal reject_proposal decide_now resolve revoke_rule".split()
)


def memory_view(**more: Any) -> SimpleNamespace:
    """Alice's tea, with what the face shows of it."""
    fields: dict[str, Any] = {
        "id": MEMORY_ID,
        "user_id": "alice",
        "kind": Kind.ATOM,
        "memory_type": MemoryType.PREFERENCE,
        "content": examples.TEA,
        "status": Status.ACTIVE,
        "immutable": False,
        "shared": False,
        "source": Source.USER,
        "revision": 1,
        "created_at": datetime(2026, 5, 1, 9, 30, tzinfo=UTC),
        "valid_from": None,
        "valid_to": None,
        "supersedes": (),
        "superseded_by": None,
        "raw_input_id": None,
        "same_as": (),
        "open_contradictions": (),
        "metadata": {},
        "agent_id": None,
        "session_id": None,
        "created_by": None,
        "charter_version": 1,
        "undecided": False,
    }
    return SimpleNamespace(**{**fields, **more})


def write_view(**more: Any) -> WriteView:
    """A write that did nothing."""
    fields: dict[str, Any] = {
        "write_id": UUID(examples.WRITE_ID),
        "status": "completed",
        "raw_input_id": None,
        "charter": CharterStamp(1, CharterStatus.DRAFT, Mode.DEFER),
        "results": (),
        "needs_clarification": (),
        "resolved_by_rule": (),
    }
    return WriteView(**{**fields, **more})


@dataclass
class Face:
    """A client with a key, what the services shall answer, by name, and how they were called."""

    client: TestClient
    script: dict[str, Any] = field(default_factory=dict)
    calls: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)

    once: list[Once | None] = field(default_factory=list)

    def write(self, body: Any, **headers: str) -> Any:
        """POST /memories."""
        return self.client.post("/memories", json=body, headers={k.replace("_", "-"): v for k, v in headers.items()})

    def write_raw(self, body: bytes, content_type: str = "application/json") -> Any:
        """POST /memories with exactly these bytes."""
        return self.client.post("/memories", content=body, headers={"Content-Type": content_type})

    @property
    def asked(self) -> Any:
        """The last argument of the last call of a service."""
        return self.calls[-1][1][-1]


@pytest.fixture
def face(monkeypatch: pytest.MonkeyPatch) -> Iterator[Face]:
    """The real application, its lifespan not run, with stand-ins for its services."""
    application = create_app(Settings())
    application.state.parts = object()
    client = TestClient(application, headers={"Authorization": f"Bearer {KEY}"}, raise_server_exceptions=False)
    made = Face(client, {"remember": write_view(), "get_memory": memory_view(), "edit": memory_view(revision=2)})

    def stand_in(name: str) -> Any:
        async def answer(_parts: Any, _principal: Any, *given: Any) -> Any:
            arguments = list(given)
            if name in _ONCE:  # these take last what makes them happen once
                *arguments, once = arguments
                made.once.append(once)
            made.calls.append((name, tuple(arguments)))
            scripted = made.script[name]
            if isinstance(scripted, Exception):
                raise scripted
            return scripted

        return answer

    async def authenticate(_parts: Any, token: str) -> Principal:
        if token != KEY:
            raise UnauthenticatedError("this key is not known")
        return PRINCIPAL

    async def check(_parts: Any) -> Any:
        return made.script["check"]

    for module, names in _SERVICES:
        for name in names:
            monkeypatch.setattr(module, name, stand_in(name))
    monkeypatch.setattr(keys, "authenticate", authenticate)
    monkeypatch.setattr(health, "check", check)
    yield made
    client.close()


def assert_problem(answer: Any, status: int, code: str, *secrets: str) -> Any:
    """The answer is a whole problem document with this status and code, and quotes none of the secrets."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    document = answer.json()
    assert {"type", "title", "status", "detail", "instance", "code", "request_id", "retryable"} <= document.keys()
    assert (document["status"], document["code"], document["type"]) == (status, code, f"/problems/{code}")
    assert document["request_id"] == answer.headers["x-request-id"]
    for secret in secrets:
        assert secret not in answer.text
    return document
