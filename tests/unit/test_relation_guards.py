"""The guards: what two texts differ in, and what is written differently but means the same."""

from __future__ import annotations

import pytest

from app.engine.relation.antonyms import are_opposites
from app.engine.relation.guards import Difference, carries, difference_between, is_denied, numbers_of, swaps_names, swaps_numbers
from app.engine.relation.kinds import are_of_one_kind

DIFFER = [
    ("The fee is 20 euros", "The fee is 30 euros", Difference.NUMBER),
    ("The fee is 20 euros", "The fee is 20 dollars", Difference.NUMBER),
    ("It is 5 km to the lake", "It is 5 miles to the lake", Difference.NUMBER),
    ("We have three cats", "We have four cats", Difference.NUMBER),
    ("The call is at 5 pm", "The call is at 5 am", Difference.NUMBER),
    ("The gate is open", "The gate is closed", Difference.OPPOSITE),
    ("The form is valid", "The form is invalid", Difference.OPPOSITE),
    ("The gate is locked", "The gate is not locked", Difference.NEGATION),
    ("Hana works there", "Hana no longer works there", Difference.NEGATION),
    ("My car is a Ford", "My car is a Kia", Difference.NAME),
    ('The file is called "draft"', 'The file is called "final"', Difference.NAME),
    ("My uncle has a boat", "My cousin has a boat", Difference.KIN),
    ("My uncle plays the violin", "My uncle plays the cello", Difference.KIND),
    ("Hana wants to run a marathon", "Hana ran a marathon", Difference.WISH),
    ("Hana's goal is to learn Dutch", "Hana learned Dutch", Difference.WISH),
    ("Rosa teaches Yusuf", "Yusuf teaches Rosa", Difference.ORDER),
    ("Hana lent Otto her bike", "Otto lent Hana his bike", Difference.ORDER),
]

SAME = [
    ("The fee is €20", "The fee is 20 euros"),
    ("The fee is 2,800 euros", "The fee is EUR 2800"),
    ("The call is at 5 pm", "The call is at 17:00"),
    ("We run v1.2", "We run version 1.2"),
    ("We have three cats", "We have 3 cats"),
    ("The load is 5%", "The load is 5 percent"),
    ("The gate is not open", "The gate is closed"),
    ("I never eat meat", "I am a vegetarian"),
    ("Peter lives in Oslo", "Peter's home is in Oslo"),
    ("David is my manager", "My manager is David"),
    ("My flat has 85 sqm", "The size of my flat is 85 square metres"),
    ("Hana hopes to learn Dutch", "Hana's goal is to learn Dutch"),
    ("My job is teaching", "Teaching is my profession"),
    ("Rosa teaches Yusuf", "Yusuf is taught by Rosa"),
]


@pytest.mark.parametrize(("stored", "new", "difference"), DIFFER)
def test_a_difference_is_seen_from_both_sides(stored: str, new: str, difference: Difference) -> None:
    assert difference_between(stored, new) is difference
    assert difference_between(new, stored) is difference


@pytest.mark.parametrize(("stored", "new"), SAME)
def test_another_way_of_writing_is_no_difference(stored: str, new: str) -> None:
    assert difference_between(stored, new) is None
    assert difference_between(new, stored) is None


def test_the_list_of_antonyms_is_wordnets_and_ours() -> None:
    assert are_opposites("buy", "sell")
    assert are_opposites("asleep", "awake")
    assert not are_opposites("asleep", "tired")


def test_numbers_carry_their_units() -> None:
    assert numbers_of("8 GB") == numbers_of("8 gigabytes")
    assert numbers_of("8 GB") != numbers_of("8 MB")


@pytest.mark.parametrize(
    ("new", "stored", "carried"),
    [
        ("I have a dog called Rex", "I have a dog", True),
        ("I have a beagle", "I have a dog", False),
        ("The fee is 20 euros in May", "The fee is 20 euros", True),
        ("The fee is 30 euros in May", "The fee is 20 euros", False),
    ],
)
def test_what_a_text_carries(new: str, stored: str, carried: bool) -> None:  # noqa: FBT001
    assert carries(new, stored) is carried


def test_nouns_of_one_kind_are_neither_synonyms_nor_strangers() -> None:
    assert are_of_one_kind("violin", "cello")
    assert are_of_one_kind("violins", "cellos")
    assert not are_of_one_kind("home", "house")
    assert not are_of_one_kind("violin", "lawyer")
    assert not are_of_one_kind("violin", "blorkish")


def test_a_swap_has_something_on_both_sides() -> None:
    assert swaps_numbers("The fee is 20 euros", "The fee is 30 euros")
    assert not swaps_numbers("The fee is 20 euros", "The fee is 20 euros since 2019")
    assert swaps_names("She moved to Oslo", "She moved to Porto")
    assert not swaps_names("She moved to Oslo", "She moved to Oslo with Otto")


def test_a_denial_says_the_same_besides() -> None:
    assert is_denied("The gate is locked", "The gate is not locked")
    assert not is_denied("The pay was inadequate for a family", "The pay was not enough for a family")
