"""Recall: nearest first, twins folded, disputes shown, scopes kept apart, and no engine asked."""

from __future__ import annotations

from tests.integration.stage import Json, Stage


def found(stage: Stage, user: str, query: str, **more: object) -> list[str]:
    return [hit["memory"]["content"] for hit in stage.agent.search(user, query, **more)]


def test_the_nearest_memory_comes_first_and_no_engine_is_asked(stage: Stage) -> None:
    user, tea, cat = stage.user(), stage.t("likes tea"), stage.t("has a cat")
    query = stage.t("what do they drink?")
    stage.models.place([tea, query], 0.8)
    stage.agent.write(user, tea, cat)
    asked = len(stage.models.calls)
    hits = stage.agent.search(user, query)
    assert hits[0]["memory"]["content"] == tea
    assert abs(hits[0]["similarity"] - 0.8) < 0.01
    assert hits == sorted(hits, key=lambda hit: -hit["score"])
    assert [call.endpoint for call in stage.models.calls[asked:]] == ["embeddings"]


def test_twins_are_folded_into_one_hit(stage: Stage) -> None:
    met = stage.disputed("NOOP")
    assert met.result["outcome"] == "linked"
    assert found(stage, met.user, met.old_text) == [met.old_text]
    assert found(stage, met.user, met.new_text) == [met.new_text]


def test_a_disputed_memory_is_shown_with_its_dispute(stage: Stage) -> None:
    met = stage.disputed()
    hits = stage.agent.search(met.user, met.old_text)
    assert {hit["memory"]["id"] for hit in hits} == {met.old, met.new}
    assert all(hit["disputed"] and hit["contradictions"] == [met.dispute] for hit in hits)
    stage.agent.answer(met.dispute, "coexist")
    assert not any(hit["disputed"] for hit in stage.agent.search(met.user, met.old_text))


def test_superseded_memories_are_found_only_when_asked_for(stage: Stage) -> None:
    met = stage.meet("SUPERSEDE")
    assert found(stage, met.user, met.old_text) == [met.new_text]
    assert set(found(stage, met.user, met.old_text, include_superseded=True)) == {met.old_text, met.new_text}


def test_a_revised_memory_is_found_by_its_present_text(stage: Stage) -> None:
    user, first, second = stage.user(), stage.t("likes tea"), stage.t("plays chess")
    memory = stage.agent.store(user, first)
    stage.owner.edit(memory, second, 1)
    assert stage.agent.search(user, second)[0]["similarity"] > 0.99
    assert stage.agent.search(user, first)[0]["similarity"] < 0.9


def test_types_and_limit_narrow_the_search(stage: Stage) -> None:
    user = stage.user()
    stage.agent.write(user, (stage.t("likes tea"), "preference"), (stage.t("wants a dog"), "goal"), stage.t("has a cat"))
    assert set(found(stage, user, stage.name, memory_types=["preference", "goal"])) == {stage.t("likes tea"), stage.t("wants a dog")}
    assert len(found(stage, user, stage.name, limit=2)) == 2
    wrongs: list[Json] = [{"limit": 0}, {"limit": 201}, {"memory_types": []}, {"scope": "all"}]
    for wrong in wrongs:
        stage.agent.ask("POST", "/memories/search", 422, json={"query": "x", "user_id": user, **wrong})


def test_the_collective_scope_adds_what_others_share_and_nothing_else(stage: Stage) -> None:
    ann, bob = stage.user("ann"), stage.user("bob")
    own, shared, private = (stage.t(f"knows the shop, {word}") for word in ("own", "shared", "private"))
    stage.models.place([own, shared, private], 0.6)
    stage.agent.store(ann, own)
    stage.agent.store(bob, shared, shared=True)
    stage.agent.store(bob, private)
    for caller in (stage.agent, stage.key("agent", ann)):
        assert [hit["memory"]["content"] for hit in caller.search(ann, own)] == [own]
        collective = {hit["memory"]["content"] for hit in caller.search(ann, own, scope="collective", limit=200)}
        assert {own, shared} <= collective
        assert private not in collective


def test_a_bound_key_searches_another_user_and_finds_only_what_is_shared(stage: Stage) -> None:
    ann, bob = stage.user("ann"), stage.user("bob")
    shared, private = stage.t("shop is open"), stage.t("shop is closed")
    stage.agent.store(bob, shared, shared=True)
    stage.agent.store(bob, private)
    assert [hit["memory"]["content"] for hit in stage.key("agent", ann).search(bob, private)] == [shared]


def test_raw_inputs_seeds_and_episodes_are_not_recalled(stage: Stage) -> None:
    met = stage.disputed()
    stage.agent.answer(met.dispute, "coexist")
    kinds = {hit["memory"]["kind"] for hit in stage.agent.search("helixir", "Never auto-delete", scope="collective", limit=200)}
    assert kinds <= {"atom"}
