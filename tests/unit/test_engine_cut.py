"""A long candidate is cut for the model, says so, and is no target of a merge: what was not seen is not rewritten."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from app.charter.model import MemoryType, Source
from app.engine.checks import check_decision
from app.engine.documents import CANDIDATE_LIMIT, decide_document
from app.engine.port import Candidate, Proposal, Question

NOW = datetime(2026, 1, 1, tzinfo=UTC)
WORD = "tea "


def question(length: int) -> Question:
    text = (WORD * length)[:length]
    candidate = Candidate("c1", text, MemoryType.FACT, "self", 0.9, NOW, None, immutable=False)
    return Question(0, "drinks tea with milk", MemoryType.FACT, NOW, None, Source.USER, (candidate,))


def shown(length: int) -> dict[str, Any]:
    candidate: dict[str, Any] = decide_document([(question(length), None)])["items"][0]["candidates"][0]
    return candidate


def test_a_text_up_to_the_limit_is_shown_whole_and_unmarked() -> None:
    candidate = shown(CANDIDATE_LIMIT)
    assert (len(candidate["content"]), "cut" in candidate) == (CANDIDATE_LIMIT, False)


def test_a_longer_text_is_cut_and_marked() -> None:
    candidate = shown(CANDIDATE_LIMIT + 1)
    assert (len(candidate["content"]), candidate["cut"]) == (CANDIDATE_LIMIT, True)


def test_a_new_statement_is_never_cut() -> None:
    long = Question(0, "x" * 8000, MemoryType.FACT, NOW, None, Source.USER, question(10).candidates)
    assert len(decide_document([(long, None)])["items"][0]["new"]["content"]) == 8000


def test_what_was_cut_is_no_target_of_an_update_and_any_other_operation_may_name_it() -> None:
    asked = question(CANDIDATE_LIMIT + 1)
    said = {"i": 0, "operation": "UPDATE", "target": "c1", "confidence": 95, "merged_content": asked.candidates[0].content + " with milk"}
    fault = check_decision(said, asked)
    assert isinstance(fault, str)
    assert "cut" in fault
    assert isinstance(check_decision({**said, "operation": "SUPERSEDE"}, asked), Proposal)
