"""Examples of the document: Alice drank tea, and now she says coffee."""

from __future__ import annotations

from typing import Any

Example = dict[str, Any]

MEMORY_TEA = "0198f3d0-11c2-7e0a-8b6e-5a0d6c1f7a01"
MEMORY_COFFEE = "0198f3d2-5b7e-7a31-9c0d-2f4e8a6b3c02"
CONTRADICTION_ID = "0198f3d2-5b80-7d55-a1b2-c3d4e5f60703"
DECISION_ID = "0198f3d2-5b7f-7c11-b0a9-8877665544d4"
WRITE_ID = "0198f3d2-5b70-7b22-9d3c-11aa22bb33e5"
EPISODE_ID = "0198f3d4-0c1d-7f66-8a7b-99cc88dd77f6"
RULE_ID = "0198f3d4-0c20-7a10-8b1c-22bb33cc44d7"
PROPOSAL_ID = "0198f3d4-0c1f-7b35-8c2d-33cc44dd55e8"
KEY_ID = "0198f3c0-0001-7a00-8000-0a0b0c0d0e0f"

TEA = "Alice prefers tea"
COFFEE = "Alice prefers coffee"
QUESTION = (
    "Stored: “Alice prefers tea”. New: “Alice prefers coffee”. This is about a preference, a goal or an opinion, "
    "so I do not change it without asking. Should the new one replace the stored one?"
)

WRITE_FACT: Example = {
    "user_id": "alice",
    "facts": [{"content": COFFEE, "memory_type": "preference"}],
    "source": "user",
    "agent_id": "planner-1",
    "session_id": "s1",
}
WRITE_MESSAGE: Example = {"user_id": "alice", "message": "I moved to Lisbon. I still prefer tea.", "source": "user"}

CHARTER_STAMP: Example = {"version": 1, "status": "draft", "mode": "defer"}

OPTIONS: list[Example] = [
    {
        "resolution": "retract",
        "say": "Yes, replace it",
        "effect": "The stored statement is superseded by the new one and stays readable in the history.",
    },
    {
        "resolution": "confirm",
        "say": "No, the stored one stands",
        "effect": "The new statement is withdrawn: kept in the history, not recalled.",
    },
    {"resolution": "coexist", "say": "Both are true", "effect": "Both statements stay, each with the context that you give."},
    {
        "resolution": "amend",
        "say": "Neither, let me say it right",
        "effect": "Your wording supersedes both statements; both stay readable in the history.",
    },
]

CLARIFICATION: Example = {
    "contradiction_id": CONTRADICTION_ID,
    "version": 1,
    "conflict_type": "protected_type_rewrite",
    "articles": ["C3"],
    "new_memory_id": MEMORY_COFFEE,
    "new_content": COFFEE,
    "existing_memory_id": MEMORY_TEA,
    "existing_content": TEA,
    "existing_user_id": "alice",
    "suggested_question": QUESTION,
    "decision_taken": "DEFERRED (was SUPERSEDE): both memories kept",
    "pending_operation": "SUPERSEDE",
    "confidence": 88,
    "options": OPTIONS,
    "resolutions": ["retract", "confirm", "coexist", "amend"],
    "can_allow_always": False,
    "precedents": None,
}

