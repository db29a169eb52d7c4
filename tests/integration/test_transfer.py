"""`helixir export` and `import`: what comes back is what went out, every line of it or none."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from app.db import transfer
from app.errors import ConflictError, HelixirError, InvalidInputError, NotFoundError
from app.services.operator.export import export_tenant
from app.services.operator.restore_export import import_tenant
from tests.integration.house import House
from tests.integration.stage import Meeting, Stage
from tests.model_stub import Reply
from tests.postgres import run

SETTINGS: Mapping[str, Any] = {"intake": {"retry_seconds": 3600}}
"""Nothing is tried again in the background while two exports are compared."""


class Heard:
    """What a progress was told."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.done: dict[str, int] = {}

    def begin(self, counts: Mapping[str, int]) -> None:
        self.counts = dict(counts)
        self.done = dict.fromkeys(counts, 0)

    def advance(self, table: str, rows: int) -> None:
        self.done[table] += rows


class Transfer:
    """Both use cases, as the tables' owner."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.dsn = stage.house.database.owner_dsn
        self.heard = Heard()

    def export(self, tenant: str) -> list[bytes]:
        lines: list[bytes] = []
        run(self._with(lambda connection: export_tenant(connection, tenant, lines.append, self.heard)))
        return lines

    def restore(self, tenant: str, lines: Iterable[bytes]) -> Mapping[str, int]:
        counts: Mapping[str, int] = run(self._with(lambda connection: import_tenant(connection, tenant, lines, self.heard)))
        return counts

    async def _with(self, work: Callable[[asyncpg.Connection], Any]) -> Any:
        connection = await asyncpg.connect(self.dsn)
        try:
            return await work(connection)
        finally:
            await connection.close()

    def rows(self) -> dict[str, int]:
        """How many rows every table has."""
        names = ["tenants", *(table.name for table in transfer.TABLES)]
        return {name: self.stage.value(f"SELECT count(*) FROM {name}") for name in names}  # noqa: S608 - names of ours


@pytest.fixture
def files(stage: Stage) -> Transfer:
    return Transfer(stage)


class Full:
    """A tenant with something of every kind."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.tenant = f"full-{stage.name}"
        self.owner, self.user = stage.key("owner", tenant=self.tenant), stage.user()
        self.asked = self.meet("SUPERSEDE", ("prefers tea", "preference"), ("prefers coffee", "preference"))
        self.updated = self.meet("UPDATE", "lives in Lisbon", "lives in Alfama", merged=stage.t("lives in Lisbon in Alfama"))
        self.superseded = self.meet("SUPERSEDE", "works in Faro", "works in Braga")
        answered = self.meet("CONTRADICT", ("rides a bike", "experience"), ("rides a horse", "experience"))
        self.owner.answer(answered.dispute, "coexist", always=True, contexts={"new": "at home", "existing": "\u2028 abroad"}, note="ja 🎈")
        assert self.meet("CONTRADICT", ("owns a boat", "experience"), ("owns a car", "experience")).body["resolved_by_rule"]
        for one, other in (("sings", "hums"), ("swims", "dives"), ("reads", "writes")):
            plain = self.meet("CONTRADICT", one, other)
            self.owner.answer(plain.dispute, "coexist")
        amended = self.meet("SUPERSEDE", ("prefers Go", "preference"), ("prefers Rust", "preference"))
        self.owner.answer(amended.dispute, "amend", content=stage.t("prefers both"))
        charter = self.owner.ask("GET", "/charter")
        self.owner.ask("POST", "/charter/approve", json={"version": charter["version"], "sha256": charter["sha256"]})
        self.owner.ask("POST", "/charter/withdraw", json={"reason": "not yet"})
        odd = {"price": 1.10, "deep": [{"a": None, "b": [1e300, "\\x00", 'quote " and \\']}], "big": 9007199254740993}
        body = self.owner.say(self.user, stage.t("has a dog.\nIt is called\t“Ünit”"), metadata=odd, agent_id="planner", session_id="s1")
        self.owner.act("finalize", body["results"][0]["memory_id"])
        self._with_faults()

    def meet(self, operation: str, old: Any, new: Any, **more: Any) -> Meeting:
        before, after = (self._named(one) for one in (old, new))
        self.stage.models.place([before["content"], after["content"]], 0.9)
        self.stage.expect(after["content"], operation, before["content"], **more)
        stored = self.owner.store(self.user, before)
        return Meeting(self.user, before["content"], after["content"], stored, self.owner.write(self.user, after))

    def _named(self, fact: Any) -> dict[str, Any]:
        content, memory_type = (fact, "fact") if isinstance(fact, str) else fact
        return {"content": self.stage.t(content), "memory_type": memory_type}

    def _with_faults(self) -> None:
        """A fact that is undecided, and a write that is not worked on yet."""
        models = self.stage.models
        one, two, waits = (self.stage.t(text) for text in ("eats bread", "eats rice", "waits for the embedder"))
        models.place([one, two], 0.9)
        self.owner.store(self.user, one)
        for fault in (models.fail("chat", two, Reply(status=500)), models.fail("embeddings", waits, Reply(status=503))):
            fault.times = 1_000_000
        assert self.owner.write(self.user, two)["results"][0]["outcome"] == "undecided"
        self.owner.write(self.user, waits, expect=202)
        for fault in list(models.faults):
            models.heal(fault)


