"""Long statements are compared sentence by sentence: what changed inside one is asked about, and nothing more is done alone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from app.charter.model import MemoryType, Source
from app.engine.port import Candidate, Proposal, Question
from app.engine.relation.engine import LocalEngine
from app.engine.relation.model import Relation, RelationModel
from app.engine.relation.sentences import MOST_PAIRS, sentence_pairs

NOW = datetime(2026, 5, 1, tzinfo=UTC)
STORED = "Could you suggest a book on knots? By the way, I own two canoes. The shed is nearly full."
NEW = "What varnish lasts longest? Oh, and by the way, I own three canoes now."
UNLIKE = Relation(0.01, 0.01, 0.01, 0.01, 0.96)


class Reading(RelationModel):
    """A model that knows one pair, and finds all others unlike."""

    def __init__(self, known: tuple[str, str], relation: Relation, *, truncated: bool = False) -> None:
        self.known, self.relation = known, relation
        self.other = Relation(0.01, 0.01, 0.01, 0.01, 0.96, truncated=truncated)

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Relation]:
        return [self.relation if pair == self.known else self.other for pair in pairs]


async def propose(model: RelationModel, stored: str, new: str, owner: str = "self") -> Proposal:
    engine = LocalEngine(model)
    candidate = Candidate("c1", stored, MemoryType.FACT, "other" if owner == "other" else "self", 0.8, NOW, None, immutable=False)
    (answer,) = (await engine.decide([Question(0, new, MemoryType.FACT, NOW, None, Source.USER, (candidate,))])).answers
    await engine.close()
    assert isinstance(answer, Proposal)
    return answer


def test_sentences_that_share_words_are_paired_without_questions_and_openings() -> None:
    assert sentence_pairs(STORED, NEW) == [("I own two canoes.", "I own three canoes now.")]


def test_what_only_a_question_says_is_not_compared() -> None:
    assert sentence_pairs("The shed is nearly full. I own two canoes.", "The shed is dry. Do I own two canoes?") == []


def test_single_sentences_are_no_matter_of_this() -> None:
    assert sentence_pairs("I own two canoes", "I own three canoes now.") == []


def test_a_single_sentence_is_paired_with_each_of_a_longer_text() -> None:
    assert sentence_pairs("I own two canoes", NEW) == [("I own two canoes", "I own three canoes now.")]


def test_no_more_pairs_are_read_than_the_bound_says() -> None:
    many = " ".join(f"The red canoe number {n} lies in the shed." for n in range(9))
    pairs = sentence_pairs(many, many)
    assert len(pairs) == MOST_PAIRS
    assert pairs == sentence_pairs(many, many)


def test_texts_without_end_are_paired_by_their_beginning() -> None:
    endless = "The red canoe lies in the shed. " * 4000 + "x" * 100_000
    assert len(sentence_pairs(endless, "The red canoe is new. " + "Word " * 20_000)) == 1


@pytest.mark.asyncio
@pytest.mark.parametrize("truncated", [False, True])
async def test_a_change_inside_a_long_statement_is_asked_about(truncated: bool) -> None:  # noqa: FBT001 - a parameter of the test
    known = ("I own two canoes.", "I own three canoes now.")
    answer = await propose(Reading(known, Relation(0.01, 0.01, 0.95, 0.02, 0.01), truncated=truncated), STORED, NEW)
    assert answer.operation == "SUPERSEDE"
    assert answer.confidence < 70, "however sure the model is of a sentence, the rest of the statement would go with it"


@pytest.mark.asyncio
async def test_a_repeat_or_a_detail_of_one_sentence_is_kept_beside_the_whole() -> None:
    stored, new = "The shed is nearly full. I own a canoe.", "The lake is calm. I own a canoe of pine."
    known = ("I own a canoe.", "I own a canoe of pine.")
    for relation in (Relation(0.97, 0.01, 0.01, 0.0, 0.01, either_way=0.97), Relation(0.01, 0.97, 0.01, 0.0, 0.01), UNLIKE):
        assert (await propose(Reading(known, relation), stored, new)).operation == "ADD"


@pytest.mark.asyncio
async def test_numbers_that_a_sentence_exchanges_are_not_overlooked() -> None:
    known = ("I own two canoes.", "I own three canoes now.")
    answer = await propose(Reading(known, Relation(0.97, 0.01, 0.01, 0.0, 0.01, either_way=0.97)), STORED, NEW)
    assert (answer.operation, answer.confidence < 70) == ("CONTRADICT", True)


@pytest.mark.asyncio
async def test_a_doubtful_difference_of_one_sentence_is_not_asked_about() -> None:
    known = ("I own two canoes.", "I own three canoes now.")
    assert (await propose(Reading(known, Relation(0.15, 0.15, 0.3, 0.15, 0.25)), STORED, NEW)).operation == "ADD"


@pytest.mark.asyncio
async def test_a_sentence_about_another_user_contradicts_at_most() -> None:
    stored = "The pier is closed. The ferry runs from the old pier."
    new = "The weather was fine. The ferry does not run from the old pier."
    known = ("The ferry runs from the old pier.", "The ferry does not run from the old pier.")
    answer = await propose(Reading(known, Relation(0.01, 0.01, 0.02, 0.95, 0.01)), stored, new, owner="other")
    assert answer.operation == "CROSS_CONTRADICT"
