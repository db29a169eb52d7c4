"""The charter as plain sentences, in the order of `design/charter.md`: slow, readable, and written without the policy at hand.

It shares the words of `app.charter.model` and the text comparison of `app.charter.wording` with the policy, and nothing
else. Reasons and faults are prose: only whether there is a fault is foretold.
"""

# ruff: noqa: C901, PLR0911, PLR0912 - one plain sentence after the other, as on the page

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from app.charter.model import (
    Article,
    Charter,
    ConflictType,
    Incoming,
    Kind,
    MemoryType,
    Mode,
    Operation,
    Outcome,
    Resolution,
    Rule,
    Ruling,
    Status,
    Strategy,
    Target,
    Thresholds,
    Tier,
    Verdict,
)
from app.charter.wording import agree, fold, merge_drops, merge_fault

PROTECTED = {MemoryType.PREFERENCE, MemoryType.GOAL, MemoryType.OPINION}
CONFLICTS_IN_ORDER = (
    (Article.C4, ConflictType.RAW_INPUT_TARGET),
    (Article.C2, ConflictType.IMMUTABLE_TARGET),
    (Article.C1, ConflictType.AUTO_DELETE),
    (Article.C3, ConflictType.PROTECTED_TYPE_REWRITE),
    (Article.C5, ConflictType.LOW_CONFIDENCE_REWRITE),
)


def ruling_of(verdict: Verdict, incoming: Incoming, target: Target | None, charter: Charter) -> Ruling:
    """What section 2 to 4 make of a verdict."""
    # Section 3: "Checked first."
    if not is_usable(verdict, incoming, target):
        return Ruling(Outcome.UNDECIDED, None, fault="unusable")
    if target is None:
        return Ruling(Outcome.STORED, Operation.ADD)

    # Section 3, the table's silent rows.
    if verdict.operation == "LINK_EXISTING":
        return Ruling(Outcome.LINKED, Operation.LINK_EXISTING)
    if verdict.operation == "NOOP":
        return _repeat(verdict, incoming, target)

    # "CROSS_CONTRADICT rewrites nothing and comes under no article."
    if verdict.operation == "CROSS_CONTRADICT":
        return _contradiction(Operation.CROSS_CONTRADICT, verdict, incoming, target, charter)

    operation = Operation(verdict.operation)
    merge: str | None = None
    if verdict.operation == "UPDATE":
        merge = verdict.merged_content
        # "A merge that drops content words of the target is a SUPERSEDE by the merged text from the start."
        if merge is not None and not verdict.edit and merge_drops(merge, target.content):
            operation = Operation.SUPERSEDE
    # "A rewrite of such a sibling is kept as a flagged CONTRADICT." DELETE stays what C1 makes of it.
    if target.sibling and operation is not Operation.DELETE:
        operation = Operation.CONTRADICT
        merge = None

    # Section 2: the constitution first.
    articles = articles_of(operation, verdict, incoming, target, charter)
    if articles:
        conflict = conflict_for(operation, articles)
        if operation is Operation.CONTRADICT and charter.mode is Mode.DEFER:
            # Section 4: "An escalated CONTRADICT runs and is flagged."
            return _flagged(operation, articles, conflict)
        return _waits(operation, articles, conflict, merge, charter)

    # Learned rules and the defaults on a plain contradiction.
    if operation is Operation.CONTRADICT:
        return _contradiction(operation, verdict, incoming, target, charter)

    # The orders of time, source and disputes: "only where no article does".
    disorder = disorder_of(incoming, target)
    if disorder is not None:
        return _waits(operation, (), disorder, merge, charter)

    # What is left of a rewrite "runs, silent".
    if operation is Operation.UPDATE:
        return Ruling(Outcome.UPDATED, operation, content=merge)
    return Ruling(Outcome.SUPERSEDED, operation, content=merge)


def is_usable(verdict: Verdict, incoming: Incoming, target: Target | None) -> bool:
    """Section 3: "Checked first: operation known; confidence a whole number 0-100; a target named exactly when needed"."""
    if verdict.operation not in {one.value for one in Operation}:
        return False
    if isinstance(verdict.confidence, bool) or not isinstance(verdict.confidence, int):
        return False
    if verdict.confidence < 0 or verdict.confidence > 100:
        return False
    if verdict.operation == "ADD":
        return verdict.target is None and target is None
    if target is None or verdict.target is None or verdict.target != target.memory_id:
        return False
    # "LINK_EXISTING and CROSS_CONTRADICT name another user's memory, all others the same user's."
    if verdict.operation in {"LINK_EXISTING", "CROSS_CONTRADICT"}:
        if target.user_id == incoming.user_id:
            return False
        # "A private one never leaves its user."
        if not target.shared:
            return False
    elif target.user_id != incoming.user_id:
        return False
    if not _was_a_candidate(verdict, target):
        return False
    if verdict.operation == "UPDATE":
        if not isinstance(verdict.merged_content, str) or verdict.merged_content.strip() == "":
            return False
        # "A PATCH is the edit itself, never judged as a merge."
        if not verdict.edit and merge_fault(verdict.merged_content, incoming.content, target.content) is not None:
            return False
    return True


