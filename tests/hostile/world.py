"""The world: one service on a real database, two tenants with the same users, and everything that may be done in it.

What a single act must do is checked here, as it is done; what must hold between any two moments, in `past`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final
from uuid import UUID

import asyncpg
from pydantic import SecretStr

from app.charter.model import LOW_CONFIDENCE, DisputeStatus, Kind, Operation, Outcome, Resolution, RuleScope, Shape, Status, Thresholds
from app.db import contradictions, undecided, writes
from app.db.contradictions import Contradiction
from app.db.pool import open_pool, prepare_connection
from app.db.transaction import NOW, acquired, transaction
from app.errors import ConflictError, ForbiddenError, HelixirError, InvalidInputError, NotFoundError, StaleRevisionError, UnavailableError
from app.services import acts as owner_acts
from app.services import keys
from app.services.approval import approve, withdraw_approval
from app.services.changes import Act as Change
from app.services.finish import finish_write
from app.services.govern import get_charter, read_state
from app.services.parts import Parts
from app.services.proposals import approve_proposal, reject_proposal
from app.services.reconsider import reconsider
from app.services.remember import remember
from app.services.requests import AnswerRequest, EditRequest, FactRequest, Principal, WriteRequest
from app.services.resolve import resolve
from app.services.rulebook import make_rule, revoke_rule
from app.services.standing import restore, withdraw
from app.services.turns import Turns
from app.services.views import ResolveView, WriteView
from app.settings import (
    CharterSettings,
    EmbeddingSettings,
    EngineSettings,
    ExtractionSettings,
    IntakeSettings,
    RuleSettings,
    Settings,
)
from tests.hostile.acts import (
    Act,
    Answer,
    AnswerAgain,
    AnswerTwice,
    Decide,
    Edit,
    Fact,
    Govern,
    Later,
    Own,
    Smuggle,
    Together,
    Trespass,
    Write,
)
from tests.hostile.models import NAMES, Corpus, HostileEngine, Lines, text_of
from tests.hostile.strangers import trespass

_LEASE: Final = 0.01
TENANTS: Final = ("one", "two")
_KEYS: Final[dict[str, tuple[str, list[str] | None, bool]]] = {
    "owner": ("owner", None, True),
    "agent": ("agent", None, True),
    "bound": ("agent", ["bob"], True),
    "auditor": ("auditor", None, False),
    "mute": ("agent", None, False),
}
_REFUSALS: Final = (ForbiddenError, NotFoundError, ConflictError, InvalidInputError, StaleRevisionError)
_RACES: Final = {"already_disputed", "already_superseded", "idempotency_running"}


class LawBrokenError(AssertionError):
    """A law did not hold. `law` is its name in the charter's section 7."""

    def __init__(self, law: str, detail: str) -> None:
        super().__init__(f"{law}: {detail}")
        self.law = law


def hold(law: str, condition: object, detail: object = "") -> None:
    """Raise `LawBrokenError` unless the condition holds."""
    if not condition:
        raise LawBrokenError(law, str(detail))


@dataclass(frozen=True)
class Accepted:
    """A text that the service took: from then on it can be read for ever."""

    tenant_id: UUID
    user: str
    text: str


