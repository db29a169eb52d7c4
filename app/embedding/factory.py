"""Builds the embedder that the settings ask for."""

from __future__ import annotations

from urllib.parse import urlsplit

from app.embedding.local import LocalEmbedder
from app.embedding.openai import OpenAIEmbedder
from app.embedding.port import Embedder
from app.errors import ConfigurationError
from app.settings import EmbeddingKind, EmbeddingSettings, Settings


def build_embedder(settings: Settings) -> Embedder:
    """The embedder, not started. Raises `ConfigurationError` that names the variable to set."""
    if settings.embedding.kind is EmbeddingKind.LOCAL:
        return LocalEmbedder()
    return _build_client(settings.embedding)


def _build_client(embedding: EmbeddingSettings) -> OpenAIEmbedder:
    if not embedding.base_url or not _is_web_address(embedding.base_url):
        raise ConfigurationError("HELIXIR_EMBEDDING__BASE_URL must be an http or https address for the kind openai")
    if not embedding.model:
        raise ConfigurationError("HELIXIR_EMBEDDING__MODEL must be set for the kind openai")
    if embedding.dimensions is None:
        raise ConfigurationError("HELIXIR_EMBEDDING__DIMENSIONS must be set for the kind openai")
    api_key = embedding.api_key.get_secret_value() if embedding.api_key else None
    if api_key and not (api_key.isascii() and api_key.isprintable()):
        raise ConfigurationError("HELIXIR_EMBEDDING__API_KEY may hold printable ASCII characters only")
    return OpenAIEmbedder(
        base_url=embedding.base_url,
        model=embedding.model,
        dimensions=embedding.dimensions,
        api_key=api_key,
        timeout_seconds=embedding.timeout_seconds,
    )


def _is_web_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a bad port, or brackets that hold no address
        return False
