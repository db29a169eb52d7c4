"""Builds the engine and the extractor that the settings ask for."""

from __future__ import annotations

from urllib.parse import urlsplit

from app.engine.breaker import Breaker
from app.engine.chat import ChatClient
from app.engine.extraction import LLMExtractor
from app.engine.llm import LLMEngine
from app.engine.local_extraction import LocalExtractor
from app.engine.port import Engine, Extractor
from app.engine.relation.engine import LocalEngine
from app.errors import ConfigurationError
from app.settings import EngineKind, EngineSettings, Settings


def build_engine(settings: Settings) -> Engine:
    """The decision engine. Raises `ConfigurationError` that names the variable to set, or the file that is not as it was built."""
    if settings.engine.kind is EngineKind.LOCAL:
        return LocalEngine()
    return LLMEngine(_build_chat(settings.engine, "engine"))


def build_extractor(settings: Settings) -> Extractor:
    """The extractor; a model's is at the engine's endpoint. Raises `ConfigurationError` as the engine does."""
    if settings.extraction.kind is EngineKind.LOCAL:
        return LocalExtractor()
    return LLMExtractor(_build_chat(settings.engine, "extractor"))


def _build_chat(engine: EngineSettings, of: str) -> ChatClient:
    if not engine.base_url or not _is_web_address(engine.base_url):
        raise ConfigurationError("HELIXIR_ENGINE__BASE_URL must be an http or https address for the kind llm")
    if not engine.model:
        raise ConfigurationError("HELIXIR_ENGINE__MODEL must be set for the kind llm")
    api_key = engine.api_key.get_secret_value() if engine.api_key else None
    if api_key and not (api_key.isascii() and api_key.isprintable()):
        raise ConfigurationError("HELIXIR_ENGINE__API_KEY may hold printable ASCII characters only")
    return ChatClient(
        base_url=engine.base_url,
        model=engine.model,
        api_key=api_key,
        timeout_seconds=engine.timeout_seconds,
        retries=engine.retries,
        max_tokens=engine.max_tokens,
        breaker=Breaker(engine.breaker_failures, engine.breaker_seconds, of=of),
    )


def _is_web_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a bad port, or brackets that hold no address
        return False