WRITE: Example = {
    "write_id": WRITE_ID,
    "status": "completed",
    "raw_input_id": None,
    "charter": CHARTER_STAMP,
    "results": [
        {
            "content": COFFEE,
            "memory_type": "preference",
            "operation": "SUPERSEDE",
            "outcome": "deferred",
            "tier": "engine",
            "memory_id": MEMORY_COFFEE,
            "target_memory_id": MEMORY_TEA,
            "similarity": 0.91,
            "confidence": 88,
            "decision_id": DECISION_ID,
            "contradiction_id": None,
        }
    ],
    "needs_clarification": [CLARIFICATION],
    "resolved_by_rule": [],
}
WRITE_PAGE: Example = {"items": [WRITE], "next_cursor": None}
WRITE_ACCEPTED: Example = {**WRITE, "status": "accepted", "results": [], "needs_clarification": []}
WRITE_DRY_RUN: Example = {
    **WRITE,
    "write_id": None,
    "results": [{**WRITE["results"][0], "memory_id": None, "decision_id": None}],
    "needs_clarification": [],
}
WRITE_HELD: Example = {
    **WRITE,
    "charter": {"version": 1, "status": "approved", "mode": "block"},
    "results": [{**WRITE["results"][0], "outcome": "held"}],
    "needs_clarification": [{**CLARIFICATION, "decision_taken": "HELD (was SUPERSEDE): the new memory waits"}],
}


def memory(memory_id: str, content: str, at: str, **more: object) -> Example:
    """A memory of Alice's."""
    return {
        "id": memory_id,
        "user_id": "alice",
        "kind": "atom",
        "memory_type": "preference",
        "content": content,
        "status": "active",
        "immutable": False,
        "shared": False,
        "source": "user",
        "revision": 1,
        "created_at": at,
        "valid_from": None,
        "valid_to": None,
        "supersedes": [],
        "superseded_by": None,
        "raw_input_id": None,
        "same_as": [],
        "open_contradictions": [],
        "metadata": {},
        "agent_id": "planner-1",
        "session_id": "s1",
        "created_by": KEY_ID,
        "charter_version": 1,
        "undecided": False,
        **more,
    }


_TOLD_TEA = "2026-05-01T09:30:00.125000Z"
_TOLD_COFFEE = "2026-06-12T07:05:41.020000Z"
_ANSWERED = "2026-06-12T07:06:10.500000Z"
_DECIDED = "2026-06-13T10:00:00Z"

MEMORY: Example = memory(MEMORY_TEA, TEA, _TOLD_TEA, open_contradictions=[CONTRADICTION_ID])
MEMORY_DISPUTING: Example = memory(MEMORY_COFFEE, COFFEE, _TOLD_COFFEE, open_contradictions=[CONTRADICTION_ID])
MEMORY_EDITED: Example = memory(MEMORY_TEA, "Alice prefers green tea", _TOLD_TEA, revision=2)
MEMORY_FINAL: Example = memory(MEMORY_TEA, TEA, _TOLD_TEA, immutable=True)
MEMORY_OPEN: Example = memory(MEMORY_TEA, TEA, _TOLD_TEA)
MEMORY_WITHDRAWN: Example = memory(MEMORY_TEA, TEA, _TOLD_TEA, status="withdrawn")
MEMORY_PAGE: Example = {"items": [MEMORY_DISPUTING, MEMORY], "next_cursor": None}

EDIT: Example = {"content": "Alice prefers green tea", "reason": "She said which tea."}
ACT: Example = {"reason": "Alice confirmed it in person."}

SEARCH: Example = {"query": "What does Alice drink?", "user_id": "alice", "scope": "personal", "limit": 5}
SEARCH_RESULTS: Example = {
    "results": [
        {
            "memory": MEMORY,
            "score": 0.0325,
            "similarity": 0.58,
            "vector_rank": 1,
            "text_rank": 1,
            "disputed": True,
            "contradictions": [CONTRADICTION_ID],
        }
    ]
}

_OPEN_DISPUTE: Example = {
    "id": CONTRADICTION_ID,
    "version": 1,
    "status": "open",
    "strategy": "charter_deferred",
    "conflict_type": "protected_type_rewrite",
    "articles": ["C3"],
    "pending_operation": "SUPERSEDE",
    "pending_content": None,
    "confidence": 88,
    "new": MEMORY_DISPUTING,
    "existing": MEMORY,
    "options": OPTIONS,
    "suggested_question": QUESTION,
    "created_at": _TOLD_COFFEE,
    "created_by": KEY_ID,
    "resolution": None,
    "contexts": None,
    "resolved_at": None,
    "resolved_by": None,
    "answered_by": None,
    "note": None,
    "effects": None,
    "rule_id": None,
    "moot_cause": None,
    "can_allow_always": False,
    "precedents": [],
}
CONTRADICTION: Example = _OPEN_DISPUTE
CONTRADICTION_PAGE: Example = {"items": [CONTRADICTION], "next_cursor": None}

