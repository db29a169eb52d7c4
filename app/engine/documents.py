"""The documents that go to the model and the schemas of its answers (contract, "What the service calls")."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from app.charter.model import MemoryType, Operation
from app.engine.port import Candidate, Question

CANDIDATE_LIMIT = 2000
"""Characters of a candidate's text that the model sees; `cut` marks one that goes on."""


def decide_document(questions: Sequence[tuple[Question, str | None]]) -> dict[str, Any]:
    """All questions of one call. A question that is asked again comes with the fault of its first answer."""
    return {"task": "decide", "items": [_item(question, fault) for question, fault in questions]}


def extract_document(message: str, accepted_at: datetime) -> dict[str, Any]:
    """One message to be split."""
    return {"task": "extract", "message": message, "accepted_at": _instant(accepted_at)}


def _item(question: Question, fault: str | None) -> dict[str, Any]:
    item: dict[str, Any] = {
        "i": question.i,
        "new": {
            "content": question.content,
            "memory_type": question.memory_type.value,
            "accepted_at": _instant(question.accepted_at),
            "valid_from": _instant(question.valid_from),
            "source": question.source.value,
        },
        "candidates": [_candidate(candidate) for candidate in question.candidates],
    }
    return item if fault is None else {**item, "fault": fault}


def _candidate(candidate: Candidate) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "ref": candidate.ref,
        "content": candidate.content[:CANDIDATE_LIMIT],
        "memory_type": candidate.memory_type.value,
        "owner": candidate.owner,
        "similarity": round(candidate.similarity, 4),
        "recorded_at": _instant(candidate.recorded_at),
        "valid_from": _instant(candidate.valid_from),
        "immutable": candidate.immutable,
    }
    return {**shown, "cut": True} if len(candidate.content) > CANDIDATE_LIMIT else shown


def _instant(time: datetime | None) -> str | None:
    """RFC 3339 in UTC, ending in Z."""
    return time.astimezone(UTC).isoformat().replace("+00:00", "Z") if time else None


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    """Strict schemas want every property required and nothing else allowed; what is optional is nullable instead."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list_of(name: str, properties: dict[str, Any]) -> dict[str, Any]:
    return _object({name: {"type": "array", "items": _object(properties)}})


_NULLABLE_TEXT = {"type": ["string", "null"]}
_NULLABLE_TYPE = {"type": ["string", "null"], "enum": [*(kind.value for kind in MemoryType), None]}

DECIDE_SCHEMA: dict[str, Any] = {
    "name": "decisions",
    "strict": True,
    "schema": _list_of(
        "decisions",
        {
            "i": {"type": "integer"},
            "reasoning": {"type": "string"},
            "operation": {"type": "string", "enum": [operation.value for operation in Operation]},
            "target": _NULLABLE_TEXT,
            "confidence": {"type": "integer"},
            "merged_content": _NULLABLE_TEXT,
            "new_type": _NULLABLE_TYPE,
            "target_type": _NULLABLE_TYPE,
        },
    ),
}

EXTRACT_SCHEMA: dict[str, Any] = {
    "name": "facts",
    "strict": True,
    "schema": _list_of(
        "facts",
        {
            "content": {"type": "string"},
            "memory_type": {"type": "string", "enum": [kind.value for kind in MemoryType]},
            "valid_from": _NULLABLE_TEXT,
        },
    ),
}
