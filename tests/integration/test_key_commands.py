"""`helixir keys`: list, revoke and rotate, with their audit rows, and when a key was used last."""

from __future__ import annotations

import re
from hashlib import sha256
from uuid import UUID, uuid4

import pytest
from typer.testing import CliRunner, Result

from app.errors import ConflictError, HelixirError, NotFoundError
from app.keys_cli import commands
from app.services.key_uses import KeyUses
from tests.integration.stage import Caller, Stage, at_once


def keys(stage: Stage, *arguments: str) -> Result:
    """One command, in this process; a refusal is raised."""
    database = stage.house.database
    settings = {"HELIXIR_DATABASE_URL": database.service_dsn, "HELIXIR_MIGRATION_DATABASE_URL": database.owner_dsn}
    done = CliRunner().invoke(commands, arguments, env=settings)
    if done.exception is not None:
        raise done.exception
    return done


def made(stage: Stage, *more: str, role: str = "agent") -> str:
    return keys(stage, "create", "--tenant", stage.name, "--role", role, *more).stdout.strip()


def listed(stage: Stage) -> list[dict[str, str]]:
    lines = keys(stage, "list", "--tenant", stage.name).stdout.splitlines()
    headings, *rows = (re.split(r"\s{2,}", line) for line in lines)
    return [dict(zip(headings, row, strict=True)) for row in rows]


def caller(stage: Stage, key: str) -> Caller:
    return Caller(stage.house.live.client(key))


def audited(stage: Stage, act: str) -> list[tuple[str, str | None, bool]]:
    query = """
    SELECT subject, reason, operator FROM audit a JOIN tenants t USING (tenant_id) WHERE t.name = $1 AND act = $2 ORDER BY audit_id
    """
    return [(row["subject"], row["reason"], row["operator"]) for row in stage.rows(query, stage.name, act)]


def test_the_list_shows_everything_but_the_keys(stage: Stage) -> None:
    first, second = made(stage, "--user-id", "bob", "--user-id", "ann", "--no-answer", "--expires", "7"), made(stage, role="auditor")
    one, two = listed(stage)
    assert (one["begins"], one["role"], one["answers"], one["users"], one["state"]) == (first[:8], "agent", "no", "ann,bob", "live")
    assert (two["begins"], two["role"], two["users"], two["expires"], two["last used"]) == (second[:8], "auditor", "all", "-", "-")
    assert one["expires"] > one["created"]
    shown = keys(stage, "list", "--tenant", stage.name).stdout
    assert first not in shown
    assert second not in shown
    assert [subject for subject, _, _ in audited(stage, "create_key")] == [one["id"], two["id"]]


def test_the_last_use_is_noted_and_hardly_ever_written(stage: Stage) -> None:
    key = made(stage)
    who = caller(stage, key)
    who.ask("GET", "/me")
    noted = "SELECT last_used_at, xmin::text AS by FROM api_keys WHERE secret_hash = $1"
    (first,) = stage.rows(noted, sha256(key.encode()).digest())
    assert first["last_used_at"] is not None
    at_once([lambda: who.ask("GET", "/me")] * 8)
    assert stage.rows(noted, sha256(key.encode()).digest()) == [first]
    assert listed(stage)[0]["last used"] != "-"


def test_a_row_that_is_held_keeps_no_request_waiting(stage: Stage) -> None:
    key = made(stage)
    connection, loop = stage.house.watching.connection, stage.house.watching
    begun = connection.transaction()
    loop.run(begun.start())
    loop.run(connection.execute("SELECT FROM api_keys WHERE secret_hash = $1 FOR UPDATE", sha256(key.encode()).digest()))
    try:
        assert caller(stage, key).ask("GET", "/me")["role"] == "agent"
    finally:
        loop.run(begun.rollback())
    assert listed(stage)[0]["last used"] == "-"


def test_a_use_is_due_once_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("app.services.key_uses.monotonic", lambda: now)
    uses, one, two = KeyUses(), uuid4(), uuid4()
    assert (uses.due(one), uses.due(one), uses.due(two)) == (True, False, True)
    now = 159.9
    assert not uses.due(one)
    now = 160.0
    assert uses.due(one)


@pytest.mark.parametrize("named", ["id", "begins"])
def test_a_revoked_key_is_no_key_from_its_next_request_on(stage: Stage, named: str) -> None:
    key = made(stage)
    who = caller(stage, key)
    who.ask("GET", "/me")
    row = listed(stage)[0]
    said = keys(stage, "revoke", row[named], "--tenant", stage.name, "--reason", "it leaked")
    assert (said.stdout, row["id"] in said.stderr) == ("", True)
    who.ask("GET", "/me", 401)
    assert listed(stage)[0]["state"] == "revoked"
    assert audited(stage, "revoke_key") == [(row["id"], "it leaked", True)]
    with pytest.raises(ConflictError, match="revoked already"):
        keys(stage, "revoke", row["id"], "--tenant", stage.name)
    assert len(audited(stage, "revoke_key")) == 1


def test_a_rotated_key_has_the_same_rights_and_takes_the_old_ones_place(stage: Stage) -> None:
    old = made(stage, "--user-id", "ann", "--no-answer", "--expires", "30")
    before = caller(stage, old).ask("GET", "/me")
    new = keys(stage, "rotate", before["key_id"], "--tenant", stage.name).stdout.strip()
    after = caller(stage, new).ask("GET", "/me")
    assert {**after, "key_id": ""} == {**before, "key_id": ""}
    assert after["key_id"] != before["key_id"]
    caller(stage, old).ask("GET", "/me", 401)
    assert [subject for subject, _, _ in audited(stage, "rotate_key")] == [before["key_id"]]


def test_a_grace_lets_the_old_key_live_on_for_a_while_and_never_longer_than_it_would(stage: Stage) -> None:
    old = made(stage)
    row = listed(stage)[0]
    new = keys(stage, "rotate", old[:8], "--tenant", stage.name, "--grace", "2").stdout.strip()
    assert caller(stage, new).ask("GET", "/me")["expires_at"] is None
    assert caller(stage, old).ask("GET", "/me")["expires_at"] is not None
    left = "SELECT extract(epoch FROM expires_at - clock_timestamp()) / 3600 FROM api_keys WHERE key_id = $1"
    assert 1.9 < stage.value(left, row["id"]) < 2.0
    keys(stage, "rotate", row["id"], "--tenant", stage.name, "--grace", "700")
    assert stage.value(left, row["id"]) < 2.0


def test_what_is_no_key_of_this_tenant_is_said_so(stage: Stage) -> None:
    key = made(stage)
    other = stage.house.live.new_key("agent")
    cases = {str(UUID(int=5)): "no such key", other[:8]: "no such key", key: "never by the whole key", "hx_": "first 8 characters"}
    for named, said in cases.items():
        with pytest.raises(HelixirError, match=said) as refused:
            keys(stage, "revoke", named, "--tenant", stage.name)
        assert key not in refused.value.detail
    with pytest.raises(NotFoundError, match="no tenant"):
        keys(stage, "list", "--tenant", "nobody")
    assert [row["state"] for row in listed(stage)] == ["live"]
