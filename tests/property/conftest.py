"""Hypothesis is deterministic here: the same code gives the same run, on every machine.

`HYPOTHESIS_PROFILE=search` looks further, with new examples each time.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_SLOW = [HealthCheck.too_slow]

settings.register_profile("fixed", derandomize=True, deadline=None, database=None, max_examples=80, suppress_health_check=_SLOW)
settings.register_profile("search", deadline=None, max_examples=5000, suppress_health_check=_SLOW)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))
