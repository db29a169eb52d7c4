"""Revisions: each content that a memory ever had, with its vector. Append-only."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

import asyncpg
from pgvector import HalfVector

INSERT: Final = """
INSERT INTO revisions (tenant_id, memory_id, revision, content, at, actor, reason, decision_id, contradiction_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
"""
INSERT_EMBEDDING: Final = """
INSERT INTO embeddings (tenant_id, memory_id, revision, model, embedding) VALUES ($1, $2, $3, $4, $5)
"""
LIST: Final = "SELECT * FROM revisions WHERE tenant_id = $1 AND memory_id = $2 ORDER BY revision"
VECTOR: Final = """
SELECT embedding FROM embeddings WHERE tenant_id = $1 AND memory_id = $2 AND revision = $3 AND model = $4
"""


async def insert(
    connection: asyncpg.Connection,
    tenant_id: UUID,
    memory_id: UUID,
    revision: int,
    content: str,
    at: datetime,
    *,
    actor: UUID | None,
    reason: str | None = None,
    decision_id: UUID | None = None,
    contradiction_id: UUID | None = None,
) -> None:
    """Append one content of a memory."""
    await connection.execute(INSERT, tenant_id, memory_id, revision, content, at, actor, reason, decision_id, contradiction_id)


async def insert_embedding(
    connection: asyncpg.Connection, tenant_id: UUID, memory_id: UUID, revision: int, model: str, vector: Sequence[float]
) -> None:
    """Append the vector of one revision, as `model` made it."""
    await connection.execute(INSERT_EMBEDDING, tenant_id, memory_id, revision, model, HalfVector(list(vector)))
