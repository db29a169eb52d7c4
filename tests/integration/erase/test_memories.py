"""`helixir erase` of one memory: afterwards the text stands nowhere in the tenant, whatever way it took, and everything else stands."""

from __future__ import annotations

from tests.integration.erase.operator import Operator, counts, ids, word
from tests.integration.stage import Stage


def test_a_plain_memory_becomes_a_tombstone(stage: Stage, operator: Operator) -> None:
    secret, label, user = word(stage, "lisbon"), word(stage, "label"), stage.user()
    fact = {"content": f"Ann lives in {secret}", "metadata": {"place": label}, "agent_id": label, "session_id": label}
    stored = stage.agent.store(user, fact)
    before = operator.places(secret)
    assert before == {"memories.content", "revisions.content", "decisions.content", "writes.body"}
    report = operator.erase(stored)
    assert operator.places(secret, label) == set()
    assert counts(report, "memories", "revisions", "vectors", "decisions", "writes") == [1, 1, 1, 1, 1]
    seen = stage.agent.memory(stored)
    assert (seen["content"], seen["status"], seen["metadata"], seen["agent_id"]) == ("[erased]", "withdrawn", {}, None)
    history = stage.agent.history(stored)
    assert [one["event"] for one in history["events"]] == ["stored", "erased"]
    assert history["events"][1]["reason"] == "the person asked for it"
    assert [one["content"] for one in history["revisions"]] == ["[erased]"]
    assert stage.agent.listed(user) == []
    assert stage.agent.search(user, f"Ann lives in {secret}") == []
    (audit,) = stage.rows("SELECT * FROM audit WHERE act = 'erase' AND subject = $1::uuid::text", stored)
    assert (audit["operator"], audit["actor"], audit["reason"]) == (True, None, "the person asked for it")
    folded = stage.value("SELECT folded = sha256(convert_to(memory_id::text, 'UTF8')) FROM memories WHERE memory_id = $1", stored)
    assert folded is True
    assert stage.owner.act("restore", stored, expect=403)["articles"] == ["C1"]
    again = stage.agent.write(user, f"Ann lives in {secret}")["results"][0]
    assert again["outcome"] == "stored", "a person may say it again"


def test_erasing_again_says_so_and_changes_nothing(stage: Stage, operator: Operator) -> None:
    stored = stage.agent.store(stage.user(), f"Ann lives in {word(stage, 'lisbon')}")
    assert operator.erase(stored).changed
    before = operator.everything()
    assert not operator.erase(stored).changed
    assert operator.everything() == before


def test_a_dry_run_tells_the_same_and_changes_nothing(stage: Stage, operator: Operator) -> None:
    met = stage.meet("UPDATE", merged=stage.t("lives in Lisbon and in Porto"))
    before = operator.everything()
    would = operator.erase(met.old, dry_run=True)
    assert operator.everything() == before
    did = operator.erase(met.old)
    assert (would.memories, would.counts) == (did.memories, did.counts)


def test_an_update_takes_its_merges_and_what_they_were_made_of_along(stage: Stage, operator: Operator) -> None:
    one, two = word(stage, "lisbon"), word(stage, "porto")
    met = stage.meet(
        "UPDATE", old=f"lives in {one}", new=f"lives in {two}", merged=stage.t(f"lives in {one} and in {two}"), reasoning=f"{one} grew"
    )
    assert met.result["outcome"] == "updated"
    report = operator.erase(met.old)
    assert operator.places(one, two) == set()
    assert [list(one.revisions) for one in report.memories] == [[1, 2]]


def test_an_engines_reason_that_quotes_the_text_goes_everywhere(stage: Stage, operator: Operator) -> None:
    one, two = word(stage, "lisbon"), word(stage, "porto")
    met = stage.meet("SUPERSEDE", old=f"lives in {one}", new=f"lives in {two}", reasoning=f"{one} is over")
    assert met.result["outcome"] == "superseded"
    assert {"edges.reason", "memory_events.reason", "revisions.reason"} <= operator.places(f"{one} is over")
    report = operator.erase(met.old)
    assert operator.places(one) == set()
    assert stage.agent.memory(met.new)["content"] == stage.t(f"lives in {two}"), "a statement of its own stays"
    assert [str(one) for one in report.successors] == [met.new]
    assert stage.agent.memory(met.old)["status"] == "superseded"
    assert [one["content"] for one in stage.agent.history(met.new)["chain"]] == ["[erased]", stage.t(f"lives in {two}")]


def test_a_predecessor_is_named_and_not_revived(stage: Stage, operator: Operator) -> None:
    one, two = word(stage, "lisbon"), word(stage, "porto")
    met = stage.meet("SUPERSEDE", old=f"lives in {one}", new=f"lives in {two}")
    report = operator.erase(met.new)
    assert operator.places(two) == set()
    assert [str(one) for one in report.predecessors] == [met.old]
    assert stage.agent.memory(met.old)["status"] == "superseded"
    assert stage.agent.memory(met.old)["content"] == met.old_text


