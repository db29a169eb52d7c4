"""Several facts in one write, and facts about facts: order, siblings, exact duplicates, one target for two."""

from __future__ import annotations

from tests.integration.stage import Json, Stage


def outcomes(body: Json) -> list[str]:
    return [result["outcome"] for result in body["results"]]


def test_facts_are_decided_in_order_and_one_call_asks_about_all_of_them(stage: Stage) -> None:
    user = stage.user()
    places, drinks = [stage.t("lives in Lisbon"), stage.t("lives in Porto")], [stage.t("has a cat"), stage.t("has a dog")]
    stage.models.place(places, 0.9)
    stage.models.place(drinks, 0.9)
    stage.expect(places[1], "SUPERSEDE", places[0])
    stage.expect(drinks[1], "CONTRADICT", drinks[0])
    stage.agent.write(user, places[0], drinks[0])
    body = stage.agent.write(user, places[1], stage.t("speaks Latin"), drinks[1])
    assert outcomes(body) == ["superseded", "stored", "stored"]
    assert [result["content"] for result in body["results"]] == [places[1], stage.t("speaks Latin"), drinks[1]]
    assert [result["tier"] for result in body["results"]] == ["engine", "new", "engine"]
    (asked,) = stage.models.asked(places[1])
    assert [item["i"] for item in asked["items"]] == [0, 2]
    decided = stage.rows("SELECT position FROM decisions WHERE write_id = $1 ORDER BY decision_id", body["write_id"])
    assert [row["position"] for row in decided] == [0, 1, 2]


def test_two_rewrites_of_the_same_stored_memory_keep_both_new_texts(stage: Stage) -> None:
    user, texts = stage.user(), [stage.t(f"lives in {place}") for place in ("Lisbon", "Porto", "Faro")]
    stage.models.place(texts, 0.9)
    for text in texts[1:]:
        stage.expect(text, "SUPERSEDE", texts[0])
    old = stage.agent.store(user, texts[0])
    body = stage.agent.write(user, *texts[1:])
    assert outcomes(body) == ["superseded", "stored"]
    first, second = (result["memory_id"] for result in body["results"])
    assert stage.agent.memory(old)["superseded_by"] == first
    (asked,) = body["needs_clarification"]
    assert (asked["existing_memory_id"], asked["new_memory_id"], asked["pending_operation"]) == (first, second, "CONTRADICT")
    assert stage.agent.texts(user) == sorted(texts[1:])


def test_two_updates_of_the_same_stored_memory_lose_neither_text(stage: Stage) -> None:
    user, old = stage.user(), stage.t("lives in Lisbon")
    river, castle = stage.t("lives by the river"), stage.t("lives near a castle")
    stage.models.place([old, river, castle], 0.9)
    stage.expect(river, "UPDATE", old, merged=f"{old} by the river")
    stage.expect(castle, "UPDATE", old, merged=f"{old} near a castle")
    stored = stage.agent.store(user, old)
    body = stage.agent.write(user, river, castle)
    assert outcomes(body) == ["updated", "stored"]
    assert stage.agent.memory(stored)["content"] == f"{old} by the river"
    assert castle in stage.agent.texts(user)
    assert body["needs_clarification"][0]["pending_operation"] == "CONTRADICT"


def test_an_earlier_fact_of_the_write_is_a_candidate_and_never_rewritten(stage: Stage) -> None:
    user, texts = stage.user(), [stage.t("lives in Lisbon"), stage.t("lives in Porto")]
    stage.models.place(texts, 0.9)
    stage.expect(texts[1], "SUPERSEDE", texts[0])
    body = stage.agent.write(user, *texts)
    assert outcomes(body) == ["stored", "stored"]
    (asked,) = stage.models.asked(texts[1])
    assert [(one["ref"], one["content"]) for one in asked["items"][0]["candidates"]] == [("n0", texts[0])]
    assert body["needs_clarification"][0]["pending_operation"] == "CONTRADICT"
    assert stage.agent.texts(user) == sorted(texts)


def test_a_fact_said_twice_in_one_write_is_one_memory(stage: Stage) -> None:
    user, text = stage.user(), stage.t("lives in Lisbon")
    body = stage.agent.write(user, text, f"  {text.upper()}.  ", text)
    assert outcomes(body) == ["stored", "deduplicated", "deduplicated"]
    assert len({result["memory_id"] for result in body["results"]}) == 1
    assert stage.agent.texts(user) == [text]
    repeated = "SELECT count(*) FROM memory_events WHERE memory_id = $1 AND event = 'repeated'"
    assert stage.value(repeated, body["results"][0]["memory_id"]) == 2


