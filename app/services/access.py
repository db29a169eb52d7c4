"""Who may see and do what. What a key may not see is not found; what it may not do is forbidden."""

from __future__ import annotations

from app.charter.model import SYSTEM_USER
from app.db.contradictions import Contradiction
from app.db.memories import Memory
from app.errors import ForbiddenError, NotFoundError
from app.services.requests import Principal, Role


def bound_to(principal: Principal) -> list[str] | None:
    """The users that the key is bound to, as the queries take them; None for all."""
    return None if principal.user_ids is None else sorted(principal.user_ids)


def acts_for(principal: Principal, user_id: str) -> bool:
    """True when the key may act for this user."""
    return principal.user_ids is None or user_id in principal.user_ids


def may_read(principal: Principal, memory: Memory) -> bool:
    """A key reads its users' memories, every shared one, and the system's own: those about one user only for that user."""
    if memory.user_id == SYSTEM_USER:
        about = memory.metadata.get("user_id")
        return about is None or acts_for(principal, about)
    return acts_for(principal, memory.user_id) or memory.shared


def may_read_dispute(principal: Principal, contradiction: Contradiction) -> bool:
    """The user of either side may read a dispute."""
    return acts_for(principal, contradiction.new_user_id) or acts_for(principal, contradiction.existing_user_id)


def require_writer(principal: Principal, user_id: str) -> None:
    """Raises `ForbiddenError` when the key may not write for this user."""
    if principal.role is Role.AUDITOR:
        raise ForbiddenError("an auditor's key only reads", code="role")
    if not acts_for(principal, user_id):
        raise ForbiddenError("this key is bound to other users", code="bound_key")


def require_owner(principal: Principal) -> None:
    """Raises `ForbiddenError` when the key is not an owner's."""
    if principal.role is not Role.OWNER:
        raise ForbiddenError("only an owner's key may do this", code="role")


def require_answerer(principal: Principal, contradiction: Contradiction) -> None:
    """Only the user of the new side answers, through a key that may answer."""
    if principal.role is Role.AUDITOR or not principal.can_answer:
        raise ForbiddenError("this key may not answer disputes", code="no_answer")
    if not acts_for(principal, contradiction.new_user_id):
        raise ForbiddenError("only the user of the new statement may answer", code="bound_key")


def readable(principal: Principal, memory: Memory | None) -> Memory:
    """The memory, or `NotFoundError` where it does not exist or the key may not see it."""
    if memory is None or not may_read(principal, memory):
        raise NotFoundError("there is no such memory, or this key may not see it")
    return memory


def writable(principal: Principal, memory: Memory | None) -> Memory:
    """The memory for an act on it: not found when unseen, forbidden when it is another user's."""
    found = readable(principal, memory)
    if found.user_id != SYSTEM_USER:
        require_writer(principal, found.user_id)
    elif principal.role is Role.AUDITOR:
        raise ForbiddenError("an auditor's key only reads", code="role")
    return found
