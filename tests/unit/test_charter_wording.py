"""How texts are compared: the exact tier's folding, the divergence guard, and what a merge may not add or lose."""

from __future__ import annotations

import pytest

from app.charter.wording import agree, fold, is_negation, is_number, merge_drops, merge_fault, tokens

SAME_WITH_CASE = [
    pytest.param("Alice likes tea", "Alice likes tea", id="the very text"),
    pytest.param("caf\u00e9", "cafe\u0301", id="NFC"),
    pytest.param("Alice  likes\ttea\n", " Alice likes tea", id="white space folded"),
    pytest.param("Alice\u00a0likes\u3000tea", "Alice likes tea", id="white space of other scripts"),
    pytest.param("Alice likes tea.", "Alice likes tea", id="one final full stop"),
    pytest.param("Alice likes tea .", "Alice likes tea", id="a full stop after a space"),
    pytest.param("我喜欢茶。", "我喜欢茶", id="a Chinese full stop"),
]
DIFFERENT = [
    pytest.param("Alice likes tea..", "Alice likes tea", id="only one full stop"),
    pytest.param("Alice likes tea!", "Alice likes tea", id="other marks count"),
    pytest.param("Alice likes tea?", "Alice likes tea.", id="a question"),
    pytest.param("Alice. likes tea", "Alice likes tea", id="a full stop inside"),
    pytest.param("Alice liketea", "Alice like tea", id="white space between words counts"),
    pytest.param("10²", "102", id="NFC is not NFKC"),
]


@pytest.mark.parametrize("keep_case", [True, False])
@pytest.mark.parametrize(("one", "other"), SAME_WITH_CASE)
def test_folded_texts_are_equal(one: str, other: str, keep_case: bool) -> None:  # noqa: FBT001
    assert fold(one, keep_case=keep_case) == fold(other, keep_case=keep_case)


@pytest.mark.parametrize("keep_case", [True, False])
@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_folded_texts_differ(one: str, other: str, keep_case: bool) -> None:  # noqa: FBT001
    assert fold(one, keep_case=keep_case) != fold(other, keep_case=keep_case)


@pytest.mark.parametrize(("one", "other"), [("Alice likes TEA", "alice likes tea"), ("Straße", "STRASSE"), ("ΟΔΟΣ", "οδος")])
def test_case_counts_only_where_it_is_kept(one: str, other: str) -> None:
    assert fold(one, keep_case=False) == fold(other, keep_case=False)
    assert fold(one, keep_case=True) != fold(other, keep_case=True)


