"""A statement that was heard before: repeats, stronger sources, other beginnings, changes back, answers that stand."""

from __future__ import annotations

from tests.integration.stage import Stage

SPRING, AUTUMN = "2025-04-01T00:00:00Z", "2025-10-01T00:00:00Z"


def test_a_repeat_is_an_event_and_the_strongest_source_counts(stage: Stage) -> None:
    user, text = stage.user(), stage.t("lives in Lisbon")
    stage.models.place([text, stage.t("lives in Porto")], 0.9)
    memory = stage.agent.store(user, text, source="tool")
    for source, counts in (("agent", "agent"), ("document", "agent"), ("user", "user"), ("tool", "user")):
        result = stage.agent.write(user, text, source=source)["results"][0]
        assert (result["outcome"], result["tier"], result["memory_id"]) == ("deduplicated", "exact", memory)
        assert stage.agent.memory(memory)["source"] == counts
    assert [event["event"] for event in stage.agent.history(memory)["events"]] == ["stored"] + ["repeated"] * 4
    assert stage.agent.memory(memory)["revision"] == 1
    weaker = stage.meet("SUPERSEDE", user=user, old=text, new="lives in Porto")
    assert weaker.asked["conflict_type"] == "weaker_source"


def test_a_repeat_with_another_beginning_is_no_exact_duplicate(stage: Stage) -> None:
    user, text = stage.user(), stage.t("lives in Lisbon")
    first = stage.agent.store(user, {"content": text, "valid_from": SPRING})
    for fact in (text, {"content": text, "valid_from": SPRING}):
        result = stage.agent.write(user, fact)["results"][0]
        assert (result["tier"], result["memory_id"]) == ("exact", first)
    result = stage.agent.write(user, {"content": text, "valid_from": AUTUMN})["results"][0]
    assert (result["tier"], result["outcome"]) == ("engine", "stored")
    assert sorted(memory["valid_from"] for memory in stage.agent.listed(user)) == [SPRING, AUTUMN]


def test_the_same_words_under_another_type_are_no_exact_duplicate(stage: Stage) -> None:
    user, text = stage.user(), stage.t("runs every day")
    stage.agent.store(user, (text, "fact"))
    result = stage.agent.write(user, (text, "goal"))["results"][0]
    assert (result["tier"], result["outcome"]) == ("engine", "stored")


def test_the_same_words_of_another_user_are_no_duplicate(stage: Stage) -> None:
    text = stage.t("lives in Lisbon")
    theirs = stage.agent.store(stage.user("bob"), text, shared=True)
    result = stage.agent.write(stage.user(), text)["results"][0]
    assert (result["outcome"], result["memory_id"] != theirs) == ("stored", True)


def test_a_text_that_comes_back_after_it_was_superseded_is_news(stage: Stage) -> None:
    met = stage.meet("SUPERSEDE")
    stage.expect(met.old_text, "SUPERSEDE", met.new_text)
    result = stage.agent.write(met.user, met.old_text)["results"][0]
    assert (result["outcome"], result["tier"], result["memory_id"] not in {met.old, met.new}) == ("superseded", "engine", True)
    chain = stage.agent.history(met.old)["chain"]
    assert [(link["content"], link["status"]) for link in chain] == [
        (met.old_text, "superseded"),
        (met.new_text, "superseded"),
        (met.old_text, "active"),
    ]


def test_a_repeat_while_its_dispute_is_open_shows_the_question_again(stage: Stage) -> None:
    met = stage.disputed()
    body = stage.agent.write(met.user, (met.new_text, "preference"))
    assert (body["results"][0]["outcome"], body["results"][0]["memory_id"]) == ("deduplicated", met.new)
    assert [asked["contradiction_id"] for asked in body["needs_clarification"]] == [met.dispute]
    assert len(stage.agent.disputes(met.user)) == 1


def test_a_text_that_an_answer_withdrew_is_not_asked_about_again(stage: Stage) -> None:
    met = stage.disputed()
    stage.agent.answer(met.dispute, "confirm")
    asked_before = len(stage.models.asked(met.new_text))
    body = stage.agent.write(met.user, (met.new_text, "preference"))
    result = body["results"][0]
    assert (result["outcome"], result["memory_id"], result["contradiction_id"]) == ("previously_withdrawn", met.new, met.dispute)
    assert (body["needs_clarification"], len(stage.models.asked(met.new_text))) == ([], asked_before)
    assert stage.agent.texts(met.user) == [met.old_text]


def test_previously_withdrawn_ends_when_the_winner_goes(stage: Stage) -> None:
    met, third = stage.disputed(), stage.t("prefers water")
    stage.agent.answer(met.dispute, "confirm")
    stage.models.place([met.old_text, met.new_text, third], 0.9)
    stage.expect(third, "CONTRADICT", met.old_text)
    asked = stage.agent.write(met.user, (third, "preference"))["needs_clarification"][0]
    stage.agent.answer(asked["contradiction_id"], "retract")
    assert stage.agent.texts(met.user) == [third]
    stage.expect(met.new_text, "CONTRADICT", third)
    body = stage.agent.write(met.user, (met.new_text, "preference"))
    result = body["results"][0]
    assert (result["outcome"], result["memory_id"] != met.new, len(body["needs_clarification"])) == ("stored", True, 1)


def test_a_withdrawn_text_with_another_beginning_is_asked_about_again(stage: Stage) -> None:
    met = stage.disputed()
    stage.agent.answer(met.dispute, "confirm")
    again = {"content": met.new_text, "memory_type": "preference", "valid_from": AUTUMN}
    result = stage.agent.write(met.user, again)["results"][0]
    assert (result["outcome"], result["memory_id"] != met.new) == ("deferred", True)


def test_a_repeat_of_a_final_memory_is_heard_and_changes_nothing(stage: Stage) -> None:
    user, text = stage.user(), stage.t("was born in Faro")
    memory = stage.agent.store(user, text)
    stage.owner.act("finalize", memory)
    before = stage.agent.memory(memory)
    assert stage.agent.write(user, text)["results"][0]["outcome"] == "deduplicated"
    assert stage.agent.memory(memory) == before
