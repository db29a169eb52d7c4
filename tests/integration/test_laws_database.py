"""no_silent_protected_rewrite, in plain SQL as the service's role: what the database's own guard of C3 takes for an answer.

Each case is one transaction that is checked as at its commit, and rolled back. What else the role may not do: test_guards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

import asyncpg
import pytest

from tests.integration.stage import Stage
from tests.postgres import run

SILENT = "HX003"
WITHDRAW = "UPDATE memories SET status = 'withdrawn', valid_to = now() WHERE memory_id = $1"
SUPERSEDE = "UPDATE memories SET status = 'superseded', valid_to = now() WHERE memory_id = $1"
RETYPE = "UPDATE memories SET memory_type = 'fact' WHERE memory_id = $1"
REWRITE = (
    "UPDATE memories SET content = 'x', revision = revision + 1 WHERE memory_id = $1",
    "INSERT INTO revisions SELECT tenant_id, memory_id, revision, content, now() FROM memories WHERE memory_id = $1",
)
CHANGES = pytest.mark.parametrize(
    "change", [(WITHDRAW,), (SUPERSEDE,), (RETYPE,), REWRITE], ids=["withdraw", "supersede", "retype", "rewrite"]
)
EVENT = (
    "INSERT INTO memory_events (tenant_id, event_id, memory_id, at, event, actor, contradiction_id, status, revision, immutable) "
    "SELECT tenant_id, gen_random_uuid(), memory_id, now(), 'changed', $2::uuid, $3::uuid, status, revision, immutable "
    "FROM memories WHERE memory_id = $1"
)
AUDIT = (
    "INSERT INTO audit (tenant_id, audit_id, actor, act, subject, detail) "
    "SELECT tenant_id, gen_random_uuid(), $2::uuid, $3::text, $4::text, jsonb_build_object('superseded', $5::text[]) "
    "FROM memories WHERE memory_id = $1"
)
RESOLVE = (
    "UPDATE contradictions SET status = 'resolved', resolution = 'retract', resolved_at = now(), "
    "resolved_by = $2::uuid, rule_id = $3::uuid WHERE contradiction_id = $1"
)

Statement = tuple[str, *tuple[object, ...]]


@dataclass
class Case:
    """A protected memory with an open dispute, the keys of an owner and of an agent, and a transaction to try."""

    stage: Stage
    memory: UUID
    other: UUID
    dispute: UUID
    tenant: UUID
    owner: UUID
    agent: UUID
    before: list[Statement] = field(default_factory=list)

    def outcome(self, *statements: Statement) -> str | None:
        """The SQLSTATE with which the transaction is refused at its end, or None where it would be committed."""
        return str_or_none(run(self._try([*self.before, *statements])))

    async def _try(self, statements: Sequence[Statement]) -> str | None:
        connection = await asyncpg.connect(self.stage.house.database.service_dsn)
        transaction = connection.transaction()
        try:
            await transaction.start()
            await connection.execute("SELECT set_config('helixir.tenant_id', $1, true)", str(self.tenant))
            for query, *arguments in statements:
                await connection.execute(query, *arguments)
            await connection.execute("SET CONSTRAINTS ALL IMMEDIATE")  # what the commit would do
        except asyncpg.PostgresError as refused:
            return refused.sqlstate
        finally:
            await transaction.rollback()
            await connection.close()
        return None

    def changes(self, change: Sequence[str]) -> list[Statement]:
        """The change, with its memory."""
        return [(query, self.memory) for query in change]

    def event(self, actor: UUID | None = None, dispute: UUID | None = None) -> Statement:
        """An event of the memory that names a dispute, an actor, or neither."""
        return (EVENT, self.memory, actor, dispute)

    def audit(self, act: str, actor: UUID | None = None, subject: UUID | None = None, superseded: UUID | None = None) -> Statement:
        """An audit row, an owner's on the memory unless it says otherwise."""
        named = [] if superseded is None else [str(superseded)]
        return (AUDIT, self.memory, actor or self.owner, act, str(subject or self.memory), named)

    def answer(self, who: UUID | None, rule: UUID | None = None) -> Statement:
        """The dispute, answered."""
        return (RESOLVE, self.dispute, who, rule)


def str_or_none(value: object) -> str | None:
    return None if value is None else str(value)


