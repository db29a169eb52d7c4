"""The limits that docs/operations.md tells are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

from app.api.body_limit import BODY_LIMIT, WRITE_BODY_LIMIT
from app.db.pool import LIMITS
from app.db.transaction import ACQUIRE_SECONDS
from app.engine.documents import CANDIDATE_LIMIT
from app.services.turns import PATIENCE_SECONDS

PAGE = (Path(__file__).parents[2] / "docs" / "operations.md").read_text(encoding="utf-8")
MEBIBYTE = 1024 * 1024


def test_the_table_of_limits_is_what_the_code_says() -> None:
    part = PAGE.partition("\n## Limits\n")[2].partition("\n## ")[0]
    told = dict(re.findall(r"^\| (?!what \||---)([^|]+) \| ([^|]+) \| [^|]+ \|$", part, flags=re.MULTILINE))
    statement, lock = (int(LIMITS[name]) // 1000 for name in ("statement_timeout", "lock_timeout"))
    assert told["a body"] == f"{BODY_LIMIT // MEBIBYTE} MiB, {WRITE_BODY_LIMIT // MEBIBYTE} MiB for `POST /memories`"
    assert told["waiting for another process's turn of a user"] == f"{PATIENCE_SECONDS / 60:g} minutes"
    assert told["waiting for a database connection"] == f"{ACQUIRE_SECONDS:g} seconds"
    assert told["one statement, one lock"] == f"{statement} seconds, {lock} seconds"
    assert told["what the engine is shown of a stored text"].startswith(f"{CANDIDATE_LIMIT:,} characters")
    variables = {name for how_much in told.values() for name in re.findall(r"`(HELIXIR_LIMITS__\w+)`", how_much)}
    assert variables == {"HELIXIR_LIMITS__RATE", "HELIXIR_LIMITS__OPEN_DISPUTES", "HELIXIR_LIMITS__WAITING_WRITES"}
    assert len(told) == 8
