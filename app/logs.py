"""Logs: one JSON object a line on standard error, for the service and for the libraries under it."""

from __future__ import annotations

import logging
import sys
import traceback
from typing import TextIO

import orjson
import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

_QUIET_LIBRARIES = ("httpx", "httpx2", "httpcore", "httpcore2", "asyncio")
_UVICORN_LOGGERS = ("uvicorn", "uvicorn.error", "uvicorn.access")


class _JsonHandler(logging.StreamHandler[TextIO]):
    """Marks the handler as ours, so that setting up twice replaces it."""


def configure_logs(level: int = logging.INFO, stream: TextIO | None = None) -> None:
    """Send all logs of the process to `stream` (standard error) as JSON lines, from `level` on. May be called again.

    Messages of exceptions are left out, their types and frames are kept: a driver's message may quote a memory.
    """
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _frames_without_message,
    ]
    structlog.configure(
        processors=[structlog.stdlib.filter_by_level, *shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    handler = _JsonHandler(stream or sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(serializer=_to_json),
            ],
        )
    )
    root = logging.getLogger()
    for old in [old for old in root.handlers if isinstance(old, _JsonHandler)]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(level)
    _tame_libraries()


def _tame_libraries() -> None:
    for name in _UVICORN_LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
    logging.getLogger("uvicorn.access").disabled = True  # it logs paths with their query; we have our own line
    logging.getLogger("uvicorn.error").addFilter(_is_no_traceback)
    for name in _QUIET_LIBRARIES:
        logging.getLogger(name).setLevel(logging.WARNING)


def _is_no_traceback(record: logging.LogRecord) -> bool:
    """False for a whole traceback as a message: a failed start is told by `app.main`, in one line."""
    return not str(record.msg).startswith("Traceback ")


def _frames_without_message(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Replace `exc_info` by the error's type and frames."""
    information = event.pop("exc_info", None)
    if information is True:
        information = sys.exc_info()
    error = information[1] if isinstance(information, tuple) else information
    if isinstance(error, BaseException):
        event["error"] = type(error).__qualname__
        event["frames"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)]
    return event


def _to_json(event: object, **_: object) -> str:
    return orjson.dumps(event, default=str).decode()
