"""What an answer teaches: a rule at once ("allow always"), a proposal after repeated answers, or why neither."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.charter.model import ConflictType, RuleScope, Shape
from app.charter.rules import learnable
from app.db.contradictions import Contradiction
from app.db.memories import Memory
from app.db.rules import ProposalRow
from app.services.changes import Act
from app.services.parts import Parts
from app.services.precedents import shape_of_dispute
from app.services.proposals import propose_from_precedents
from app.services.requests import AnswerRequest, Principal
from app.services.rulebook import make_rule, sentence, shape_view

_PLAIN = frozenset({ConflictType.CONTRADICTION, ConflictType.CROSS_USER_CONTRADICTION})


@dataclass(frozen=True, slots=True)
class Learned:
    """The rule that was made, why none was, and the proposal that became due."""

    rule: Mapping[str, Any] | None = None
    refused: Mapping[str, Any] | None = None
    proposal: Mapping[str, Any] | None = None


async def learn(
    parts: Parts,
    principal: Principal,
    act: Act,
    dispute: Contradiction,
    new: Memory,
    existing: Memory,
    answer: AnswerRequest,
    episode_id: UUID,
) -> Learned:
    """A rule where an owner said "always" and no article governs; else a proposal where repeated answers make it due.

    Raises `ConflictError` (`rule_conflict`): then nothing of the answer is carried out.
    """
    shape = shape_of_dispute(dispute, new, existing)
    refused = refusal_of(dispute, answer, same_user=shape.same_user)
    if answer.always and refused is None:
        rule_id = await make_rule(
            act,
            principal,
            shape,
            answer.resolution,
            scope=answer.scope,
            user_id=new.user_id,
            episodes=[episode_id],
            reason=answer.note or "allow always",
        )
        return Learned(rule=_rule_view(act, rule_id, shape, new.user_id, answer, episode_id))
    proposal = None
    if refused is None:
        proposal = await propose_from_precedents(act, new.user_id, shape, answer.resolution, parts.settings.rules.propose_after)
    return Learned(refused=refused if answer.always else None, proposal=proposal_view(proposal) if proposal else None)


def _rule_view(act: Act, rule_id: UUID, shape: Shape, user_id: str, answer: AnswerRequest, episode_id: UUID) -> Mapping[str, Any]:
    return {
        "id": str(rule_id),
        "shape": shape_view(shape),
        "resolution": answer.resolution,
        "scope": answer.scope,
        "user_id": user_id if answer.scope is RuleScope.USER else None,
        "episodes": [str(episode_id)],
        "uses": 0,
        "status": "live",
        "created_at": act.at.isoformat(),
        "created_by": str(act.actor),
        "text": sentence(shape, answer.resolution, answer.scope),
    }


def refusal_of(dispute: Contradiction, answer: AnswerRequest, *, same_user: bool) -> Mapping[str, Any] | None:
    """Why no rule can be learned from this answer, in words that a human understands; None where one can."""
    if dispute.articles:
        named = ", ".join(dispute.articles)
        detail = (
            f"The constitution's {named} governs this, and no rule can be learned about what an article governs: "
            "you will be asked each time. This one dispute is settled as you said."
        )
        return {"articles": list(dispute.articles), "code": "article_governs", "detail": detail}
    if dispute.conflict_type not in _PLAIN:
        detail = "The order of time, source or disputes asked here, and no rule is learned about that. This one dispute is settled."
        return {"articles": [], "code": dispute.conflict_type, "detail": detail}
    if not learnable(dispute.pending_operation, dispute.articles, answer.resolution, same_user=same_user):
        detail = "About another user's memory a rule may only let both stand. This one dispute is settled as you said."
        return {"articles": [], "code": "not_learnable", "detail": detail}
    return None


def proposal_view(proposal: ProposalRow) -> dict[str, Any]:
    """A proposal as answers show it."""
    return {
        "id": str(proposal.id),
        "shape": shape_view(proposal.shape),
        "resolution": proposal.resolution,
        "episodes": [str(episode) for episode in proposal.episodes],
        "status": proposal.status,
    }
