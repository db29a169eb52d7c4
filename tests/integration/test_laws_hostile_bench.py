"""The short form of `make bench-hostile`, and that it can fail."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.charter.model import Article, Outcome, Ruling
from app.charter.policy import rule_on
from bench import hostile
from tests.hostile import rulings

ROOT = Path(__file__).parents[2]
VERDICTS, SERVED = 5000, 50


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_five_thousand_hostile_verdicts_break_no_law(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bench.hostile", "--verdicts", str(VERDICTS), "--services-every", str(VERDICTS // SERVED)]
    environment = {"PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)  # noqa: S603 - our own
    assert done.returncode == 0, done.stdout + done.stderr
    last = done.stdout.splitlines()[-1]
    found = re.fullmatch(rf"verdicts {VERDICTS}, through the services {SERVED}, rulings: (.*); violations 0", last)
    assert found is not None, last
    counts = dict(re.findall(r"([A-Za-z0-9 ]+?) (\d+)(?:, |$)", found[1]))
    assert all(int(counts[article]) > 0 for article in Article), counts
    assert f"{VERDICTS} of {VERDICTS} verdicts" in done.stderr
    assert list(tmp_path.glob("helixir-tests-*")) == []


def test_the_same_seed_makes_the_same_cases() -> None:
    one, other = hostile.Counts(), hostile.Counts()
    assert repr(hostile.rule_all(7, range(50), one)) == repr(hostile.rule_all(7, range(50), other))
    assert one == other
    assert repr(hostile.rule_all(8, range(50), hostile.Counts())) != repr(hostile.rule_all(7, range(50), other))


def _without_c3(*case: Any) -> Ruling:
    """A policy that has forgotten C3."""
    ruling = rule_on(*case)
    if ruling.articles == (Article.C3,) and ruling.pending_operation in {"SUPERSEDE", "UPDATE"}:
        return Ruling(Outcome.SUPERSEDED, ruling.pending_operation)
    return ruling


def test_a_policy_that_forgets_an_article_is_caught_with_its_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rulings, "rule_on", _without_c3)
    counts = hostile.Counts()
    hostile.rule_all(1, range(2000), counts)
    assert any(violation.startswith("no_silent_protected_rewrite") for violation in counts.violations), counts
    assert "Case(verdict=Verdict(" in counts.violations[0]


def test_a_violation_is_printed_with_what_replays_it_and_ends_in_exit_code_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(rulings, "rule_on", _without_c3)
    monkeypatch.setattr(hostile, "RunningServer", _NoServer)
    monkeypatch.setattr(hostile, "hunt", _hunt_without_services)
    assert hostile.main(["--verdicts", "2000", "--seed", "3"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("VIOLATION at verdict ")
    assert any(re.fullmatch(r"replay: python -m bench\.hostile --seed 3 --verdicts \d+ --services-every 100", line) for line in lines)
    assert re.search(r"violations [1-9]\d*$", lines[-1])


class _NoServer:
    def start(self) -> None:
        """Nothing."""

    def stop(self) -> None:
        """Nothing."""


async def _hunt_without_services(_server: object, verdicts: int, seed: int, _every: int, counts: hostile.Counts, _tell: object) -> None:
    hostile.rule_all(seed, range(verdicts), counts)
