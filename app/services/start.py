"""What the service refuses to start with."""

from __future__ import annotations

from collections.abc import Mapping

import structlog

from app.db.rows import required
from app.db.server import CHARTER_NEWS, ROLE, VECTORS_BY_MODEL
from app.db.transaction import acquired, domain_errors
from app.embedding.port import Embedder
from app.errors import ConfigurationError
from app.services.parts import Parts

_log = structlog.get_logger("helixir.start")


async def prepare(parts: Parts) -> None:
    """Raises `ConfigurationError` for a role that may do too much or too little, and for another model than the stored vectors'."""
    with domain_errors():
        async with acquired(parts.pool) as connection:
            role = required(await connection.fetchrow(ROLE))
            news = await connection.fetchrow(CHARTER_NEWS) if role["reads"] else None
            vectors = await connection.fetch(VECTORS_BY_MODEL) if role["reads"] else []
    if role["almighty"] or role["owns"]:
        raise ConfigurationError(
            "HELIXIR_DATABASE_URL names a superuser or the owner of the tables; the service runs only as a member of "
            "helixir_service. Name the owner in HELIXIR_MIGRATION_DATABASE_URL and run `helixir migrate`"
        )
    if not role["reads"]:
        raise ConfigurationError("this database role may not read the tables; run `helixir migrate` with HELIXIR_MIGRATION_DATABASE_URL")
    if news is not None:
        _log.info("charter", version=news["version"], sha256=news["sha256"])
        if news["waiting"]:
            _log.warning("the constitution changed: these tenants are back in defer mode until they approve it", tenants=news["waiting"])
    check_model(parts.embedder, {row["model"]: (row["dimensions"], row["memories"]) for row in vectors})


def check_model(embedder: Embedder, stored: Mapping[str, tuple[int, int]]) -> None:
    """Compare the embedder with the vectors of the newest current memories: by model, their length and how many have one.

    Vectors of another model are not compared with, so what has only those is found by nothing and every statement passes
    for new. Raises `ConfigurationError` where that is so of all of them, or where the length differs.
    """
    dimensions, _ = stored.get(embedder.model, (embedder.dimensions, 0))
    if dimensions != embedder.dimensions:
        raise ConfigurationError(
            f"the stored vectors of the embedding model {embedder.model} have {dimensions} numbers, not {embedder.dimensions}: "
            f"set HELIXIR_EMBEDDING__DIMENSIONS back to {dimensions}, or name another model by another HELIXIR_EMBEDDING__MODEL"
        )
    counts = {model: memories for model, (_, memories) in stored.items()}
    if counts and embedder.model not in counts:
        most = max(counts, key=lambda model: counts[model])
        raise ConfigurationError(
            f"the embedding model is {embedder.model}, but none of the newest current memories has a vector of it, "
            f"and {counts[most]} have one of {most}: "
            f"set HELIXIR_EMBEDDING__MODEL back to {most} (or HELIXIR_EMBEDDING__KIND, where that is the local model). "
            "A command that makes all vectors anew comes with a later version"
        )
    if len(counts) > 1:
        _log.warning("memories with no vector of the embedding model are found by their words only", model=embedder.model, memories=counts)