CONTRADICTION_MOOT: Example = {
    **_OPEN_DISPUTE,
    "status": "moot",
    "new": memory(MEMORY_COFFEE, COFFEE, _TOLD_COFFEE),
    "existing": MEMORY_WITHDRAWN,
    "options": [],
    "suggested_question": None,
    "moot_cause": "withdrawn",
}

ANSWER_RETRACT: Example = {
    "resolution": "retract",
    "version": 1,
    "answered_by": "Alice",
    "note": "Coffee since I moved to Lisbon.",
}
ANSWER_COEXIST: Example = {
    "resolution": "coexist",
    "version": 1,
    "contexts": {"new": "at work", "existing": "at home"},
    "answered_by": "Alice",
}
ANSWER_AMEND: Example = {
    "resolution": "amend",
    "version": 1,
    "content": "Alice drinks coffee in the morning and tea after noon",
    "answered_by": "Alice",
}

NO_EFFECTS: Example = {
    "superseded": [],
    "updated": [],
    "withdrawn": [],
    "created": [],
    "activated": [],
    "moved": [],
    "moot": [],
}
EFFECTS: Example = {**NO_EFFECTS, "superseded": [MEMORY_TEA]}
RESOLVED: Example = {
    "contradiction": {
        **_OPEN_DISPUTE,
        "status": "resolved",
        "new": memory(MEMORY_COFFEE, COFFEE, _TOLD_COFFEE, supersedes=[MEMORY_TEA]),
        "existing": memory(MEMORY_TEA, TEA, _TOLD_TEA, status="superseded", superseded_by=MEMORY_COFFEE, valid_to=_ANSWERED),
        "options": [],
        "suggested_question": None,
        "resolution": "retract",
        "resolved_at": _ANSWERED,
        "resolved_by": KEY_ID,
        "answered_by": "Alice",
        "note": "Coffee since I moved to Lisbon.",
        "effects": EFFECTS,
    },
    "effects": EFFECTS,
    "episode_id": EPISODE_ID,
    "rule": None,
    "rule_refused": None,
    "rule_proposal": None,
}

RULE_SHAPE: Example = {"operation": "CONTRADICT", "new_type": "fact", "existing_type": "fact", "same_user": True}
_EPISODES = [EPISODE_ID, "0198f3d4-0c1d-7f66-8a7b-99cc88dd77f7", "0198f3d4-0c1d-7f66-8a7b-99cc88dd77f8"]

RULE: Example = {
    "id": RULE_ID,
    "shape": RULE_SHAPE,
    "resolution": "coexist",
    "scope": "user",
    "user_id": "alice",
    "episodes": _EPISODES,
    "uses": 4,
    "status": "live",
    "created_by": KEY_ID,
    "created_at": _ANSWERED,
    "revoked_at": None,
    "revoked_by": None,
}
RULE_REVOKED: Example = {**RULE, "status": "revoked", "revoked_at": _DECIDED, "revoked_by": KEY_ID}
RULE_PAGE: Example = {"items": [RULE], "next_cursor": None}

