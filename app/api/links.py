"""Where an answer leads: OpenAPI links from its ids to the operations that take them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Link = dict[str, Any]
Group = dict[str, Link]

_REASON = {"reason": "it was looked at again"}
_ANSWERS: Mapping[str, dict[str, Any]] = {
    "retract": {},
    "confirm": {},
    "coexist": {"contexts": {"new": "at work", "existing": "at home"}},
    "amend": {"content": "Neither, it is like this"},
}


def _link(operation: str, description: str, body: object = None, **parameters: str) -> Link:
    link: Link = {"operationId": operation, "description": description}
    if parameters:
        link["parameters"] = parameters
    if body is not None:
        link["requestBody"] = body
    return link


def _body(at: str) -> str:
    return f"$response.body#/{at}"


def _dispute(at: str, version: str) -> Group:
    """Read a dispute, and each way to answer it."""
    answers = {
        f"resolve_{answer}": _link(
            "resolve_contradiction", f"Answer it: {answer}.", {"resolution": answer, "version": version, **more}, contradiction_id=at
        )
        for answer, more in _ANSWERS.items()
    }
    return {"get_contradiction": _link("get_contradiction", "The dispute, whole.", contradiction_id=at), **answers}


def _rule(at: str) -> Group:
    revoked = _link("revoke_rule", "End the rule.", _REASON, rule_id=at)
    return {"get_rule": _link("get_rule", "The rule.", rule_id=at), "revoke_rule": revoked}


def _page(operation: str, **items: Link) -> Group:
    """From a page to its first item, and to the next page."""
    return {**items, f"{operation}_next": _link(operation, "The next page.", cursor=_body("next_cursor"))}


_EDIT = {"content": "It is said otherwise now", **_REASON}
_THIS = {"memory_id": _body("id")}
_CLARIFICATION = _body("needs_clarification/0")

GROUPS: Mapping[str, Group] = {
    "written": {
        "get_write": _link("get_write", "The write as it is now.", write_id=_body("write_id")),
        "get_memory": _link("get_memory", "The memory that carries the fact.", memory_id=_body("results/0/memory_id")),
        "get_decision": _link("get_decision", "Why it was decided so.", decision_id=_body("results/0/decision_id")),
        **_dispute(f"{_CLARIFICATION}/contradiction_id", f"{_CLARIFICATION}/version"),
    },
    "memory": {
        "get_history": _link("get_history", "What happened to it.", **_THIS),
        "get_graph": _link("get_graph", "What is around it.", **_THIS),
        "decide_memory": _link("decide_memory", "Ask the engine again.", **_THIS),
        "edit_memory": _link("edit_memory", "Edit what was read.", _EDIT, **_THIS, **{"If-Match": _body("revision")}),
        "finalize_memory": _link("finalize_memory", "Mark it final.", _REASON, **_THIS),
        "unfinalize_memory": _link("unfinalize_memory", "Open it again.", _REASON, **_THIS),
        "withdraw_memory": _link("withdraw_memory", "Take it out of recall.", _REASON, **_THIS),
        "restore_memory": _link("restore_memory", "Make it current again.", _REASON, **_THIS),
    },
    "dispute": _dispute(_body("id"), _body("version")),
    "charter": {
        "approve_charter": _link(
            "approve_charter", "Approve the text that was read.", {"version": _body("version"), "sha256": _body("sha256")}
        )
    },
    "approval": {"withdraw_approval": _link("withdraw_approval", "Back to the draft.", _REASON)},
    "rule": _rule(_body("rule/id")),
    "memories": _page("list_memories", get_memory=_link("get_memory", "The newest one.", memory_id=_body("items/0/id"))),
    "found": {"get_memory": _link("get_memory", "The best one.", memory_id=_body("results/0/memory/id"))},
    "writes": _page("list_writes", get_write=_link("get_write", "The newest one.", write_id=_body("items/0/write_id"))),
    "disputes": _page("list_contradictions", **_dispute(_body("items/0/id"), _body("items/0/version"))),
    "decisions": _page("list_decisions", get_decision=_link("get_decision", "The newest one.", decision_id=_body("items/0/id"))),
    "rules": _page("list_rules", **_rule(_body("items/0/id"))),
    "proposals": _page(
        "list_rule_proposals",
        approve_rule_proposal=_link("approve_rule_proposal", "Make it a rule.", {"scope": "user"}, proposal_id=_body("items/0/id")),
        reject_rule_proposal=_link("reject_rule_proposal", "Say no.", _REASON, proposal_id=_body("items/0/id")),
    ),
}
"""Links by where they lead from. A body is an example; its versions and hashes are the answer's."""

LINKS: Mapping[tuple[str, str], str] = {
    ("write_memories", "201"): "written",
    ("write_memories", "202"): "written",
    ("edit_memory", "202"): "written",
    ("get_write", "200"): "written",
    ("get_memory", "200"): "memory",
    ("edit_memory", "200"): "memory",
    ("get_contradiction", "200"): "dispute",
    ("get_charter", "200"): "charter",
    ("approve_charter", "200"): "approval",
    ("resolve_contradiction", "200"): "rule",
    ("approve_rule_proposal", "200"): "rule",
    ("list_memories", "200"): "memories",
    ("search_memories", "200"): "found",
    ("list_writes", "200"): "writes",
    ("list_contradictions", "200"): "disputes",
    ("list_decisions", "200"): "decisions",
    ("list_rules", "200"): "rules",
    ("list_rule_proposals", "200"): "proposals",
}
"""The group of each operation's answer, by status."""


def add_links(document: dict[str, Any]) -> None:
    """Put the links into an OpenAPI document. Raises `KeyError` for an operation or a status that it has not."""
    operations = dict(_operations(document))
    document["components"]["links"] = {f"{group}.{name}": link for group, links in GROUPS.items() for name, link in links.items()}
    for (operation, status), group in LINKS.items():
        references = {name: {"$ref": f"#/components/links/{group}.{name}"} for name in GROUPS[group]}
        operations[operation]["responses"][status]["links"] = references


def _operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in document["paths"].values():
        for operation in path.values():
            yield operation["operationId"], operation