def _was_a_candidate(verdict: Verdict, target: Target) -> bool:
    """Candidates are active atoms; what a rewrite of something else becomes, C2 and C4 say."""
    if target.kind is Kind.EPISODE:
        return False
    if target.kind is not Kind.ATOM and verdict.operation in {"NOOP", "LINK_EXISTING", "CROSS_CONTRADICT"}:
        return False
    if target.status is Status.ACTIVE:
        return True
    # The exact tier also meets held atoms, and an earlier fact of the same write may just have been held.
    if target.status is Status.HELD and verdict.operation == "NOOP":
        return verdict.tier is not Tier.ENGINE or target.sibling
    return False


def articles_of(operation: Operation, verdict: Verdict, incoming: Incoming, target: Target, charter: Charter) -> tuple[Article, ...]:
    """Section 2, the table of the constitution; "all articles that apply are reported, C1 first"."""
    articles: list[Article] = []
    rewrites = operation in {Operation.UPDATE, Operation.SUPERSEDE, Operation.DELETE}
    if operation is Operation.DELETE:
        articles.append(Article.C1)
    if rewrites and (target.immutable or target.kind is Kind.SEED or target.kind is Kind.RULE):
        articles.append(Article.C2)
    types = {incoming.memory_type, target.memory_type, verdict.new_type, verdict.target_type}
    if (rewrites or operation is Operation.CONTRADICT) and types & PROTECTED:
        articles.append(Article.C3)
    if (rewrites or operation is Operation.CONTRADICT) and target.kind is Kind.RAW_INPUT:
        articles.append(Article.C4)
    # "Under 70 (70 itself passes)"; "the bar may be raised by configuration, never lowered".
    bar = 70
    bar = max(bar, charter.thresholds.low_confidence)
    if rewrites and isinstance(verdict.confidence, int) and verdict.confidence < bar:
        articles.append(Article.C5)
    return tuple(articles)


def conflict_for(operation: Operation, articles: tuple[Article, ...]) -> ConflictType:
    """Section 2: "The conflict type is the first that applies of: C4, C2, C1, C3, C5"; C3's is `contradiction` for a CONTRADICT."""
    for article, conflict in CONFLICTS_IN_ORDER:
        if article in articles:
            if article is Article.C3 and operation is Operation.CONTRADICT:
                return ConflictType.CONTRADICTION
            return conflict
    raise AssertionError


def disorder_of(incoming: Incoming, target: Target) -> ConflictType | None:
    """Time order, source order, disputes: late_decision, out_of_order, weaker_source, disputed_target, in this order."""
    if incoming.late:
        return ConflictType.LATE_DECISION
    accepted_after = incoming.accepted_at > target.recorded_at
    begins_earlier = False
    begins_in_the_future = False
    if incoming.valid_from is not None:
        begins_in_the_future = incoming.valid_from > incoming.accepted_at
        if target.valid_from is not None:
            begins_earlier = incoming.valid_from < target.valid_from
    if not accepted_after or begins_earlier or begins_in_the_future:
        return ConflictType.OUT_OF_ORDER
    strength = {"user": 3, "agent": 2, "tool": 1, "document": 1}
    if strength[incoming.source] < strength[target.source]:
        return ConflictType.WEAKER_SOURCE
    if target.disputed:
        return ConflictType.DISPUTED_TARGET
    return None


def _repeat(verdict: Verdict, incoming: Incoming, target: Target) -> Ruling:
    """Section 3, the row NOOP. The tiers' verdicts are checked like the engine's: nothing is dropped on their word alone."""
    if verdict.tier is Tier.ENGINE and isinstance(verdict.confidence, int) and verdict.confidence < 70:
        return Ruling(Outcome.STORED, Operation.ADD)
    if verdict.tier is Tier.EXACT and not is_the_same(incoming, target):
        return Ruling(Outcome.STORED, Operation.ADD)
    if verdict.tier is Tier.DUPLICATE and not is_duplicate(incoming, target):
        return Ruling(Outcome.STORED, Operation.ADD)
    types = {incoming.memory_type, target.memory_type, verdict.new_type, verdict.target_type}
    if types & PROTECTED and fold(incoming.content, keep_case=True) != fold(target.content, keep_case=True):
        return Ruling(Outcome.LINKED, Operation.NOOP)
    return Ruling(Outcome.DEDUPLICATED, Operation.NOOP)


