"""What a human is asked: five languages as data, each complete, each quoting both texts safely."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from app.charter.model import (
    ConflictType,
    DisputeStatus,
    Kind,
    MemoryType,
    Operation,
    Resolution,
    Source,
    Status,
    Strategy,
)
from app.db.contradictions import Contradiction
from app.db.memories import Memory
from app.services.clarify import LANGUAGES, clarification, phrases, precedents_in_words, quoted
from app.services.precedents import Answered

AT = datetime(2026, 5, 1, tzinfo=UTC)
OLD, NEW, DISPUTE = UUID(int=1), UUID(int=2), UUID(int=3)
PENDING = (Operation.UPDATE, Operation.SUPERSEDE, Operation.DELETE, Operation.CONTRADICT, Operation.CROSS_CONTRADICT)


def memory(memory_id: UUID, content: str, *, user_id: str = "ann", immutable: bool = False) -> Memory:
    return Memory(
        id=memory_id,
        user_id=user_id,
        kind=Kind.ATOM,
        memory_type=MemoryType.PREFERENCE,
        content=content,
        status=Status.ACTIVE,
        immutable=immutable,
        shared=False,
        source=Source.USER,
        revision=1,
        created_at=AT,
        recorded_at=AT,
        valid_from=None,
        valid_to=None,
        supersedes=(),
        superseded_by=None,
        raw_input_id=None,
        same_as=(),
        open_contradictions=(DISPUTE,),
        metadata={},
        agent_id=None,
        session_id=None,
        created_by=None,
        charter_version=1,
        undecided=False,
        write_id=None,
    )


def dispute(conflict: ConflictType, pending: Operation, content: str | None = None) -> Contradiction:
    return Contradiction(
        id=DISPUTE,
        version=1,
        status=DisputeStatus.OPEN,
        strategy=Strategy.DEFERRED,
        conflict_type=conflict,
        articles=(),
        pending_operation=pending,
        pending_content=content,
        pending_reason="",
        confidence=80,
        new_memory_id=NEW,
        existing_memory_id=OLD,
        new_user_id="ann",
        existing_user_id="ann",
        decision_id=None,
        created_at=AT,
        created_by=None,
        resolution=None,
        answer_content=None,
        contexts=None,
        note=None,
        answered_by=None,
        resolved_by=None,
        resolved_at=None,
        effects=None,
        learned=None,
        episode_id=None,
        rule_id=None,
        moot_cause=None,
    )


def shape(value: Any) -> Any:
    return {key: shape(one) for key, one in value.items()} if isinstance(value, dict) else sorted(placeholders(value))


def placeholders(text: str) -> set[str]:
    return {part.partition("}")[0] for part in text.split("{")[1:]}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_phrases_with_the_same_places(language: str) -> None:
    assert shape(phrases(language)) == shape(phrases("en"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_is_not_another_one_in_disguise(language: str) -> None:
    others = [phrases(other)["ask"]["SUPERSEDE"] for other in LANGUAGES if other != language]
    assert phrases(language)["ask"]["SUPERSEDE"] not in others


def test_every_conflict_type_and_operation_has_its_words() -> None:
    said = phrases("en")
    assert set(said["why"]) == set(ConflictType)
    assert set(said["ask"]) == {*PENDING, "FINAL"}
    assert set(said["say"]) == set(Resolution)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("conflict", list(ConflictType))
@pytest.mark.parametrize("pending", PENDING)
def test_a_question_quotes_both_texts_and_says_what_each_answer_does(language: str, conflict: ConflictType, pending: Operation) -> None:
    new, old = memory(NEW, "prefers coffee"), memory(OLD, "prefers tea")
    asked = clarification(dispute(conflict, pending, "prefers coffee and tea"), new, old, language, {})
    assert "prefers tea" in asked.suggested_question
    assert "prefers coffee" in asked.suggested_question
    assert "{" not in asked.suggested_question
    assert [one.resolution for one in asked.options] == list(asked.resolutions)
    assert all(one.say and one.effect and "{" not in one.effect for one in asked.options)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_pending_merge_is_shown_before_it_can_be_chosen(language: str) -> None:
    new, old = memory(NEW, "likes tea in the morning"), memory(OLD, "likes tea")
    asked = clarification(dispute(ConflictType.PROTECTED_TYPE_REWRITE, Operation.UPDATE, "likes green tea"), new, old, language, {})
    effect = next(one.effect for one in asked.options if one.resolution is Resolution.RETRACT)
    assert "likes green tea" in effect
    assert "likes green tea" in asked.suggested_question


def test_a_final_side_is_asked_about_with_what_can_be_answered() -> None:
    new, old = memory(NEW, "prefers coffee"), memory(OLD, "prefers tea", immutable=True)
    asked = clarification(dispute(ConflictType.IMMUTABLE_TARGET, Operation.SUPERSEDE), new, old, "en", {})
    assert list(asked.resolutions) == [Resolution.CONFIRM, Resolution.COEXIST]
    assert "replace" not in asked.suggested_question


def test_an_unknown_language_is_asked_in_english() -> None:
    assert phrases("xx") == phrases("en")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb\tc  d", "a b c d"),
        ("tea\u202egnirts\u202c", "teagnirts"),
        ("a\u0007b\u200bc", "abc"),
        ("x" * 200, "x" * 159 + "…"),
        ("x" * 160, "x" * 160),
    ],
)
def test_a_quoted_text_is_one_short_line_without_control_or_bidi_characters(text: str, shown: str) -> None:
    assert quoted(text) == shown


def test_braces_in_a_text_fill_nothing() -> None:
    new, old = memory(NEW, "{existing} {0} {pending}"), memory(OLD, "prefers {new}")
    asked = clarification(dispute(ConflictType.CONTRADICTION, Operation.UPDATE), new, old, "en", {})
    assert "“{existing} {0} {pending}”" in asked.suggested_question
    assert "“prefers {new}”" in asked.suggested_question


@pytest.mark.parametrize("language", LANGUAGES)
def test_earlier_answers_are_told_in_words(language: str) -> None:
    told = precedents_in_words([Answered(Resolution.RETRACT, 2, ()), Answered(Resolution.COEXIST, 1, ())], language)
    assert told is not None
    assert "2" in told
    assert "retract" in told
    assert precedents_in_words([], language) is None
    once = precedents_in_words([Answered(Resolution.CONFIRM, 1, ())], language)
    assert once is not None
    assert "confirm" in once
    assert "1" not in once