AGREE = [
    pytest.param("Alice likes tea", "alice likes TEA.", id="case and a full stop"),
    pytest.param("Alice has a dog", "Alice has the dog", id="articles"),
    pytest.param("Alice, Bob", "Alice Bob", id="a comma"),
    pytest.param("Alice’s dog", "Alice's dog", id="apostrophes"),
    pytest.param("a well-known place", "a well known place", id="an inner hyphen"),
    pytest.param("我喜欢茶，也喜欢水。", "我喜欢茶也喜欢水", id="Chinese punctuation"),
    pytest.param("caf\u00e9", "cafe\u0301", id="NFC"),
]
DIVERGE = [
    pytest.param("Alice runs 5 km", "Alice runs 6 km", id="a number"),
    pytest.param("Alice runs 5 km", "Alice runs 5 miles", id="a unit"),
    pytest.param("Alice runs 1.5 km", "Alice runs 15 km", id="decimals"),
    pytest.param("The dose is .5 mg", "The dose is 5 mg", id="decimals without a nought"),
    pytest.param("The dose is 1,5 mg", "The dose is 1.5 mg", id="a comma or a point"),
    pytest.param("The dose is 5 mg", "The dose is 5 g", id="mg or g"),
    pytest.param("Growth is 5 %", "Growth is 5", id="5 % or 5"),
    pytest.param("Growth is 5%", "Growth is 5‰", id="5 % or 5 per mille"),
    pytest.param("It is -5 °C", "It is 5 °C", id="a sign"),
    pytest.param("It is −5 °C", "It is 5 °C", id="a minus sign"),
    pytest.param("It is 5 °C", "It is 5 °F", id="Celsius or Fahrenheit"),
    pytest.param("It costs €5", "It costs $5", id="a currency"),
    pytest.param("The area is 10²", "The area is 102", id="10² or 102"),
    pytest.param("The area is 10²", "The area is 10", id="10² or 10"),
    pytest.param("Alice knows C++", "Alice knows C", id="C++ or C"),
    pytest.param("Alice knows C#", "Alice knows C", id="C# or C"),
    pytest.param("The blood type is O-", "The blood type is O+", id="O- or O+"),
    pytest.param("The blood type is O-", "The blood type is O", id="O- or O"),
    pytest.param("Born on 2024-05-01", "Born on 2024-05-02", id="a date"),
    pytest.param("Born on 1 May 2024", "Born on 1 June 2024", id="a month"),
    pytest.param("Alice met Bob in 2019", "Alice met Bob", id="a date gone"),
    pytest.param("Alice likes tea", "Alice likes coffee", id="a content word"),
    pytest.param("Alice likes tea", "Alice likes tea and coffee", id="more words"),
    pytest.param("Alice manages Bob", "Bob manages Alice", id="the order"),
    pytest.param("Alice lives here 🙂", "Alice lives here 🙁", id="a symbol"),
    pytest.param("我喜欢茶", "我喜欢水", id="Chinese words"),
    pytest.param("茶比水好", "水比茶好", id="Chinese order"),
    pytest.param("Alice likes tea", "Alice does not like tea", id="English not"),
    pytest.param("Alice can drive", "Alice can't drive", id="English can't"),
    pytest.param("Alice drinks wine", "Alice never drinks wine", id="English never"),
    pytest.param("Алиса любит чай", "Алиса не любит чай", id="Russian"),
    pytest.param("Alice mag Tee", "Alice mag nicht Tee", id="German nicht"),
    pytest.param("Alice hat einen Hund", "Alice hat keinen Hund", id="German kein"),
    pytest.param("Alicia come carne", "Alicia nunca come carne", id="Spanish nunca"),
    pytest.param("Alicia come carne", "Alicia no come carne", id="Spanish no"),
    pytest.param("Alice aime le thé", "Alice n'aime pas le thé", id="French ne pas"),
    pytest.param("我喜欢茶", "我不喜欢茶", id="Chinese 不"),
    pytest.param("我有狗", "我没有狗", id="Chinese 没"),
]


@pytest.mark.parametrize(("one", "other"), AGREE)
def test_the_guard_agrees(one: str, other: str) -> None:
    assert agree(one, other)


@pytest.mark.parametrize(("one", "other"), DIVERGE)
def test_the_guard_sees_the_difference(one: str, other: str) -> None:
    assert not agree(one, other)
    assert not agree(other, one)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C++, 10² and 5 %", ("c", "+", "+", "10", "²", "and", "5", "%")),
        ("It's -5.5 °C (now)", ("it's", "-", "5.5", "°", "c", "now")),
        ("我喜欢2杯茶。", ("我", "喜", "欢", "2", "杯", "茶")),
        ("2019-2020", ("2019", "2020")),
        ("!?…", ()),
        ("", ()),
    ],
)
def test_tokens(text: str, expected: tuple[str, ...]) -> None:
    assert tokens(text) == expected


NEGATIONS = (
    "no not never none nobody nothing without neither nor cannot don't isn't не нет ни без никогда nicht nichts kein keine nie ohne weder "
)
NEGATIONS += "nunca sin jamás ninguno nadie nada ne pas jamais rien sans aucun n'est 不 没 無 无 未"


@pytest.mark.parametrize("word", NEGATIONS.split())
def test_negations(word: str) -> None:
    assert is_negation(word)


@pytest.mark.parametrize("word", ["tea", "note", "know", "n", "t", "на", "nach", "nous", "5", ""])
def test_no_negations(word: str) -> None:
    assert not is_negation(word)


@pytest.mark.parametrize(
    ("token", "expected"), [("5", True), ("1.5", True), ("²", True), ("٣", True), ("c", False), ("", False), ("%", False)]
)
def test_numbers(token: str, expected: bool) -> None:  # noqa: FBT001
    assert is_number(token) is expected


