"""What the caller would like: language and media type."""

from __future__ import annotations

LANGUAGES = ("en", "ru", "de", "es", "zh")
"""The languages of questions, the default first."""

_HEADER_LIMIT = 1_000


def preferred_language(header: str | None) -> str:
    """The best of the known languages for an `Accept-Language` header; `en` when none is named. Never fails."""
    for name in _ranked(header):
        primary = name.partition("-")[0]
        if primary in LANGUAGES:
            return primary
        if primary == "*":
            break
    return LANGUAGES[0]


def prefers_markdown(header: str | None) -> bool:
    """True when an `Accept` header names Markdown, and not JSON before it."""
    ranked = _ranked(header)
    if "text/markdown" not in ranked:
        return False
    return "application/json" not in ranked or ranked.index("text/markdown") < ranked.index("application/json")


def asks_for_async(headers: list[str]) -> bool:
    """True when a `Prefer` header holds `respond-async` (RFC 7240)."""
    preferences = (part.partition(";")[0] for header in headers for part in header.split(","))
    return any(preference.strip().lower() == "respond-async" for preference in preferences)


def _ranked(header: str | None) -> list[str]:
    """The names of a weighted header, best first, in lower case; those with weight 0 left out."""
    weighted = []
    for part in (header or "")[:_HEADER_LIMIT].split(","):
        name, *parameters = (piece.strip().lower() for piece in part.split(";"))
        weight = _weight(parameters)
        if name and weight > 0:
            weighted.append((weight, name))
    return [name for _, name in sorted(weighted, key=lambda pair: -pair[0])]


def _weight(parameters: list[str]) -> float:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return float(value)
            except ValueError:
                return 0.0
    return 1.0
