"""One fact meets one stored memory: each outcome, and the rows that it leaves."""

from __future__ import annotations

import pytest

from tests.integration.stage import Meeting, Stage

EARLIER, LATER = "2024-03-01T00:00:00Z", "2026-03-01T00:00:00Z"


def both_kept(stage: Stage, met: Meeting) -> None:
    for memory_id, text in ((met.old, met.old_text), (met.new, met.new_text)):
        memory = stage.agent.memory(memory_id)
        assert (memory["content"], memory["status"], memory["revision"]) == (text, "active", 1)
        assert memory["open_contradictions"] == [met.dispute]
    assert stage.value("SELECT count(*) FROM edges WHERE type = 'SUPERSEDES' AND from_memory_id = $1", met.new) == 0


def test_a_first_fact_is_stored_with_revision_vector_event_and_decision(stage: Stage) -> None:
    user, text = stage.user(), stage.t("lives in Lisbon")
    body = stage.agent.write(user, text)
    assert (body["status"], body["raw_input_id"], body["needs_clarification"], body["resolved_by_rule"]) == ("completed", None, [], [])
    result = body["results"][0]
    assert (result["operation"], result["outcome"], result["tier"], result["confidence"]) == ("ADD", "stored", "new", 100)
    assert (result["similarity"], result["target_memory_id"]) == (None, None)
    memory = stage.agent.memory(result["memory_id"])
    assert (memory["content"], memory["status"], memory["revision"], memory["source"]) == (text, "active", 1, "agent")
    for table in ("revisions", "embeddings", "memory_events", "decisions"):
        assert stage.value(f"SELECT count(*) FROM {table} WHERE memory_id = $1", memory["id"]) == 1, table  # noqa: S608
    decision = stage.agent.ask("GET", f"/decisions/{result['decision_id']}")
    assert (decision["write_id"], decision["content"], decision["mode"]) == (body["write_id"], text, "defer")
    assert decision["thresholds"] == {"duplicate_at": 0.98, "new_below": 0.70, "low_confidence": 70, "origin": "charter default"}
    assert stage.models.asked(text) == []


def test_a_text_under_the_gate_is_new_and_one_at_it_is_asked_about(stage: Stage) -> None:
    below = stage.meet("SUPERSEDE", cosine=0.68)
    assert (below.result["tier"], below.result["outcome"]) == ("new", "stored")
    assert below.result["similarity"] == pytest.approx(0.68, abs=0.005)
    above = stage.meet("SUPERSEDE", old="works in Lisbon", new="works in Porto", cosine=0.72)
    assert (above.result["tier"], above.result["outcome"]) == ("engine", "superseded")


def test_a_close_text_with_the_same_words_is_a_duplicate_and_one_with_another_number_is_not(stage: Stage) -> None:
    same = stage.meet("ADD", old="has 2 cats", new="has 2 cats!", cosine=0.99)
    assert (same.result["tier"], same.result["outcome"], same.new) == ("duplicate", "deduplicated", same.old)
    assert stage.models.asked(same.new_text) == []
    other = stage.meet("ADD", old="has 2 dogs", new="has 3 dogs", cosine=0.999)
    assert (other.result["tier"], other.result["outcome"]) == ("engine", "stored")


def test_a_supersession_keeps_the_old_text_and_dates_its_end(stage: Stage) -> None:
    met = stage.meet("SUPERSEDE", 88, reasoning="moved")
    assert (met.result["outcome"], met.result["target_memory_id"], met.result["confidence"]) == ("superseded", met.old, 88)
    old, new = stage.agent.memory(met.old), stage.agent.memory(met.new)
    assert (old["status"], old["content"], old["superseded_by"]) == ("superseded", met.old_text, met.new)
    assert (new["status"], new["supersedes"], old["valid_to"]) == ("active", [met.old], new["created_at"])
    (edge,) = stage.rows("SELECT reason, decision_id::text FROM edges WHERE type = 'SUPERSEDES' AND to_memory_id = $1", met.old)
    assert tuple(edge) == ("moved", met.result["decision_id"])