_PROPOSED: Example = {
    "id": PROPOSAL_ID,
    "shape": RULE_SHAPE,
    "resolution": "coexist",
    "episodes": _EPISODES,
    "status": "open",
}
PROPOSAL: Example = {
    **_PROPOSED,
    "user_id": "alice",
    "created_at": _ANSWERED,
    "decided_at": None,
    "decided_by": None,
    "reason": None,
    "rule_id": None,
}
_PROPOSAL_DECIDED: Example = {**PROPOSAL, "decided_at": _DECIDED, "decided_by": KEY_ID}
PROPOSAL_PAGE: Example = {"items": [PROPOSAL], "next_cursor": None}
PROPOSAL_APPROVAL: Example = {"scope": "user", "reason": "She always means both."}
PROPOSAL_APPROVED: Example = {
    "proposal": {**_PROPOSAL_DECIDED, "status": "approved", "reason": "She always means both.", "rule_id": RULE_ID},
    "rule": {**RULE, "uses": 0, "created_at": _DECIDED},
}
PROPOSAL_REJECTION: Example = {"reason": "Better ask her each time."}
PROPOSAL_REJECTED: Example = {**_PROPOSAL_DECIDED, "status": "rejected", "reason": "Better ask her each time."}

ANSWER_ALWAYS: Example = {"resolution": "coexist", "version": 1, "answered_by": "Alice", "always": True, "scope": "user"}
_BOTH_TRUE: Example = {
    **RESOLVED,
    "contradiction": {
        **RESOLVED["contradiction"],
        "strategy": "charter_flagged",
        "conflict_type": "contradiction",
        "articles": [],
        "pending_operation": "CONTRADICT",
        "new": memory(MEMORY_COFFEE, "Alice lives in Lisbon", _TOLD_COFFEE, memory_type="fact"),
        "existing": memory(MEMORY_TEA, "Alice lives in Porto", _TOLD_TEA, memory_type="fact"),
        "resolution": "coexist",
        "note": None,
        "effects": NO_EFFECTS,
    },
    "effects": NO_EFFECTS,
}
RESOLVED_RULE: Example = {
    **_BOTH_TRUE,
    "rule": {
        "id": RULE_ID,
        "shape": RULE_SHAPE,
        "resolution": "coexist",
        "scope": "user",
        "user_id": "alice",
        "episodes": [EPISODE_ID],
        "uses": 0,
        "status": "live",
        "created_by": KEY_ID,
        "created_at": _TOLD_COFFEE,
        "text": "When a fact contradicts a stored fact of the same user, both stay (for this user).",
    },
}
RESOLVED_REFUSED: Example = {
    **RESOLVED,
    "rule_refused": {
        "articles": ["C3"],
        "code": "article_governs",
        "detail": "The constitution's C3 governs this, and no rule can be learned about what an article governs: "
        "you will be asked each time. This one dispute is settled as you said.",
    },
}
RESOLVED_PROPOSAL: Example = {**_BOTH_TRUE, "rule_proposal": _PROPOSED}

HISTORY: Example = {
    "memory_id": MEMORY_TEA,
    "events": [
        {
            "at": _TOLD_TEA,
            "event": "stored",
            "actor": KEY_ID,
            "reason": "nothing alike",
            "decision_id": "0198f3d0-11c3-7a00-9000-000000000001",
            "contradiction_id": None,
        },
        {
            "at": _ANSWERED,
            "event": "superseded",
            "actor": KEY_ID,
            "reason": "answered retract",
            "decision_id": None,
            "contradiction_id": CONTRADICTION_ID,
        },
    ],
    "revisions": [{"revision": 1, "content": TEA, "at": _TOLD_TEA, "actor": KEY_ID, "reason": "nothing alike"}],
    "chain": [
        {"id": MEMORY_TEA, "content": TEA, "status": "superseded"},
        {"id": MEMORY_COFFEE, "content": COFFEE, "status": "active"},
    ],
}

GRAPH: Example = {
    "nodes": [
        {"id": MEMORY_TEA, "kind": "atom", "content": TEA, "status": "superseded"},
        {"id": MEMORY_COFFEE, "kind": "atom", "content": COFFEE, "status": "active"},
    ],
    "edges": [
        {"id": CONTRADICTION_ID, "type": "CONTRADICTS", "from": MEMORY_COFFEE, "to": MEMORY_TEA, "status": "resolved"},
        {
            "id": "0198f3d4-0c1e-7b35-8c2d-33cc44dd55e9",
            "type": "SUPERSEDES",
            "from": MEMORY_COFFEE,
            "to": MEMORY_TEA,
            "status": "live",
        },
    ],
}