@pytest.fixture
def case(stage: Stage) -> Case:
    met = stage.disputed()
    tenant = stage.value("SELECT tenant_id FROM memories WHERE memory_id = $1", met.old)
    key = "SELECT key_id FROM api_keys WHERE tenant_id = $1 AND role = $2 ORDER BY key_id LIMIT 1"
    owner, agent = (stage.value(key, tenant, role) for role in ("owner", "agent"))
    return Case(stage, UUID(met.old), UUID(met.new), UUID(met.dispute), tenant, owner, agent)


@CHANGES
def test_a_silent_change_is_refused(case: Case, change: Sequence[str]) -> None:
    assert case.outcome(*case.changes(change)) == SILENT
    assert case.outcome(*case.changes(change), case.event()) == SILENT
    assert case.outcome(*case.changes(change), case.event(actor=case.owner)) == SILENT


@CHANGES
def test_an_answer_of_a_principal_in_the_same_transaction_passes(case: Case, change: Sequence[str]) -> None:
    changes = [*case.changes(change), case.event(dispute=case.dispute)]
    assert case.outcome(case.answer(case.agent), *changes) is None
    assert case.outcome(*changes, case.answer(case.agent)) is None


@CHANGES
def test_an_audited_act_of_an_owner_in_the_same_transaction_passes(case: Case, change: Sequence[str]) -> None:
    for act in ("edit", "withdraw", "restore"):
        assert case.outcome(case.audit(act), *case.changes(change), case.event(actor=case.owner)) is None, act
    given_way = case.audit("restore", subject=case.other, superseded=case.memory)
    assert case.outcome(given_way, *case.changes(change), case.event(actor=case.owner)) is None


def test_an_answer_that_is_none_does_not_pass(case: Case) -> None:
    changes = [*case.changes((WITHDRAW,)), case.event(actor=case.agent, dispute=case.dispute)]
    assert case.outcome(*changes) == SILENT, "the dispute is open"
    assert case.outcome(case.answer(None), *changes) == SILENT, "nobody answered"
    assert case.outcome(case.answer(None, case.other), *changes) == SILENT, "a learned rule answered"
    assert case.outcome(case.answer(case.agent, case.other), *changes) == SILENT, "a learned rule answered, in somebody's name"
    assert case.outcome(case.answer(case.agent), *case.changes((WITHDRAW,))) == SILENT, "no event names the answer"
    moot = ("UPDATE contradictions SET status = 'moot', moot_cause = 'x' WHERE contradiction_id = $1", case.dispute)
    assert case.outcome(moot, *changes) == SILENT, "the dispute is moot"


def test_an_answer_of_an_earlier_transaction_does_not_pass(case: Case) -> None:
    case.stage.agent.answer(str(case.dispute), "coexist")
    assert case.outcome(*case.changes((WITHDRAW,)), case.event(actor=case.agent, dispute=case.dispute)) == SILENT


def test_an_act_that_is_no_owners_does_not_pass(case: Case) -> None:
    changes = case.changes((WITHDRAW,))
    by_owner, by_agent = case.event(actor=case.owner), case.event(actor=case.agent)
    assert case.outcome(case.audit("withdraw", case.agent), *changes, by_agent) == SILENT, "an agent's key"
    assert case.outcome(case.audit("withdraw"), *changes, by_agent) == SILENT, "the event names another than the audit"
    assert case.outcome(case.audit("finalize"), *changes, by_owner) == SILENT, "an act that changes nothing"
    assert case.outcome(case.audit("withdraw", subject=case.other), *changes, by_owner) == SILENT, "an act on another memory"
    assert case.outcome(case.audit("withdraw"), *changes) == SILENT, "no event"


def test_an_act_of_an_earlier_transaction_does_not_pass(case: Case) -> None:
    case.stage.owner.edit(str(case.memory), case.stage.t("prefers green tea"), 1)
    assert case.outcome(*case.changes((WITHDRAW,)), case.event(actor=case.owner)) == SILENT


def test_what_is_not_protected_or_not_current_needs_no_answer(case: Case) -> None:
    fact = UUID(case.stage.agent.store(case.stage.user(), case.stage.t("lives in Lisbon")))
    assert case.outcome((WITHDRAW, fact)) is None
    case.stage.owner.act("withdraw", str(case.memory))
    assert case.outcome(*case.changes((SUPERSEDE,))) is None


def test_the_guard_does_not_see_what_the_role_claims_about_erasing(case: Case) -> None:
    case.before.append(("SELECT set_config('helixir.erase', 'on', true)",))
    assert case.outcome(*case.changes((WITHDRAW,))) == SILENT
    assert case.outcome(*case.changes(REWRITE)) == SILENT