def test_a_superseded_memory_ends_where_the_new_one_begins_to_hold(stage: Stage) -> None:
    later = {"content": "lives in Porto", "valid_from": EARLIER}
    met = stage.meet("SUPERSEDE", old="lives in Lisbon", new=later)
    assert (met.result["outcome"], stage.agent.memory(met.old)["valid_to"]) == ("superseded", EARLIER)


def test_an_update_gives_the_target_a_second_revision_with_its_own_vector(stage: Stage) -> None:
    merged = stage.t("lives in Lisbon by the river")
    met = stage.meet("UPDATE", old="lives in Lisbon", new="lives by the river", merged=merged)
    assert (met.result["operation"], met.result["outcome"], met.new) == ("UPDATE", "updated", met.old)
    memory = stage.agent.memory(met.old)
    assert (memory["content"], memory["revision"], memory["status"]) == (merged, 2, "active")
    rows = stage.rows("SELECT revision, content FROM revisions WHERE memory_id = $1 ORDER BY revision", met.old)
    assert [tuple(row) for row in rows] == [(1, met.old_text), (2, merged)]
    assert stage.value("SELECT count(*) FROM embeddings WHERE memory_id = $1", met.old) == 2
    assert stage.models.embedded(merged) == 1
    assert stage.agent.search(met.user, merged)[0]["similarity"] > 0.99
    assert stage.value("SELECT count(*) FROM memories WHERE user_id = $1", met.user) == 1


def test_a_merge_that_drops_words_of_the_target_supersedes_it_by_the_merged_text(stage: Stage) -> None:
    merged = stage.t("lives in Porto now")
    met = stage.meet("UPDATE", old="lives in Lisbon by the river", new="lives in Porto", merged=merged)
    assert (met.result["operation"], met.result["outcome"]) == ("UPDATE", "superseded")
    old, new = stage.agent.memory(met.old), stage.agent.memory(met.new)
    assert (old["status"], old["content"], old["revision"]) == ("superseded", met.old_text, 1)
    assert (new["content"], new["revision"], new["supersedes"]) == (merged, 1, [met.old])
    assert stage.value("SELECT content FROM decisions WHERE decision_id = $1", met.result["decision_id"]) == met.new_text
    assert stage.agent.search(met.user, merged)[0]["similarity"] > 0.99


def test_a_merge_that_equals_another_memory_is_undecided_and_changes_nothing(stage: Stage) -> None:
    user, merged = stage.user(), stage.t("lives in Lisbon by the river")
    other = stage.agent.store(user, merged)
    met = stage.meet("UPDATE", user=user, old="lives in Lisbon", new="lives by the river", merged=merged)
    assert met.result["outcome"] == "undecided"
    assert stage.agent.memory(met.old)["revision"] == 1
    assert stage.agent.texts(user) == sorted([merged, met.old_text, met.new_text])
    assert stage.agent.memory(met.new)["undecided"] is True
    assert stage.agent.memory(other)["revision"] == 1


def test_a_contradiction_keeps_both_and_flags_it(stage: Stage) -> None:
    met = stage.meet("CONTRADICT")
    assert (met.result["outcome"], met.result["target_memory_id"]) == ("stored", met.old)
    asked = met.asked
    assert (asked["conflict_type"], asked["articles"], asked["pending_operation"]) == ("contradiction", [], "CONTRADICT")
    assert asked["can_allow_always"] is True
    both_kept(stage, met)
    assert stage.agent.dispute(met.dispute)["strategy"] == "charter_flagged"