def test_case_counts_for_a_protected_type(stage: Stage) -> None:
    user, text = stage.user(), stage.t("prefers the Sun")
    stage.models.same(text, text.lower())
    body = stage.agent.write(user, (text, "preference"), (text.lower(), "preference"))
    assert outcomes(body) == ["stored", "stored"]


def test_a_fact_that_repeats_one_which_superseded_a_memory_lands_on_it(stage: Stage) -> None:
    user, texts = stage.user(), [stage.t("lives in Lisbon"), stage.t("lives in Porto")]
    stage.models.place(texts, 0.9)
    stage.expect(texts[1], "SUPERSEDE", texts[0])
    stage.agent.store(user, texts[0])
    body = stage.agent.write(user, texts[1], texts[1])
    assert outcomes(body) == ["superseded", "deduplicated"]
    assert body["results"][0]["memory_id"] == body["results"][1]["memory_id"]


def test_a_write_that_says_new_and_old_keeps_both_as_a_contradiction(stage: Stage) -> None:
    user, texts = stage.user(), [stage.t("lives in Lisbon"), stage.t("lives in Porto")]
    stage.models.place(texts, 0.9)
    stage.expect(texts[1], "SUPERSEDE", texts[0])
    old = stage.agent.store(user, texts[0])
    body = stage.agent.write(user, texts[1], texts[0])
    assert outcomes(body) == ["superseded", "stored"]
    assert stage.agent.texts(user) == sorted(texts)
    again = body["results"][1]["memory_id"]
    assert again != old
    assert stage.agent.memory(again)["open_contradictions"] == [body["needs_clarification"][0]["contradiction_id"]]


def test_a_later_fact_that_says_what_an_earlier_merge_says_is_no_second_memory(stage: Stage) -> None:
    user, old, new = stage.user(), stage.t("lives in Lisbon"), stage.t("lives by the river")
    merged = stage.t("lives in Lisbon by the river")
    stage.models.place([old, new, merged], 0.9)
    stage.expect(new, "UPDATE", old, merged=merged)
    stored = stage.agent.store(user, old)
    body = stage.agent.write(user, new, merged)
    assert outcomes(body) == ["updated", "deduplicated"]
    assert [result["memory_id"] for result in body["results"]] == [stored, stored]
    assert stage.agent.texts(user) == [merged]


def test_a_bad_verdict_costs_only_its_own_fact(stage: Stage) -> None:
    user, texts = stage.user(), [stage.t(f"lives in {place}") for place in ("Lisbon", "Porto", "Faro")]
    stage.models.place(texts, 0.9)
    stage.expect(texts[1], "ANNIHILATE", texts[0])
    stage.expect(texts[2], "CONTRADICT", texts[0])
    stage.agent.store(user, texts[0])
    body = stage.agent.write(user, *texts[1:])
    assert outcomes(body) == ["undecided", "stored"]
    first, second = stage.models.asked(texts[1])
    assert [item["i"] for item in first["items"]] == [0, 1]
    assert ([item["i"] for item in second["items"]], "fault" in second["items"][0]) == ([0], True)


def test_a_write_holds_its_labels_unless_a_fact_says_otherwise(stage: Stage) -> None:
    user = stage.user()
    own = {"content": stage.t("has a dog"), "source": "tool", "shared": False, "agent_id": "b", "session_id": "s2", "metadata": {"k": 2}}
    whole: Json = {"source": "user", "shared": True, "agent_id": "a", "session_id": "s1", "metadata": {"k": 1}}
    body = stage.agent.write(user, stage.t("has a cat"), own, **whole)
    first, second = (stage.agent.memory(result["memory_id"]) for result in body["results"])
    labels = ("source", "shared", "agent_id", "session_id", "metadata")
    assert [first[name] for name in labels] == ["user", True, "a", "s1", {"k": 1}]
    assert [second[name] for name in labels] == ["tool", False, "b", "s2", {"k": 2}]


def test_fifty_facts_are_stored_and_fifty_one_refused_whole(stage: Stage) -> None:
    user, facts = stage.user(), [stage.t(f"owns item {number}") for number in range(51)]
    stage.agent.write(user, *facts, expect=422)
    assert stage.value("SELECT count(*) FROM memories WHERE user_id = $1", user) == 0
    assert outcomes(stage.agent.write(user, *facts[:50])) == ["stored"] * 50
