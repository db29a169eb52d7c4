"""Answering a dispute: what is legal, what each answer does, what a change of a side does (section 5)."""

from __future__ import annotations

from itertools import product

import pytest

from app.charter.dispute import (
    Change,
    Consequence,
    Place,
    Refusal,
    Side,
    Step,
    consequence,
    legal_resolutions,
    may_finalise,
    refusal,
    step_for,
)
from app.charter.model import Article, Kind, Operation, Resolution, Status

RETRACT, CONFIRM, COEXIST, AMEND = Resolution
ATOM = Side("alice", Kind.ATOM, immutable=False)
FINAL = Side("alice", Kind.ATOM, immutable=True)
BOBS = Side("bob", Kind.ATOM, immutable=False)
RAW = Side("alice", Kind.RAW_INPUT, immutable=True)
SEED = Side("alice", Kind.SEED, immutable=True)
RULE = Side("alice", Kind.RULE, immutable=True)


@pytest.mark.parametrize(
    ("new", "existing", "legal"),
    [
        pytest.param(ATOM, ATOM, (RETRACT, CONFIRM, COEXIST, AMEND), id="two atoms of one user"),
        pytest.param(ATOM, FINAL, (CONFIRM, COEXIST), id="immutable target"),
        pytest.param(ATOM, RAW, (CONFIRM, COEXIST), id="raw target"),
        pytest.param(ATOM, SEED, (CONFIRM, COEXIST), id="seed"),
        pytest.param(ATOM, RULE, (CONFIRM, COEXIST), id="rule"),
        pytest.param(ATOM, BOBS, (CONFIRM, COEXIST), id="another user's memory"),
        pytest.param(FINAL, ATOM, (RETRACT, COEXIST), id="immutable new side: it is never withdrawn"),
        pytest.param(FINAL, FINAL, (COEXIST,), id="both immutable"),
        pytest.param(FINAL, BOBS, (COEXIST,), id="immutable, and another user's"),
        pytest.param(RAW, ATOM, (RETRACT, COEXIST), id="raw new side"),
    ],
)
def test_each_clarification_offers_what_is_legal(new: Side, existing: Side, legal: tuple[Resolution, ...]) -> None:
    assert legal_resolutions(new, existing) == legal


ALL_SIDES = [Side(user, kind, immutable=immutable) for user, kind, immutable in product(("alice", "bob"), Kind, (True, False))]


@pytest.mark.parametrize("resolution", Resolution)
def test_every_refusal_names_the_article_or_a_code(resolution: Resolution) -> None:
    for new, existing in product(ALL_SIDES, ALL_SIDES):
        touched = [existing] * (resolution in {RETRACT, AMEND}) + [new] * (resolution in {CONFIRM, AMEND})
        raw = any(side.kind is Kind.RAW_INPUT for side in touched)
        final = any(side.immutable or side.kind is not Kind.ATOM for side in touched)
        foreign = existing in touched and new.user_id != existing.user_id
        found = refusal(resolution, new, existing)
        assert (found is None) is not (raw or final or foreign)
        assert (resolution in legal_resolutions(new, existing)) is (found is None)
        if found is not None:
            codes = {(): "other_user", (Article.C2,): "immutable", (Article.C4,): "raw_input"}
            assert found.code == codes[found.articles]
            assert foreign or found.code != "other_user"


@pytest.mark.parametrize("resolution", [RETRACT, AMEND])
def test_what_is_named(resolution: Resolution) -> None:
    assert refusal(resolution, ATOM, RAW) == Refusal((Article.C4,), "raw_input")
    assert refusal(resolution, ATOM, SEED) == Refusal((Article.C2,), "immutable")
    assert refusal(resolution, ATOM, FINAL) == Refusal((Article.C2,), "immutable")
    assert refusal(resolution, ATOM, BOBS) == Refusal((), "other_user")


@pytest.mark.parametrize(
    ("resolution", "pending", "step"),
    [
        pytest.param(RETRACT, Operation.UPDATE, Step.REVISE_EXISTING, id="retract/UPDATE"),
        pytest.param(RETRACT, Operation.SUPERSEDE, Step.SUPERSEDE_EXISTING, id="retract/SUPERSEDE"),
        pytest.param(RETRACT, Operation.DELETE, Step.SUPERSEDE_EXISTING, id="retract/DELETE"),
        pytest.param(RETRACT, Operation.CONTRADICT, Step.SUPERSEDE_EXISTING, id="retract/CONTRADICT"),
        *[pytest.param(CONFIRM, one, Step.WITHDRAW_NEW, id=f"confirm/{one}") for one in Operation],
        *[pytest.param(COEXIST, one, Step.KEEP_BOTH, id=f"coexist/{one}") for one in Operation],
        *[pytest.param(AMEND, one, Step.SUPERSEDE_BOTH, id=f"amend/{one}") for one in Operation],
    ],
)
def test_what_each_answer_does(resolution: Resolution, pending: Operation, step: Step) -> None:
    assert step_for(resolution, pending) is step


@pytest.mark.parametrize(
    ("place", "change", "expected"),
    [
        pytest.param("existing", Change.SUPERSEDED, Consequence.MOVE, id="the stored side got a successor"),
        pytest.param("existing", Change.EDITED, Consequence.ASK_AGAIN, id="the stored side was edited"),
        pytest.param("existing", Change.UNFINALISED, Consequence.ASK_AGAIN, id="the stored side was un-finalised"),
        pytest.param("existing", Change.WITHDRAWN, Consequence.MOOT, id="the stored side was withdrawn"),
        pytest.param("existing", Change.ERASED, Consequence.MOOT, id="the stored side was erased"),
        pytest.param("new", Change.EDITED, Consequence.ASK_AGAIN, id="the new side was edited"),
        pytest.param("new", Change.UNFINALISED, Consequence.ASK_AGAIN, id="the new side was un-finalised"),
        pytest.param("new", Change.SUPERSEDED, Consequence.MOOT, id="the new side was superseded"),
        pytest.param("new", Change.WITHDRAWN, Consequence.MOOT, id="the new side was withdrawn"),
        pytest.param("new", Change.ERASED, Consequence.MOOT, id="the new side was erased"),
    ],
)
def test_what_a_change_of_a_side_does(place: Place, change: Change, expected: Consequence) -> None:
    assert consequence(place, change) is expected


@pytest.mark.parametrize(("kind", "status", "disputed"), list(product(Kind, Status, (True, False))))
def test_finalising_needs_an_active_undisputed_atom(kind: Kind, status: Status, disputed: bool) -> None:  # noqa: FBT001
    assert may_finalise(kind, status, disputed=disputed) is (kind is Kind.ATOM and status is Status.ACTIVE and not disputed)
