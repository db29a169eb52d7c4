"""The local engine around its model: what it makes of the shares, and that neither order nor doubt makes it rash."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import pytest

from app.charter.model import MemoryType, Source
from app.engine.checks import check_decision
from app.engine.port import Candidate, Proposal, Question
from app.engine.relation.engine import LocalEngine
from app.engine.relation.model import Relation, RelationModel

pytestmark = pytest.mark.asyncio
NOW = datetime(2026, 5, 1, tzinfo=UTC)
BEFORE = NOW - timedelta(days=400)
Owner = Literal["self", "other"]


class Told(RelationModel):
    """A model that answers what it was told to."""

    def __init__(self, *answers: Relation) -> None:
        self.answers = answers

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Relation]:
        return [answer for answer, _ in zip(itertools.cycle(self.answers), pairs, strict=False)]


def sure(name: str, share: float = 0.99, either_way: float | None = None) -> Relation:
    shares: dict[str, Any] = dict.fromkeys(("duplicate", "detail", "change", "conflict", "new"), (1 - share) / 4) | {name: share}
    return Relation(**shares, either_way=shares["duplicate"] if either_way is None else either_way)


def candidate(text: str, place: int = 1, owner: Owner = "self", valid_from: datetime | None = None, sibling: bool = False) -> Candidate:  # noqa: FBT001, FBT002
    ref = f"n{place}" if sibling else f"c{place}"
    return Candidate(ref, text, MemoryType.FACT, owner, 0.8, NOW - timedelta(days=1), valid_from, immutable=False)


async def propose(new: str, candidates: Sequence[Candidate], *answers: Relation, valid_from: datetime | None = None) -> Proposal:
    engine = LocalEngine(Told(*answers))
    question = Question(0, new, MemoryType.FACT, NOW, valid_from, Source.USER, tuple(candidates))
    (answer,) = (await engine.decide([question])).answers
    await engine.close()
    assert isinstance(answer, Proposal)
    raw = {name: getattr(answer, name) for name in ("operation", "target", "confidence", "reasoning", "merged_content")}
    assert check_decision(raw, question) == answer, "what it proposes would pass the check of a model's verdict"
    assert answer.reasoning.endswith(".")
    return answer


async def test_a_sure_repeat_is_dropped_and_a_less_sure_one_is_kept() -> None:
    stored = [candidate("Hana works as a nurse")]
    assert (await propose("Nursing is the profession of Hana", stored, sure("duplicate", 0.9))).operation == "NOOP"
    assert (await propose("Nursing is the profession of Hana", stored, sure("duplicate", 0.8))).operation == "ADD"


async def test_a_repeat_has_to_be_one_the_other_way_round_too() -> None:
    answer = await propose(
        "Nursing is the profession of Hana", [candidate("Hana works as a nurse")], sure("duplicate", 0.96, either_way=0.5)
    )
    assert answer.operation == "ADD"


async def test_where_a_word_turns_or_bounds_a_statement_a_repeat_has_to_be_surer() -> None:
    stored = [candidate("Hana lives alone")]
    assert (await propose("There is nobody else in Hana's flat", stored, sure("duplicate"))).operation == "NOOP"
    assert (await propose("There is nobody else in Hana's flat", stored, sure("duplicate", 0.95))).operation == "ADD"
    stored = [candidate("Hana handed the shop over to Otto")]
    assert (await propose("Hana took the shop over from Otto", stored, sure("duplicate", 0.95))).operation == "ADD"


@pytest.mark.parametrize(
    ("stored", "new"),
    [
        ("The fee is 20 euros", "The fee is 30 euros"),
        ("The gate is locked", "The gate is not locked"),
        ("The gate is open", "The gate is closed"),
        ("My car is a Ford", "My car is a Kia"),
        ("My uncle has a boat", "My cousin has a boat"),
        ("Rosa teaches Yusuf", "Yusuf teaches Rosa"),
    ],
)
async def test_a_guard_vetoes_a_repeat_however_sure_the_model_is(stored: str, new: str) -> None:
    assert (await propose(new, [candidate(stored)], sure("duplicate", 0.999))).operation in {"ADD", "CONTRADICT"}


async def test_a_conflict_is_a_contradiction() -> None:
    answer = await propose("Hana shares her flat", [candidate("Hana lives alone")], sure("conflict"))
    assert (answer.operation, answer.target) == ("CONTRADICT", "c1")
    assert answer.confidence >= 90


async def test_a_change_is_silent_only_where_the_text_reports_it() -> None:
    stored = [candidate("Hana lives in Oslo")]
    told = await propose("Hana moved to Porto", stored, sure("change"))
    assert (told.operation, told.confidence >= 70) == ("SUPERSEDE", True)
    silent = await propose("Hana lives in Porto", stored, sure("change"))
    assert (silent.operation, silent.confidence < 70) == ("SUPERSEDE", True)
    unsure = await propose("Hana moved to Porto", stored, sure("change", 0.8))
    assert (unsure.operation, unsure.confidence < 70) == ("SUPERSEDE", True)


async def test_a_change_of_a_relative_replaces_nothing_about_somebody_else_in_silence() -> None:
    answer = await propose("My sister moved to Porto", [candidate("I live in Oslo")], sure("change"))
    assert answer.confidence < 70


async def test_a_detail_takes_the_place_only_of_what_it_carries() -> None:
    answer = await propose("Hana has a dog called Rex", [candidate("Hana has a dog")], sure("detail"))
    assert (answer.operation, answer.merged_content) == ("UPDATE", "Hana has a dog called Rex")
    assert (await propose("Hana has a beagle", [candidate("Hana has a dog")], sure("detail"))).operation == "ADD"


async def test_a_detail_of_the_same_write_or_of_a_final_memory_is_kept_beside_it() -> None:
    answer = await propose("Hana has a dog called Rex", [candidate("Hana has a dog", sibling=True)], sure("detail"))
    assert answer.operation == "ADD"


async def test_an_earlier_time_never_rewrites() -> None:
    stored = [candidate("Hana lives in Oslo", valid_from=NOW)]
    answer = await propose("Hana lived in Porto", stored, sure("change"), valid_from=BEFORE)
    assert answer.operation == "ADD"
    dated = [candidate("As of 2010, Hana lives in Oslo")]
    assert (await propose("As of 1999, Hana lives in Porto", dated, sure("change"))).operation == "ADD"


async def test_a_statement_about_another_relative_neither_repeats_nor_contradicts() -> None:
    assert (await propose("My sister was born in 1990", [candidate("My brother was born in 1988")], sure("conflict"))).operation == "ADD"


async def test_two_statements_of_one_date_contradict_and_a_later_date_succeeds() -> None:
    stored = [candidate("As of 2010, Hana lives in Oslo")]
    assert (await propose("As of 2010, Hana lives in Porto", stored, sure("change"))).operation == "CONTRADICT"
    assert (await propose("As of 2015, Hana lives in Porto", stored, sure("conflict"))).operation == "SUPERSEDE"


@pytest.mark.parametrize(
    ("stored", "new"),
    [
        ("Hana prefers tabs over spaces", "Hana prefers spaces over tabs"),
        ("My uncle plays the violin", "My uncle plays the cello"),
        ("She moved to Oslo", "She moved to Porto"),
    ],
)
async def test_what_the_model_overlooks_is_asked_about(stored: str, new: str) -> None:
    answer = await propose(new, [candidate(stored)], sure("duplicate"))
    assert (answer.operation, answer.confidence < 70) == ("CONTRADICT", True)


async def test_where_the_model_doubts_that_two_are_unlike_the_words_are_heard() -> None:
    stored = [candidate("My role is analyst")]
    assert (await propose("My role is scientist", stored, sure("new", 0.6))).confidence < 70
    assert (await propose("My role is scientist", stored, sure("new", 0.9))).operation == "ADD"


async def test_the_order_of_the_candidates_changes_nothing() -> None:
    texts = ["Hana lives in Oslo", "Hana lives in Ghent", "Hana has a dog", "Otto lives in Oslo"]
    answers = {
        texts[0]: sure("conflict", 0.9),
        texts[1]: sure("change", 0.8),
        texts[2]: sure("new"),
        texts[3]: sure("detail", 0.7),
    }
    found = set()
    for order in itertools.permutations(texts):
        stored = [candidate(text, place) for place, text in enumerate(order, 1)]
        answer = await propose("Hana lives in Porto", stored, *(answers[text] for text in order))
        target = next(one.content for one in stored if one.ref == answer.target)
        found.add((answer.operation, target))
    assert found == {("CONTRADICT", texts[0])}


async def test_another_user_is_linked_or_contradicted_never_changed() -> None:
    stored = [candidate("Hana lives alone", owner="other")]
    assert (await propose("There is no one else in Hana's flat", stored, sure("duplicate"))).operation == "LINK_EXISTING"
    assert (await propose("Hana shares a flat", stored, sure("conflict"))).operation == "CROSS_CONTRADICT"
    assert (await propose("Hana moved in with Otto", stored, sure("change"))).operation == "CROSS_CONTRADICT"
    assert (await propose("Hana lives alone in Oslo", stored, sure("detail"))).operation == "ADD"
    mine = [candidate("I live alone", owner="other")]
    assert (await propose("I share a flat", mine, sure("conflict"))).operation == "ADD"


@pytest.mark.parametrize(
    ("stored", "new"),
    [
        ("Ich wohne in Köln", "Ich wohne nicht in Köln"),
        ("我住在上海", "我不住在上海"),
        ("Der Server hat 4 Kerne", "Der Server hat 16 Kerne"),
    ],
)
async def test_other_languages_go_to_the_rules_and_nothing_is_rewritten_without_asking(stored: str, new: str) -> None:
    answer = await propose(new, [candidate(stored)], sure("new"))
    assert answer.operation in {"CONTRADICT", "SUPERSEDE"}
    assert answer.operation == "CONTRADICT" or answer.confidence < 70


async def test_what_is_too_long_is_kept() -> None:
    long = Relation(0.99, 0.0025, 0.0025, 0.0025, 0.0025, truncated=True)
    assert (await propose("Hana lives in Oslo with Otto", [candidate("Hana lives in Oslo")], long)).operation == "ADD"


async def test_the_same_words_need_no_model() -> None:
    answer = await propose("the gate is open.", [candidate("The gate is open")], sure("conflict"))
    assert answer.operation == "NOOP"
