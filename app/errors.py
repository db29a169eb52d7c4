"""The domain's errors. There is no HTTP in this module: `app.api.problems` gives each its status."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class HelixirError(Exception):
    """Base of all errors that a caller is meant to see.

    `code` is the stable machine-readable name, `detail` a sentence that never quotes the request's text, `articles` the
    charter articles behind a refusal, `retryable` whether the same request may succeed later, `extra` further members
    of the problem document, `retry_after` seconds to wait (each class that is retryable has some, so that every 429 and 503
    says when to come again).
    """

    code = "error"
    retryable = False
    wait: int | None = None

    def __init__(
        self,
        detail: str,
        *,
        code: str | None = None,
        articles: tuple[str, ...] = (),
        extra: Mapping[str, Any] | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code or type(self).code
        self.articles = articles
        self.extra = dict(extra or {})
        self.retry_after = type(self).wait if retry_after is None else retry_after


class InvalidInputError(HelixirError):
    """The request is well-formed JSON but says something that cannot be (422)."""

    code = "invalid_input"


class UnauthenticatedError(HelixirError):
    """No key, or one that is not known (401)."""

    code = "unauthenticated"


class ForbiddenError(HelixirError):
    """The key may not do this, or the charter forbids it (403)."""

    code = "forbidden"


class NotFoundError(HelixirError):
    """There is no such thing, or the key may not see it (404)."""

    code = "not_found"


class ConflictError(HelixirError):
    """The act does not fit the present state (409)."""

    code = "conflict"


class StaleRevisionError(HelixirError):
    """`If-Match` names an older revision (412)."""

    code = "stale_revision"


class RevisionRequiredError(HelixirError):
    """`If-Match` is absent (428)."""

    code = "revision_required"


class TooManyRequestsError(HelixirError):
    """More than this key or this user may ask for now; nothing was done (429)."""

    code = "too_many_requests"
    retryable = True
    wait = 2


class UnavailableError(HelixirError):
    """Something that the request needs is out of reach; nothing was changed, or the outcome is unknown (503)."""

    code = "unavailable"
    retryable = True
    wait = 2


class EmbedderUnavailableError(UnavailableError):
    """The embedder is out of reach or answers nonsense."""

    code = "embedder_unavailable"
    wait = 5


class ExtractorUnavailableError(UnavailableError):
    """The extractor is out of reach or answers nonsense."""

    code = "extractor_unavailable"
    wait = 5


class ConfigurationError(HelixirError):
    """The settings cannot work; the service refuses to start and says what to change."""

    code = "configuration"
