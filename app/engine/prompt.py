"""The instructions that go to the model: files of this package, named by their content."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib import resources


@dataclass(frozen=True, slots=True)
class Prompt:
    """One text of instructions. `sha256` of its UTF-8 bytes names exactly this version of it."""

    text: str
    sha256: str


def read_prompt(name: str) -> Prompt:
    """The prompt `name` of `app/engine/prompts`."""
    text = (resources.files("app.engine") / "prompts" / f"{name}.md").read_text(encoding="utf-8")
    return Prompt(text, hashlib.sha256(text.encode()).hexdigest())
