"""The one place where a verdict becomes a ruling: constitution, then learned rules, then defaults."""

from __future__ import annotations

from typing import assert_never

from app.charter.constitution import articles_on, conflict_of, types_of
from app.charter.defaults import may_be_duplicate, order_conflict, same_text
from app.charter.model import (
    LOW_CONFIDENCE,
    Article,
    Charter,
    ConflictType,
    Incoming,
    Kind,
    Mode,
    Operation,
    Outcome,
    Resolution,
    Rule,
    Ruling,
    Status,
    Strategy,
    Target,
    Tier,
    Verdict,
)
from app.charter.rules import may_answer, rule_for, shape_of
from app.charter.wording import fold, merge_drops, merge_fault

DELETE_INTENT = "the engine wanted this memory deleted"


def rule_on(  # noqa: PLR0911 - one return an operation reads best
    verdict: Verdict, incoming: Incoming, target: Target | None, charter: Charter
) -> Ruling:
    """What becomes of a verdict on one incoming statement. Total and deterministic: it never raises.

    `target` is the memory that `verdict.target` names, as it is now, or None. A verdict that fails its check (unknown
    operation, confidence that is no whole number from 0 to 100, a target missing, unneeded, unknown, of the wrong user
    or not current, a merge that adds or loses) is `undecided`: an error is never a verdict.
    """
    fault = fault_of(verdict, incoming, target)
    if fault is not None:
        return Ruling(Outcome.UNDECIDED, None, reason="no usable verdict", fault=fault)
    operation = Operation(verdict.operation)
    if target is None:
        return Ruling(Outcome.STORED, Operation.ADD, reason=verdict.reasoning)
    match operation:
        case Operation.NOOP:
            return _rule_on_repeat(verdict, incoming, target)
        case Operation.LINK_EXISTING:
            return Ruling(Outcome.LINKED, operation, reason=verdict.reasoning)
        case Operation.CROSS_CONTRADICT:
            return _rule_on_plain_contradiction(operation, verdict, incoming, target, charter)
        case Operation.CONTRADICT | Operation.UPDATE | Operation.SUPERSEDE | Operation.DELETE:
            return _rule_on_conflict(operation, verdict, incoming, target, charter)
        case Operation.ADD:
            return Ruling(Outcome.STORED, operation, reason=verdict.reasoning)
        case _:
            assert_never(operation)


def fault_of(verdict: Verdict, incoming: Incoming, target: Target | None) -> str | None:
    """Why a verdict cannot be ruled on, or None. The sentence quotes no memory text."""
    if verdict.operation not in Operation.__members__.values():
        return "unknown operation"
    operation = Operation(verdict.operation)
    confidence = verdict.confidence
    if type(confidence) is not int or not 0 <= confidence <= 100:
        return "confidence is no whole number from 0 to 100"
    if operation is Operation.ADD:
        return "ADD names a target" if verdict.target is not None or target is not None else None
    if verdict.target is None or target is None or verdict.target != target.memory_id:
        return f"{operation} needs a target that was shown"
    return _target_fault(operation, verdict, incoming, target) or _merge_fault(operation, verdict, incoming, target)


def _target_fault(operation: Operation, verdict: Verdict, incoming: Incoming, target: Target) -> str | None:
    if operation.cross_user is (target.user_id == incoming.user_id):
        return f"{operation} names a memory of the wrong user"
    if operation.cross_user and not target.shared:
        return f"{operation} names a private memory"
    rewrites = operation.destructive or operation is Operation.CONTRADICT
    if target.kind is Kind.EPISODE or (target.kind is not Kind.ATOM and not rewrites):
        return f"{operation} names a memory that is no atom"
    shown_held = verdict.tier is not Tier.ENGINE or target.sibling
    held_twin = operation is Operation.NOOP and target.status is Status.HELD and shown_held
    return None if target.status is Status.ACTIVE or held_twin else f"{operation} names a memory that is not current"


def _merge_fault(operation: Operation, verdict: Verdict, incoming: Incoming, target: Target) -> str | None:
    if operation is not Operation.UPDATE:
        return None
    if not isinstance(verdict.merged_content, str) or not verdict.merged_content.strip():
        return "UPDATE needs merged_content"
    if verdict.edit:
        return None
    return merge_fault(verdict.merged_content, incoming.content, target.content)


def _rule_on_repeat(verdict: Verdict, incoming: Incoming, target: Target) -> Ruling:
    """NOOP: nothing is stored only when nothing can be lost by it; else the text stays, linked to its twin or alone."""
    if verdict.tier is Tier.ENGINE and _confidence(verdict) < LOW_CONFIDENCE:
        return Ruling(Outcome.STORED, Operation.ADD, reason=verdict.reasoning)
    if verdict.tier is Tier.EXACT and not same_text(incoming, target):
        return Ruling(Outcome.STORED, Operation.ADD, reason="the texts differ")
    if verdict.tier is Tier.DUPLICATE and not may_be_duplicate(incoming, target):
        return Ruling(Outcome.STORED, Operation.ADD, reason="the words differ")
    types = types_of(incoming, target, verdict.new_type, verdict.target_type)
    protected = any(memory_type.protected for memory_type in types)
    if protected and fold(incoming.content, keep_case=True) != fold(target.content, keep_case=True):
        return Ruling(Outcome.LINKED, Operation.NOOP, reason=verdict.reasoning)
    return Ruling(Outcome.DEDUPLICATED, Operation.NOOP, reason=verdict.reasoning)