DECISION: Example = {
    "id": DECISION_ID,
    "write_id": WRITE_ID,
    "user_id": "alice",
    "memory_id": MEMORY_COFFEE,
    "target_memory_id": MEMORY_TEA,
    "content": COFFEE,
    "memory_type": "preference",
    "tier": "engine",
    "operation": "SUPERSEDE",
    "outcome": "deferred",
    "similarity": 0.91,
    "confidence": 88,
    "candidates": [{"memory_id": MEMORY_TEA, "content": TEA, "similarity": 0.91}],
    "verdict": {"operation": "SUPERSEDE", "target": MEMORY_TEA, "confidence": 88, "reasoning": "a reversed preference"},
    "ruling": {"operation": "ADD", "outcome": "deferred", "conflict_type": "protected_type_rewrite"},
    "articles": ["C3"],
    "rules": [],
    "thresholds": {"duplicate_at": 0.98, "new_below": 0.33, "low_confidence": 70},
    "engine": {"name": "local:relation-1", "calls": 0},
    "embedder": "all-MiniLM-L6-v2-int8",
    "charter_version": 1,
    "mode": "defer",
    "created_at": _TOLD_COFFEE,
    "timings": {"read": 5.8, "embed": 6.2, "engine": 0.4},
}
DECISION_PAGE: Example = {"items": [DECISION], "next_cursor": None}

_SHA256 = "3f8a1f0de2f16d5c0f7b1c6a8f2d4e9b7c5a3d1e0f9b8a7c6d5e4f3a2b1c0d9e"
CHARTER: Example = {
    "version": 1,
    "sha256": _SHA256,
    "status": "draft",
    "mode": "defer",
    "approved_by": None,
    "approved_at": None,
    "articles": [
        {
            "id": "C3",
            "title": "Preferences, goals and opinions are never rewritten silently",
            "text": "Only the human knows which.",
        }
    ],
    "rules": [{name: value for name, value in RULE.items() if name not in {"created_at", "revoked_at", "revoked_by"}}],
    "thresholds": {
        "duplicate_at": 0.98,
        "new_below": 0.33,
        "low_confidence": 70,
        "origin": "profile:all-MiniLM-L6-v2-int8",
    },
    "defaults": ["Cosine at or above duplicate_at: exact duplicate, nothing is stored."],
    "refinements": ["Protected types never take the cosine duplicate."],
}
CHARTER_MARKDOWN = "# Helixir Memory Charter\n\nVersion 1, draft: defer, don't destroy.\n"
APPROVAL: Example = {"version": 1, "sha256": _SHA256}
APPROVED: Example = {**APPROVAL, "status": "approved", "mode": "block", "open": 2, "held": 0}
APPROVAL_WITHDRAWN: Example = {**APPROVAL, "status": "draft", "mode": "defer", "open": 3, "held": 1}
CHARTER_VERSION_PAGE: Example = {
    "items": [
        {
            **APPROVAL,
            "registered_at": _TOLD_TEA,
            "current": True,
            "status": "draft",
            "acts": [
                {"act": "approve", "actor": KEY_ID, "at": _ANSWERED, "reason": None},
                {"act": "withdraw", "actor": KEY_ID, "at": _DECIDED, "reason": "Back to asking without holding."},
            ],
        }
    ],
    "next_cursor": None,
}

ME: Example = {
    "tenant": "default",
    "role": "agent",
    "key_id": KEY_ID,
    "user_ids": None,
    "can_answer": True,
    "expires_at": None,
}

ALIVE: Example = {"status": "alive"}
READY: Example = {"status": "ready", "checks": [{"name": "database", "ok": True, "detail": "answers"}]}
