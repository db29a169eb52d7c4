"""Which texts the English rules and the English model may read."""

from __future__ import annotations

import pytest

from app.engine.frames import read_statement


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("El Alto is owned by the state", True),
        ("The language of Le Figaro is French", True),
        ("The café is closed", True),
        ("Vivo en Madrid", False),
        ("Ich wohne in Berlin", False),
        ("Mi casa está en Madrid", False),
        ("Je mange du pain", False),
        ("Tomo café", False),
        ("Я живу в Москве", False),
        ("我住在北京", False),
    ],
)
def test_a_foreign_name_makes_no_foreign_sentence(text: str, english: bool) -> None:  # noqa: FBT001
    assert read_statement(text).english is english
