"""The examples of the document are what the service would say and take."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from app.api import examples
from app.api.schemas.charter import Approval, ApprovalBody, Charter, CharterVersionPage
from app.api.schemas.contradiction import AnswerBody, Contradiction, ContradictionPage, Resolved
from app.api.schemas.decision import Decision, DecisionPage
from app.api.schemas.graph import Graph
from app.api.schemas.health import Liveness, Readiness
from app.api.schemas.history import History
from app.api.schemas.me import Me
from app.api.schemas.memory import ActBody, EditBody, Memory, MemoryPage
from app.api.schemas.rule import (
    ApprovedProposal,
    ApproveProposalBody,
    RejectProposalBody,
    Rule,
    RulePage,
    RuleProposal,
    RuleProposalPage,
)
from app.api.schemas.search import SearchBody, SearchResults
from app.api.schemas.write import Write, WriteBody, WritePage

ANSWERS = [
    (Approval, examples.APPROVAL_WITHDRAWN),
    (Approval, examples.APPROVED),
    (ApprovedProposal, examples.PROPOSAL_APPROVED),
    (Charter, examples.CHARTER),
    (CharterVersionPage, examples.CHARTER_VERSION_PAGE),
    (Contradiction, examples.CONTRADICTION),
    (ContradictionPage, examples.CONTRADICTION_PAGE),
    (Decision, examples.DECISION),
    (DecisionPage, examples.DECISION_PAGE),
    (Graph, examples.GRAPH),
    (History, examples.HISTORY),
    (Liveness, examples.ALIVE),
    (Me, examples.ME),
    (Memory, examples.MEMORY),
    (Memory, examples.MEMORY_EDITED),
    (Memory, examples.MEMORY_FINAL),
    (Memory, examples.MEMORY_OPEN),
    (Memory, examples.MEMORY_WITHDRAWN),
    (MemoryPage, examples.MEMORY_PAGE),
    (Readiness, examples.READY),
    (Resolved, examples.RESOLVED),
    (Resolved, examples.RESOLVED_PROPOSAL),
    (Resolved, examples.RESOLVED_REFUSED),
    (Resolved, examples.RESOLVED_RULE),
    (Rule, examples.RULE),
    (Rule, examples.RULE_REVOKED),
    (RulePage, examples.RULE_PAGE),
    (RuleProposal, examples.PROPOSAL_REJECTED),
    (RuleProposalPage, examples.PROPOSAL_PAGE),
    (SearchResults, examples.SEARCH_RESULTS),
    (Write, examples.WRITE),
    (Write, examples.WRITE_ACCEPTED),
    (Write, examples.WRITE_DRY_RUN),
    (Write, examples.WRITE_HELD),
    (WritePage, examples.WRITE_PAGE),
]
REQUESTS = [
    (ActBody, examples.ACT),
    (ApprovalBody, examples.APPROVAL),
    (ApproveProposalBody, examples.PROPOSAL_APPROVAL),
    (RejectProposalBody, examples.PROPOSAL_REJECTION),
    (AnswerBody, examples.ANSWER_ALWAYS),
    (AnswerBody, examples.ANSWER_AMEND),
    (AnswerBody, examples.ANSWER_COEXIST),
    (AnswerBody, examples.ANSWER_RETRACT),
    (EditBody, examples.EDIT),
    (SearchBody, examples.SEARCH),
    (WriteBody, examples.WRITE_FACT),
    (WriteBody, examples.WRITE_MESSAGE),
]


@pytest.mark.parametrize(("schema", "example"), ANSWERS)
def test_an_answer_is_whole_and_exact(schema: type[BaseModel], example: dict[str, Any]) -> None:
    assert schema.model_validate(example).model_dump(mode="json", by_alias=True) == example


@pytest.mark.parametrize(("schema", "example"), REQUESTS)
def test_a_request_is_accepted(schema: type[BaseModel], example: dict[str, Any]) -> None:
    assert schema.model_validate(example).model_dump(mode="json", exclude_unset=True) == example