ADDS, UNIT, LOSES = "stand in neither text", "another unit", "drops a number or a negation"
OLD = "Alice lives in Porto"


@pytest.mark.parametrize(
    ("merged", "new", "old"),
    [
        pytest.param("Alice lives in Porto near the river", "Alice lives near the river", OLD, id="both joined"),
        pytest.param("Alice lives in Porto, and she also works there in Porto", "works there", OLD, id="glue words"),
        pytest.param("Alice runs 5 km and swims 2 km", "Alice swims 2 km", "Alice runs 5 km", id="numbers with their units"),
        pytest.param("It is -5 °C and 20 %", "20 %", "It is -5 °C", id="signs and symbols"),
        pytest.param("Alice does not eat fish or meat", "Alice does not eat meat", "Alice does not eat fish", id="negations kept"),
        pytest.param("爱丽丝住在波尔图，喜欢茶。", "爱丽丝喜欢茶", "爱丽丝住在波尔图", id="Chinese, joined by a comma"),
        pytest.param(OLD, "", OLD, id="nothing new"),
    ],
)
def test_a_good_merge(merged: str, new: str, old: str) -> None:
    assert merge_fault(merged, new, old) is None


@pytest.mark.parametrize(
    ("merged", "new", "old", "fault"),
    [
        pytest.param("Alice lives in Porto happily", "Alice lives in Porto", OLD, ADDS, id="adds a word"),
        pytest.param("Alice lives in Porto since 2019", "Alice lives in Porto since", OLD, ADDS, id="adds a number"),
        pytest.param("Alice does not live in Porto", "Alice does live", OLD + " live", ADDS, id="adds a negation"),
        pytest.param("我不喜欢茶", "我喜欢茶", "茶", ADDS, id="adds a Chinese negation"),
        pytest.param("Alice runs 5 miles", "Alice runs 5 km", "Alice runs 3 miles", UNIT, id="another unit"),
        pytest.param("It costs $5", "It costs €5", "It cost and costs $3", UNIT, id="another currency"),
        pytest.param("It is 5", "It is -5", "It is 3", UNIT, id="a sign gone"),
        pytest.param("Growth is 5", "Growth is 5 %", "Growth is 3", UNIT, id="a symbol gone"),
        pytest.param("It is -3 and 5", "It is 3 and 5", "It is -5", UNIT, id="a sign moved"),
        pytest.param("Alice lives in Porto", "Alice lives in Porto since 2019", OLD, LOSES, id="drops a number of the new text"),
        pytest.param("Alice lives in Porto", "Alice does not live in Porto", OLD, LOSES, id="drops a negation of the new text"),
        pytest.param("Alice isst Fleisch", "Alice isst kein Fleisch", "Alice isst", LOSES, id="drops a German negation"),
        pytest.param("我喜欢茶", "我不喜欢茶", "我喜欢茶", LOSES, id="drops a Chinese negation"),
    ],
)
def test_a_merge_at_fault(merged: str, new: str, old: str, fault: str) -> None:
    found = merge_fault(merged, new, old)
    assert found is not None
    assert fault in found
    assert not any(word in found for word in ("Alice", "Porto", "喜欢"))


@pytest.mark.parametrize("empty", ["", "!?", "。"])
def test_texts_without_a_word_are_compared_too(empty: str) -> None:
    assert merge_fault(empty, empty, empty) is None
    assert merge_fault("5", empty, empty) is not None
    assert not merge_drops(empty, empty)


@pytest.mark.parametrize(
    ("merged", "old", "drops"),
    [
        pytest.param("Alice lives in Lisbon", OLD, True, id="a content word"),
        pytest.param("Alice lives in Porto", "Alice lives in Porto since 2019", True, id="a number"),
        pytest.param("Alice eats fish", "Alice never eats fish", True, id="a negation"),
        pytest.param("Alice knows C", "Alice knows C++", True, id="a symbol"),
        pytest.param("Alice lives Porto", OLD, False, id="a glue word is none"),
        pytest.param("In Porto lives Alice, with Bob", OLD, False, id="another order, more words"),
    ],
)
def test_a_merge_that_drops_words_of_the_stored_text(merged: str, old: str, drops: bool) -> None:  # noqa: FBT001
    assert merge_drops(merged, old) is drops
