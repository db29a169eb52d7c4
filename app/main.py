"""The application: the only place where its parts are put together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager, suppress
from importlib.metadata import version

import asyncpg
import structlog
from fastapi import FastAPI

from app.api import routers
from app.api.body_limit import BodyLimit
from app.api.document import DESCRIPTION, TAGS, document_of
from app.api.request_context import RequestContext
from app.db.pool import open_pool
from app.embedding.factory import build_embedder
from app.embedding.profiles import thresholds_for
from app.engine.factory import build_engine, build_extractor
from app.errors import HelixirError
from app.logs import configure_logs
from app.services.leases import Leases
from app.services.limits import Limits
from app.services.parts import Parts
from app.services.start import prepare
from app.services.turns import Turns
from app.services.worker import work
from app.settings import Settings
from app.tracing.traces import Traces

_CLOSING_SECONDS = 1.5
"""For each step of the end, after the open requests: the process is gone 20 seconds after it was asked to end."""

_log = structlog.stdlib.get_logger("helixir.start")


def create_app(settings: Settings | None = None) -> FastAPI:
    """The application for `settings` (read from the environment when None). Nothing is opened before its lifespan.

    Raises `ConfigurationError` where the environment asks for spans in a way that there is none.
    """
    settings = settings or Settings()
    traces = Traces()
    app = FastAPI(
        title="Helixir",
        version=version("helixir"),
        summary="Governed memory for AI agents.",
        description=DESCRIPTION,
        openapi_tags=TAGS,
        license_info={"name": "MIT", "identifier": "MIT"},
        lifespan=_lifespan(settings, traces),
        docs_url="/docs" if settings.docs else None,
        openapi_url="/openapi.json" if settings.docs else None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry=traces.for_requests(),
    )
    routers.install(app)
    app.add_middleware(BodyLimit)
    app.add_middleware(RequestContext)  # added last: the outermost
    app.openapi = document_of(app)  # type: ignore[method-assign] # the documented way to extend the document
    return app


def _lifespan(settings: Settings, traces: Traces) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        configure_logs()
        async with AsyncExitStack() as closing:
            traces.start()
            closing.push_async_callback(traces.close)
            with _refusal_logged():
                app.state.parts = await _open_parts(settings, closing)
            yield
            app.state.parts = None

    return lifespan


@contextmanager
def _refusal_logged() -> Generator[None]:
    """Say in one line why the service does not start; the server ends it afterwards."""
    try:
        yield
    except HelixirError as error:
        _log.error("the service refuses to start", code=error.code, detail=error.detail)
        raise
    except Exception:
        _log.exception("the service cannot start")
        raise


async def _open_parts(settings: Settings, closing: AsyncExitStack) -> Parts:
    """Open everything, and leave with `closing` how to close it in reverse order. Raises `ConfigurationError`."""
    pool = await open_pool(settings)
    closing.push_async_callback(_close_pool, pool)
    embedder = build_embedder(settings)
    closing.push_async_callback(embedder.close)
    engine = build_engine(settings)
    closing.push_async_callback(engine.close)
    extractor = build_extractor(settings)
    closing.push_async_callback(extractor.close)
    turns = Turns()
    parts = Parts(
        settings=settings,
        pool=pool,
        embedder=embedder,
        engine=engine,
        extractor=extractor,
        thresholds=thresholds_for(embedder.model, settings.charter),
        turns=turns,
        leases=Leases(settings.intake.lease_seconds, turns.wake),
        limits=Limits(settings.limits),
    )
    await prepare(parts)
    await embedder.start()
    background = {
        asyncio.create_task(work(parts), name="worker"),
        asyncio.create_task(parts.leases.keep(pool), name="leases"),
    }
    closing.push_async_callback(_end, background, parts)
    return parts


async def _end(background: set[asyncio.Task[None]], parts: Parts) -> None:
    """Stop what goes on in the background, and give back what was being done: another process or the next start goes on with it."""
    for task in background:
        task.cancel()
    await asyncio.wait(background, timeout=_CLOSING_SECONDS)
    with suppress(HelixirError, TimeoutError):  # then it comes again when its lease ends
        async with asyncio.timeout(_CLOSING_SECONDS):
            await parts.leases.give_back(parts.pool)


async def _close_pool(pool: asyncpg.Pool) -> None:
    """Wait for running work to give its connections back, but not for ever."""
    try:
        async with asyncio.timeout(_CLOSING_SECONDS):
            await pool.close()
    except TimeoutError:
        pool.terminate()
