"""The pure laws of the charter, on one ruling: what a hostile verdict may never become."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from app.charter.model import (
    Article,
    ConflictType,
    Kind,
    MemoryType,
    Mode,
    Operation,
    Outcome,
    Resolution,
    Ruling,
    Status,
    Strategy,
    Target,
)
from app.charter.policy import rule_on
from app.charter.wording import fold
from tests.hostile.cases import Case
from tests.oracle.ruling import ruling_of

_PROTECTED: Final = {MemoryType.PREFERENCE, MemoryType.GOAL, MemoryType.OPINION}
_REWRITES: Final = {Outcome.UPDATED, Outcome.SUPERSEDED}
_ORDERS: Final = {ConflictType.LATE_DECISION, ConflictType.OUT_OF_ORDER, ConflictType.WEAKER_SOURCE, ConflictType.DISPUTED_TARGET}
_PLAIN: Final = {ConflictType.CONTRADICTION, ConflictType.CROSS_USER_CONTRADICTION}


def broken_by(case: Case) -> tuple[Ruling, list[str]]:
    """The ruling on a case, and the laws that it breaks."""
    ruling = rule_on(case.verdict, case.incoming, case.target, case.charter)
    return ruling, list(_broken(case, ruling))


def _broken(case: Case, ruling: Ruling) -> Iterator[str]:
    """The names of the laws that a ruling breaks."""
    shuffled = replace(case.charter, rules=case.charter.rules[::-1])
    if rule_on(replace(case.verdict), case.incoming, case.target, shuffled) != ruling:
        yield "ruling_is_total_and_deterministic"
    if (ruling.fault is not None, ruling.operation is None) != (ruling.outcome is Outcome.UNDECIDED,) * 2:
        yield "ruling_is_total_and_deterministic"
    expected = ruling_of(case.verdict, case.incoming, case.target, case.charter)
    if replace(ruling, reason="", fault=None) != replace(expected, reason="", fault=None):
        yield "the_policy_rules_as_the_page_reads"
    if case.target is not None:
        yield from _broken_about_target(case, ruling, case.target)
    elif ruling.outcome not in {Outcome.STORED, Outcome.UNDECIDED}:
        yield "nothing_vanishes"
    yield from _broken_by_deferral(case, ruling)
    yield from _broken_by_rules(case, ruling)


def _broken_about_target(case: Case, ruling: Ruling, old: Target) -> Iterator[str]:
    verdict, new = case.verdict, case.incoming
    protected = bool({new.memory_type, old.memory_type, verdict.new_type, verdict.target_type} & _PROTECTED)
    if ruling.outcome in _REWRITES:
        if protected:
            yield "no_silent_protected_rewrite"
        yield from _broken_by_rewrite(case, old)
    if ruling.outcome is Outcome.DEDUPLICATED:
        if protected and fold(new.content, keep_case=True) != fold(old.content, keep_case=True):
            yield "nothing_vanishes"
        if old.user_id != new.user_id or old.status not in {Status.ACTIVE, Status.HELD}:
            yield "tenants_never_meet"
    if ruling.conflict_type is not None and old.user_id != new.user_id and not old.shared:
        yield "tenants_never_meet"
    if verdict.operation == Operation.DELETE and ruling.outcome is not Outcome.UNDECIDED:
        waits = ruling.outcome in {Outcome.DEFERRED, Outcome.HELD} and ruling.pending_operation is Operation.DELETE
        if not waits or not ruling.asks or ruling.articles[:1] != (Article.C1,):
            yield "never_auto_delete"


def _broken_by_rewrite(case: Case, old: Target) -> Iterator[str]:
    """A rewrite that runs: of what, at which confidence, in which order."""
    verdict, new = case.verdict, case.incoming
    if old.immutable or old.kind in {Kind.SEED, Kind.RULE, Kind.EPISODE}:
        yield "immutable_is_immutable"
    if old.kind is Kind.RAW_INPUT:
        yield "raw_input_is_sacred"
    if type(verdict.confidence) is not int or verdict.confidence < max(70, case.charter.thresholds.low_confidence):
        yield "no_low_confidence_rewrite"
    if (old.user_id, old.status, old.memory_id) != (new.user_id, Status.ACTIVE, verdict.target) or old.sibling:
        yield "supersession_is_a_forest"
    begins = new.valid_from
    begins_wrong = begins is not None and (begins > new.accepted_at or begins < (old.valid_from or begins))
    if new.late or old.disputed or begins_wrong or new.accepted_at <= old.recorded_at or new.source.strength < old.source.strength:
        yield "no_silent_rewrite_out_of_order"


def _broken_by_deferral(case: Case, ruling: Ruling) -> Iterator[str]:
    parts = {part is None for part in (ruling.conflict_type, ruling.strategy, ruling.pending_operation)}
    if len(parts) != 1:
        yield "deferral_keeps_both"
    escalated = bool(ruling.articles) or ruling.conflict_type in _ORDERS
    if not escalated:
        return
    blocked = case.charter.mode is Mode.BLOCK
    runs = ruling.pending_operation is Operation.CONTRADICT and not blocked
    outcome = Outcome.STORED if runs else Outcome.HELD if blocked else Outcome.DEFERRED
    strategy = Strategy.FLAGGED if runs else Strategy.HELD if blocked else Strategy.DEFERRED
    if (ruling.outcome, ruling.strategy, ruling.asks, ruling.content) != (outcome, strategy, True, None):
        yield "deferral_keeps_both"


def _broken_by_rules(case: Case, ruling: Ruling) -> Iterator[str]:
    without = rule_on(case.verdict, case.incoming, case.target, replace(case.charter, rules=()))
    free = without.conflict_type in _PLAIN and not without.articles
    if not free and ruling != without:
        yield "rules_never_outrank_the_constitution"
    if bool(ruling.rules) is not (ruling.resolution is not None):
        yield "rules_never_outrank_the_constitution"
    for rule in case.charter.rules:
        if rule.rule_id in ruling.rules:
            ours = rule.user_id in {None, case.incoming.user_id}
            if not ours or not (rule.shape.same_user or rule.resolution is Resolution.COEXIST):
                yield "rules_never_outrank_the_constitution"
