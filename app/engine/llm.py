"""The engine behind a chat completions server: one call for all questions, one repair for those answered badly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.engine.chat import ChatClient, ChatUnavailableError, Completion
from app.engine.checks import check_decisions
from app.engine.documents import DECIDE_SCHEMA, decide_document
from app.engine.port import Judgements, NoVerdict, Proposal, Question
from app.engine.prompt import read_prompt


class LLMEngine:
    """Asks a model. An outage and nonsense are both a `NoVerdict`: neither is ever turned into a guess."""

    def __init__(self, chat: ChatClient) -> None:
        self._chat = chat
        self._prompt = read_prompt("decide")

    @property
    def name(self) -> str:
        """`llm:model`."""
        return f"llm:{self._chat.model}"

    @property
    def prompt_sha256(self) -> str:
        """Which instructions the model is given."""
        return self._prompt.sha256

    async def decide(self, questions: Sequence[Question]) -> Judgements:
        """One answer a question, in order; at most two calls."""
        if not questions:
            return Judgements(())
        cost = _Cost(self._prompt.sha256)
        try:
            answers = await self._ask([(question, None) for question in questions], cost)
        except ChatUnavailableError as error:
            # No repair: an outage is no fault of an answer, and asking at once again would only prolong it.
            return cost.judgements([NoVerdict(str(error)) for _ in questions])
        return cost.judgements(await self._repair(questions, answers, cost))

    async def close(self) -> None:
        """Close the connections."""
        await self._chat.close()

    async def _repair(self, questions: Sequence[Question], answers: Sequence[Proposal | str], cost: _Cost) -> list[Proposal | NoVerdict]:
        """Ask once more for the answers that are faults, and for those alone; the others stand as they are."""
        faulty = [(question, fault) for question, fault in zip(questions, answers, strict=True) if isinstance(fault, str)]
        second: list[Proposal | NoVerdict] = []
        if faulty:
            try:
                again = await self._ask(faulty, cost)
            except ChatUnavailableError as error:
                again = [f"{fault}; asked again, {error}" for _, fault in faulty]
            second = [NoVerdict(answer) if isinstance(answer, str) else answer for answer in again]
        repaired = iter(second)
        return [next(repaired) if isinstance(answer, str) else answer for answer in answers]

    async def _ask(self, asked: Sequence[tuple[Question, str | None]], cost: _Cost) -> list[Proposal | str]:
        cost.calls += 1
        try:
            completion = await self._chat.complete(self._prompt.text, decide_document(asked), DECIDE_SCHEMA)
        except ChatUnavailableError as error:
            cost.retries += error.retries
            raise
        cost.retries += completion.retries
        cost.completions.append(completion)
        return check_decisions(completion.text, [question for question, _ in asked])


@dataclass(slots=True)
class _Cost:
    """What the calls of one `decide` came to."""

    prompt_sha256: str
    calls: int = 0
    retries: int = 0
    completions: list[Completion] = field(default_factory=list)

    def judgements(self, answers: Sequence[Proposal | NoVerdict]) -> Judgements:
        return Judgements(
            answers=tuple(answers),
            calls=self.calls,
            prompt_characters=sum(completion.prompt_characters for completion in self.completions),
            prompt_tokens=sum(completion.prompt_tokens for completion in self.completions),
            completion_tokens=sum(completion.completion_tokens for completion in self.completions),
            retries=self.retries,
            prompt_sha256=self.prompt_sha256,
        )
