"""What must stay inside stays inside: secrets and texts, through normal use and faults, are in no log, no problem and no open route."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.fault.processes import Process, clean_environment
from tests.integration.models import DIMENSIONS, Models, Said, running_models
from tests.live import _new_key
from tests.model_stub import Reply
from tests.postgres import Database, run

PASSWORD = "pw-Quagga-7f3d"  # noqa: S105 - of nobody
ENGINE_KEY = "sk-Numbat-51ab"
EMBEDDING_KEY = "sk-Bilby-90cc"
USER = "user-Wombat-3e1"
OLD, NEW = "Dugong prefers tea", "Dugong prefers coffee"
NOTE, QUERY, REASON, EXTRA = "note-Kakapo-11", "what does Takahe drink", "reason-Weka-12", "metadata-Kea-13"
TEXTS = (USER, "Dugong", NOTE, "Takahe", REASON, EXTRA)
RAISED = "Thylacine"
"""A text that the database itself quotes in an error, as a failing function may."""
KEYS = (PASSWORD, ENGINE_KEY, EMBEDDING_KEY)

QUOTE_IT = """
CREATE FUNCTION public.quote_it() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no room for %', NEW.content; END $$;
CREATE TRIGGER quote_it BEFORE INSERT ON memories FOR EACH ROW WHEN (NEW.content LIKE 'Thylacine%') EXECUTE FUNCTION public.quote_it();
"""


@dataclass
class Life:
    """A service of its own, its models, and every answer that it gave."""

    process: Process
    models: Models
    agent_key: str
    owner_key: str
    answers: list[httpx.Response] = field(default_factory=list)

    def ask(self, method: str, path: str, key: str | None = None, **more: Any) -> httpx.Response:
        """A request with the owner's key, or another; the answer is kept."""
        headers = {"Authorization": f"Bearer {key or self.owner_key}", **more.pop("headers", {})}
        answer = httpx.request(method, f"{self.process.base_url}{path}", headers=headers, timeout=60, trust_env=False, **more)
        self.answers.append(answer)
        return answer

    def write(self, content: str, **more: Any) -> httpx.Response:
        """One preference of the user."""
        fact = {"content": content, "memory_type": "preference", "metadata": {"k": EXTRA}}
        return self.ask("POST", "/memories", json={"user_id": USER, "facts": [fact], **more})


@pytest.fixture
def life(database: Database, tmp_path: Path) -> Iterator[Life]:
    with running_models() as models:
        settings = {
            "database_url": database.service_dsn.replace("@", f":{PASSWORD}@", 1),
            "embedding": {"kind": "openai", "base_url": models.base_url, "model": "m", "dimensions": DIMENSIONS, "api_key": EMBEDDING_KEY},
            "engine": {"kind": "llm", "base_url": models.base_url, "model": "m", "api_key": ENGINE_KEY, "timeout_seconds": 3, "retries": 1},
            "extraction": {"kind": "llm"},
            "intake": {"retry_seconds": 0.2},
        }
        process = Process(settings, tmp_path / "log")
        keys = [run(_new_key(database, role, None, "default", can_answer=True)) for role in ("agent", "owner")]
        process.start()
        try:
            yield Life(process, models, *keys)
        finally:
            process.kill()


def use(life: Life) -> None:
    """A dispute from its beginning to its end, and all that can be read of it."""
    life.models.place([OLD, NEW], 0.9)
    life.models.said[NEW] = Said("SUPERSEDE", OLD)
    memory = life.write(OLD).json()["results"][0]["memory_id"]
    asked = life.write(NEW, dry_run=False).json()["needs_clarification"][0]
    life.ask("POST", "/memories", json={"user_id": USER, "message": f"{OLD}. Thanks, {EXTRA}!"})
    life.ask("POST", "/memories/search", json={"user_id": USER, "query": QUERY})
    life.ask("GET", f"/memories?user_id={USER}&session_id={EXTRA}")
    answer = {"resolution": "confirm", "version": 1, "note": NOTE, "answered_by": USER}
    dispute = f"/contradictions/{asked['contradiction_id']}"
    assert life.ask("POST", f"{dispute}/resolve", json=answer).status_code == 200
    assert (
        life.ask("PATCH", f"/memories/{memory}", json={"content": f"{OLD} now", "reason": REASON}, headers={"If-Match": "1"}).status_code
        == 200
    )
    assert life.ask("POST", f"/memories/{memory}/finalize", json={"reason": REASON}).status_code == 200
    assert life.ask("POST", f"/memories/{memory}/finalize", key=life.agent_key, json={"reason": REASON}).status_code == 403
    for path in (f"/memories/{memory}/history", f"/memories/{memory}/graph", dispute, "/decisions", "/writes"):
        assert life.ask("GET", path).status_code == 200


