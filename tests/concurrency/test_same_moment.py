"""Many requests at the same moment on one user: one result, none lost, none mixed."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.integration.stage import Caller, Json, Stage, at_once


def callers(stage: Stage, count: int, *, servers: int) -> list[Caller]:
    """The agent, spread over this many processes of the service."""
    while len(stage.house.servers) < servers:
        stage.house.start()
    agents = [Caller(server.client(stage.house.live.agent_key)) for server in stage.house.servers[:servers]]
    return [agents[number % servers] for number in range(count)]


@pytest.mark.parametrize("servers", [1, 2])
def test_thirty_two_identical_writes_are_one_memory(stage: Stage, servers: int) -> None:
    user, text = stage.user(), stage.t("lives in Lisbon")
    bodies = at_once([lambda caller=caller: caller.write(user, text) for caller in callers(stage, 32, servers=servers)])  # type: ignore[misc]
    results = [body["results"][0] for body in bodies]
    assert Counter(result["outcome"] for result in results) == {"stored": 1, "deduplicated": 31}
    (memory,) = {result["memory_id"] for result in results}
    assert stage.agent.texts(user) == [text]
    assert stage.value("SELECT count(*) FROM memory_events WHERE memory_id = $1", memory) == 32
    assert stage.value("SELECT count(*) FROM decisions WHERE user_id = $1", user) == 32


@pytest.mark.parametrize("servers", [1, 2])
def test_sixteen_supersessions_of_one_memory_are_one_chain(stage: Stage, servers: int) -> None:
    user, texts = stage.user(), [stage.t(f"lives in place {number}") for number in range(17)]
    stage.models.place(texts, 0.9)
    first = stage.agent.store(user, texts[0])
    for text in texts[1:]:
        stage.expect(text, "SUPERSEDE")
    works = [
        lambda caller=caller, text=text: caller.write(user, text)
        for caller, text in zip(callers(stage, 16, servers=servers), texts[1:], strict=True)
    ]
    results = [body["results"][0] for body in at_once(works)]
    assert Counter(result["outcome"] for result in results) == {"superseded": 16}
    chain = stage.agent.history(first)["chain"]
    assert (len(chain), chain[0]["id"], len({link["id"] for link in chain})) == (17, first, 17)
    assert {link["content"] for link in chain} == set(texts)
    assert [link["status"] for link in chain] == ["superseded"] * 16 + ["active"]
    assert stage.agent.texts(user) == [chain[-1]["content"]]
    assert stage.agent.texts(user, undecided=True) == []
    for link in chain:
        assert stage.agent.memory(link["id"])["content"] == link["content"]
    assert len({result["target_memory_id"] for result in results}) == 16


@pytest.mark.parametrize("servers", [1, 2])
def test_writes_answers_and_edits_on_one_user_lose_nothing(stage: Stage, servers: int) -> None:
    user = stage.user()
    teas = [stage.t(f"prefers tea {number}") for number in range(4)]
    coffees = [stage.t(f"prefers coffee {number}") for number in range(4)]
    disputes: list[Json] = []
    for tea, coffee in zip(teas, coffees, strict=True):
        stage.models.place([tea, coffee], 0.9)
        stage.expect(coffee, "SUPERSEDE", tea)
        stage.agent.store(user, (tea, "preference"))
        disputes += stage.agent.write(user, (coffee, "preference"))["needs_clarification"]
    plain = stage.agent.store(user, stage.t("lives in Lisbon"))
    fresh = [stage.t(f"owns thing {number}") for number in range(8)]
    pool = callers(stage, 28, servers=servers)
    owners = [Caller(server.client(stage.house.live.owner_key)) for server in stage.house.servers[:servers]]

    def answer(caller: Caller, dispute: Json, resolution: str) -> int:
        path = f"/contradictions/{dispute['contradiction_id']}/resolve"
        return caller.http.post(path, json={"resolution": resolution}).status_code

    def edit(caller: Caller, number: int) -> int:
        body = {"content": stage.t(f"lives in Lisbon {number}"), "reason": "better"}
        return caller.http.patch(f"/memories/{plain}", json=body, headers={"If-Match": "1"}).status_code

    def write(caller: Caller, text: str) -> int:
        return caller.http.post("/memories", json={"user_id": user, "facts": [{"content": text, "memory_type": "fact"}]}).status_code

    works = [lambda caller=pool[n], one=one: answer(caller, one, "retract") for n, one in enumerate(disputes)]
    works += [lambda caller=pool[n], one=one: answer(caller, one, "confirm") for n, one in enumerate(disputes, 1)]
    works += [lambda caller=owners[n % servers], n=n: edit(caller, n) for n in range(6)]
    works += [lambda caller=pool[n], one=one: write(caller, one) for n, one in enumerate(fresh)]
    statuses = at_once(works)
    assert Counter(statuses[:8]) == {200: 4, 409: 4}
    assert Counter(statuses[8:14]) == {200: 1, 412: 5}
    assert Counter(statuses[14:]) == {201: 8}
    current = stage.agent.texts(user, limit=200)
    assert len(current) == 4 + 1 + 8
    assert set(fresh) < set(current)
    assert stage.agent.disputes(user, status="open") == []


def test_writes_that_deduplicate_dispute_and_supersede_at_once_keep_every_text(stage: Stage) -> None:
    user, texts = stage.user(), [stage.t(f"lives in place {number}") for number in range(13)]
    stage.models.place(texts, 0.9)
    stage.agent.store(user, texts[0])
    for number, text in enumerate(texts[1:]):
        operation, confidence = [("SUPERSEDE", 95), ("CONTRADICT", 90), ("SUPERSEDE", 50), ("DELETE", 99)][number % 4]
        stage.expect(text, operation, None, confidence)
    works = [lambda text=text: stage.agent.write(user, text) for text in texts[1:] * 2]
    bodies = at_once(works)
    assert all(len(body["results"]) == 1 for body in bodies)
    kept = stage.rows("SELECT content FROM memories WHERE user_id = $1", user)
    assert {row["content"] for row in kept} == set(texts)
    counted = Counter(body["results"][0]["outcome"] for body in bodies)
    assert counted["deduplicated"] + counted["superseded"] + counted["stored"] + counted["deferred"] + counted["undecided"] == 24


def test_a_contradiction_across_users_that_races_with_a_supersession_joins_current_memories(stage: Stage) -> None:
    """Bob supersedes what Ann is just contradicting: her dispute is about Bob's newest text, or follows it there."""
    for number in range(6):
        ann, bob = stage.user("ann"), stage.user("bob")
        old, newer, own = (stage.t(f"is open on day {number} {word}") for word in ("early", "late", "never"))
        stage.models.place([old, newer, own], 0.9)
        stage.expect(newer, "SUPERSEDE", old)
        stage.expect(own, "CROSS_CONTRADICT", None)
        stage.agent.store(bob, old, shared=True)
        at_once([lambda: stage.agent.write(ann, own), lambda: stage.agent.write(bob, newer, shared=True)])  # noqa: B023
        stage.house.check_invariants()
        for dispute in stage.agent.disputes(ann, status="open"):
            assert dispute["existing"]["status"] == "active"


