"""All settings, read once from the environment (prefix `HELIXIR_`, nested with `__`), or from a folder with a file for each."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from limits import parse
from pydantic import BaseModel, Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NestedSecretsSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict


class EmbeddingKind(StrEnum):
    """Who turns text into vectors."""

    LOCAL = "local"
    OPENAI = "openai"


class EngineKind(StrEnum):
    """Who proposes verdicts (and splits messages)."""

    LOCAL = "local"
    LLM = "llm"


class EmbeddingSettings(BaseModel, frozen=True):
    """The embedder. `base_url` ends before `/embeddings`; `dimensions` is needed for `openai`."""

    kind: EmbeddingKind = EmbeddingKind.LOCAL
    base_url: str | None = None
    model: str | None = None
    dimensions: int | None = Field(default=None, ge=1, le=3900)
    api_key: SecretStr | None = None
    timeout_seconds: float = Field(default=20.0, gt=0, le=600)


class EngineSettings(BaseModel, frozen=True):
    """The decision engine. `base_url` ends before `/chat/completions`.

    `timeout_seconds` bounds one call with its `retries` (after 429, 5xx and broken connections), `deadline_seconds` all
    that one write asks of the engine; left out, it is three calls' time. After `breaker_failures` calls in a row without
    an answer the server is left alone for `breaker_seconds`. `max_tokens` bounds an answer, where the server needs that.
    """

    kind: EngineKind = EngineKind.LOCAL
    base_url: str | None = None
    model: str | None = None
    api_key: SecretStr | None = None
    timeout_seconds: float = Field(default=30.0, gt=0, le=600)
    deadline_seconds: float | None = Field(default=None, gt=0, le=1800)
    retries: int = Field(default=2, ge=0, le=10)
    breaker_failures: int = Field(default=5, ge=1, le=1000)
    breaker_seconds: float = Field(default=10.0, gt=0, le=3600)
    max_tokens: int | None = Field(default=None, ge=1)

    @property
    def seconds_for_a_write(self) -> float:
        """The time that one write has for the engine in all."""
        return self.deadline_seconds or 3 * self.timeout_seconds


class ExtractionSettings(BaseModel, frozen=True):
    """Who splits messages: the local splitter, or the engine's endpoint."""

    kind: EngineKind = EngineKind.LOCAL


class CharterSettings(BaseModel, frozen=True):
    """Overrides of the embedding model's threshold profile. C5's bar may be raised, never lowered.

    `profile_file` is what `helixir calibrate --write` wrote; its entry goes before the shipped one.
    """

    profile_file: Path | None = None
    duplicate_at: float | None = Field(default=None, ge=0, le=1)
    new_below: float | None = Field(default=None, ge=0, le=1)
    low_confidence: int | None = Field(default=None, ge=70, le=100)


class RuleSettings(BaseModel, frozen=True):
    """When repeated answers become a proposal."""

    propose_after: int = Field(default=3, ge=2, le=100)


class IntakeSettings(BaseModel, frozen=True):
    """When an accepted or undecided write is tried again: `retry_seconds` is the first delay, and it grows.

    `lease_seconds` is how long one counts as being worked on by a process of which nothing is heard; then another takes it
    up. A live process renews its leases three times in that time. Too short a lease costs double work, never a double result.
    """

    retry_seconds: float = Field(default=30.0, gt=0, le=3600)
    lease_seconds: float = Field(default=60.0, ge=1, le=86400)


class LimitSettings(BaseModel, frozen=True):
    """What one key or one user may ask for at most.

    `rate` is requests of one key in one process, as the `limits` library writes it ("20/second"), or `off`. `open_disputes`
    are those that one key opened and nobody answered. `waiting_writes` are those of one user in one process.
    """

    rate: str = "12000/minute"
    open_disputes: int = Field(default=1000, ge=1, le=1_000_000)
    waiting_writes: int = Field(default=256, ge=1, le=100_000)

    @field_validator("rate")
    @classmethod
    def _readable(cls, rate: str) -> str:
        if rate.strip().lower() == "off":
            return "off"
        parse(rate)
        return rate


class Settings(BaseSettings):
    """The whole configuration, frozen.

    `secrets_dir` is a folder whose files are named like variables, in any case; the environment goes before them.
    """

    model_config = SettingsConfigDict(env_prefix="HELIXIR_", env_nested_delimiter="__", env_ignore_empty=True, frozen=True, extra="ignore")

    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    home: Path = Path(".helixir")
    secrets_dir: Path | None = None
    database_url: SecretStr | None = None
    migration_database_url: SecretStr | None = None
    docs: bool = True
    pool_size: int = Field(default=16, ge=2, le=200)
    embedding: EmbeddingSettings = EmbeddingSettings()
    engine: EngineSettings = EngineSettings()
    extraction: ExtractionSettings = ExtractionSettings()
    charter: CharterSettings = CharterSettings()
    rules: RuleSettings = RuleSettings()
    intake: IntakeSettings = IntakeSettings()
    limits: LimitSettings = LimitSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - pydantic-settings gives all five by name
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the same
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Read the folder that the environment names, too. Raises `SettingsError` when it is not there."""
        folder = env_settings().get("secrets_dir")
        if folder is None:
            return init_settings, env_settings
        files = NestedSecretsSettingsSource(file_secret_settings, secrets_dir=folder, secrets_dir_missing="error")
        return init_settings, env_settings, files