@pytest.fixture(scope="module")
def full(house: House) -> Full:
    return Full(Stage(house))


def rebuilt(lines: list[bytes]) -> list[bytes]:
    """The lines with a header and a footer that fit them again."""
    counts = dict.fromkeys((table.name for table in transfer.TABLES), 0)
    for line in lines[1:-1]:
        counts[json.loads(line)["table"]] += 1
    header = json.loads(lines[0])
    header["header"]["counts"] = counts
    body = [json.dumps(header).encode() + b"\n", *lines[1:-1]]
    footer = {"footer": {"counts": counts, "sha256": sha256(b"".join(body)).hexdigest()}}
    return [*body, json.dumps(footer).encode() + b"\n"]


def test_what_comes_back_is_what_went_out(stage: Stage, files: Transfer, full: Full) -> None:
    first = files.export(full.tenant)
    assert files.heard.done == files.heard.counts
    counts = files.restore(f"copy-{stage.name}", first)
    assert files.heard.done == files.heard.counts == counts
    second = files.export(f"copy-{stage.name}")
    assert second[1:-1] == first[1:-1]
    headers = [json.loads(lines[0])["header"] for lines in (first, second)]
    assert [one.pop("tenant") for one in headers] == [full.tenant, f"copy-{stage.name}"]
    assert [bool(one.pop("exported_at")) for one in headers] == [True, True]
    assert headers[0] == headers[1]
    assert all(counts.values()), "something of every kind was carried over"


def test_the_format(files: Transfer, full: Full) -> None:
    lines = files.export(full.tenant)
    header, *rows, footer = (json.loads(line) for line in lines)
    assert header["header"].keys() == {"format", "version", "schema", "tenant", "exported_at", "charter_versions", "counts"}
    assert [table for place, table in enumerate(row["table"] for row in rows) if place == 0 or rows[place - 1]["table"] != table] == [
        table.name for table in transfer.TABLES if header["header"]["counts"][table.name]
    ]
    assert footer["footer"] == {"counts": header["header"]["counts"], "sha256": sha256(b"".join(lines[:-1])).hexdigest()}
    (vector, *_) = (row["row"]["embedding"] for row in rows if row["table"] == "embeddings")
    assert {type(number) for number in vector} <= {int, float}
    assert all("tenant_id" not in row["row"] for row in rows)


def test_no_secret_goes_out_and_none_comes_in(stage: Stage, files: Transfer, full: Full) -> None:
    lines = files.export(full.tenant)
    keys = [json.loads(line)["row"] for line in lines if line.startswith(b'{"table":"api_keys"')]
    assert [one.keys() for one in keys] == [{"key_id", "role", "prefix", "created_at"}]
    whole = b"".join(lines)
    for row in stage.rows("SELECT encode(secret_hash, 'hex') AS hash FROM api_keys"):
        assert row["hash"].encode() not in whole
    copy = f"copy-{stage.name}"
    files.restore(copy, lines)
    imported = stage.rows("SELECT k.* FROM api_keys k JOIN tenants t USING (tenant_id) WHERE t.name = $1", copy)
    assert [(str(one["key_id"]), one["can_answer"], one["revoked_at"] is not None) for one in imported] == [
        (keys[0]["key_id"], False, True)
    ]


def test_the_service_serves_it(stage: Stage, files: Transfer, full: Full) -> None:
    copy = f"copy-{stage.name}"
    files.restore(copy, files.export(full.tenant))
    owner = stage.key("owner", tenant=copy)
    for memory_id in (full.updated.old, full.superseded.old, full.superseded.new, full.asked.old):
        assert owner.memory(memory_id) == full.owner.memory(memory_id)
        assert owner.history(memory_id) == full.owner.history(memory_id)
    assert owner.texts(full.user) == full.owner.texts(full.user)
    found, there = (caller.search(full.user, full.asked.old_text) for caller in (owner, full.owner))
    assert found[0]["memory"]["content"] == full.asked.old_text
    assert found == there
    dispute = owner.dispute(full.asked.dispute)
    assert dispute["suggested_question"] == full.owner.dispute(full.asked.dispute)["suggested_question"]
    owner.answer(full.asked.dispute, "retract")
    assert owner.memory(full.asked.old)["superseded_by"] == full.asked.new
    assert full.owner.memory(full.asked.old)["superseded_by"] is None, "tenants never meet"
    assert owner.items("/rules")[0]["id"] == full.owner.items("/rules")[0]["id"]
    again = owner.write(full.user, full.updated.new_text + " today")
    assert again["results"][0]["memory_id"]


