"""What the third layer says, and where code had to be more exact than the owner's text: shown in `GET /charter`."""

from __future__ import annotations

from typing import Final

DEFAULTS: Final = (
    "The same text as a current memory of the user, of the same type: exact duplicate, NOOP, silent.",
    "Cosine under new_below against everything: genuinely new, ADD, silent.",
    "Cosine at or above duplicate_at against an own memory, and the divergence guard agrees: duplicate, NOOP, silent.",
    "Everything else: the decision engine proposes, the charter rules.",
    "CONTRADICT and CROSS_CONTRADICT: executed (both are kept, linked by a CONTRADICTS edge) and flagged in needs_clarification.",
)

REFINEMENTS: Final = (
    "Protected types (preference, goal, opinion) never take the cosine NOOP.",
    (
        "Divergence guard: a cosine NOOP needs the same numbers with their units, dates, negations and content words, in the same "
        "order, on both sides."
    ),
    "A statement that equals a superseded one is news; one that equals a withdrawn one whose winner still stands is not asked again.",
    (
        "Time order: a rewrite runs silently only when its text was accepted after the target's revision, does not begin earlier, and "
        "does not begin in the future."
    ),
    "Source order: what a weaker source says never silently rewrites a stronger one (user > agent > tool, document).",
    "A rewrite of a disputed memory, and one that is decided after its write was answered, is asked about.",
    (
        "A merge that adds words is refused, one that drops words of the stored text is a SUPERSEDE that keeps the old text whole, and "
        "one that drops a number or a negation of the new text is refused."
    ),
    "A rewrite of an earlier fact of the same write is kept as a flagged contradiction.",
)
