"""How the load bench counts: what is an error, which rate and which time stands for what, and what goes into the page."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

from bench import load
from bench.loading.clients import MIX, Sample, Seen
from bench.loading.report import BEGIN, figures, put_into, show
from bench.loading.said import answer_body, owners_of, search_body, write_body
from bench.marks import END


def seen_of(*samples: Sample, seconds: float = 2.0, **more: Any) -> Seen:
    return Seen(samples=list(samples), seconds=seconds, **more)


FLOOR = seen_of(*(Sample("livez", 200, "", 0.001 * number) for number in range(1, 101)))


@pytest.mark.parametrize(
    ("sample", "failed", "limited", "overtaken"),
    [
        (Sample("write", 201, "", 0.1), False, False, False),
        (Sample("write", 202, "", 0.1), False, False, False),
        (Sample("write", 429, "rate_limited", 0.1), False, True, False),
        (Sample("answer", 409, "dispute_moot", 0.1), False, False, True),
        (Sample("answer", 409, "still_running", 0.1), True, False, False),
        (Sample("write", 409, "dispute_moot", 0.1), True, False, False),
        (Sample("get", 404, "not_found", 0.1), True, False, False),
        (Sample("list", 503, "pool_exhausted", 0.1), True, False, False),
        (Sample("write", 0, "ReadTimeout", 0.1), True, False, False),
    ],
)
def test_what_is_an_error(sample: Sample, failed: bool, limited: bool, overtaken: bool) -> None:  # noqa: FBT001
    assert (sample.failed, sample.limited, sample.overtaken) == (failed, limited, overtaken)


def test_rates_count_what_was_served_and_times_are_nearest_ranks_beside_the_floor() -> None:
    writes = [Sample("write", 201, "", 0.01 * number) for number in range(1, 101)]
    refused = [Sample("write", 429, "rate_limited", 0.001), Sample("get", 503, "pool_exhausted", 9.0)]
    found = figures(seen_of(*writes, *refused, Sample("search", 200, "", 0.2), seconds=4.0, facts=150), FLOOR)
    assert found["rates"] == {"writes": 25.0, "facts": 37.5, "reads": 0.2, "answers": 0.0, "requests": 25.8}
    assert (found["floor"]["p50"], found["floor"]["p95"], found["floor"]["requests"]) == (50.0, 95.0, 50.0)
    write = found["kinds"]["write"]
    assert (write["requests"], write["p50"], write["p95"], write["max"], write["to_floor"]) == (101, 500.0, 950.0, 1000.0, 10.0)
    assert found["kinds"]["answer"]["requests"] == 0
    assert (found["errors"], found["limited"], found["overtaken"]) == (1, 1, 0)
    assert found["statuses"]["get 503 pool_exhausted"] == 1
    assert set(found["kinds"]) == set(MIX)


def test_the_same_seed_says_the_same_and_every_kind_of_body_comes_up() -> None:
    owner = owners_of("run", 3)[1]
    assert write_body(Random(7), owner) == write_body(Random(7), owner)  # noqa: S311 - a load that can be repeated, no secret
    chance = Random(1)  # noqa: S311 - as above
    bodies = [write_body(chance, owner) for _ in range(200)]
    assert {"message" in body for body in bodies} == {True, False}
    assert {len(body["facts"]) for body in bodies if "facts" in body} == {1, 3}
    assert {search_body(chance, owner)["scope"] for _ in range(50)} == {"personal", "collective"}
    question = {"resolutions": ["amend", "coexist"], "version": 2, "new_content": "Bob prefers tea"}
    answers = [answer_body(chance, question) for _ in range(50)]
    assert all(answer["version"] == 2 and (("content" in answer) == (answer["resolution"] == "amend")) for answer in answers)


def result_of(*samples: Sample, invariants: list[str] | None = None) -> dict[str, Any]:
    return {
        **figures(seen_of(*samples, facts=3), FLOOR),
        "date": "2026-11-30",
        "clients": 32,
        "owners": 200,
        "seed": 1,
        "engine": "local:rules-1",
        "embedder": "m",
        "mode": "defer",
        "machine": {"before": {"processors": 2, "load": 0.5}, "after": {"processors": 2, "load": 2.5}},
        "invariants": invariants,
    }


FINE, WRONG, LIMITED = Sample("write", 201, "", 0.25), Sample("get", 500, "internal", 0.1), Sample("get", 429, "rate_limited", 0.1)


@pytest.mark.parametrize(
    ("result", "code"),
    [
        (result_of(FINE), 0),
        (result_of(FINE, LIMITED, invariants=[]), 0),
        (result_of(FINE, WRONG, invariants=[]), 1),
        (result_of(FINE, invariants=["a_law: 1"]), 1),
    ],
)
def test_the_exit_code_tells_of_errors_and_broken_invariants(
    result: dict[str, Any], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def driven(*_: object) -> dict[str, Any]:
        return result

    monkeypatch.setattr(load, "drive", driven)
    app = typer.Typer()
    app.command()(load.main)
    done = CliRunner().invoke(app, ["--key", "hx_none", "--json", str(tmp_path / "figures.json")])
    assert done.exit_code == code, done.output
    assert json.loads((tmp_path / "figures.json").read_text(encoding="utf-8")) == result


def test_a_running_service_needs_a_key() -> None:
    app = typer.Typer()
    app.command()(load.main)
    assert CliRunner().invoke(app, [], env={"HELIXIR_AGENT_KEY": ""}).exit_code == 2


def test_the_page_and_the_terminal_show_the_same_figures(tmp_path: Path) -> None:
    result = result_of(FINE, invariants=["a_law: 1"])
    page = tmp_path / "load.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", encoding="utf-8")
    put_into(page, result)
    text = page.read_text(encoding="utf-8")
    assert "old" not in text
    assert text.startswith(f"before\n{BEGIN}\n")
    assert text.endswith(f"{END}\nafter\n")
    assert "| write | 1 | 250 | 250 | 250 | 250 | 5 |" in text
    out = StringIO()
    show(Console(file=out, width=160), result)
    for line in ("0.5 writes/s (1.5 facts/s)", "broken invariants, lost writes and answers: 1", "errors 0"):
        assert line in text
        assert line in out.getvalue()
    page.write_text("no marks", encoding="utf-8")
    with pytest.raises(ValueError, match="lacks the lines"):
        put_into(page, result)