def test_a_tenant_with_nothing_but_keys_and_seeds(stage: Stage, files: Transfer, full: Full) -> None:
    copy = f"copy-{stage.name}"
    owner = stage.key("owner", tenant=copy)
    seeds = [one["id"] for one in owner.listed(kind="seed")]
    assert seeds
    files.restore(copy, files.export(full.tenant))
    assert [one["id"] for one in owner.listed(kind="seed")] == seeds
    assert owner.texts(full.user) == full.owner.texts(full.user)


def test_a_tenant_that_is_not_empty(stage: Stage, files: Transfer, full: Full) -> None:
    copy = f"copy-{stage.name}"
    stage.key("owner", tenant=copy).store(full.user, "Ann was here before")
    before = files.rows()
    for tenant in (copy, full.tenant):
        with pytest.raises(ConflictError):
            files.restore(tenant, files.export(full.tenant))
    assert files.rows() == before


def first_of(lines: list[bytes], table: str) -> int:
    return next(place for place, line in enumerate(lines) if line.startswith(f'{{"table":"{table}"'.encode()))


def cut(lines: list[bytes], place: int) -> list[bytes]:
    return lines[:place]


def half_a_line(lines: list[bytes], place: int) -> list[bytes]:
    return [*lines[:place], lines[place][:40]]


def changed(lines: list[bytes], place: int) -> list[bytes]:
    return [*lines[:place], lines[place].replace(b"Lisbon", b"London"), *lines[place + 1 :]]


def lost(lines: list[bytes], place: int) -> list[bytes]:
    return [*lines[:place], *lines[place + 1 :]]


@pytest.mark.parametrize("breaking", [cut, half_a_line, lost])
@pytest.mark.parametrize("table", ["memories", "embeddings", "outbox"])
def test_a_broken_file_is_noticed(stage: Stage, files: Transfer, full: Full, breaking: Any, table: str) -> None:
    lines = files.export(full.tenant)
    place = first_of(lines, table) + 1
    before = files.rows()
    with pytest.raises(InvalidInputError) as refused:
        files.restore(f"copy-{stage.name}", breaking(lines, place))
    wrong = {cut: place + 1, half_a_line: place + 1}.get(breaking)
    assert refused.value.detail.startswith(f"line {wrong}: " if wrong else "line ")
    assert refused.value.detail.endswith("; nothing was imported")
    assert files.rows() == before


def test_a_changed_line_is_noticed(stage: Stage, files: Transfer, full: Full) -> None:
    lines = files.export(full.tenant)
    place = next(place for place, line in enumerate(lines) if b"lives in Lisbon in Alfama" in line and b'"memories"' in line)
    both = [line.replace(b"Lisbon", b"London") for line in lines[:-1]]
    for broken in (changed(lines, place), [*both, lines[-1]]):
        with pytest.raises(InvalidInputError) as refused:
            files.restore(f"copy-{stage.name}", broken)
        assert "nothing was imported" in refused.value.detail
    with pytest.raises(InvalidInputError, match=f"line {len(lines)}: .*SHA-256"):
        files.restore(f"copy-{stage.name}", [*both, lines[-1]])


def row(lines: list[bytes], table: str, **more: Any) -> list[bytes]:
    """The first row of a table, changed."""
    place = first_of(lines, table)
    record = json.loads(lines[place])
    record["row"].update(more)
    return rebuilt([*lines[:place], json.dumps(record).encode() + b"\n", *lines[place + 1 :]])


def twice(lines: list[bytes], table: str) -> list[bytes]:
    place = first_of(lines, table)
    return rebuilt([*lines[: place + 1], lines[place], *lines[place + 1 :]])


def header(lines: list[bytes], **more: Any) -> list[bytes]:
    record = json.loads(lines[0])
    record["header"].update(more)
    return rebuilt([json.dumps(record).encode() + b"\n", *lines[1:]])