@pytest.mark.parametrize("operation", ["UPDATE", "SUPERSEDE", "DELETE"])
@pytest.mark.parametrize("kind", ["preference", "goal", "opinion"])
def test_a_rewrite_of_a_protected_type_waits_at_every_confidence(stage: Stage, operation: str, kind: str) -> None:
    merged = stage.t("prefers tea coffee") if operation == "UPDATE" else None
    met = stage.disputed(operation, kind, confidence=100, merged=merged)
    assert met.result["outcome"] == "deferred"
    expected = ("auto_delete", ["C1", "C3"]) if operation == "DELETE" else ("protected_type_rewrite", ["C3"])
    assert (met.asked["conflict_type"], met.asked["articles"]) == expected
    assert (met.asked["pending_operation"], met.asked["can_allow_always"]) == (operation, False)
    both_kept(stage, met)


@pytest.mark.parametrize(("old", "new"), [("fact", "preference"), ("preference", "fact")])
def test_one_protected_side_is_enough(stage: Stage, old: str, new: str) -> None:
    met = stage.meet("SUPERSEDE", 100, ("drinks tea", old), ("drinks coffee", new))
    assert (met.result["outcome"], met.asked["articles"]) == ("deferred", ["C3"])


@pytest.mark.parametrize("judged", ["new_type", "target_type"])
def test_a_side_that_the_engine_judges_protected_is_protected(stage: Stage, judged: str) -> None:
    met = stage.meet("SUPERSEDE", 100, more={judged: "opinion"})
    assert (met.result["outcome"], met.asked["conflict_type"]) == ("deferred", "protected_type_rewrite")
    both_kept(stage, met)


def test_a_rewrite_at_69_waits_and_at_70_runs(stage: Stage) -> None:
    met = stage.meet("SUPERSEDE", 69)
    assert (met.result["outcome"], met.asked["conflict_type"], met.asked["articles"]) == ("deferred", "low_confidence_rewrite", ["C5"])
    both_kept(stage, met)
    assert stage.meet("SUPERSEDE", 70, "works in Lisbon", "works in Porto").result["outcome"] == "superseded"


def test_a_delete_is_never_run_and_keeps_its_intent(stage: Stage) -> None:
    met = stage.meet("DELETE", 60, reasoning="it is wrong")
    assert (met.asked["conflict_type"], met.asked["articles"], met.asked["pending_operation"]) == ("auto_delete", ["C1", "C5"], "DELETE")
    both_kept(stage, met)
    assert "it is wrong" in stage.value("SELECT pending_reason FROM contradictions WHERE contradiction_id = $1", met.dispute)


def test_an_earlier_beginning_or_one_in_the_future_is_asked_about(stage: Stage) -> None:
    old = {"content": "lives in Lisbon", "valid_from": LATER}
    earlier = stage.meet("SUPERSEDE", old=old, new={"content": "lives in Porto", "valid_from": EARLIER})
    assert (earlier.asked["conflict_type"], earlier.asked["articles"]) == ("out_of_order", [])
    both_kept(stage, earlier)
    future = stage.meet("SUPERSEDE", old="works in Lisbon", new={"content": "works in Porto", "valid_from": "2999-01-01T00:00:00Z"})
    assert (future.asked["conflict_type"], future.asked["can_allow_always"]) == ("out_of_order", False)
    both_kept(stage, future)


def test_a_weaker_source_is_asked_about_and_a_stronger_one_runs(stage: Stage) -> None:
    user_said = {"content": "lives in Lisbon", "source": "user"}
    weaker = stage.meet("SUPERSEDE", old=user_said, new={"content": "lives in Porto", "source": "tool"})
    assert (weaker.asked["conflict_type"], weaker.asked["articles"]) == ("weaker_source", [])
    both_kept(stage, weaker)
    tool_said = {"content": "works in Lisbon", "source": "tool"}
    assert stage.meet("SUPERSEDE", old=tool_said, new={"content": "works in Porto", "source": "user"}).result["outcome"] == "superseded"


