"""`helixir calibrate` from end to end: with the local model, offline; against a server; and what it writes is in force."""

from __future__ import annotations

import json
import os
import re
import socket
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import cli
from app.errors import ConfigurationError, HelixirError, InvalidInputError
from tests.live import StartServer

PAIRS = [
    ("Anna lives in Porto", "Anna lives in Lisbon", "conflict"),
    ("The server has 8 cores", "The server has 16 cores", "conflict"),
    ("Boris is single", "Boris got married in May", "update"),
    ("The shop opens at nine", "From now on the shop opens at ten", "update"),
    ("Anna likes tea", "Tea is what Anna likes", "duplicate"),
    ("The cat is black", "The CAT is black", "duplicate"),
    ("Anna lives in Porto", "The backup runs at midnight", "new"),
    ("The server has 8 cores", "Boris sings in a choir", "new"),
]


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("HELIXIR_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    file = tmp_path / "pairs.jsonl"
    rows = [json.dumps({"a": a, "b": b, "label": label}) for a, b, label in PAIRS]
    file.write_text("\n".join(rows), encoding="utf-8")
    return file


def calibrate(*options: object) -> str:
    result = CliRunner().invoke(cli, ["calibrate", *map(str, options)])
    if result.exception is not None:
        raise result.exception
    return result.stdout


def test_the_local_model_is_measured_offline(pairs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("calibrate opened a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    shown = calibrate("--pairs", pairs)
    assert "all-MiniLM-L6-v2-int8, 8 labelled pairs" in shown
    assert re.search(r"Recommended: new_below 0\.\d+, duplicate_at 0\.98", shown)
    assert "too few pairs to speak of 1 %" in shown
    # Two of the eight say something unrelated, and of those none reaches the gate; one is the same words.
    rows = {line.split("│")[1].strip(): [cell.strip() for cell in line.split("│")[2:-1]] for line in shown.splitlines() if "│" in line}
    assert rows["new"][:3] == ["2", "2 (100 %)", "0 (0 %)"]
    assert rows["duplicate"][3] == "1 (50 %)"
    assert rows["conflict"][:3] == ["2", "0 (0 %)", "2 (100 %)"]


def test_a_wider_bound_gives_a_higher_gate(pairs: Path) -> None:
    def gate(loss: str) -> float:
        found = re.search(r"new_below (0\.\d+)", calibrate("--pairs", pairs, "--loss", loss))
        assert found
        return float(found[1])

    assert gate("0.5") > gate("0.25") > gate("0")


def test_what_it_writes_is_in_force_at_the_next_start(pairs: Path, tmp_path: Path, start_server: StartServer) -> None:
    file = tmp_path / "profiles.json"
    shown = calibrate("--pairs", pairs, "--write", file)
    assert f"HELIXIR_CHARTER__PROFILE_FILE={file}" in shown.replace("\n", "")
    written = json.loads(file.read_text(encoding="utf-8"))["all-MiniLM-L6-v2-int8"]
    assert "8 pairs (pairs.jsonl)" in written["note"]
    thresholds = start_server(charter={"profile_file": file}).agent.get("/charter").json()["thresholds"]
    assert thresholds["origin"] == "profile file:all-MiniLM-L6-v2-int8"
    assert (thresholds["duplicate_at"], thresholds["new_below"]) == (written["duplicate_at"], written["new_below"])
    assert thresholds["new_below"] != 0.33


def test_a_bad_line_ends_it_before_anything_is_loaded(pairs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs.write_text(pairs.read_text(encoding="utf-8") + '\n{"a": 1}\n', encoding="utf-8")
    monkeypatch.setattr("app.embedding.factory.build_embedder", lambda _: pytest.fail("the model was loaded"))
    with pytest.raises(InvalidInputError, match="line 9"):
        calibrate("--pairs", pairs)


def test_a_server_out_of_reach_is_one_clear_error(pairs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    settings = {"KIND": "openai", "BASE_URL": f"http://127.0.0.1:{port}/v1", "MODEL": "m", "DIMENSIONS": "8"}
    for name, value in settings.items():
        monkeypatch.setenv(f"HELIXIR_EMBEDDING__{name}", value)
    with pytest.raises(HelixirError) as raised:
        calibrate("--pairs", pairs)
    assert raised.value.code == "embedder_unavailable"


def test_a_profile_file_that_cannot_be_used_stops_the_service(tmp_path: Path, start_server: StartServer) -> None:
    file = tmp_path / "profiles.json"
    file.write_text('{"all-MiniLM-L6-v2-int8": {"duplicate_at": 0.2, "new_below": 0.4, "note": "n"}}', encoding="utf-8")
    with pytest.raises(RuntimeError, match="refused to start"):
        start_server(charter={"profile_file": file})


def test_a_profile_file_that_cannot_be_used_ends_it_too(pairs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELIXIR_CHARTER__PROFILE_FILE", str(tmp_path / "none.json"))
    with pytest.raises(ConfigurationError, match="HELIXIR_CHARTER__PROFILE_FILE"):
        calibrate("--pairs", pairs)
