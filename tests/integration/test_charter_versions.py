"""A changed constitution is a new draft: every tenant is back in defer mode until it approves that very text."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Any
from uuid import UUID

import asyncpg

from app.services.seeds import plant_everywhere
from tests.live import LiveServer
from tests.postgres import run

TEXT = "1. Constitution (changed)\n\n• C1. Never auto-delete. As ever.\n\n"


async def register(dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute("SELECT register_constitution(2, $1, $2)", sha256(TEXT.encode()).hexdigest(), TEXT)
    finally:
        await connection.close()
    await plant_everywhere(dsn)


async def fetch(dsn: str, query: str) -> list[Any]:
    connection = await asyncpg.connect(dsn)
    try:
        return [tuple(row) for row in await connection.fetch(query)]
    finally:
        await connection.close()


def approve(live_server: LiveServer) -> dict[str, Any]:
    charter = live_server.owner.get("/charter").json()
    answer = live_server.owner.post("/charter/approve", json={"version": charter["version"], "sha256": charter["sha256"]})
    assert answer.status_code == 200, answer.text
    return dict(live_server.owner.get("/charter").json())


def test_a_new_text_puts_every_tenant_back_into_defer_mode(live_server: LiveServer) -> None:
    assert (approve(live_server)["status"], approve(live_server)["mode"]) == ("approved", "block")
    run(register(live_server.database.owner_dsn))
    charter = live_server.owner.get("/charter").json()
    assert (charter["version"], charter["status"], charter["mode"], charter["approved_by"]) == (2, "draft", "defer", None)
    written = live_server.agent.post("/memories", json={"user_id": "ann", "facts": [{"content": "Ann likes tea"}]}).json()
    assert written["charter"] == {"version": 2, "status": "draft", "mode": "defer"}


def test_the_old_text_can_no_longer_be_approved_and_the_new_one_can(live_server: LiveServer) -> None:
    old = approve(live_server)
    run(register(live_server.database.owner_dsn))
    refused = live_server.owner.post("/charter/approve", json={"version": old["version"], "sha256": old["sha256"]})
    assert (refused.status_code, refused.json()["code"]) == (409, "not_current")
    assert approve(live_server)["version"] == 2
    versions = live_server.owner.get("/charter/versions").json()["items"]
    assert [(one["version"], len(one["acts"])) for one in versions] == [(2, 1), (1, 1)]


def test_the_texts_come_in_pages(live_server: LiveServer) -> None:
    approve(live_server)
    run(register(live_server.database.owner_dsn))
    ask = live_server.owner.get
    first = ask("/charter/versions", params={"limit": 1}).json()
    second = ask("/charter/versions", params={"limit": 1, "cursor": first["next_cursor"]}).json()
    assert [[(one["version"], len(one["acts"])) for one in page["items"]] for page in (first, second)] == [[(2, 0)], [(1, 1)]]
    assert second["next_cursor"] is None
    memory = live_server.agent.post("/memories", json={"user_id": "ann", "facts": [{"content": "Ann likes tea"}]}).json()["write_id"]
    far = urlsafe_b64encode(UUID(memory).bytes).decode().rstrip("=")  # another list's: larger than any number of a text
    for query, expected in (({"cursor": far}, 200), ({"cursor": "none"}, 422), ({"limit": 0}, 422), ({"limit": 201}, 422)):
        assert ask("/charter/versions", params=query).status_code == expected, query


def test_a_process_that_carries_another_text_is_not_ready(live_server: LiveServer) -> None:
    assert live_server.client(None).get("/readyz").status_code == 200
    run(register(live_server.database.owner_dsn))
    answer = live_server.client(None).get("/readyz")
    assert answer.status_code == 503
    assert [one["name"] for one in answer.json()["checks"] if not one["ok"]] == ["constitution"]


def test_the_change_is_told_to_each_tenant_and_its_articles_become_seeds(live_server: LiveServer) -> None:
    dsn = live_server.database.superuser_dsn
    run(register(live_server.database.owner_dsn))
    told = run(
        fetch(dsn, "SELECT t.name, o.payload ->> 'version' FROM outbox o JOIN tenants t USING (tenant_id) WHERE type = 'charter.changed'")
    )
    assert told == [("default", "2")]
    seeds = live_server.agent.get("/memories", params={"user_id": "helixir", "kind": "seed"}).json()["items"]
    assert sorted(one["metadata"]["version"] for one in seeds) == ["1"] * 5 + ["2"]
    assert {one["immutable"] for one in seeds} == {True}


def test_what_waits_keeps_its_strategy_when_the_approval_is_withdrawn(live_server: LiveServer) -> None:
    approve(live_server)
    preference = {"user_id": "ann", "source": "user"}
    live_server.agent.post("/memories", json={**preference, "facts": [{"content": "I prefer tea", "memory_type": "preference"}]})
    held = live_server.agent.post("/memories", json={**preference, "facts": [{"content": "I prefer coffee", "memory_type": "preference"}]})
    assert (held.status_code, held.json()["results"][0]["outcome"]) == (202, "held")
    asked = held.json()["needs_clarification"][0]
    withdrawn = live_server.owner.post("/charter/withdraw", json={"reason": "think again"}).json()
    assert (withdrawn["open"], withdrawn["held"]) == (1, 1)
    dispute = live_server.agent.get(f"/contradictions/{asked['contradiction_id']}").json()
    assert (dispute["strategy"], dispute["new"]["status"]) == ("charter_held", "held")
    done = live_server.agent.post(f"/contradictions/{asked['contradiction_id']}/resolve", json={"resolution": "coexist"}).json()
    assert done["effects"]["activated"] == [asked["new_memory_id"]]
    texts = {one["content"] for one in live_server.agent.get("/memories", params={"user_id": "ann"}).json()["items"]}
    assert texts == {"I prefer tea", "I prefer coffee"}
