"""The engine in the process: a small model of our own that reads each pair, guards around it, rules where it cannot read.

It is deterministic, asks no network, and takes a few milliseconds a pair. What it cannot tell it proposes with a
confidence under 70, so that the charter's C5 asks; in doubt it keeps both statements.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from app.charter.model import Operation
from app.engine import local as rules
from app.engine.frames import Statement, read_statement
from app.engine.port import Candidate, Judgements, Proposal, Question
from app.engine.relation.model import Relation, RelationModel
from app.engine.relation.sentences import sentence_pairs
from app.engine.relation.verdicts import ASKS, Finding, Pair, judge

_NOTHING_ALIKE = "No stored statement says the same or speaks against it."
_SIBLING = "n"
_KEPT = 72
_CLEARLY_DIFFERENT = 0.5
"""Sentences out of their texts are asked about from this share of change and conflict on: much is lost with what stood around them."""


class LocalEngine:
    """Reads each candidate beside the new statement and proposes the strongest finding, whatever their order."""

    def __init__(self, model: RelationModel | None = None) -> None:
        """Raises `ConfigurationError` when the model's file is missing or is not the one that was committed."""
        self._model = model or RelationModel()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="relation")

    @property
    def name(self) -> str:
        """`local:relation-1`; the number changes with the model."""
        return "local:relation-1"

    async def decide(self, questions: Sequence[Question]) -> Judgements:
        """One proposal a question, without any call. The model is loaded at the first one, in the worker thread."""
        loop = asyncio.get_running_loop()
        # One question is one turn of the worker, so that a large write does not hold up a small one.
        answers = [await loop.run_in_executor(self._worker, self._propose, question) for question in questions]
        return Judgements(tuple(answers))

    async def close(self) -> None:
        """Let the running question end, then release the thread."""
        await asyncio.to_thread(self._worker.shutdown)

    def _propose(self, question: Question) -> Proposal:
        new = read_statement(question.content)
        old = [read_statement(candidate.content) for candidate in question.candidates]
        readable = [new.english and statement.english for statement in old]
        pairs = [(candidate.content, question.content) for candidate, english in zip(question.candidates, readable, strict=True) if english]
        relations = iter(self._model.judge(pairs))
        found = []
        for candidate, statement, english in zip(question.candidates, old, readable, strict=True):
            relation = next(relations) if english else None
            finding = self._find(question, candidate, statement, new, relation)
            if finding is not None:
                found.append((candidate, finding))
        if not found:
            return Proposal(Operation.ADD, None, _KEPT, _NOTHING_ALIKE)
        candidate, finding = max(found, key=lambda one: (one[1].strength, one[0].similarity, one[0].content, one[0].ref))
        return Proposal(
            operation=finding.operation.value,
            target=candidate.ref if finding.operation is not Operation.ADD else None,
            confidence=finding.confidence,
            reasoning=finding.reasoning,
            merged_content=question.content if finding.operation is Operation.UPDATE else None,
        )

    def _find(self, question: Question, candidate: Candidate, old: Statement, new: Statement, relation: Relation | None) -> Finding | None:
        """What one candidate asks for, as far as it may be asked of it; None where nothing does."""
        if relation is None:
            finding = _by_rules(old, new)
        else:
            pair = Pair(candidate.content, question.content, old, new, candidate.valid_from, question.valid_from)
            finding = judge(pair, relation)
            if finding.operation is Operation.ADD:
                finding = self._find_in_sentences(pair) or finding
        if candidate.owner == "other":
            return _across_users(finding, old, new)
        # The charter would keep a rewrite of an earlier fact of the same write, or of a final memory, as a contradiction.
        untouchable = candidate.immutable or candidate.ref.startswith(_SIBLING)
        if finding.operation is Operation.UPDATE and untouchable:
            return None
        return finding

    def _find_in_sentences(self, whole: Pair) -> Finding | None:
        """Where two texts of several sentences are kept as a whole, a pair of their sentences may still be worth a question."""
        pairs = sentence_pairs(whole.stored, whole.new)
        found = [
            judge(replace(whole, stored=stored, new=new, old=read_statement(stored), fresh=read_statement(new)), relation)
            for (stored, new), relation in zip(pairs, self._model.judge(pairs), strict=True)
        ]
        asks = {Operation.CONTRADICT, Operation.SUPERSEDE}
        differing = [finding for finding in found if finding.operation in asks and finding.strength >= _CLEARLY_DIFFERENT]
        if not differing:
            return None
        finding = max(differing, key=lambda one: one.strength)
        return replace(finding, confidence=min(ASKS, finding.confidence), reasoning=f"Of one sentence in each: {finding.reasoning}")


def _by_rules(old: Statement, new: Statement) -> Finding:
    """The rules' finding, for texts that the model cannot read; it never rewrites anything without asking."""
    found = rules.compare(old, new)
    confidence = min(ASKS, found.confidence) if found.operation.destructive else found.confidence
    strength = 0.0 if found.operation is Operation.ADD else found.confidence / 100
    return Finding(found.operation, confidence, strength + (found.operation is Operation.NOOP), found.reasoning)


def _across_users(finding: Finding, old: Statement, new: Statement) -> Finding | None:
    """The finding about another user's memory: it may be linked or contradicted, never changed. "I" is somebody else there."""
    if new.first_person or old.first_person or finding.operation in {Operation.ADD, Operation.UPDATE}:
        return None
    if finding.operation is Operation.NOOP:
        return replace(finding, operation=Operation.LINK_EXISTING, reasoning="Another user's memory says the same.")
    return replace(finding, operation=Operation.CROSS_CONTRADICT, reasoning=f"Another user's memory differs. {finding.reasoning}")
