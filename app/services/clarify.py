"""How a dispute is put to a human: the two texts, why it is asked, what each answer would do."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

from app.charter.dispute import Side, legal_resolutions
from app.charter.model import ConflictType, Operation, Resolution, Strategy
from app.charter.rules import learnable
from app.db.contradictions import Contradiction
from app.db.memories import Memory
from app.services.precedents import Answered, Answers, earlier_answers
from app.services.views import ClarificationView, OptionView

LANGUAGES: Final = ("en", "ru", "de", "es", "zh")
QUOTED: Final = 160
_FINAL: Final = frozenset({ConflictType.IMMUTABLE_TARGET, ConflictType.RAW_INPUT_TARGET})


@cache
def phrases(language: str) -> dict[str, Any]:
    """The phrases of a language; English where there are none for it."""
    name = language if language in LANGUAGES else "en"
    found: dict[str, Any] = json.loads(files("app.services.phrases").joinpath(f"{name}.json").read_text(encoding="utf-8"))
    return found


def quoted(text: str) -> str:
    """Up to 160 characters of a text, on one line, without control or bidirectional characters."""
    plain = "".join(" " if character.isspace() else character for character in text)
    plain = "".join(character for character in plain if unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Co"})
    line = " ".join(plain.split())
    return line if len(line) <= QUOTED else line[: QUOTED - 1] + "…"


def side_of(memory: Memory) -> Side:
    """A memory as a side of a dispute."""
    return Side(memory.user_id, memory.kind, memory.immutable)


def options(dispute: Contradiction, new: Memory, existing: Memory, language: str) -> list[OptionView]:
    """The answers that are legal now, in words."""
    said = phrases(language)
    legal = legal_resolutions(side_of(new), side_of(existing))
    return [OptionView(one, said["say"][one], _effect(one, dispute, said)) for one in legal]


def _effect(resolution: Resolution, dispute: Contradiction, said: dict[str, Any]) -> str:
    if resolution is not Resolution.RETRACT or dispute.pending_content is None:
        return str(said["effect"][resolution])
    key = "retract_update" if dispute.pending_operation is Operation.UPDATE else "retract_merged"
    return str(said["effect"][key]).replace("{pending}", quoted(dispute.pending_content))


def question(dispute: Contradiction, new: Memory, existing: Memory, language: str) -> str:
    """One text that an agent can put to the human word for word."""
    said = phrases(language)
    heard = "heard" if new.user_id == existing.user_id else "heard_other"
    final = dispute.conflict_type in _FINAL or existing.immutable
    ask = said["ask"]["FINAL" if final else dispute.pending_operation]
    return " ".join(
        (
            _fill(said[heard], existing=existing.content, new=new.content),
            said["why"][dispute.conflict_type],
            _fill(ask, pending=dispute.pending_content or new.content),
        )
    )


def _fill(template: str, **texts: str) -> str:
    """Put quoted texts into a phrase; a text that contains braces changes nothing."""
    parts = template.split("{")
    filled = parts[0]
    for part in parts[1:]:
        name, _, rest = part.partition("}")
        filled += quoted(texts[name]) + rest
    return filled


def can_allow_always(dispute: Contradiction) -> bool:
    """Whether an owner's "allow always" could make a rule of this dispute: no article governs it."""
    same_user = dispute.new_user_id == dispute.existing_user_id
    return learnable(dispute.pending_operation, dispute.articles, Resolution.COEXIST, same_user=same_user)


def clarification(dispute: Contradiction, new: Memory, existing: Memory, language: str, answers: Answers) -> ClarificationView:
    """An open dispute as the agent puts it to the human, with how the like was answered before."""
    earlier = earlier_answers(answers, dispute, new, existing)
    offered = options(dispute, new, existing, language)
    return ClarificationView(
        contradiction_id=dispute.id,
        version=dispute.version,
        conflict_type=dispute.conflict_type,
        articles=dispute.articles,
        new_memory_id=new.id,
        new_content=new.content,
        existing_memory_id=existing.id,
        existing_content=existing.content,
        existing_user_id=existing.user_id,
        suggested_question=question(dispute, new, existing, language),
        decision_taken=_decision_taken(dispute),
        pending_operation=dispute.pending_operation,
        confidence=dispute.confidence,
        options=offered,
        resolutions=[one.resolution for one in offered],
        can_allow_always=can_allow_always(dispute),
        precedents=precedents_in_words(earlier, language),
    )


def precedents_in_words(earlier: Sequence[Answered], language: str) -> str | None:
    """How the like was answered before ("You answered this 2 times with …"); None where it never was."""
    if not earlier:
        return None
    said = phrases(language)
    text = str(said["precedents_once" if earlier[0].times == 1 else "precedents"]).replace("{times}", str(earlier[0].times))
    return text.replace("{say}", f"{said['say'][earlier[0].resolution]} ({earlier[0].resolution})")


def _decision_taken(dispute: Contradiction) -> str:
    match dispute.strategy:
        case Strategy.DEFERRED:
            return f"DEFERRED (was {dispute.pending_operation}): both memories kept"
        case Strategy.HELD:
            return f"HELD (was {dispute.pending_operation}): the new memory waits, nothing else changed"
        case Strategy.FLAGGED:
            return f"EXECUTED {dispute.pending_operation}: both memories kept, linked as a contradiction"