def misuse(life: Life) -> None:
    """Requests that are refused, with texts everywhere that a request has room for one."""
    everywhere = [
        life.ask("GET", f"/memories/{USER}"),
        life.ask("GET", f"/{USER}/{EXTRA}"),
        life.ask("GET", f"/memories?{EXTRA}={QUERY}"),
        life.ask("GET", f"/memories?user_id={USER}&user_id={EXTRA}"),
        life.ask("GET", f"/memories?cursor={EXTRA}"),
        life.ask("POST", "/memories", content=f'{{"user_id": "{USER}", "{EXTRA}'.encode(), headers={"Content-Type": "application/json"}),
        life.ask("POST", "/memories", content=OLD.encode(), headers={"Content-Type": "text/plain"}),
        life.ask("POST", "/memories", json={"user_id": USER, EXTRA: NOTE, "facts": [{"content": OLD * 1000, "memory_type": NOTE}]}),
        life.ask("POST", "/memories", json=[OLD], headers={"Idempotency-Key": f"{EXTRA} {NOTE}"}),
        life.ask("PATCH", f"/memories/{'0' * 32}", json={"content": OLD, "reason": REASON}, headers={"If-Match": EXTRA}),
        life.ask("GET", "/me", key=f"hx_{PASSWORD}"),
        life.ask("DELETE", f"/memories/{USER}"),
    ]
    assert {answer.status_code for answer in everywhere} == {401, 404, 405, 415, 422}


def break_models(life: Life) -> None:
    """Model servers that answer with what they were sent, the keys among it, or with nothing that can be read."""
    echo = {"error": {"message": f"Incorrect API key provided: {ENGINE_KEY}, {EMBEDDING_KEY}, while reading {OLD} of {USER}"}}
    for number, reply in enumerate((Reply(echo, status=401), Reply(echo, status=500), Reply(b"{" + OLD.encode()), Reply(reset=True))):
        for endpoint in ("embeddings", "chat"):
            text = f"{OLD} {endpoint} {number}"
            life.models.place([OLD, text], 0.9)
            fault = life.models.fail(endpoint, text, reply)
            assert life.write(text).status_code in {201, 202}
            life.ask("POST", "/memories/search", json={"user_id": USER, "query": text})
            life.models.heal(fault)


def break_the_database(life: Life, database: Database) -> None:
    """An error of the database that quotes the text, and connections that end in the middle."""
    run(_execute(database, QUOTE_IT))
    assert life.write(f"{RAISED} prefers shade").status_code == 500
    run(
        _execute(
            database,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'helixir_app' AND datname = current_database()",
        )
    )
    life.write(f"{OLD} at noon")


async def _execute(database: Database, statement: str) -> None:
    import asyncpg  # noqa: PLC0415 - the one place

    connection = await asyncpg.connect(database.superuser_dsn)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


@pytest.mark.slow
def test_nothing_that_must_stay_inside_comes_out(life: Life, database: Database, postgres_home: Path) -> None:
    use(life)
    misuse(life)
    break_models(life)
    break_the_database(life, database)
    secrets = (*KEYS, life.agent_key, life.owner_key)
    shown = {path: life.ask("GET", path) for path in ("/metrics", "/openapi.json", "/readyz", "/livez", "/docs", "/charter")}
    assert {answer.status_code for answer in shown.values()} == {200}
    life.process.signal(signal.SIGTERM)
    life.process.wait()

    log = life.process.output
    assert [word for word in (*secrets, *TEXTS, RAISED) if word in log] == []
    assert '"error":"RaiseError"' in log
    assert log.count('"event":"request"') > 40
    for path, answer in shown.items():
        assert [word for word in (*secrets, *TEXTS, RAISED) if word in answer.text] == [], path
    for answer in life.answers:
        assert [word for word in secrets if word in answer.text] == []
        if answer.status_code >= 400:
            assert [word for word in (*TEXTS, RAISED) if word in answer.text] == [], answer.text
    [of_postgres] = postgres_home.glob("postgres.log")
    told = of_postgres.read_text(encoding="utf-8", errors="replace")
    assert [word for word in (*secrets, *TEXTS) if word in told] == []


@pytest.mark.parametrize(
    "variables",
    [
        {"HELIXIR_DATABASE_URL": f"postgresql://helixir_app:{PASSWORD}@127.0.0.1:1/helixir"},
        {"HELIXIR_DATABASE_URL": f"postgresql://helixir_app:{PASSWORD}@[nowhere/helixir"},
        {"HELIXIR_DATABASE_URL": PASSWORD},
        {"HELIXIR_ENGINE__TIMEOUT_SECONDS": ENGINE_KEY},
        {
            "HELIXIR_EMBEDDING__KIND": "openai",
            "HELIXIR_EMBEDDING__BASE_URL": ENGINE_KEY,
            "HELIXIR_EMBEDDING__API_KEY": f"{EMBEDDING_KEY}\n",
        },
        {"HELIXIR_ENGINE": ENGINE_KEY},
    ],
    ids=["out_of_reach", "no_address", "no_url", "no_number", "no_base_url", "no_object"],
)
def test_a_start_that_fails_names_what_is_wrong_and_no_secret(variables: dict[str, str], tmp_path: Path) -> None:
    environment = {
        **clean_environment(),
        "HELIXIR_HOME": str(tmp_path),
        "HELIXIR_DATABASE_URL": "postgresql://a@127.0.0.1:1/b",
        **variables,
    }
    ended = subprocess.run(
        [sys.executable, "-m", "app.cli", "serve"], env=environment, capture_output=True, text=True, timeout=90, check=False
    )
    assert ended.returncode not in {0, None}
    said = ended.stdout + ended.stderr
    assert "HELIXIR_" in said or 'field "engine"' in said
    assert [word for word in KEYS if word in said] == []
