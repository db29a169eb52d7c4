"""The OpenAPI document against the running service: whatever it allows or forbids, the service answers as it says.

Schemathesis makes the requests: the document's examples, the edges of every schema, chance, and sequences along the links;
once with the key of each role. `make fuzz` runs this with more examples (EXAMPLES=1000).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.house import House

HERE = Path(__file__).parent
EXAMPLES = int(os.environ.get("EXAMPLES", "0"))
SEED = os.environ.get("SEED", "1")
ALL_PHASES = "examples,coverage,fuzzing,stateful"
BY_CHANCE = "fuzzing,stateful"

# The edges of every schema are the same for each role and take the longest: one role tries them all.
ROLES = {
    "owner": (ALL_PHASES, 5),
    "agent": (BY_CHANCE, 3),
    "auditor": ("fuzzing", 2),
    "bound": (BY_CHANCE, 2),
    "silent": (BY_CHANCE, 2),
}


def key_of(house: House, role: str) -> str:
    live = house.live
    if role == "bound":
        return live.new_key("owner", "alice", "bob")
    if role == "silent":
        return live.new_key("agent", can_answer=False)
    return live.new_key(role)


@pytest.mark.slow
@pytest.mark.timeout(0 if EXAMPLES else 400)
@pytest.mark.parametrize("role", ROLES)
def test_every_answer_is_the_documents(house: House, tmp_path: Path, role: str) -> None:
    phases, few = ROLES[role]
    options = ["--phases", ALL_PHASES if EXAMPLES else phases, "--max-examples", str(EXAMPLES or few), "--seed", SEED]
    options += ["--header", f"Authorization: Bearer {key_of(house, role)}", "--no-color", "--continue-on-failure"]
    command = [str(Path(sys.executable).with_name("schemathesis")), "--config-file", str(HERE / "schemathesis.toml"), "run"]
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": "tests.fuzz.hooks", "PYTHONPATH": str(HERE.parents[1])}
    ended = subprocess.run(  # noqa: S603 - our own command
        [*command, f"{house.live.base_url}/openapi.json", *options],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    generated = re.search(r"(\d+) generated", ended.stdout)
    assert generated, ended.stdout
    assert int(generated[1]) > 50
