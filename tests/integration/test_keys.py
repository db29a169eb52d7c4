"""Keys and roles: who may do what on every route, what a bound key sees, and how a key is kept."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import asyncpg
import pytest

from app.services import keys
from tests.integration.stage import Caller, Stage
from tests.postgres import run

WRITE = {"user_id": "somebody", "facts": [{"content": "Something holds"}], "dry_run": True}
ACT = {"reason": "a reason"}
EDIT = {"content": "Something else holds", "reason": "a reason"}

SETTINGS = {"rules": {"propose_after": 2}}
READ, ANSWER, WRITES, OWNS = "read", "answer", "write", "own"
ROUTES: list[tuple[str, str, Any, str]] = [
    ("POST", "/memories", WRITE, WRITES),
    ("GET", "/memories", None, READ),
    ("POST", "/memories/search", {"query": "tea", "user_id": "somebody"}, READ),
    ("GET", "/memories/{memory}", None, READ),
    ("GET", "/memories/{memory}/history", None, READ),
    ("POST", "/memories/{memory}/decide", None, WRITES),
    ("PATCH", "/memories/{memory}", EDIT, WRITES),
    ("POST", "/memories/{memory}/finalize", ACT, OWNS),
    ("POST", "/memories/{memory}/unfinalize", ACT, OWNS),
    ("POST", "/memories/{memory}/withdraw", ACT, OWNS),
    ("POST", "/memories/{memory}/restore", ACT, OWNS),
    ("GET", "/memories/{memory}/graph", None, READ),
    ("GET", "/writes", None, READ),
    ("GET", "/writes/{write}", None, READ),
    ("GET", "/contradictions", None, READ),
    ("GET", "/contradictions/{dispute}", None, READ),
    ("POST", "/contradictions/{dispute}/resolve", {"resolution": "coexist", "version": 9}, ANSWER),
    ("GET", "/decisions", None, READ),
    ("GET", "/decisions/{decision}", None, READ),
    ("GET", "/charter", None, READ),
    ("GET", "/charter/versions", None, READ),
    ("POST", "/charter/approve", {"version": 999, "sha256": "0" * 64}, OWNS),
    ("POST", "/charter/withdraw", ACT, OWNS),
    ("GET", "/rules", None, READ),
    ("GET", "/rules/{rule}", None, READ),
    ("POST", "/rules/{rule}/revoke", ACT, OWNS),
    ("GET", "/rule-proposals", None, READ),
    ("POST", "/rule-proposals/{proposal}/approve", ACT, OWNS),
    ("POST", "/rule-proposals/{proposal}/reject", ACT, OWNS),
    ("GET", "/me", None, READ),
]
REFUSED: dict[str, set[str]] = {"owner": set(), "agent": {OWNS}, "silent": {OWNS, ANSWER}, "auditor": {OWNS, ANSWER, WRITES}}


@dataclass(frozen=True)
class Scene:
    """Things to name in a path, all of one user."""

    user: str
    names: dict[str, str]

    def ask(self, caller: Caller, route: tuple[str, str, Any, str]) -> int:
        """The status that the caller gets."""
        method, path, body, _ = route
        headers = {"If-Match": "99"} if method == "PATCH" else {}
        where = path.format(**self.names)
        return caller.http.request(method, where, json=body, headers=headers).status_code


def scene(stage: Stage) -> Scene:
    """A dispute, and a rule and a proposal that grew from answers of the same user."""
    user, proposal = stage.user(), None
    pairs = [(f"owns thing {number}", f"owned thing {number}") for number in range(4)]
    for number, (old, new) in enumerate(pairs[:3]):
        kinds = ("fact", "skill") if number == 2 else ("fact", "fact")
        flagged = stage.meet("CONTRADICT", old=(old, kinds[0]), new=(new, kinds[1]), user=user)
        answered = stage.owner.answer(flagged.dispute, "coexist", always=number == 2)
        proposal = answered["rule_proposal"] or proposal
    met = stage.disputed(user=user)
    assert proposal is not None
    assert answered["rule"] is not None
    names = {"memory": met.new, "write": met.body["write_id"], "dispute": met.dispute, "decision": met.result["decision_id"]}
    return Scene(user, {**names, "rule": answered["rule"]["id"], "proposal": proposal["id"]})


def test_every_route_that_needs_a_key_is_among_those_tried_here(stage: Stage) -> None:
    described = stage.agent.ask("GET", "/openapi.json")["paths"]
    public = {"/livez", "/readyz", "/metrics"}
    known = {(method.upper(), re.sub(r"{.*?}", "{}", path)) for path, item in described.items() if path not in public for method in item}
    assert {(method, re.sub(r"{.*?}", "{}", path)) for method, path, _, _ in ROUTES} == known


@pytest.mark.parametrize("role", list(REFUSED))
def test_each_role_is_refused_what_it_may_not_do_and_nothing_else(stage: Stage, role: str) -> None:
    seen, caller = scene(stage), stage.key("agent", can_answer=False) if role == "silent" else stage.key(role)
    for route in ROUTES:
        status = seen.ask(caller, route)
        assert (status == 403) == (route[3] in REFUSED[role]), (route, status)
        assert status not in {401, 404, 422, 500}, (route, status)


def test_only_an_owner_that_is_not_bound_to_users_approves_the_charter(stage: Stage) -> None:
    charter, bound = stage.owner.ask("GET", "/charter"), stage.key("owner", stage.user())
    body = {"version": charter["version"], "sha256": charter["sha256"]}
    assert bound.ask("POST", "/charter/approve", 403, json=body)["code"] == "bound_key"
    assert bound.ask("POST", "/charter/withdraw", 403, json=ACT)["code"] == "bound_key"
    assert stage.owner.ask("GET", "/charter")["status"] == "draft"


@pytest.mark.parametrize("token", [None, "", "hx_" + "a" * 43, "hx_short", "two words", "é"])
def test_without_a_known_key_every_route_is_401(stage: Stage, token: str | None) -> None:
    seen = scene(stage)
    client = stage.house.live.client(None)
    headers = [] if token is None else [(b"Authorization", f"Bearer {token}".strip().encode())]
    for method, path, body, _ in ROUTES:
        response = client.request(method, path.format(**seen.names), json=body, headers=headers)
        assert response.status_code == 401, (method, path)
        assert response.headers["WWW-Authenticate"].startswith("Bearer")
        assert response.json()["code"] == "unauthenticated"


@pytest.mark.parametrize("who", ["another tenant", "another user"])
def test_what_a_key_may_not_see_is_404_on_every_route_and_in_no_list(stage: Stage, who: str) -> None:
    seen = scene(stage)
    stranger = stage.key("owner", tenant=stage.name) if who == "another tenant" else stage.key("owner", stage.user("carol"))
    for route in ROUTES:
        if "{" in route[1]:
            assert seen.ask(stranger, route) == 404, route
    for path in ("/memories", "/contradictions", "/decisions"):
        assert stranger.items(path) == []
        assert stranger.items(path, **({} if path == "/decisions" else {"user_id": seen.user})) == []
    assert stranger.items("/decisions", memory_id=seen.names["memory"]) == []
    assert stranger.items("/decisions", write_id=seen.names["write"]) == []
    assert stranger.search(seen.user, stage.t("prefers tea"), scope="collective") == []
    memory = stage.agent.memory(seen.names["memory"])
    assert (memory["status"], memory["revision"], memory["immutable"]) == ("active", 1, False)


@pytest.mark.parametrize("role", ["agent", "owner"])
def test_a_bound_key_writes_for_its_users_only(stage: Stage, role: str) -> None:
    ann, bob = stage.user("ann"), stage.user("bob")
    anns = stage.key(role, ann)
    assert anns.ask("GET", "/me")["user_ids"] == [ann]
    anns.write(ann, stage.t("lives in Lisbon"))
    assert anns.write(bob, stage.t("lives in Porto"), expect=403)["code"] == "bound_key"
    assert anns.write(bob, stage.t("lives in Porto"), expect=403, dry_run=True)["code"] == "bound_key"
    assert stage.value("SELECT count(*) FROM writes WHERE user_id = $1", bob) == 0


def test_a_bound_key_reads_anothers_shared_memory_and_changes_it_never(stage: Stage) -> None:
    ann, bob = stage.user("ann"), stage.user("bob")
    shared, private = stage.t("is open on Sunday"), stage.t("lives in Porto")
    memory, hidden = stage.agent.store(bob, shared, shared=True), stage.agent.store(bob, private)
    anns = stage.key("owner", ann)
    assert anns.memory(memory)["content"] == shared
    anns.memory(hidden, 404)
    assert anns.texts(bob) == [shared]
    assert anns.edit(memory, stage.t("is closed"), 1, 403)["code"] == "bound_key"
    for act in ("finalize", "unfinalize", "withdraw", "restore"):
        assert anns.act(act, memory, 403)["code"] == "bound_key"
        anns.act(act, hidden, 404)
    assert stage.agent.memory(memory)["revision"] == 1


def test_what_me_says_of_each_key(stage: Stage) -> None:
    for role, can_answer, expected in (("agent", True, True), ("agent", False, False), ("owner", True, True), ("auditor", True, False)):
        me = stage.key(role, can_answer=can_answer).ask("GET", "/me")
        assert (me["role"], me["can_answer"], me["tenant"], me["user_ids"], me["expires_at"]) == (role, expected, "default", None, None)


def test_a_key_is_stored_as_a_hash_and_nowhere_else(stage: Stage) -> None:
    key = stage.house.live.new_key("agent")
    stage.agent.write(stage.user(), stage.t("lives in Lisbon"))
    (row,) = stage.rows("SELECT secret_hash, prefix FROM api_keys WHERE secret_hash = $1", sha256(key.encode()).digest())
    assert (row["prefix"], len(row["prefix"])) == (key[:8], 8)
    assert stage.value("SELECT count(*) FROM api_keys k WHERE k::text LIKE '%' || $1 || '%'", key[3:]) == 0


async def _expiring(dsn: str, expires_at: datetime) -> str:
    connection = await asyncpg.connect(dsn)
    try:
        return await keys.create_key(connection, tenant="default", role="owner", user_ids=None, can_answer=True, expires_at=expires_at)
    finally:
        await connection.close()


def test_an_expired_key_and_a_revoked_one_are_no_keys(stage: Stage) -> None:
    live, now = stage.house.live, datetime.now(UTC)
    later: str = run(_expiring(live.database.owner_dsn, now + timedelta(hours=1)))
    caller = Caller(live.client(later))
    assert caller.ask("GET", "/me")["expires_at"] is not None
    expired: str = run(_expiring(live.database.owner_dsn, now - timedelta(seconds=1)))
    assert Caller(live.client(expired)).ask("GET", "/me", 401)["code"] == "unauthenticated"
    stage.rows("UPDATE api_keys SET revoked_at = clock_timestamp() WHERE secret_hash = $1", sha256(later.encode()).digest())
    assert caller.ask("GET", "/me", 401)["code"] == "unauthenticated"


def test_the_user_of_the_system_is_nobodys_to_write(stage: Stage) -> None:
    stage.owner.ask("POST", "/memories", 422, json={"user_id": "helixir", "facts": [{"content": stage.t("rules")}]})


def test_a_bound_key_sees_the_articles_and_its_own_episodes_only(stage: Stage) -> None:
    """An episode names no text, but it names a user and a dispute."""
    bob = stage.user("bob")
    bound = stage.key("agent", bob)
    met = stage.disputed()
    episode = stage.agent.answer(met.dispute, "coexist")["episode_id"]
    assert len(bound.listed("helixir", kind="seed")) == 5
    assert bound.listed("helixir", kind="episode") == []
    bound.memory(episode, 404)
    assert episode in {one["id"] for one in stage.agent.listed("helixir", kind="episode", limit=200)}
