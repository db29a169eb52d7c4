"""The document and its page can be switched off; everything else stays."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from app.main import create_app
from app.settings import Settings


@pytest.mark.parametrize(("said", "status"), [("off", 404), ("on", 200), (None, 200)])
def test_docs_are_there_unless_they_are_switched_off(monkeypatch: pytest.MonkeyPatch, said: str | None, status: int) -> None:
    monkeypatch.delenv("HELIXIR_DOCS", raising=False)
    if said is not None:
        monkeypatch.setenv("HELIXIR_DOCS", said)
    client = TestClient(create_app(Settings()))
    assert {client.get(path).status_code for path in ("/docs", "/openapi.json")} == {status}
    assert client.get("/livez").status_code == 200
