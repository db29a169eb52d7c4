"""What strangers try: another tenant's keys on everything, and a key that is bound to one user on another's private memories."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Final
from uuid import UUID

import asyncpg

from app.charter.model import Resolution, RuleScope
from app.errors import NotFoundError
from app.services import acts as owner_acts
from app.services.audit import get_decision
from app.services.disputes import get_contradiction
from app.services.intake import get_write
from app.services.parts import Parts
from app.services.proposals import approve_proposal, reject_proposal
from app.services.reading import get_history, get_memory, list_memories
from app.services.recall import search
from app.services.requests import AnswerRequest, EditRequest, MemoryFilter, PageRequest, Principal, SearchRequest
from app.services.resolve import resolve
from app.services.rulebook import get_rule, revoke_rule
from app.services.standing import restore, withdraw

_LAW: Final = "tenants_never_meet"
_ROWS: Final = {
    "memory": "SELECT memory_id AS id FROM memories WHERE tenant_id = $1 ORDER BY 1",
    "private": "SELECT memory_id AS id FROM memories WHERE tenant_id = $1 AND user_id = 'alice' AND NOT shared ORDER BY 1",
    "dispute": "SELECT contradiction_id AS id FROM contradictions WHERE tenant_id = $1 ORDER BY 1",
    "decision": "SELECT decision_id AS id FROM decisions WHERE tenant_id = $1 ORDER BY 1",
    "write": "SELECT write_id AS id FROM writes WHERE tenant_id = $1 ORDER BY 1",
    "rule": "SELECT rule_id AS id FROM rules WHERE tenant_id = $1 ORDER BY 1",
    "proposal": "SELECT proposal_id AS id FROM rule_proposals WHERE tenant_id = $1 ORDER BY 1",
}
_ANSWER: Final = AnswerRequest(Resolution.COEXIST, version=1)
_REASON: Final = "not mine"

Attempt = Callable[[Parts, Principal, UUID], Awaitable[object]]
_ATTEMPTS: Final[Mapping[str, tuple[Attempt, ...]]] = {
    "memory": (
        get_memory,
        get_history,
        lambda parts, who, one: owner_acts.edit(parts, who, EditRequest(one, "mine", _REASON, 1, {})),
        lambda parts, who, one: owner_acts.finalize(parts, who, one, _REASON),
        lambda parts, who, one: owner_acts.unfinalize(parts, who, one, _REASON),
        lambda parts, who, one: withdraw(parts, who, one, _REASON),
        lambda parts, who, one: restore(parts, who, one, _REASON),
    ),
    "dispute": (
        lambda parts, who, one: get_contradiction(parts, who, one, "en"),
        lambda parts, who, one: resolve(parts, who, one, _ANSWER),
    ),
    "decision": (get_decision,),
    "write": (lambda parts, who, one: get_write(parts, who, one, "en"),),
    "rule": (get_rule, lambda parts, who, one: revoke_rule(parts, who, one, _REASON)),
    "proposal": (
        lambda parts, who, one: approve_proposal(parts, who, one, RuleScope.USER, None),
        lambda parts, who, one: reject_proposal(parts, who, one, None),
    ),
}


async def trespass(
    parts: Parts, eye: asyncpg.Connection, strangers: Mapping[str, Principal], own: Mapping[str, Principal], pick: int
) -> None:
    """Raise `AssertionError` when a stranger gets anything but "not found"."""
    tenant_id = own["owner"].tenant_id
    for thing, attempts in _ATTEMPTS.items():
        rows = await eye.fetch(_ROWS[thing], tenant_id)
        if rows:
            one = rows[pick % len(rows)]["id"]
            for attempt in attempts:
                await _unseen(attempt, parts, strangers["owner"], one, f"another tenant's owner and a {thing}")
    private = await eye.fetch(_ROWS["private"], tenant_id)
    if private:
        for attempt in _ATTEMPTS["memory"][:3]:
            await _unseen(attempt, parts, own["bound"], private[pick % len(private)]["id"], "bob's key and a memory of alice")
    await _lists(parts, strangers["owner"], own["bound"], {row["id"] for row in await eye.fetch(_ROWS["memory"], tenant_id)})


async def _unseen(attempt: Attempt, parts: Parts, who: Principal, one: UUID, what: str) -> None:
    try:
        await attempt(parts, who, one)
    except NotFoundError:
        return
    raise AssertionError(f"{_LAW}: {what}: found")


async def _lists(parts: Parts, stranger: Principal, bound: Principal, ids: set[UUID]) -> None:
    page = PageRequest(limit=200)
    listed = (await list_memories(parts, stranger, MemoryFilter(), page)).items
    found = await search(parts, stranger, SearchRequest("Alice prefers tea", "alice", collective=True, limit=50))
    strays = [one.id for one in [*listed, *(hit.memory for hit in found)] if one.id in ids]
    if strays:
        raise AssertionError(f"{_LAW}: another tenant lists or recalls {strays}")
    seen = [*(await list_memories(parts, bound, MemoryFilter(user_id="alice"), page)).items]
    seen += [hit.memory for hit in await search(parts, bound, SearchRequest("Alice prefers tea", "alice", collective=True, limit=50))]
    private = [one.id for one in seen if one.user_id == "alice" and not one.shared]
    if private:
        raise AssertionError(f"{_LAW}: bob's key lists or recalls {private}")
