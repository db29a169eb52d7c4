"""The embedder that the settings ask for, or a sentence about what to set."""

from __future__ import annotations

from typing import Any

import pytest

from app.embedding.factory import build_embedder
from app.errors import ConfigurationError
from app.settings import EmbeddingSettings, Settings

COMPLETE = {"kind": "openai", "base_url": "http://models.test/v1", "model": "m", "dimensions": 8, "api_key": "k"}


def settings(**embedding: Any) -> Settings:
    return Settings(embedding=EmbeddingSettings.model_validate(embedding))


def test_the_default_is_local() -> None:
    assert build_embedder(settings()).model == "all-MiniLM-L6-v2-int8"


def test_a_complete_configuration_gives_the_client() -> None:
    embedder = build_embedder(settings(**COMPLETE))
    assert (embedder.model, embedder.dimensions) == ("m", 8)


@pytest.mark.parametrize("missing", ["base_url", "model", "dimensions"])
def test_what_is_missing_is_named(missing: str) -> None:
    with pytest.raises(ConfigurationError, match=f"HELIXIR_EMBEDDING__{missing.upper()}"):
        build_embedder(settings(**{k: v for k, v in COMPLETE.items() if k != missing}))


@pytest.mark.parametrize("address", ["models.test/v1", "ftp://models.test", "http://", "http://[bad"])
def test_an_address_must_be_one(address: str) -> None:
    with pytest.raises(ConfigurationError, match="HELIXIR_EMBEDDING__BASE_URL"):
        build_embedder(settings(**COMPLETE | {"base_url": address}))


@pytest.mark.parametrize("key", ["clé", "a\nb"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(ConfigurationError, match="HELIXIR_EMBEDDING__API_KEY") as caught:
        build_embedder(settings(**COMPLETE | {"api_key": key}))
    assert key not in caught.value.detail