@dataclass
class World:
    """The service, its keys, and a superuser's eye. `accepted`: all texts that were ever taken."""

    parts: Parts
    embedder: Corpus
    engine: HostileEngine
    people: Sequence[dict[str, Principal]]
    eye: asyncpg.Connection
    accepted: set[Accepted] = field(default_factory=set)
    rulings: int = 0

    async def perform(self, act: Act, tenant: int) -> HelixirError | None:
        """Do it. Returns the refusal, where the service refused as it may; raises `LawBrokenError` where it may not."""
        self.engine.script.clear()
        self.engine.shown.clear()
        self.embedder.fails = 0
        try:
            await self._do(act, tenant)
        except _REFUSALS as refused:
            _require_own_refusal(refused)
            return refused
        self._require_no_stray(tenant)
        return None

    def _require_no_stray(self, tenant: int) -> None:
        strayed = [one.content for one in self.engine.shown if NAMES[1 - tenant].casefold() in one.content.casefold()]
        hold("tenants_never_meet", not strayed, f"the engine was shown {strayed}")
        self.engine.shown.clear()

    async def _do(self, act: Act, tenant: int) -> None:  # noqa: C901 - one case an act
        match act:
            case Write():
                await self._writes([act], tenant)
            case Together():  # a fault of the embedder would hit either of them
                await self._writes([replace(one, embedder_fails=0) for one in (act.first, act.second)], tenant)
            case Answer():
                await self._answer(act, tenant)
            case AnswerTwice():
                await self._answer_twice(act, tenant)
            case AnswerAgain():
                await self._answer_again(act, tenant)
            case Edit():
                await self._edit(act, tenant)
            case Own():
                await self._own(act, tenant)
            case Govern():
                await self._govern(act, tenant)
            case Decide():
                await self._decide(act, tenant)
            case Smuggle():
                await self._smuggle(act, tenant)
            case Later():
                await self._later(act)
            case Trespass():
                await trespass(self.parts, self.eye, self.people[1 - tenant], self.people[tenant], act.pick)

    def _tenant_id(self, tenant: int) -> UUID:
        return self.people[tenant]["owner"].tenant_id

    # Writes

    async def _writes(self, acts: Sequence[Write], tenant: int) -> None:
        """All at once. The eye, one connection, looks after the last of them."""
        views = await asyncio.gather(*(self._write(act, tenant) for act in acts))
        for view in chain.from_iterable(views):
            await self._deferred(self._tenant_id(tenant), view, alone=len(acts) == 1)

    async def _write(self, act: Write, tenant: int) -> list[WriteView]:
        """A write is refused only for its key; whatever the engine says, a good statement is taken. What it newly stored, if anything."""
        principal = self.people[tenant][act.key]
        self.engine.script.extend(act.says)
        self.embedder.fails = act.embedder_fails
        request = _request(act, tenant)
        try:
            view = await remember(self.parts, principal, request)
        except HelixirError as refused:
            hold("nothing_vanishes", _may_refuse(act, refused), f"a good write was refused: {refused.code}: {refused.detail}")
            return []
        finally:
            self.embedder.fails = 0
        if act.dry:
            return []
        said = [request.message] if request.message is not None else [fact.content for fact in request.facts]
        self.accepted |= {Accepted(principal.tenant_id, act.user, text) for text in said}
        if view.replayed:
            return []
        self.rulings += len(view.results)
        return [view]

    async def _later(self, act: Later) -> None:
        """One round of the worker, each job alone, so that none hides its fault."""
        tenants = [self._tenant_id(tenant) for tenant in range(len(self.people))]
        self.engine.script.extend(act.says)
        self.embedder.fails = act.embedder_fails
        async with acquired(self.parts.pool) as connection:
            accepted = await connection.fetch(writes.CLAIM, _LEASE, 4)
            waiting = await connection.fetch(undecided.CLAIM, _LEASE, 4)
        for jobs, run, name in ((accepted, finish_write, "write_id"), (waiting, reconsider, "memory_id")):
            for row in jobs:
                with suppress(UnavailableError):  # the embedder; the row comes again when the lease ends
                    await run(self.parts, row["tenant_id"], row[name], row["attempts"])
                self._require_no_stray(tenants.index(row["tenant_id"]))

    async def _deferred(self, tenant_id: UUID, view: WriteView, *, alone: bool = True) -> None:
        """deferral_keeps_both, right after the write. A write beside it, when not `alone`, may have made the dispute moot meanwhile."""
        for result in view.results:
            if result.outcome not in {Outcome.DEFERRED, Outcome.HELD}:
                continue
            status = Status.ACTIVE if result.outcome is Outcome.DEFERRED else Status.HELD
            rows = await self.eye.fetch(_DEFERRED, tenant_id, result.memory_id, result.target_memory_id)
            hold("deferral_keeps_both", len(rows) == 1, f"{len(rows)} disputes join {result}")
            if not alone and rows[0]["dispute"] == DisputeStatus.MOOT:
                continue
            hold("deferral_keeps_both", rows[0]["dispute"] == DisputeStatus.OPEN, f"the dispute is {rows[0]['dispute']} of {result}")
            found = (rows[0]["new_status"], rows[0]["old_status"], rows[0]["content"])
            hold("deferral_keeps_both", found == (status, Status.ACTIVE, result.content), f"{found} of {result}")

    async def _edit(self, act: Edit, tenant: int) -> None:
        principal = self.people[tenant][act.key]
        memory = await self._memory(tenant, act.pick)
        content = text_of(act.text, act.spelling, tenant)
        revision = memory["revision"] + (1 if act.stale else 0)
        request = EditRequest(memory["memory_id"], content, "a better wording", revision, {"content": content})
        edited = await owner_acts.edit(self.parts, principal, request)
        hold("raw_input_is_sacred", memory["kind"] == Kind.ATOM, f"a {memory['kind']} was edited")
        hold("immutable_is_immutable", not memory["immutable"] or isinstance(edited, WriteView), memory["memory_id"])
        hold("no_silent_protected_rewrite", not act.stale, "an edit of a revision that was not seen")
        self.accepted.add(Accepted(principal.tenant_id, memory["user_id"], content))
        if isinstance(edited, WriteView):
            await self._deferred(principal.tenant_id, edited)

    # Answers

    async def _answer(self, act: Answer, tenant: int) -> None:
        dispute = await self._dispute(tenant, act.pick, [DisputeStatus.OPEN])
        if dispute is None:
            return
        principal = self.people[tenant][act.key]
        versions = {"right": dispute.version, "stale": dispute.version - 1, "absent": None}
        request = AnswerRequest(
            act.resolution,
            version=versions[act.version],
            content=text_of(act.text, 0, tenant) if act.resolution is Resolution.AMEND else None,
            contexts={"new": "at work", "existing": "at home"} if act.contexts and act.resolution is Resolution.COEXIST else None,
            answered_by="a person",
            always=act.always,
            scope=act.scope,
        )
        view = await resolve(self.parts, principal, dispute.id, request)
        unseen = act.version == "stale" or (act.version == "absent" and dispute.version > 1)
        hold("resolution_is_final_and_single", not unseen, "an answer was applied to a version that was not seen")
        hold("no_silent_protected_rewrite", act.key not in {"auditor", "mute"}, f"the {act.key} key answered")
        hold("rules_never_outrank_the_constitution", not act.always or act.key == "owner", "an agent's key made a rule")
        hold("rules_never_outrank_the_constitution", not (dispute.articles and view.rule), "a rule was learned about an article's")
        if request.content is not None:
            self.accepted.add(Accepted(principal.tenant_id, dispute.new_user_id, request.content))

    async def _answer_twice(self, act: AnswerTwice, tenant: int) -> None:
        """Of two answers at once exactly one wins; the same answer twice gives the same result twice."""
        dispute = await self._dispute(tenant, act.pick, [DisputeStatus.OPEN])
        if dispute is None:
            return
        owner = self.people[tenant]["owner"]
        text = text_of(act.text, 0, tenant)
        requests = [AnswerRequest(one, dispute.version, text if one is Resolution.AMEND else None) for one in (act.first, act.second)]
        results = await asyncio.gather(*(resolve(self.parts, owner, dispute.id, request) for request in requests), return_exceptions=True)
        won: list[ResolveView] = []
        for result in results:
            if isinstance(result, ResolveView):
                won.append(result)
            elif isinstance(result, _REFUSALS):
                _require_own_refusal(result)
            else:
                raise result
        effects = [one.effects for one in won]
        hold("resolution_is_final_and_single", len(won) < 2 or (act.first is act.second and effects[0] == effects[1]), effects)
        if won and won[0].contradiction.resolution is Resolution.AMEND:
            self.accepted.add(Accepted(owner.tenant_id, dispute.new_user_id, text))

    async def _answer_again(self, act: AnswerAgain, tenant: int) -> None:
        dispute = await self._dispute(tenant, act.pick, [DisputeStatus.RESOLVED, DisputeStatus.MOOT])
        if dispute is None:
            return
        resolution, content, contexts = act.resolution, text_of(0, 0, tenant), None
        if act.same and dispute.resolution is not None:
            resolution, content, contexts = dispute.resolution, dispute.answer_content or content, dispute.contexts
        elif resolution is dispute.resolution:
            resolution = Resolution.CONFIRM if resolution is not Resolution.CONFIRM else Resolution.COEXIST
        request = AnswerRequest(resolution, dispute.version, content if resolution is Resolution.AMEND else None, contexts)
        same = act.same and dispute.status is DisputeStatus.RESOLVED
        try:
            view = await resolve(self.parts, self.people[tenant]["owner"], dispute.id, request)
        except ConflictError as refused:
            hold("resolution_is_final_and_single", not same, f"a repeat was refused: {refused.code}")
            raise
        hold("resolution_is_final_and_single", same, f"a settled dispute took the answer {resolution}")
        recorded = {name: [str(one) for one in getattr(view.effects, name)] for name in (dispute.effects or {})}
        hold("resolution_is_final_and_single", recorded == dispute.effects, "a repeat gave another result")

    # Owners

    async def _own(self, act: Own, tenant: int) -> None:
        memory = await self._memory(tenant, act.pick)
        acts: dict[str, Callable[..., Awaitable[object]]] = {
            "finalize": owner_acts.finalize,
            "unfinalize": owner_acts.unfinalize,
            "withdraw": withdraw,
            "restore": restore,
        }
        await acts[act.act](self.parts, self.people[tenant][act.key], memory["memory_id"], "the owner says so")
        hold("no_silent_protected_rewrite", act.key == "owner", f"the {act.key} key did {act.act}")
        hold("raw_input_is_sacred", memory["kind"] == Kind.ATOM, f"{act.act} of a {memory['kind']}")

    async def _govern(self, act: Govern, tenant: int) -> None:
        principal = self.people[tenant][act.key]
        if act.approve:
            charter = await get_charter(self.parts, principal)
            await approve(self.parts, principal, charter.version, "0" * 64 if act.wrong else charter.sha256)
            hold("rules_never_outrank_the_constitution", not act.wrong, "a text was approved that is not the current one")
        else:
            await withdraw_approval(self.parts, principal, "the owner says so")
        hold("rules_never_outrank_the_constitution", act.key == "owner", f"the {act.key} key governed")

    async def _decide(self, act: Decide, tenant: int) -> None:
        principal = self.people[tenant][act.key]
        table, column = ("rules", "rule_id") if act.act == "revoke" else ("rule_proposals", "proposal_id")
        found = await self._pick(f"SELECT {column} AS id FROM {table} WHERE tenant_id = $1 ORDER BY 1", tenant, act.pick)  # noqa: S608
        if found is None:
            return
        match act.act:
            case "approve":
                await approve_proposal(self.parts, principal, found["id"], act.scope, None)
            case "reject":
                await reject_proposal(self.parts, principal, found["id"], None)
            case _:
                await revoke_rule(self.parts, principal, found["id"], "the owner says so")
        hold("rules_never_outrank_the_constitution", act.key == "owner", f"the {act.key} key did {act.act}")

    async def _smuggle(self, act: Smuggle, tenant: int) -> None:
        principal = self.people[tenant]["owner"]
        shape = Shape(act.operation, act.new_type, act.existing_type, act.same_user and act.operation is Operation.CONTRADICT)
        resolution = act.resolution if shape.same_user else Resolution.COEXIST
        async with transaction(self.parts.pool, principal.tenant_id) as connection:
            at, state = await connection.fetchval(NOW), await read_state(connection, principal.tenant_id)
            change = Change(connection, principal.tenant_id, principal.key_id, at, state.version, self.embedder.model)
            scope = RuleScope.TENANT if act.user is None else RuleScope.USER
            user = act.user or "alice"
            await make_rule(change, principal, shape, resolution, scope=scope, user_id=user, episodes=[], reason="smuggled")

    # What there is

    async def _memory(self, tenant: int, pick: int) -> asyncpg.Record:
        """Three times of four an atom, else anything."""
        kinds = [str(kind) for kind in Kind] if pick % 4 == 0 else [str(Kind.ATOM)]
        found = await self._pick(_MEMORIES, tenant, pick // 4, kinds) or await self._pick(_MEMORIES, tenant, pick, list(Kind))
        if found is None:
            raise AssertionError
        return found

    async def _dispute(self, tenant: int, pick: int, statuses: list[DisputeStatus]) -> Contradiction | None:
        found = await self._pick(_DISPUTES, tenant, pick, statuses)
        return None if found is None else contradictions.contradiction_of(found)

    async def _pick(self, query: str, tenant: int, pick: int, *arguments: object) -> asyncpg.Record | None:
        rows = await self.eye.fetch(query, self._tenant_id(tenant), *arguments)
        return rows[pick % len(rows)] if rows else None


_MEMORIES: Final = "SELECT * FROM memories WHERE tenant_id = $1 AND kind = ANY($2) ORDER BY memory_id"
_DISPUTES: Final = "SELECT * FROM contradictions WHERE tenant_id = $1 AND status = ANY($2) ORDER BY contradiction_id"
_DEFERRED: Final = """
SELECT c.status AS dispute, n.status AS new_status, n.content, x.status AS old_status FROM contradictions c
JOIN memories n ON (n.tenant_id, n.memory_id) = (c.tenant_id, c.new_memory_id)
JOIN memories x ON (x.tenant_id, x.memory_id) = (c.tenant_id, c.existing_memory_id)
WHERE c.tenant_id = $1 AND c.new_memory_id = $2 AND c.existing_memory_id = $3
"""


def _request(act: Write, tenant: int) -> WriteRequest:
    facts = [_fact(one, tenant) for one in act.facts]
    lines = [f"{one.memory_type}: {one.content}" if one.memory_type else one.content for one in facts]
    message = "\n".join(lines) if act.message else None
    said = {"message": message} if message else {"facts": [_body(one) for one in facts]}
    return WriteRequest(
        user_id=act.user,
        body={"user_id": act.user, "source": act.source, "shared": act.shared, **said},
        message=message,
        facts=() if message else facts,
        source=act.source,
        shared=act.shared,
        dry_run=act.dry,
        idempotency_key=act.repeat_key,
    )


def _fact(fact: Fact, tenant: int) -> FactRequest:
    text = text_of(fact.text, fact.spelling, tenant)
    return FactRequest(text, fact.memory_type, fact.valid_from, fact.source, fact.shared)


def _body(fact: FactRequest) -> dict[str, Any]:
    begins = fact.valid_from.isoformat() if fact.valid_from else None
    return {
        "content": fact.content,
        "memory_type": fact.memory_type,
        "valid_from": begins,
        "source": fact.source,
        "shared": fact.shared,
    }


def _may_refuse(act: Write, refused: HelixirError) -> bool:
    if isinstance(refused, ForbiddenError):
        return act.key == "auditor" or (act.key == "bound" and act.user != "bob")
    if isinstance(refused, UnavailableError):
        return act.dry and act.embedder_fails > 0
    return act.repeat_key is not None and refused.code in {"idempotency_mismatch", "still_running"}


def _require_own_refusal(refused: HelixirError) -> None:
    """The service refuses by itself: where only a guard of the database stopped it, it was about to break a law."""
    guarded = isinstance(refused.__cause__, asyncpg.PostgresError) and not isinstance(refused.__cause__, asyncpg.UniqueViolationError)
    hold("no_silent_protected_rewrite", not guarded, f"only the database refused: {refused.__cause__}")
    hold("resolution_is_final_and_single", refused.code not in _RACES, f"only an index refused: {refused.code}")


@asynccontextmanager
async def open_world(service_dsn: str, owner_dsn: str, superuser_dsn: str, low_confidence: int | None = None) -> AsyncIterator[World]:
    """The service as its restricted role on this database, which must be migrated and empty."""
    settings = Settings(
        database_url=SecretStr(service_dsn),
        pool_size=6,
        embedding=EmbeddingSettings(),
        engine=EngineSettings(),
        extraction=ExtractionSettings(),
        charter=CharterSettings(low_confidence=low_confidence),
        rules=RuleSettings(propose_after=2),
        intake=IntakeSettings(retry_seconds=0.001),
    )
    pool = await open_pool(settings)
    eye = await asyncpg.connect(superuser_dsn)
    await prepare_connection(eye)
    embedder, engine = Corpus(), HostileEngine()
    try:
        thresholds = Thresholds(0.98, 0.70, low_confidence or LOW_CONFIDENCE, "charter default")
        parts = Parts(settings, pool, embedder, engine, Lines(), thresholds, Turns())
        people = [await _people(parts, owner_dsn, name) for name in TENANTS]
        yield World(parts, embedder, engine, people, eye)
    finally:
        await eye.close()
        await pool.close()


async def _people(parts: Parts, owner_dsn: str, tenant: str) -> dict[str, Principal]:
    operator = await asyncpg.connect(owner_dsn)
    try:
        found = {}
        for name, (role, users, answers) in _KEYS.items():
            token = await keys.create_key(operator, tenant=tenant, role=role, user_ids=users, can_answer=answers, expires_at=None)
            found[name] = await keys.authenticate(parts, token)
        return found
    finally:
        await operator.close()