def _contradiction(operation: Operation, verdict: Verdict, incoming: Incoming, target: Target, charter: Charter) -> Ruling:
    """Section 2: a contradiction under no article is a learned rule's to answer, else it runs and is flagged."""
    conflict = ConflictType.CONTRADICTION
    if operation is Operation.CROSS_CONTRADICT:
        conflict = ConflictType.CROSS_USER_CONTRADICTION
    rule = _rule_of(operation, incoming, target, charter)
    if rule is None or not _may_answer(rule, verdict, incoming, target, charter):
        return _flagged(operation, (), conflict)
    outcome = Outcome.STORED
    if rule.resolution is Resolution.RETRACT:
        outcome = Outcome.SUPERSEDED
    if rule.resolution is Resolution.CONFIRM:
        outcome = Outcome.WITHDRAWN
    return Ruling(
        outcome,
        operation,
        rules=(rule.rule_id,),
        conflict_type=conflict,
        strategy=Strategy.FLAGGED,
        pending_operation=operation,
        resolution=rule.resolution,
    )


def _rule_of(operation: Operation, incoming: Incoming, target: Target, charter: Charter) -> Rule | None:
    """Section 6: "A user's rule goes before the tenant's"; of several, the lowest id."""
    for scope in (incoming.user_id, None):
        fitting: dict[str, Rule] = {}
        for rule in charter.rules:
            shape = rule.shape
            if (
                rule.user_id == scope
                and shape.operation is operation
                and shape.new_type is incoming.memory_type
                and shape.existing_type is target.memory_type
                and shape.same_user is (incoming.user_id == target.user_id)
            ):
                fitting[str(rule.rule_id)] = rule
        if fitting:
            return fitting[min(fitting)]
    return None


def _may_answer(rule: Rule, verdict: Verdict, incoming: Incoming, target: Target, charter: Charter) -> bool:
    """Section 6: "What a rule may do"; a rule that rewrites keeps C2, C5 and the orders, as every rewrite does."""
    same_user = incoming.user_id == target.user_id
    if rule.resolution is Resolution.COEXIST:
        return True
    if rule.resolution is Resolution.CONFIRM:
        return same_user
    if rule.resolution is Resolution.RETRACT:
        bar = max(70, charter.thresholds.low_confidence)
        final = target.immutable or target.kind is not Kind.ATOM
        if not same_user or final or target.sibling or disorder_of(incoming, target) is not None:
            return False
        return isinstance(verdict.confidence, int) and verdict.confidence >= bar
    return False


def _flagged(operation: Operation, articles: tuple[Article, ...], conflict: ConflictType) -> Ruling:
    return Ruling(
        Outcome.STORED,
        operation,
        articles=articles,
        conflict_type=conflict,
        strategy=Strategy.FLAGGED,
        pending_operation=operation,
    )


def _waits(operation: Operation, articles: tuple[Article, ...], conflict: ConflictType, merge: str | None, charter: Charter) -> Ruling:
    """Section 4: deferred while the charter is a draft, held once it is approved; "DELETE stays DELETE"."""
    if charter.mode is Mode.DEFER:
        outcome, strategy = Outcome.DEFERRED, Strategy.DEFERRED
    else:
        outcome, strategy = Outcome.HELD, Strategy.HELD
    return Ruling(
        outcome,
        Operation.ADD,
        articles=articles,
        conflict_type=conflict,
        strategy=strategy,
        pending_operation=operation,
        pending_content=merge,
    )


def is_the_same(incoming: Incoming, target: Target) -> bool:
    """The first row of the defaults."""
    if target.kind is not Kind.ATOM or target.user_id != incoming.user_id:
        return False
    if target.status is not Status.ACTIVE and target.status is not Status.HELD:
        return False
    if target.memory_type is not incoming.memory_type:
        return False
    # "A repeat with another valid_from is no exact duplicate."
    if incoming.valid_from is not None and incoming.valid_from != target.valid_from:
        return False
    case_counts = incoming.memory_type in PROTECTED
    return fold(incoming.content, keep_case=case_counts) == fold(target.content, keep_case=case_counts)


def is_duplicate(incoming: Incoming, target: Target) -> bool:
    """The third row of the defaults, beside its cosine."""
    if target.user_id != incoming.user_id or target.kind is not Kind.ATOM or target.status is not Status.ACTIVE:
        return False
    # "Protected types never take the cosine NOOP."
    if incoming.memory_type in PROTECTED or target.memory_type in PROTECTED:
        return False
    if incoming.valid_from is not None and incoming.valid_from != target.valid_from:
        return False
    return agree(incoming.content, target.content)


def tier_for(
    incoming: Incoming, twin: Target | None, neighbours: Sequence[tuple[Target, float]], thresholds: Thresholds
) -> tuple[Tier, UUID | None] | None:
    """The table of the defaults, row by row: which tier answers, about which memory; None is "the engine decides"."""
    if twin is not None and is_the_same(incoming, twin):
        return Tier.EXACT, twin.memory_id
    if not any(cosine >= thresholds.new_below for _, cosine in neighbours):
        return Tier.NEW, None
    best: tuple[float, UUID] | None = None
    for target, cosine in neighbours:
        if cosine < thresholds.duplicate_at or not is_duplicate(incoming, target):
            continue
        if best is None or cosine > best[0] or (cosine == best[0] and str(target.memory_id) < str(best[1])):
            best = (cosine, target.memory_id)
    return None if best is None else (Tier.DUPLICATE, best[1])
