"""The parts that every use case works with, put together once in `app.main`."""

from __future__ import annotations

from dataclasses import dataclass, field

import asyncpg

from app.charter.model import Thresholds
from app.embedding.port import Embedder
from app.engine.port import Engine, Extractor
from app.services.key_uses import KeyUses
from app.services.leases import Leases
from app.services.limits import Limits
from app.services.turns import Turns
from app.settings import IntakeSettings, LimitSettings, Settings


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
    leases: Leases = field(default_factory=lambda: Leases(IntakeSettings().lease_seconds))
    key_uses: KeyUses = field(default_factory=KeyUses)
    limits: Limits = field(default_factory=lambda: Limits(LimitSettings()))
