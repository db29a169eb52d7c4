"""The check of a verdict (charter, section 3). What fails it is asked for once more, never replaced by a guess.

A fault is a sentence for the model and for the log; it quotes neither a memory nor the answer, which may quote one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from app.charter.model import MemoryType, Operation
from app.charter.wording import merge_fault
from app.engine.answers import clean, is_storable, read_object
from app.engine.documents import CANDIDATE_LIMIT
from app.engine.port import Candidate, Proposal, Question

MAX_REASONING = 1000

_UNREADABLE = "the answer was not one readable JSON object with a list of decisions"


def check_decisions(answer: str, questions: Sequence[Question]) -> list[Proposal | str]:
    """For each question, in order, its checked proposal or the fault that spoils it.

    `i` names the question, so decisions may come in any order. A missing or doubled one spoils that question only; one
    that was not asked is ignored.
    """
    document = read_object(answer)
    decisions = document.get("decisions") if document else None
    if not isinstance(decisions, list):
        return [_UNREADABLE for _ in questions]
    found: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for decision in decisions:
        if isinstance(decision, dict) and type(decision.get("i")) is int:
            found[decision["i"]].append(decision)
    return [_check_only(found[question.i], question) for question in questions]


def _check_only(decisions: Sequence[dict[str, Any]], question: Question) -> Proposal | str:
    if not decisions:
        return "there was no decision with this i"
    if len(decisions) > 1:
        return "there was more than one decision with this i"
    return check_decision(decisions[0], question)


def check_decision(decision: dict[str, Any], question: Question) -> Proposal | str:
    """One decision against the question it answers: the proposal, or its first fault. Unknown keys are ignored."""
    name, confidence = decision.get("operation"), decision.get("confidence")
    if not isinstance(name, str) or name not in set(Operation):
        return "operation is not one of " + ", ".join(Operation)
    operation = Operation(name)
    # `type` and not isinstance: true is an int to isinstance. 88.5 and 90.0 are no whole numbers on the wire.
    if type(confidence) is not int or not 0 <= confidence <= 100:
        return "confidence is not a whole number from 0 to 100"
    target = _target(operation, decision.get("target"), question)
    if isinstance(target, str):
        return target
    reasoning = decision.get("reasoning")
    if reasoning is not None and not isinstance(reasoning, str):
        return "reasoning is not a text"
    merged = decision.get("merged_content") if operation is Operation.UPDATE else None
    if operation is Operation.UPDATE and target is not None:
        fault = _merge_fault(merged, question, target)
        if fault:
            return fault
    return Proposal(
        operation=operation.value,
        target=target.ref if target else None,
        confidence=confidence,
        reasoning=clean(reasoning or "").strip()[:MAX_REASONING],
        merged_content=merged,
        new_type=_type(decision.get("new_type")),
        target_type=_type(decision.get("target_type")),
    )


def _target(operation: Operation, ref: object, question: Question) -> Candidate | str | None:
    """The candidate that a decision names, None for ADD, or a fault."""
    if operation is Operation.ADD:
        return None if ref is None else "ADD names no target; target must be null"
    if ref is None:
        return f"{operation} needs a target"
    shown = [candidate for candidate in question.candidates if candidate.ref == ref]
    if len(shown) != 1:
        return "target is not one of the refs of this item's candidates"
    owner = "other" if operation.cross_user else "self"
    if shown[0].owner != owner:
        return f"{operation} needs a target whose owner is {owner}"
    return shown[0]


def _merge_fault(merged: object, question: Question, target: Candidate) -> str | None:
    if not isinstance(merged, str) or not is_storable(merged):
        return "UPDATE needs merged_content, a text of 1 to 8000 characters"
    if len(target.content) > CANDIDATE_LIMIT:
        return "UPDATE needs a target that was shown whole; this one was cut"
    return merge_fault(merged, question.content, target.content)


def _type(name: object) -> MemoryType | None:
    """A judged type can only add protection, so one that nobody knows is left out rather than a fault."""
    return MemoryType(name) if isinstance(name, str) and name in set(MemoryType) else None
