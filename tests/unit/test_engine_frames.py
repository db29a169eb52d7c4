"""Which texts the English rules and the English model may read."""

from __future__ import annotations

import pytest

from app.engine.frames import read_statement


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("El Alto is owned by the state", True),
        ("The language of Le Figaro is French", True),
        ("Anna Lindt works for Collège de France", True),
        ("The choir sings at Palacio de la Música de Valencia", True),
        ("The head of the house is Juliette de La Roche", True),
        ("Palacio de la Música is in Valencia", True),
        ("The café is closed", True),
        ("Wir haben einen Hund", False),
        ("Procuro um emprego", False),
        ("Tengo dos gatos", False),
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
