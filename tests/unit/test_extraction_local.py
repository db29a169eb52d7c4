"""The splitter in the process: sentences as written, without those that state nothing, typed by cue."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from app.charter.model import MemoryType
from app.engine.cues import type_by_cue
from app.engine.local_extraction import LocalExtractor, split_message

TEMPLATED = "<|im_start|>system\nYou are an AI.<|im_end|>\n<|im_start|>user\nI like tea.<|im_end|>"
NOW = datetime(2026, 5, 1, 12, 30, tzinfo=UTC)


def split(message: str) -> list[str]:
    return [atom.content for atom in split_message(message, NOW)]


@pytest.mark.parametrize(
    ("message", "statements"),
    [
        ("I moved to Lisbon. I still prefer tea.", ["I moved to Lisbon.", "I still prefer tea."]),
        ("I like tea; coffee makes me nervous", ["I like tea", "coffee makes me nervous"]),
        ("One line\nAnother line", ["One line", "Another line"]),
        ("a long line that wraps\nand goes on here", ["a long line that wraps and goes on here"]),
        ("Dr. Weber works at Acme Inc. in Bonn. He is kind.", ["Dr. Weber works at Acme Inc. in Bonn.", "He is kind."]),
        ("J. R. Tolkien wrote it, e.g. in Oxford.", ["J. R. Tolkien wrote it, e.g. in Oxford."]),
        ("I lived in the U.S. We moved.", ["I lived in the U.S.", "We moved."]),
        ("It costs 3.50 since 3.5.2026. Fine then", ["It costs 3.50 since 3.5.2026.", "Fine then"]),
        ("See https://a.test/b.c?d=e! Ask bob@x.test. Go", ["See https://a.test/b.c?d=e!", "Ask bob@x.test.", "Go"]),
        ('She said "I quit. I am done." and left. I stayed.', ['She said "I quit. I am done." and left.', "I stayed."]),
        ("It was (so they say. Maybe) late. I slept.", ["It was (so they say. Maybe) late.", "I slept."]),
        ("Well... maybe. I like it!", ["Well... maybe.", "I like it!"]),
        ("My rules:\n- dark mode\n* no tabs\n1. be brief\nThat is all.",
         ["My rules: dark mode", "My rules: no tabs", "My rules: be brief", "That is all."]),
        ("The code:\n```python\nx = 1.\n\n# Hi. There\n```\nIt works.",
         ["The code:", "```python\nx = 1.\n\n# Hi. There\n```", "It works."]),
        ("```\nnever closed. Two", ["never closed.", "Two"]),
        ("我喜欢茶。我住在北京！", ["我喜欢茶。", "我住在北京！"]),
        ("Я живу в Москве. Мне нравится чай, т.е. зелёный.", ["Я живу в Москве.", "Мне нравится чай, т.е. зелёный."]),
        ("Ich wohne in Berlin, z.B. in Mitte.", ["Ich wohne in Berlin, z.B. in Mitte."]),
        ("\ud800\x00I am Bob", ["I am Bob"]),
    ],
)  # fmt: skip
def test_sentences_end_where_they_end(message: str, statements: list[str]) -> None:
    assert split(message) == statements


@pytest.mark.parametrize(
    ("message", "statements"),
    [
        ("Hi there! I am Bob. Thanks a lot!", ["I am Bob."]),
        ("Hello, I am Bob", ["I am Bob"]),
        ("Thank you so much for your help with the boat!", []),
        ("Where do I live?", []),
        ("I moved to Lisbon, right?", ["I moved to Lisbon, right?"]),
        ("你好！你住在哪里？我住在北京。", ["我住在北京。"]),
        ("Привет! Спасибо. Меня зовут Иван.", ["Меня зовут Иван."]),
        ("Thanks to Maria I have a job", ["Thanks to Maria I have a job"]),
        ("", []),
        ("...\n---\n🙂", []),
    ],
)
def test_what_states_nothing_is_left_out(message: str, statements: list[str]) -> None:
    assert split(message) == statements


def test_a_long_message_is_packed_and_not_cut_off() -> None:
    message = " ".join(f"Fact number {n} holds." for n in range(4000))
    atoms = split(message)
    assert len(atoms) <= 50
    assert all(len(atom) <= 8000 for atom in atoms)
    assert " ".join(atoms) == message


def test_a_sentence_longer_than_a_memory_is_cut_at_a_space() -> None:
    message = "word " * 3000
    atoms = split(message)
    assert all(len(atom) <= 8000 for atom in atoms)
    assert " ".join(atoms) == message.strip()


@pytest.mark.parametrize(
    "unit",
    [
        "(",
        '"a. ',
        "a. ",
        "```a\n",
        "x:\n",
        "a b@",
        "hi ",
        "1. ",
        "“",
        "thanks for ",
        "i can ",
        "User: a\nAssistant: b\n",
        "<|user|>",
        "since 2024 ",
        "since ",
        "please write ",
    ],
)
def test_the_time_stays_bounded_for_hostile_messages(unit: str) -> None:
    started = time.process_time()
    atoms = split((unit * (100_000 // len(unit))) + " end. A b.")
    assert time.process_time() - started < 8
    assert len(atoms) <= 50


@pytest.mark.parametrize(
    ("message", "statements"),
    [
        ("User: I moved to Lisbon.\nAssistant: Great! You live in Lisbon.\nWhere exactly?\nUser: I work at Acme.",
         ["I moved to Lisbon.", "I work at Acme."]),
        ("**User:** I am Bob\n**Assistant:** Nice to meet you, Bob, I like you", ["I am Bob"]),
        ("Пользователь: Я живу в Казани.\nАссистент: Вы живёте в Казани.", ["Я живу в Казани."]),
        ("用户：我喜欢茶。\n助手：你喜欢茶。", ["我喜欢茶。"]),
        (f"{TEMPLATED}\n<|im_start|>assistant\nYou like tea.<|im_end|>",
         ["I like tea."]),
        ("System: You are a helpful assistant.\nBe brief.\n\nI live in Porto.", ["I live in Porto."]),
        # Not sure to be a transcript: kept.
        ("System: Debian 12\nDisk: 40 GB", ["System: Debian 12", "Disk: 40 GB"]),
        ("Assistant: Maria", ["Assistant: Maria"]),
        ("User: postgres\nSystem: linux", ["User: postgres", "System: linux"]),
        ("```\nUser: a\nAssistant: b\n```", ["```\nUser: a\nAssistant: b\n```"]),
        ("a <| b |> c <|userland|>", ["a <| b |> c <|userland|>"]),
    ],
)  # fmt: skip
def test_what_the_agent_said_or_was_told_is_left_out(message: str, statements: list[str]) -> None:
    assert split(message) == statements


@pytest.mark.parametrize(
    ("message", "statements"),
    [
        ("Please write a poem about cats. I have two cats.", ["I have two cats."]),
        ("Tell me a joke.", []),
        ("Could you please summarise the report.", []),
        ("Schreib mir ein Gedicht. Ich wohne in Bonn.", ["Ich wohne in Bonn."]),
        ("Напиши мне стихи. Я люблю чай.", ["Я люблю чай."]),
        ("Dime la hora. Vivo en Madrid.", ["Vivo en Madrid."]),
        ("请帮我写一首诗。我喜欢茶。", ["我喜欢茶。"]),
        # Not sure to state nothing: kept.
        ("Please always answer in French.", ["Please always answer in French."]),
        ("Remind me to call Bob.", ["Remind me to call Bob."]),
        ("Please write to my boss Anna.", ["Please write to my boss Anna."]),
        ("Please summarise: Anna is a doctor.", ["Please summarise: Anna is a doctor."]),
        ("Send invoices to Anna", ["Send invoices to Anna"]),
        ("Call me Bob.", ["Call me Bob."]),
        ("Let me introduce Anna, a doctor.", ["Let me introduce Anna, a doctor."]),
    ],
)
def test_a_request_that_states_nothing_is_left_out(message: str, statements: list[str]) -> None:
    assert split(message) == statements


@pytest.mark.asyncio
async def test_atoms_have_types_and_the_dates_that_are_sure() -> None:
    extractor = LocalExtractor()
    atoms = await extractor.extract("Since 2020 I live in Lisbon. I prefer tea. I recently got a dog.", NOW)
    await extractor.close()
    assert [(atom.memory_type, atom.valid_from) for atom in atoms] == [
        (MemoryType.FACT, datetime(2020, 1, 1, tzinfo=UTC)),
        (MemoryType.PREFERENCE, None),
        (MemoryType.FACT, None),
    ]


def test_statements_that_were_joined_have_no_date() -> None:
    atoms = split_message(" ".join(f"I have had dog {n} since {1950 + n}." for n in range(70)), NOW)
    assert len(atoms) <= 50
    assert all(atom.valid_from is None for atom in atoms if atom.content.count("since") > 1)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I prefer tea", "preference"),
        ("Tea is my favourite", "preference"),
        ("Bob hates Mondays", "preference"),
        ("I want to learn Spanish", "goal"),
        ("My goal is a marathon", "goal"),
        ("We plan to move", "goal"),
        ("I'd like to visit Rome", "goal"),
        ("I think the sea is cold", "opinion"),
        ("In my opinion it is late", "opinion"),
        ("I can juggle", "skill"),
        ("Bob speaks Czech", "skill"),
        ("She knows how to sail", "skill"),
        ("I visited Rome", "experience"),
        ("I graduated from law school", "achievement"),
        ("I won the race", "achievement"),
        ("I booked a flight", "action"),
        ("Alice lives in Lisbon", "fact"),
        ("The port is 5432", "fact"),
        ("I cannot eat gluten", "fact"),
        ("Я предпочитаю чай", "preference"),
        ("Ich glaube, es regnet", "opinion"),
        ("Quiero viajar a Roma", "goal"),
        ("我打算学西班牙语", "goal"),
        ("我觉得很冷", "opinion"),
    ],
)
def test_types_by_cue(text: str, kind: str) -> None:
    assert type_by_cue(text) == MemoryType(kind)


@pytest.mark.parametrize("text", ["I won because I love running", "I booked it, I think", "I visited Rome and want to return"])
def test_a_protected_cue_goes_before_any_other(text: str) -> None:
    assert type_by_cue(text).protected
