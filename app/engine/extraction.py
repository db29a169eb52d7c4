"""The extractor behind a chat completions server: what it says is held against the message."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import structlog

from app.charter.model import MemoryType
from app.engine.answers import clean, is_storable, read_object
from app.engine.chat import ChatClient, ChatUnavailableError
from app.engine.cues import type_by_cue
from app.engine.dates import names_a_date
from app.engine.documents import EXTRACT_SCHEMA, extract_document
from app.engine.grounding import Message
from app.engine.local_extraction import split_message
from app.engine.port import Atom
from app.engine.prompt import read_prompt
from app.errors import ExtractorUnavailableError

MAX_ATOMS = 50
_MAX_CHECKED = 200

_log = structlog.get_logger("helixir.extraction")


class LLMExtractor:
    """Asks a model for the statements of a message. Nothing it says is kept unchecked."""

    def __init__(self, chat: ChatClient) -> None:
        self._chat = chat
        self._prompt = read_prompt("extract")

    @property
    def name(self) -> str:
        """`llm:model`."""
        return f"llm:{self._chat.model}"

    @property
    def prompt_sha256(self) -> str:
        """Which instructions the model is given."""
        return self._prompt.sha256

    async def extract(self, message: str, accepted_at: datetime) -> list[Atom]:
        """The atoms of the message in its order, at most 50. What the message does not carry is left out.

        Where nothing of the answer stands in the message, its sentences are the atoms. Raises
        `ExtractorUnavailableError` when the server is out of reach or its answer is unusable.
        """
        try:
            completion = await self._chat.complete(self._prompt.text, extract_document(message, accepted_at), EXTRACT_SCHEMA)
        except ChatUnavailableError as error:
            raise ExtractorUnavailableError(str(error)) from error
        document = read_object(completion.text)
        facts = document.get("facts") if document else None
        if not isinstance(facts, list):
            raise ExtractorUnavailableError("the extractor's answer was not one readable JSON object with a list of facts")
        atoms = [atom for fact in facts if (atom := _check_fact(fact)) is not None]
        if facts and not atoms:
            raise ExtractorUnavailableError("none of the extractor's facts was usable")
        # In a thread: a message of 100,000 characters would hold up every other request.
        return await asyncio.to_thread(self._carried, message, accepted_at, atoms, len(facts))

    def _carried(self, message: str, accepted_at: datetime, atoms: list[Atom], answered: int) -> list[Atom]:
        """The atoms that stand in the message. What is left out is counted in the log, without its text."""
        said, dated = Message(message), names_a_date(message)
        kept = [atom if dated else replace(atom, valid_from=None) for atom in atoms[:_MAX_CHECKED] if said.carries(atom.content)]
        if answered > len(kept[:MAX_ATOMS]):
            counts = {"answered": answered, "usable": len(atoms), "in_message": len(kept), "kept": len(kept[:MAX_ATOMS])}
            _log.warning("facts of the extractor are left out", extractor=self.name, **counts)
        return kept[:MAX_ATOMS] if kept or not atoms else split_message(message, accepted_at)

    async def close(self) -> None:
        """Close the connections."""
        await self._chat.close()


def _check_fact(fact: object) -> Atom | None:
    content = fact.get("content") if isinstance(fact, dict) else None
    if not isinstance(fact, dict) or not isinstance(content, str) or not is_storable(content.strip()):
        return None
    content, kind = clean(content).strip(), fact.get("memory_type")
    known = MemoryType(kind) if isinstance(kind, str) and kind in set(MemoryType) else None
    return Atom(content, known or type_by_cue(content), _instant(fact.get("valid_from")))


def _instant(text: object) -> datetime | None:
    """The time in UTC, or None for one that is not exact: a statement is worth more than its date."""
    if not isinstance(text, str):
        return None
    try:
        time = datetime.fromisoformat(text)
        return time.astimezone(UTC) if time.tzinfo else None
    except (ValueError, OverflowError):
        return None
