"""When this process last noted the use of each key."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic
from uuid import UUID

NOTE_SECONDS = 60.0
"""How often the use of one key is noted at most."""

_MOST = 10_000


@dataclass(slots=True)
class KeyUses:
    """Keys with the moment of their last note, so that hardly any request writes one."""

    _noted: dict[UUID, float] = field(default_factory=dict)

    def due(self, key_id: UUID) -> bool:
        """True when the use is to be noted now; the caller notes it."""
        now = monotonic()
        if now - self._noted.get(key_id, -NOTE_SECONDS) < NOTE_SECONDS:
            return False
        if len(self._noted) >= _MOST:
            self._noted = {known: at for known, at in self._noted.items() if now - at < NOTE_SECONDS}
        self._noted[key_id] = now
        return True
