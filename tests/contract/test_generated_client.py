"""A client generated from the snapshot plays the first five minutes: Alice drank tea, and now she says coffee."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Self
from uuid import uuid4

import pytest

from tests.live import LiveServer, live_server, start_server

__all__ = ["live_server", "start_server"]

SNAPSHOT = Path(__file__).parents[2] / "openapi" / "openapi.json"
PACKAGE = "helixir_generated_client"


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """The generated package, imported; the generator warned about nothing."""
    tmp_path = tmp_path_factory.mktemp("client")
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"post_hooks": []}), encoding="utf-8")
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--fail-on-warning", "--meta", "none"]
    where = ["--path", str(SNAPSHOT), "--config", str(config), "--output-path", str(tmp_path / PACKAGE)]
    done = subprocess.run([*command, *where], capture_output=True, text=True, timeout=120, check=False)  # noqa: S603
    assert done.returncode == 0, done.stdout + done.stderr
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(tmp_path))
        yield importlib.import_module(PACKAGE)
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


class Generated:
    """Short names for what the generator spread over many modules."""

    def __init__(self, package: ModuleType, server: LiveServer, key: str) -> None:
        self.models: Any = importlib.import_module(f"{package.__name__}.models")
        self._client = package.AuthenticatedClient(base_url=server.base_url, token=key)

    def __enter__(self) -> Self:
        """Keep one connection."""
        self._client.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        """Close it."""
        self._client.__exit__(*error)

    def call(self, tag: str, operation: str, *arguments: Any, **more: Any) -> Any:
        """The parsed answer of one operation."""
        module = importlib.import_module(f"{PACKAGE}.api.{tag}.{operation}")
        return module.sync_detailed(*arguments, client=self._client, **more)

    def tell(self, user_id: str, content: str, memory_type: str = "preference", *, status: int = 201) -> Any:
        """Write one statement."""
        fact = self.models.FactBody(content=content, memory_type=self.models.MemoryType(memory_type))
        body = self.models.WriteBody(user_id=user_id, facts=[fact], source=self.models.Source.USER)
        answer = self.call("memories", "write_memories", body=body, idempotency_key=str(uuid4()))
        assert answer.status_code == status, answer.content
        return answer.parsed

    def answer(self, question: Any, resolution: str, **more: Any) -> Any:
        """Bring the human's answer to one clarification."""
        body = self.models.AnswerBody(resolution=self.models.Resolution(resolution), version=question.version, **more)
        answer = self.call("contradictions", "resolve_contradiction", question.contradiction_id, body=body)
        assert answer.status_code == 200, answer.content
        return answer.parsed

    def contradict(self, user_id: str, thing: str) -> Any:
        """Say of a thing that it is open and that it is not; the write that asks which is true."""
        self.tell(user_id, f"The {thing} is open", "fact")
        return self.tell(user_id, f"The {thing} is not open", "fact")


@pytest.fixture
def agent(generated: ModuleType, live_server: LiveServer) -> Iterator[Generated]:
    """An agent's client."""
    with Generated(generated, live_server, live_server.agent_key) as client:
        yield client


@pytest.fixture
def owner(generated: ModuleType, live_server: LiveServer) -> Iterator[Generated]:
    """An owner's client."""
    with Generated(generated, live_server, live_server.owner_key) as client:
        yield client


def test_the_first_five_minutes(agent: Generated) -> None:
    models = agent.models
    tea = agent.tell("alice", "I prefer tea")
    assert tea.results[0].outcome == models.Outcome.STORED
    assert tea.needs_clarification == []

    coffee = agent.tell("alice", "I prefer coffee now")
    assert coffee.results[0].outcome == models.Outcome.DEFERRED
    (question,) = coffee.needs_clarification
    assert models.Article.C3 in question.articles
    assert "I prefer tea" in question.suggested_question
    assert "I prefer coffee now" in question.suggested_question

    both = agent.call("memories", "list_memories", user_id="alice").parsed
    assert {memory.content for memory in both.items} == {"I prefer tea", "I prefer coffee now"}

    resolved = agent.answer(question, "retract", answered_by="Alice", note="coffee since Lisbon")
    assert resolved.contradiction.status == models.DisputeStatus.RESOLVED
    assert resolved.effects.superseded == [question.existing_memory_id]

    history = agent.call("memories", "get_history", question.existing_memory_id).parsed
    assert [(link.content, link.status) for link in history.chain] == [
        ("I prefer tea", models.Status.SUPERSEDED),
        ("I prefer coffee now", models.Status.ACTIVE),
    ]
    assert question.contradiction_id in {event.contradiction_id for event in history.events}

    found = agent.call("memories", "search_memories", body=models.SearchBody(query="tea or coffee?", user_id="alice"))
    assert [hit.memory.content for hit in found.parsed.results] == ["I prefer coffee now"]


