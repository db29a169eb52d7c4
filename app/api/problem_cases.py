"""The refusals that operations declare: each as the service says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from app.api import examples


@dataclass(frozen=True, slots=True)
class Case:
    """One refusal: the stable code, the sentence, and the further members of its document."""

    status: HTTPStatus
    code: str
    detail: str
    extra: Mapping[str, Any] = field(default_factory=dict)
    retryable: bool = False


UNAUTHENTICATED = Case(HTTPStatus.UNAUTHORIZED, "unauthenticated", "A key is needed: Authorization: Bearer <key>.")
UNAVAILABLE = Case(HTTPStatus.SERVICE_UNAVAILABLE, "database_busy", "the database was too slow; nothing was changed", retryable=True)
RATE_LIMITED = Case(HTTPStatus.TOO_MANY_REQUESTS, "rate_limited", "this key sends too many requests; wait and repeat", retryable=True)
USER_BUSY = Case(HTTPStatus.TOO_MANY_REQUESTS, "user_busy", "too many writes of this user are waiting; nothing was stored", retryable=True)
TOO_MANY_DISPUTES = Case(
    HTTPStatus.TOO_MANY_REQUESTS,
    "too_many_disputes",
    "1000 disputes of this key wait for an answer; nothing was stored. Answer some first",
    retryable=True,
)
NOT_READY = Case(
    HTTPStatus.SERVICE_UNAVAILABLE,
    "not_ready",
    "Not ready: embedder.",
    {"checks": [{"name": "embedder", "ok": False, "detail": "loading"}]},
    retryable=True,
)

READS_ONLY = Case(HTTPStatus.FORBIDDEN, "role", "an auditor's key only reads")
OWNERS_ONLY = Case(HTTPStatus.FORBIDDEN, "role", "only an owner's key may do this")
BOUND_KEY = Case(HTTPStatus.FORBIDDEN, "bound_key", "this key is bound to other users")
NO_ANSWER = Case(HTTPStatus.FORBIDDEN, "no_answer", "this key may not answer disputes")
UNBOUND_OWNERS_ONLY = Case(HTTPStatus.FORBIDDEN, "bound_key", "the charter is the business of an owner's key that is not bound to users")
TENANT_RULE = Case(HTTPStatus.FORBIDDEN, "bound_key", "a rule for the whole tenant needs an owner's key that is not bound to users")
CHARTER_REFUSAL = Case(HTTPStatus.FORBIDDEN, "charter_refusal", "the constitution forbids it", {"articles": ["C2"]})
FINAL_SIDE = Case(HTTPStatus.FORBIDDEN, "charter_refusal", "a final memory is never overwritten", {"articles": ["C2"]})
OTHER_USER = Case(HTTPStatus.FORBIDDEN, "other_user", "another user's memory can be confirmed or coexist, never rewritten")


def _not_found(what: str) -> Case:
    return Case(HTTPStatus.NOT_FOUND, "not_found", f"there is no such {what}, or this key may not see it")


NO_MEMORY = _not_found("memory")
NO_WRITE = _not_found("write")
NO_CONTRADICTION = _not_found("contradiction")
NO_DECISION = _not_found("decision")
NO_RULE = _not_found("rule")
NO_PROPOSAL = _not_found("proposal")

STILL_RUNNING = Case(HTTPStatus.CONFLICT, "still_running", "the first request with this Idempotency-Key is still running", retryable=True)
NOT_ACTIVE = Case(HTTPStatus.CONFLICT, "not_active", "this memory is not current")
ALREADY_ACTIVE = Case(HTTPStatus.CONFLICT, "already_active", "this memory is not superseded or withdrawn")
DISPUTED = Case(HTTPStatus.CONFLICT, "disputed", "only an active, undisputed memory can be final")
SAME_TEXT = Case(
    HTTPStatus.CONFLICT,
    "same_text",
    "another current memory of this user already says that",
    {"memory_id": examples.MEMORY_COFFEE},
)
DISPUTE_CHANGED = Case(
    HTTPStatus.CONFLICT,
    "dispute_changed",
    "the contradiction changed since it was asked about; read it again and answer its present version",
    {"contradiction": {**examples.CLARIFICATION, "version": 2}},
)
ALREADY_RESOLVED = Case(
    HTTPStatus.CONFLICT,
    "already_resolved",
    "this contradiction was answered otherwise",
    {"contradiction": examples.RESOLVED["contradiction"]},
)
DISPUTE_MOOT = Case(HTTPStatus.CONFLICT, "dispute_moot", "this contradiction is moot", {"contradiction": examples.CONTRADICTION_MOOT})
RULE_CONFLICT = Case(HTTPStatus.CONFLICT, "rule_conflict", "a live rule of this scope and shape exists", {"rule_id": examples.RULE_ID})
PROPOSAL_DECIDED = Case(HTTPStatus.CONFLICT, "proposal_decided", "this proposal is rejected")
NOT_CURRENT = Case(
    HTTPStatus.CONFLICT,
    "not_current",
    "this is not the current text; read GET /charter and approve its version and sha256",
    examples.APPROVAL,
)
NOT_APPROVED = Case(HTTPStatus.CONFLICT, "not_approved", "the charter is not approved")

STALE_REVISION = Case(
    HTTPStatus.PRECONDITION_FAILED, "stale_revision", "If-Match names another revision than the present one", {"revision": 2}
)
REVISION_REQUIRED = Case(HTTPStatus.PRECONDITION_REQUIRED, "revision_required", "Name the revision that you edit in If-Match.")

BODY_TOO_LARGE = Case(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "body_too_large", "The body is larger than 1048576 bytes.", {"limit": 1048576})
WRITE_TOO_LARGE = Case(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "body_too_large", "The body is larger than 8388608 bytes.", {"limit": 8388608})
UNSUPPORTED_MEDIA_TYPE = Case(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", "The body must be declared as application/json.")
INVALID_BODY = Case(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid_input", "body: missing.", {"errors": [{"field": "body", "kind": "missing"}]})
INVALID_JSON = Case(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid_json", "The body is not JSON: it breaks off at line 1, column 12.")
INVALID_FACT = Case(
    HTTPStatus.UNPROCESSABLE_ENTITY,
    "invalid_input",
    "body.facts.0.content: too long, limit 8000.",
    {"errors": [{"field": "body.facts.0.content", "kind": "too_long", "limit": 8000}]},
)
INVALID_ID = Case(
    HTTPStatus.UNPROCESSABLE_ENTITY, "invalid_input", "path.id: malformed.", {"errors": [{"field": "path.id", "kind": "malformed"}]}
)
INVALID_QUERY = Case(
    HTTPStatus.UNPROCESSABLE_ENTITY,
    "invalid_input",
    "query.limit: too large, limit 200.",
    {"errors": [{"field": "query.limit", "kind": "too_large", "limit": 200}]},
)
REPEATED = Case(HTTPStatus.UNPROCESSABLE_ENTITY, "repeated", "A parameter of the query is given more than once.")
INVALID_CURSOR = Case(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid_cursor", "this cursor is none of this list's")
IDEMPOTENCY_MISMATCH = Case(HTTPStatus.UNPROCESSABLE_ENTITY, "idempotency_mismatch", "this Idempotency-Key was used with another request")
