"""The same house and stage as for the integration tests."""

from __future__ import annotations

from tests.integration.conftest import house, stage

__all__ = ["house", "stage"]