def test_a_refusal_is_a_parsed_problem(agent: Generated) -> None:
    tea = agent.tell("alice", "I prefer tea")
    body = agent.models.ActBody(reason="for good")
    answer = agent.call("owners_acts", "finalize_memory", tea.results[0].memory_id, body=body)
    assert isinstance(answer.parsed, agent.models.Problem)
    assert (answer.status_code, answer.parsed.code, answer.parsed.retryable) == (403, "role", False)


def test_an_approved_charter_holds_until_the_answer(owner: Generated, agent: Generated) -> None:
    models = owner.models
    charter = owner.call("charter", "get_charter").parsed
    text = models.ApprovalBody(version=charter.version, sha256=charter.sha256)
    assert agent.call("charter", "approve_charter", body=text).parsed.code == "role"
    other = models.ApprovalBody(version=charter.version, sha256="0" * 64)
    assert owner.call("charter", "approve_charter", body=other).parsed.code == "not_current"
    approved = owner.call("charter", "approve_charter", body=text).parsed
    assert (approved.status, approved.mode, approved.open_, approved.held) == ("approved", "block", 0, 0)

    tea = agent.tell("alice", "I prefer tea").results[0].memory_id
    asked = agent.tell("alice", "I prefer coffee now", status=202)
    assert asked.results[0].outcome == models.Outcome.HELD
    (question,) = asked.needs_clarification
    resolved = agent.answer(question, "retract")
    assert (resolved.effects.activated, resolved.effects.superseded) == ([question.new_memory_id], [tea])
    assert agent.call("memories", "get_memory", tea).parsed.status == models.Status.SUPERSEDED

    agent.tell("alice", "I prefer juice", status=202)
    withdrawn = owner.call("charter", "withdraw_approval", body=models.ActBody(reason="back to asking beside")).parsed
    assert (withdrawn.status, withdrawn.mode, withdrawn.open_, withdrawn.held) == ("draft", "defer", 1, 1)
    again = owner.call("charter", "withdraw_approval", body=models.ActBody(reason="once more"))
    assert (again.status_code, again.parsed.code) == (409, "not_approved")
    (version,) = agent.call("charter", "list_charter_versions").parsed.items
    assert [(act.act, act.reason) for act in version.acts] == [("approve", None), ("withdraw", "back to asking beside")]


def test_repeated_answers_become_a_rule(owner: Generated, agent: Generated) -> None:
    models = owner.models
    learned = []
    for thing in ("library", "swimming pool", "northern gate"):
        (question,) = agent.contradict("alice", thing).needs_clarification
        assert (question.articles, question.can_allow_always) == ([], True)
        learned.append(agent.answer(question, "coexist"))
    assert [answer.rule_proposal is None for answer in learned] == [True, True, False]
    assert learned[1].contradiction.precedents
    proposal = learned[2].rule_proposal
    assert proposal.episodes == [answer.episode_id for answer in learned]

    (listed,) = agent.call("rules", "list_rule_proposals", status=models.ProposalStatus.OPEN).parsed.items
    assert (listed.id, listed.user_id, listed.shape) == (proposal.id, "alice", proposal.shape)
    assert agent.call("rules", "approve_rule_proposal", proposal.id).parsed.code == "role"
    approved = owner.call("rules", "approve_rule_proposal", proposal.id).parsed
    assert (approved.proposal.status, approved.proposal.rule_id) == ("approved", approved.rule.id)
    assert approved.rule.episodes == proposal.episodes
    decided = owner.call("rules", "reject_rule_proposal", proposal.id, body=models.RejectProposalBody())
    assert (decided.status_code, decided.parsed.code) == (409, "proposal_decided")

    answered = agent.contradict("alice", "old bakery")
    assert answered.needs_clarification == []
    (by_rule,) = answered.resolved_by_rule
    assert (by_rule.rule_id, by_rule.resolution) == (approved.rule.id, models.Resolution.COEXIST)
    assert agent.call("rules", "get_rule", approved.rule.id).parsed.uses == 1
    assert [rule.id for rule in agent.call("charter", "get_charter").parsed.rules] == [approved.rule.id]

    revoked = owner.call("rules", "revoke_rule", approved.rule.id, body=models.ActBody(reason="ask again")).parsed
    assert revoked.status == "revoked"
    assert agent.contradict("alice", "harbour bridge").needs_clarification


def test_allow_always_is_the_owners_and_never_against_an_article(owner: Generated, agent: Generated) -> None:
    models = owner.models
    (question,) = agent.contradict("alice", "library").needs_clarification
    always = models.AnswerBody(resolution=models.Resolution.COEXIST, version=1, always=True)
    refused = agent.call("contradictions", "resolve_contradiction", question.contradiction_id, body=always)
    assert (refused.status_code, refused.parsed.code) == (403, "role")
    rule = owner.answer(question, "coexist", always=True).rule
    assert owner.call("rules", "get_rule", rule.id).parsed.shape == rule.shape

    agent.tell("alice", "I prefer tea")
    (other,) = agent.tell("alice", "I prefer coffee now").needs_clarification
    settled = owner.answer(other, "coexist", always=True)
    assert settled.rule is None
    assert models.Article.C3 in settled.rule_refused.articles
    assert settled.rule_refused.code == "article_governs"