def test_lines_that_nobody_exported(stage: Stage, files: Transfer, full: Full) -> None:
    lines = files.export(full.tenant)
    version = {"version": 99, "sha256": "0" * 64}
    wrong: list[tuple[int | None, list[bytes]]] = [
        (first_of(lines, "memories") + 2, twice(lines, "memories")),
        (first_of(lines, "decisions") + 2, twice(lines, "decisions")),
        (first_of(lines, "memories") + 1, row(lines, "memories", status="gone")),
        (first_of(lines, "memories") + 1, row(lines, "memories", content="a\x00b")),
        (first_of(lines, "memories") + 1, row(lines, "memories", created_at="no time")),
        (first_of(lines, "memories") + 1, row(lines, "memories", tenant_id="x")),
        (first_of(lines, "revisions") + 1, row(lines, "revisions", memory_id="01900000-0000-7000-8000-000000000000")),
        (None, row(lines, "revisions", content="another text")),
        (first_of(lines, "edges") + 1, row(lines, "edges", type="LIKES")),
        (1, header(lines, schema="0000")),
        (1, header(lines, version=2)),
        (1, header(lines, format="another")),
        (1, header(lines, charter_versions=[version])),
        (1, lines[1:]),
        (1, []),
        (2, [lines[0], b"[]\n", *lines[1:]]),
        (2, [lines[0], b'{"table":"tenants","row":{}}\n', *lines[1:]]),
        (2, [lines[0], b"\xff\xfe\n", *lines[1:]]),
        (2, [lines[0], b"[" * 100_000 + b"\n", *lines[1:]]),
        (3, rebuilt([lines[0], lines[-2], *lines[1:]])),
        (len(lines) + 1, [*lines, b"{}\n"]),
    ]
    before = files.rows()
    for number, broken in wrong:
        with pytest.raises(InvalidInputError) as refused:
            files.restore(f"copy-{stage.name}", broken)
        start = "the lines do not fit together" if number is None else f"line {number}: "
        assert refused.value.detail.startswith(start)
        assert refused.value.detail.endswith("; nothing was imported")
        assert "\n" not in refused.value.detail
        assert files.rows() == before
    files.restore(f"copy-{stage.name}", lines)


def test_every_table_of_a_tenant_is_exported(stage: Stage) -> None:
    rows = stage.rows(
        "SELECT c.table_name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name) "
        "WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND c.column_name = 'tenant_id'"
    )
    assert {row["table_name"] for row in rows} == {table.name for table in transfer.TABLES} | transfer.NOT_EXPORTED


def test_an_unknown_tenant(files: Transfer) -> None:
    with pytest.raises(NotFoundError):
        files.export("no such tenant")
    with pytest.raises(HelixirError):
        files.restore("", [])


def helixir(stage: Stage, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    database = stage.house.database
    settings = {"HELIXIR_DATABASE_URL": database.service_dsn, "HELIXIR_MIGRATION_DATABASE_URL": database.owner_dsn}
    command = [sys.executable, "-m", "app.cli", *arguments]
    return subprocess.run(command, env={**os.environ, **settings}, input=given, capture_output=True, check=False, timeout=60)  # noqa: S603


def test_the_command_line(stage: Stage, files: Transfer, full: Full, tmp_path: Path) -> None:
    path = tmp_path / "export.jsonl"
    done = helixir(stage, "export", "--tenant", full.tenant, "--output", str(path))
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"helixir: memories done\n" in done.stderr
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["export.jsonl"]
    out = helixir(stage, "export", "--tenant", full.tenant)
    assert out.stdout.splitlines()[1:-1] == path.read_bytes().splitlines()[1:-1] == b"".join(files.export(full.tenant)).splitlines()[1:-1]
    assert helixir(stage, "import", "--tenant", f"one-{stage.name}", "--input", str(path)).returncode == 0
    assert helixir(stage, "import", "--tenant", f"two-{stage.name}", given=out.stdout).returncode == 0
    half = helixir(stage, "import", "--tenant", f"three-{stage.name}", given=out.stdout[: len(out.stdout) // 2])
    full_one = helixir(stage, "import", "--tenant", f"one-{stage.name}", "--input", str(path))
    missing = helixir(stage, "import", "--tenant", f"three-{stage.name}", "--input", str(tmp_path / "none"))
    unwritable = helixir(stage, "export", "--tenant", full.tenant, "--output", str(tmp_path / "no" / "file"))
    unknown = helixir(stage, "export", "--tenant", "no such", "--output", str(tmp_path / "other"))
    for failed in (half, full_one, missing, unwritable, unknown):
        assert failed.returncode == 1
        assert failed.stderr.splitlines()[-1].startswith(b"helixir: ")
        assert b"Traceback" not in failed.stderr
    assert [one.name for one in tmp_path.iterdir()] == ["export.jsonl"]
    names = {row["name"] for row in stage.rows("SELECT name FROM tenants")}
    assert f"three-{stage.name}" not in names
