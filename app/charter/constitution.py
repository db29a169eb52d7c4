"""Layer 1, the constitution: C1 to C5, each a small function that says whether it applies.

They override everything below. The engine's confidence, its view of a type, a rule or a setting can make them apply,
never make them silent.
"""

from __future__ import annotations

from app.charter.model import LOW_CONFIDENCE, Article, ConflictType, Incoming, Kind, MemoryType, Operation, Target

_PRIORITY = (
    (Article.C4, ConflictType.RAW_INPUT_TARGET),
    (Article.C2, ConflictType.IMMUTABLE_TARGET),
    (Article.C1, ConflictType.AUTO_DELETE),
    (Article.C3, ConflictType.PROTECTED_TYPE_REWRITE),
    (Article.C5, ConflictType.LOW_CONFIDENCE_REWRITE),
)


def c1_never_auto_delete(operation: Operation) -> bool:
    """A DELETE never runs as a delete: it is a SUPERSEDE that waits for a human."""
    return operation is Operation.DELETE


def c2_never_overwrite_immutable(operation: Operation, target: Target) -> bool:
    """Nothing destructive runs on a seed, a rule, or a memory that an owner marked final."""
    return operation.destructive and target.final


def c3_never_rewrite_protected(operation: Operation, types: frozenset[MemoryType]) -> bool:
    """CONTRADICT and every rewrite escalate when either side is a preference, goal or opinion, at every confidence.

    `types` are all types that either side was declared, stored or judged to have.
    """
    rewrites = operation.destructive or operation is Operation.CONTRADICT
    return rewrites and any(memory_type.protected for memory_type in types)


def c4_raw_input_is_sacred(operation: Operation, target: Target) -> bool:
    """A raw input is never modified or superseded, by anybody, for ever."""
    return target.kind is Kind.RAW_INPUT and (operation.destructive or operation is Operation.CONTRADICT)


def c5_low_confidence_escalates(operation: Operation, confidence: int, bar: int) -> bool:
    """A rewrite under the bar escalates; the bar itself passes. A setting can raise the bar, never lower it."""
    return operation.destructive and confidence < max(LOW_CONFIDENCE, bar)


def articles_on(operation: Operation, confidence: int, bar: int, types: frozenset[MemoryType], target: Target) -> tuple[Article, ...]:
    """All articles that apply, C1 first."""
    applies = (
        (Article.C1, c1_never_auto_delete(operation)),
        (Article.C2, c2_never_overwrite_immutable(operation, target)),
        (Article.C3, c3_never_rewrite_protected(operation, types)),
        (Article.C4, c4_raw_input_is_sacred(operation, target)),
        (Article.C5, c5_low_confidence_escalates(operation, confidence, bar)),
    )
    return tuple(article for article, holds in applies if holds)


def conflict_of(operation: Operation, articles: tuple[Article, ...]) -> ConflictType | None:
    """The conflict type: the first that applies of C4, C2, C1, C3, C5. A CONTRADICT under C3 is a `contradiction`."""
    if operation is Operation.CONTRADICT and Article.C4 not in articles:
        return ConflictType.CONTRADICTION
    return next((conflict for article, conflict in _PRIORITY if article in articles), None)


def touching_refusal(kind: Kind, *, immutable: bool) -> tuple[Article, ...]:
    """The articles that forbid an act on one memory (an edit, a withdrawal): C4 for raw inputs, C2 for final ones."""
    if kind is Kind.RAW_INPUT:
        return (Article.C4,)
    return (Article.C2,) if immutable or kind in {Kind.SEED, Kind.RULE} else ()


def types_of(incoming: Incoming, target: Target, *judged: MemoryType | None) -> frozenset[MemoryType]:
    """Every type that either side is declared, stored or judged to have."""
    return frozenset({incoming.memory_type, target.memory_type, *(one for one in judged if one is not None)})
