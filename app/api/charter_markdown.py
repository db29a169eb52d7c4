"""The charter as a document to read: the constitution's text whole, the layers around it as they are in force."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.charter.model import Mode, Shape
from app.services.rulebook import sentence
from app.services.views import CharterView

_MODES = {
    Mode.DEFER: "defer, don't destroy: an escalated rewrite waits beside both texts",
    Mode.BLOCK: "blocking: an escalated write waits, held, until it is answered",
}


def render(charter: CharterView) -> str:
    """Markdown of the three layers, strongest first, under a line that says what is in force."""
    return "\n".join(
        [
            "# Helixir Memory Charter",
            "",
            _status_line(charter),
            "",
            "## 1. Constitution (immutable: changed only by explicit human edit)",
            "",
            *(f"- **{article.id}. {article.title}** {article.text}".rstrip() for article in charter.articles),
            "",
            f"SHA-256 of the constitution's text: `{charter.sha256}`",
            "",
            "## 2. Learned rules (grown from precedents, each with provenance)",
            "",
            *([_rule_line(rule) for rule in charter.rules] or ["(empty: no precedents yet)"]),
            "",
            "## 3. Defaults (thresholds; tunable in config)",
            "",
            *(f"- {sentence}" for sentence in charter.defaults),
            *(f"- `{name}`: {value}" for name, value in charter.thresholds.items()),
            "",
            "### Refinements that keep the defaults honest",
            "",
            *(f"- {sentence}" for sentence in charter.refinements),
            "",
        ]
    )


def _status_line(charter: CharterView) -> str:
    line = f"Version {charter.version}, {charter.status}. In force: {_MODES[charter.mode]}."
    if charter.approved_by is None or charter.approved_at is None:
        return line
    return f"{line} Approved by key {charter.approved_by} at {charter.approved_at:%Y-%m-%dT%H:%M:%SZ}."


def _rule_line(rule: Mapping[str, Any]) -> str:
    text = sentence(Shape(**rule["shape"]), rule["resolution"], rule["scope"])
    return f"- {text} Rule {rule['id']}, used {rule['uses']} times, because of episodes {', '.join(rule['episodes'])}."
