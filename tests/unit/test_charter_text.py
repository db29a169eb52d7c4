"""The constitution's own text: its canonical form, its hash, its articles, and that every copy is the owner's (section 4)."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from app.charter.constitution_text import articles_in, canonical, digest
from app.charter.model import Article

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "app/charter/constitution.md").read_bytes().decode()
# Computed once from the owner's document: the lines from `1. Constitution` to the one before `2. Learned rules`.
SHA256 = "1f5191b30314026c4ccc86f5509ef941bbc978ea332083acff93829804ce75e9"
WHOLE = f"Helixir Memory Charter\n\nDRAFT v0.1\n\n{TEXT}2. Learned rules (grown)\n\n(empty)\n\n3. Defaults\n"


def test_the_text_is_the_owners() -> None:
    assert digest(canonical(TEXT)) == SHA256
    assert TEXT.startswith("1. Constitution (immutable — changed only by explicit human edit)\n")


def test_the_text_is_stored_canonical() -> None:
    assert canonical(TEXT) == TEXT


def test_the_migration_brings_the_same_text() -> None:
    assert (ROOT / "alembic/versions/0001_constitution.md").read_bytes().decode() == TEXT


def test_the_hash_is_of_the_utf8_bytes() -> None:
    assert digest(TEXT) == sha256(TEXT.encode("utf-8")).hexdigest()
    assert digest("é") != digest("e\u0301")


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(WHOLE, id="with the rest around it"),
        pytest.param(WHOLE.replace("DRAFT v0.1", "APPROVED v0.1"), id="another status line"),
        pytest.param(WHOLE.replace("(empty)", "R1. newest wins"), id="learned rules"),
        pytest.param(WHOLE.replace("3. Defaults", "3. Defaults: 0.9"), id="other thresholds"),
        pytest.param(WHOLE.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(WHOLE.replace("\n", "\r"), id="CR"),
        pytest.param(WHOLE.replace("\n", " \t\n"), id="trailing blanks"),
        pytest.param(TEXT.rstrip("\n"), id="no line end at the end"),
        pytest.param("2. Learned rules, as promised\n" + WHOLE, id="the section begins where it begins"),
    ],
)
def test_what_is_not_hashed(other: str) -> None:
    assert canonical(other) == TEXT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("Never auto-delete", "Never auto-deleted", id="a letter more"),
        pytest.param("below 70", "below 60", id="a digit"),
        pytest.param("C4. raw_input", "C4. Raw_input", id="case"),
        pytest.param("• C2.", "  • C2.", id="a leading blank"),
        pytest.param("silently. Any", "silently.  Any", id="a blank inside"),
        pytest.param("\n• C3", "\n\n• C3", id="an empty line inside"),
        pytest.param("—", "-", id="a dash"),
    ],
)
def test_what_is_hashed(old: str, new: str) -> None:
    assert TEXT.count(old) >= 1
    assert digest(canonical(TEXT.replace(old, new))) != SHA256


def test_every_letter_counts() -> None:
    for place in range(TEXT.index("These rules"), len(TEXT.rstrip())):
        changed = TEXT[:place] + "¤" + TEXT[place + 1 :]
        assert canonical(changed) != TEXT


@pytest.mark.parametrize("text", ["", "Constitution", "2. Learned rules", " 1. Constitution"])
def test_a_text_without_the_section_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no section"):
        canonical(text)


def test_the_articles() -> None:
    found = articles_in(TEXT)
    assert [article for article, _, _ in found] == list(Article)
    assert [title for _, title, _ in found] == [
        "Never auto-delete",
        "Never overwrite memories marked immutable (system seeds, approved charter rules, memories the user marked final)",
        "Preferences, goals and opinions are never rewritten silently",
        "raw_input memories are never modified or superseded",
        "Low-confidence destructive operations escalate",
    ]
    for article, title, text in found:
        assert text.startswith(title)
        assert f"• {article}. {text}\n" in TEXT


def test_a_text_without_articles_has_none() -> None:
    assert articles_in("• C6. Never\n• C1 Never.\nC1. Never.") == []
