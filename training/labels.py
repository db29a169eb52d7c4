"""The five relations of a new statement to a stored one, in the order of the model's answer."""

from __future__ import annotations

from typing import Final

LABELS: Final = ("duplicate", "detail", "change", "conflict", "new")