def test_a_rewrite_of_a_disputed_memory_is_asked_about(stage: Stage) -> None:
    met, third = stage.meet("CONTRADICT"), stage.t("lives in Faro")
    stage.models.place([met.old_text, met.new_text, third], 0.9)
    stage.expect(third, "SUPERSEDE", met.old_text)
    body = stage.agent.write(met.user, third)
    assert (body["results"][0]["outcome"], body["needs_clarification"][0]["conflict_type"]) == ("deferred", "disputed_target")
    assert len(stage.agent.memory(met.old)["open_contradictions"]) == 2


def test_a_rewrite_of_a_final_memory_is_asked_about_with_two_answers(stage: Stage) -> None:
    user, old, new = stage.user(), stage.t("lives in Lisbon"), stage.t("lives in Porto")
    stage.models.place([old, new], 0.9)
    stage.expect(new, "SUPERSEDE", old)
    final = stage.agent.store(user, old)
    stage.owner.act("finalize", final)
    body = stage.agent.write(user, new)
    asked = body["needs_clarification"][0]
    assert (asked["conflict_type"], asked["articles"], asked["resolutions"]) == ("immutable_target", ["C2"], ["confirm", "coexist"])
    assert (stage.agent.memory(final)["status"], stage.agent.memory(asked["new_memory_id"])["status"]) == ("active", "active")


def test_an_engines_noop_between_preferences_links_instead_of_dropping(stage: Stage) -> None:
    met = stage.disputed("NOOP")
    assert (met.result["outcome"], met.result["target_memory_id"], met.body["needs_clarification"]) == ("linked", met.old, [])
    assert stage.agent.memory(met.new)["same_as"] == [met.old]
    assert stage.agent.texts(met.user) == sorted([met.old_text, met.new_text])


def test_an_engines_noop_between_facts_drops_nothing_but_the_repeat(stage: Stage) -> None:
    met = stage.meet("NOOP", 70)
    assert (met.result["outcome"], met.new) == ("deduplicated", met.old)
    decision = stage.agent.ask("GET", f"/decisions/{met.result['decision_id']}")
    assert (decision["content"], decision["verdict"]["operation"]) == (met.new_text, "NOOP")
    unsure = stage.meet("NOOP", 69, "works in Lisbon", "works in Porto")
    assert (unsure.result["operation"], unsure.result["outcome"], unsure.new != unsure.old) == ("NOOP", "stored", True)


@pytest.mark.parametrize(("operation", "outcome"), [("LINK_EXISTING", "linked"), ("CROSS_CONTRADICT", "stored")])
def test_another_users_memory_is_linked_or_contradicted_and_never_changed(stage: Stage, operation: str, outcome: str) -> None:
    shared, own = stage.t("lives in Lisbon"), stage.t("lives in Porto")
    stage.models.place([shared, own], 0.9)
    stage.expect(own, operation, shared)
    theirs = stage.agent.store(stage.user("bob"), shared, shared=True)
    user = stage.user()
    body = stage.agent.write(user, own)
    result = body["results"][0]
    assert (result["outcome"], result["target_memory_id"]) == (outcome, theirs)
    memory = stage.agent.memory(theirs)
    assert (memory["status"], memory["content"], memory["revision"]) == ("active", shared, 1)
    assert stage.agent.texts(user) == [own]
    if operation == "LINK_EXISTING":
        assert stage.agent.memory(result["memory_id"])["same_as"] == [theirs]
        assert body["needs_clarification"] == []
    else:
        asked = body["needs_clarification"][0]
        assert (asked["conflict_type"], asked["articles"], asked["resolutions"]) == ("cross_user_contradiction", [], ["confirm", "coexist"])


def test_another_users_private_memory_is_no_candidate(stage: Stage) -> None:
    theirs, own = stage.t("lives in Lisbon"), stage.t("lives in Porto")
    stage.models.place([theirs, own], 0.9)
    stage.agent.store(stage.user("bob"), theirs)
    result = stage.agent.write(stage.user(), own)["results"][0]
    assert (result["tier"], result["outcome"]) == ("new", "stored")
    assert stage.models.asked(own) == []
