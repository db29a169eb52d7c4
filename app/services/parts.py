"""The parts that every use case works with, put together once in `app.main`."""

from __future__ import annotations

from dataclasses import dataclass

import asyncpg

from app.charter.model import Thresholds
from app.embedding.port import Embedder
from app.engine.port import Engine, Extractor
from app.services.turns import Turns
from app.settings import Settings


@dataclass(frozen=True, slots=True)
class Parts:
    """One process's pool, models and queues."""

    settings: Settings
    pool: asyncpg.Pool
    embedder: Embedder
    engine: Engine
    extractor: Extractor
    thresholds: Thresholds
    turns: Turns