def test_the_same_shared_memory_is_contradicted_by_eight_users_at_once(stage: Stage) -> None:
    shared, owns = stage.t("is open on Sunday"), [stage.t(f"is closed on Sunday, says {number}") for number in range(8)]
    stage.models.place([shared, *owns], 0.9)
    for own in owns:
        stage.expect(own, "CROSS_CONTRADICT", shared)
    memory = stage.agent.store(stage.user("bob"), shared, shared=True)
    bodies = at_once([lambda own=own: stage.agent.write(stage.name + own, own) for own in owns])  # type: ignore[misc]
    assert [len(body["needs_clarification"]) for body in bodies] == [1] * 8
    assert len(stage.agent.memory(memory)["open_contradictions"]) == 8


def test_finalising_races_with_a_supersession_and_exactly_one_comes_first(stage: Stage) -> None:
    for number in range(4):
        user, old, new = stage.user(), stage.t(f"lives in place {number}"), stage.t(f"moved to place {number}")
        stage.models.place([old, new], 0.9)
        stage.expect(new, "SUPERSEDE", old)
        memory = stage.agent.store(user, old)

        def finalise(memory: str = memory) -> Json:
            response = stage.owner.http.post(f"/memories/{memory}/finalize", json={"reason": "final"})
            return {"status": response.status_code}

        done, body = at_once([finalise, lambda: stage.agent.write(user, new)])  # noqa: B023
        outcome = body["results"][0]["outcome"]
        assert (done["status"], outcome) in {(200, "deferred"), (409, "superseded")}
        now = stage.agent.memory(memory)
        assert (now["immutable"], now["status"]) == ((True, "active") if done["status"] == 200 else (False, "superseded"))


def test_of_an_edit_and_an_answer_at_once_the_second_is_told(stage: Stage) -> None:
    met = stage.disputed()
    results = at_once(
        [
            lambda: (
                stage.owner.http.patch(
                    f"/memories/{met.old}", json={"content": stage.t("prefers green tea"), "reason": "x"}, headers={"If-Match": "1"}
                ).status_code
            ),
            lambda: stage.agent.http.post(f"/contradictions/{met.dispute}/resolve", json={"resolution": "retract"}).status_code,
        ]
    )
    assert results in ([200, 409], [409, 200])
    old = stage.agent.memory(met.old)
    if results == [200, 409]:
        assert (old["status"], old["revision"], stage.agent.dispute(met.dispute)["version"]) == ("active", 2, 2)
    else:
        assert (old["status"], old["revision"]) == ("superseded", 1)