def test_a_supersession_by_a_merge_goes_with_what_it_was_made_of(stage: Stage, operator: Operator) -> None:
    one, extra, two = word(stage, "lisbon"), word(stage, "dog"), word(stage, "porto")
    met = stage.meet("UPDATE", old=f"lives in {one} with {extra}", new=f"now {two}", merged=stage.t(f"lives in {one} now {two}"))
    assert met.result["outcome"] == "superseded"
    report = operator.erase(met.old)
    assert ids(report) == {met.old, met.new}
    assert operator.places(one, extra) == set()
    assert stage.agent.memory(met.new)["status"] == "withdrawn"
    assert operator.places(two), "what was said by itself is still in the records"


def test_repeats_go_with_the_text(stage: Stage, operator: Operator) -> None:
    secret, user = word(stage, "lisbon"), stage.user()
    text = f"Ann lives in {secret}"
    stored = stage.agent.store(user, text)
    assert stage.agent.write(user, f"{text}.")["results"][0]["outcome"] == "deduplicated"
    assert stage.agent.say(user, text)["results"][0]["outcome"] == "deduplicated"
    assert stage.agent.write(user, text, expect=200, dry_run=True)["results"][0]["outcome"] == "deduplicated"
    report = operator.erase(stored)
    assert operator.places(secret) == set()
    assert [one.kind for one in report.memories] == ["atom", "raw_input"]


def test_a_superseded_memory_that_says_the_same_goes_along(stage: Stage, operator: Operator) -> None:
    one, two = word(stage, "lisbon"), word(stage, "porto")
    met = stage.meet("SUPERSEDE", old=f"lives in {one}", new=f"lives in {two}")
    stage.expect(met.old_text, "SUPERSEDE", met.new_text)
    back = stage.agent.write(met.user, met.old_text)["results"][0]
    assert back["outcome"] == "superseded"
    report = operator.erase(back["memory_id"])
    assert ids(report) == {met.old, back["memory_id"]}
    assert operator.places(one) == set()
    assert [str(one) for one in report.predecessors] == [met.new]


def test_an_edit_and_its_reason(stage: Stage, operator: Operator) -> None:
    one, two, three = word(stage, "lisbon"), word(stage, "porto"), word(stage, "faro")
    user = stage.user()
    stored = stage.agent.store(user, {"content": f"Ann likes {one}", "memory_type": "preference", "metadata": {"of": one}})
    stage.owner.edit(stored, f"Ann likes {two}", 1)
    edited = stage.agent.edit(stored, f"Ann likes {three}", 2, expect=202)["results"][0]
    assert edited["outcome"] == "deferred"
    report = operator.erase(stored)
    assert ids(report) == {stored, edited["memory_id"]}
    assert operator.places(one, two, three) == set()


def test_an_owners_reason_goes(stage: Stage, operator: Operator) -> None:
    secret, why, user = word(stage, "lisbon"), word(stage, "moved"), stage.user()
    stored = stage.agent.store(user, f"Ann lives in {secret}")
    stage.owner.act("finalize", stored, reason=f"{why} once")
    stage.owner.act("unfinalize", stored, reason=f"{why} twice")
    stage.owner.act("withdraw", stored, reason=f"{why} away")
    stage.owner.act("restore", stored, reason=f"{why} back")
    operator.erase(stored)
    assert operator.places(secret, why) == set()


def test_a_final_memory_can_be_erased(stage: Stage, operator: Operator) -> None:
    secret, user = word(stage, "lisbon"), stage.user()
    stored = stage.agent.store(user, {"content": f"Ann prefers {secret}", "memory_type": "preference"})
    stage.owner.act("finalize", stored)
    operator.erase(stored)
    assert operator.places(secret) == set()
    assert stage.agent.memory(stored)["status"] == "withdrawn"


def test_a_twin_in_other_words_is_named_and_stays(stage: Stage, operator: Operator) -> None:
    one, two, user = word(stage, "tea"), word(stage, "chai"), stage.user()
    old, new = (stage.t(text) for text in (f"prefers {one}", f"prefers {two}"))
    stage.models.place([old, new], 0.9)
    stage.expect(new, "NOOP", old)
    stored = stage.agent.store(user, (old, "preference"))
    twin = stage.agent.write(user, (new, "preference"))["results"][0]
    assert twin["outcome"] == "linked"
    report = operator.erase(stored)
    assert [str(one) for one in report.twins] == [twin["memory_id"]]
    assert operator.places(one) == set()
    assert stage.agent.texts(user) == [new]