def _rule_on_conflict(operation: Operation, verdict: Verdict, incoming: Incoming, target: Target, charter: Charter) -> Ruling:
    """CONTRADICT, UPDATE, SUPERSEDE, DELETE: the constitution first, then the order of time, source and disputes."""
    merged = verdict.merged_content if operation is Operation.UPDATE else None
    if merged is not None and not verdict.edit and merge_drops(merged, target.content):
        operation = Operation.SUPERSEDE
    if target.sibling and operation in {Operation.UPDATE, Operation.SUPERSEDE}:
        operation, merged = Operation.CONTRADICT, None
    types = types_of(incoming, target, verdict.new_type, verdict.target_type)
    articles = articles_on(operation, _confidence(verdict), charter.thresholds.low_confidence, types, target)
    if operation is Operation.CONTRADICT:
        if articles:
            return _flag(operation, verdict, articles, charter)
        return _rule_on_plain_contradiction(operation, verdict, incoming, target, charter)
    conflict = conflict_of(operation, articles) or order_conflict(incoming, target)
    if conflict is not None:
        return _escalate(operation, verdict, articles, conflict, merged, charter)
    outcome = Outcome.UPDATED if operation is Operation.UPDATE else Outcome.SUPERSEDED
    return Ruling(outcome, operation, content=merged, reason=verdict.reasoning)


def _escalate(
    operation: Operation,
    verdict: Verdict,
    articles: tuple[Article, ...],
    conflict: ConflictType,
    merged: str | None,
    charter: Charter,
) -> Ruling:
    """A verdict that waits for a human: beside the stored text while the charter is a draft, held once it is approved."""
    blocked = charter.mode is Mode.BLOCK
    reason = f"{DELETE_INTENT}: {verdict.reasoning}" if operation is Operation.DELETE else verdict.reasoning
    return Ruling(
        Outcome.HELD if blocked else Outcome.DEFERRED,
        Operation.ADD,
        articles=articles,
        conflict_type=conflict,
        strategy=Strategy.HELD if blocked else Strategy.DEFERRED,
        pending_operation=operation,
        pending_content=merged,
        reason=reason,
    )


def _flag(operation: Operation, verdict: Verdict, articles: tuple[Article, ...], charter: Charter) -> Ruling:
    """A CONTRADICT under an article: it runs and is flagged in a draft, and waits once the charter is approved."""
    conflict = conflict_of(operation, articles) or ConflictType.CONTRADICTION
    if charter.mode is Mode.BLOCK:
        return _escalate(operation, verdict, articles, conflict, None, charter)
    return Ruling(
        Outcome.STORED,
        operation,
        articles=articles,
        conflict_type=conflict,
        strategy=Strategy.FLAGGED,
        pending_operation=operation,
        reason=verdict.reasoning,
    )


def _rule_on_plain_contradiction(operation: Operation, verdict: Verdict, incoming: Incoming, target: Target, charter: Charter) -> Ruling:
    """A contradiction under no article: a learned rule answers it, else it runs and is flagged."""
    conflict = ConflictType.CROSS_USER_CONTRADICTION if operation is Operation.CROSS_CONTRADICT else ConflictType.CONTRADICTION
    rule = rule_for(shape_of(operation, incoming, target), incoming.user_id, charter.rules)
    bar = charter.thresholds.low_confidence
    if rule is not None and may_answer(rule, _confidence(verdict), bar, target) and not _disorderly(rule, incoming, target):
        return _answer_by_rule(operation, verdict, rule, conflict)
    return Ruling(
        Outcome.STORED,
        operation,
        conflict_type=conflict,
        strategy=Strategy.FLAGGED,
        pending_operation=operation,
        reason=verdict.reasoning,
    )


def _disorderly(rule: Rule, incoming: Incoming, target: Target) -> bool:
    """A rule that rewrites keeps the order of time, source and disputes: a person may break it, a rule may not."""
    if rule.resolution is not Resolution.RETRACT:
        return False
    return target.sibling or order_conflict(incoming, target) is not None


def _answer_by_rule(operation: Operation, verdict: Verdict, rule: Rule, conflict: ConflictType) -> Ruling:
    outcomes = {Resolution.RETRACT: Outcome.SUPERSEDED, Resolution.CONFIRM: Outcome.WITHDRAWN}
    return Ruling(
        outcomes.get(rule.resolution, Outcome.STORED),
        operation,
        rules=(rule.rule_id,),
        conflict_type=conflict,
        strategy=Strategy.FLAGGED,
        pending_operation=operation,
        resolution=rule.resolution,
        reason=verdict.reasoning,
    )


def _confidence(verdict: Verdict) -> int:
    """The confidence after the check; a verdict that failed it never gets here."""
    return verdict.confidence if isinstance(verdict.confidence, int) else 0
