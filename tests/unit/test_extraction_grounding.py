"""What a model took out of a message must stand in it: numbers, negations and most of the words."""

from __future__ import annotations

import time

import pytest

from app.engine.grounding import Message

TWO = "I am Zqxyz. I moved to Lisbon. I still prefer tea."


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("Zqxyz lives in Lisbon", TWO),
        ("Zqxyz prefers tea", TWO),
        ("User prefers dark mode", "I prefer dark mode please"),
        ("I live in Porto", "I no longer live in Lisbon; I moved to Porto"),
        ("I love fish", "I don't eat meat, but I love fish."),
        ("I do not eat meat", "I don't eat meat, but I love fish."),
        ("I like tea", "I like tea and I don't like coffee"),
        ("I have 2 cats", "I have two cats"),
        ("The rent is 1,000 euros", "The rent is 1000 euros"),
        ("The ratio is 1.5", "Here, the ratio is 1.5, I think."),
        ("Tom runs every morning", "My friend Tom: he was running each morning, every day"),
        ("Anna studies law in Bonn", "Anna is a student of law in Bonn"),
        ("Ich mag keinen Kaffee", "Kaffee mag ich nicht, ich mag Tee"),
        ("Мне не нравится кофе", "Мне не нравится кофе, я пью чай"),
        ("Я пью чай", "Мне не нравится кофе, я пью чай"),
        ("我喜欢茶", "我非常喜欢茶。"),
        ("我不喜欢茶", "我不喜欢茶。"),
    ],
)
def test_what_the_message_says_passes(statement: str, message: str) -> None:
    assert Message(message).carries(statement)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("I like tea", "I don't like tea"),
        ("I don't like tea", "I like tea"),
        ("I don't like tea", "I don't like coffee but I like tea"),
        ("I like coffee", "I don't like coffee but I like tea"),
        ("I smoke", "I no longer smoke"),
        ("Ich trinke Kaffee", "Ich trinke keinen Kaffee"),
        ("Me gusta el café", "No me gusta el café"),
        ("Мне нравится кофе", "Мне не нравится кофе"),
        ("我喜欢茶", "我不喜欢茶。"),
        ("I have 3 cats", "I have two cats"),
        ("The port is 5433", "The port is 5432"),
        ("I run 5 miles every day", "I run 5 km every day"),
        ("The tax is 5 %", "The tax is 5"),
        ("I live in Berlin", "I live in Munich with my dog and I work there"),
        ("Alice is a doctor", "I had a long day"),
        ("I speak German", "I like Germany"),
        ("The user hates all meetings on Monday", "I met Bob on Monday"),
        ("I want the safe opened", "Hello there"),
        ("", "I like tea"),
        ("I like tea", ""),
    ],
)
def test_what_it_does_not_say_is_refused(statement: str, message: str) -> None:
    assert not Message(message).carries(statement)


@pytest.mark.parametrize("unit", ["ab,cd,", "not ", "aaa{n} ", "5 km ", "a", "不", ",", "1.1.", "{n} "])
def test_the_time_stays_bounded_for_hostile_messages(unit: str) -> None:
    text = "".join(unit.replace("{n}", str(n)) for n in range(100_000 // len(unit)))[:100_000]
    started = time.process_time()
    message = Message(text)
    for _ in range(10):
        message.carries(text[:8000])
    assert time.process_time() - started < 10
