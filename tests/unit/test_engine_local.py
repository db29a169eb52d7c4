"""The local engine: what it understands, and above all what it leaves alone."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

import pytest

from app.charter.model import MemoryType, Source
from app.engine.checks import check_decision
from app.engine.local import LocalEngine
from app.engine.port import Candidate, Proposal, Question

pytestmark = pytest.mark.asyncio
NOW = datetime(2026, 5, 1, tzinfo=UTC)


async def propose(new: str, *stored: str, owner: Literal["self", "other"] = "self") -> Proposal:
    candidates = tuple(
        Candidate(f"c{n}", text, MemoryType.FACT, owner, 0.9 - n / 100, NOW, None, immutable=False) for n, text in enumerate(stored, 1)
    )
    question = Question(0, new, MemoryType.FACT, NOW, None, Source.USER, candidates)
    (answer,) = (await LocalEngine().decide([question])).answers
    assert isinstance(answer, Proposal)
    raw = {
        "operation": answer.operation,
        "target": answer.target,
        "confidence": answer.confidence,
        "reasoning": answer.reasoning,
        "merged_content": answer.merged_content,
    }
    assert check_decision(raw, question) == answer, "what it proposes would pass the check of a model's verdict"
    return answer


SAME = [
    ("I prefer the tea.", "I prefer tea"),
    ("My manager is David", "David is my boss"),
    ("Alice doesn't smoke", "Alice does not smoke"),
    ("The team has two cats", "The team has 2 cats"),
    ("我喜欢茶。", "我喜欢茶"),
]


@pytest.mark.parametrize(("stored", "new"), SAME)
async def test_the_same_words_are_a_noop(stored: str, new: str) -> None:
    answer = await propose(new, stored)
    assert answer.operation == "NOOP"
    assert answer.confidence >= 70


TOLD = [
    ("Alice lives in Lisbon", "Alice moved to Porto"),
    ("Alice works at Bosch", "Alice now works at Siemens"),
    ("I smoke", "I no longer smoke"),
    ("The feature is enabled", "The feature is now disabled"),
    ("The list has 12 columns", "The list now has 14 columns"),
]


@pytest.mark.parametrize(("stored", "new"), TOLD)
async def test_a_change_said_in_so_many_words_supersedes(stored: str, new: str) -> None:
    answer = await propose(new, stored)
    assert answer.operation == "SUPERSEDE"
    assert answer.confidence >= 70


UNSAID = [
    ("I prefer tea", "I prefer coffee"),
    ("My sister's birthday is 3 May", "My sister's birthday is 4 May"),
    ("Alice works at Bosch", "Alice works at Siemens"),
    ("I live in Lisbon", "I moved to a bigger flat"),
    ("The office is in Munich", "The office is in Hamburg now"),
    ("I own a red car", "I sold my red car"),
    ("As of 1966, Ann lives in Rome", "As of 1970, Ann lives in Oslo"),
    ("Мне 34 года", "Мне 35 года"),
    ("我的端口是5432", "我的端口是6432"),
]


@pytest.mark.parametrize(("stored", "new"), UNSAID)
async def test_a_change_that_is_only_likely_is_proposed_below_the_bar(stored: str, new: str) -> None:
    answer = await propose(new, stored)
    assert answer.operation == "SUPERSEDE"
    assert answer.confidence < 70


DENIED = [
    ("I drink coffee", "I don't drink coffee"),
    ("The doctor recommended surgery", "The doctor did not recommend surgery"),
    ("The door is locked", "The door is unlocked"),
    ("I like mornings", "I hate mornings"),
    ("I prefer dark mode", "I prefer light mode"),
    ("Я курю", "Я не курю"),
    ("Der Dienst benutzt Redis", "Der Dienst benutzt Redis nicht"),
]


@pytest.mark.parametrize(("stored", "new"), DENIED)
async def test_a_denial_is_a_contradiction(stored: str, new: str) -> None:
    assert (await propose(new, stored)).operation == "CONTRADICT"


async def test_added_detail_is_an_update_by_the_new_text() -> None:
    answer = await propose("I have a dog named Rex", "I have a dog")
    assert (answer.operation, answer.target, answer.merged_content) == ("UPDATE", "c1", "I have a dog named Rex")


@pytest.mark.parametrize(
    ("stored", "new"),
    [("I eat meat", "I eat meat only on Sundays"), ("I work", "I work until May"), ("It rains", "It rarely rains")],
)
async def test_a_word_that_narrows_is_no_detail(stored: str, new: str) -> None:
    assert (await propose(new, stored)).operation != "UPDATE"


APART = [
    ("I like tea", "I like coffee"),
    ("I speak French", "I speak German"),
    ("My brother lives in Rome", "My sister lives in Oslo"),
    ("Anna prefers tea", "Boris prefers coffee"),
    ("Alice beat Bob", "Bob beat Alice"),
    ("Room 12 is free", "Room 14 is free"),
    ("Bob works at Bosch", "Bob works from home"),
    ("I am vegetarian", "I am allergic to nuts"),
    ("I have a dog named Rex", "I have a dog"),
    ("As of 1970, Ann lives in Oslo", "As of 1966, Ann lives in Rome"),
    ("I want longer answers", "The backup runs at night"),
    ("Я предпочитаю чай", "Я предпочитаю кофе"),
    ("The train leaves from Lisbon", "The train leaves to Lisbon"),
]


@pytest.mark.parametrize(("stored", "new"), APART)
async def test_what_can_both_be_true_is_added(stored: str, new: str) -> None:
    answer = await propose(new, stored)
    assert (answer.operation, answer.target, answer.merged_content) == ("ADD", None, None)


ALMOST = [
    ("I want longer answers", "I want no longer answers"),
    ("I was a teacher", "I am a teacher"),
    ("The shop opens before 5", "The shop opens after 5"),
    ("I fly from Rome to Oslo", "I fly from Oslo to Rome"),
    ("Alice is taller than Bob", "Bob is taller than Alice"),
    ("I take 10 mg", "I take 100 mg"),
    ("I write C++", "I write C"),
    ("I never drink", "I drink"),
    ("我不喜欢茶", "我喜欢茶"),
]


@pytest.mark.parametrize(("stored", "new"), ALMOST)
async def test_nothing_that_differs_in_meaning_is_dropped(stored: str, new: str) -> None:
    assert (await propose(new, stored)).operation != "NOOP"
    assert (await propose(stored, new)).operation != "NOOP"


async def test_another_users_memory_is_linked_or_contradicted_and_never_changed() -> None:
    assert (await propose("Bob lives in Rome", "Bob lives in Rome.", owner="other")).operation == "LINK_EXISTING"
    assert (await propose("Bob moved to Oslo", "Bob lives in Rome", owner="other")).operation == "CROSS_CONTRADICT"
    assert (await propose("Bob has a dog named Rex", "Bob has a dog", owner="other")).operation == "ADD"


async def test_i_is_somebody_else_in_another_users_mouth() -> None:
    assert (await propose("I prefer coffee", "I prefer tea", owner="other")).operation == "ADD"
    assert (await propose("I prefer tea", "I prefer tea", owner="other")).operation == "ADD"


async def test_the_candidate_that_is_meant_is_named() -> None:
    answer = await propose("Alice moved to Porto", "Alice likes Porto", "Bob lives in Rome", "Alice lives in Lisbon")
    assert (answer.operation, answer.target) == ("SUPERSEDE", "c3")


async def test_a_statement_that_is_already_there_is_not_held_against_an_older_one() -> None:
    answer = await propose("Alice lives in Porto", "Alice lives in Lisbon", "Alice lives in Porto.")
    assert (answer.operation, answer.target) == ("NOOP", "c2")


async def test_equal_questions_give_equal_answers_without_a_call() -> None:
    engine = LocalEngine()
    candidate = Candidate("c1", "I prefer tea", MemoryType.FACT, "self", 0.9, NOW, None, immutable=False)
    question = Question(3, "I prefer coffee", MemoryType.FACT, NOW, None, Source.USER, (candidate,))
    judged = await engine.decide([question, question])
    assert judged.answers[0] == judged.answers[1]
    assert judged.calls == 0
    assert engine.name == "local:rules-1"
    await engine.close()
