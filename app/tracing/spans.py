"""Spans of what takes time, for OpenTelemetry. They cost nothing until `app.tracing.traces` found an exporter and gave a tracer.

Attributes are counts, names of the contract and settings. No text, no user, no id: `app.tracing.export` lets through only what it knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

PREFIX: Final = "helixir."
"""Before the names of all attributes of ours."""

_tracers: list[Tracer] = []


class Noted:
    """What is being done, where somebody listens."""

    __slots__ = ("_span",)

    def __init__(self, span: Span | None = None) -> None:
        self._span = span

    def note(self, **attributes: str | bool | int) -> None:
        """Add what is known only now."""
        if self._span is not None:
            self._span.set_attributes({PREFIX + name: value for name, value in attributes.items()})


_UNHEARD: Final = Noted()


def listen(tracer: Tracer) -> None:
    """From now on spans go to this tracer."""
    _tracers.append(tracer)


def forget(tracer: Tracer) -> None:
    """No span goes to this tracer any more."""
    _tracers.remove(tracer)


@contextmanager
def span(name: str, *, outward: bool = False, **attributes: str | bool | int) -> Iterator[Noted]:
    """Time what is done inside, below what is being done already. `outward`: it is a call to another server.

    An error that passes through marks the span with its type; its message may quote a memory and is left out.
    """
    if not _tracers:
        yield _UNHEARD
        return
    from opentelemetry.trace import SpanKind, StatusCode  # noqa: PLC0415 - only where spans are wanted

    kind = SpanKind.CLIENT if outward else SpanKind.INTERNAL
    with _tracers[-1].start_as_current_span(name, kind=kind, record_exception=False, set_status_on_exception=False) as current:
        noted = Noted(current)
        noted.note(**attributes)
        try:
            yield noted
        except BaseException as fault:
            current.set_attribute("error.type", type(fault).__qualname__)
            current.set_status(StatusCode.ERROR)
            raise


def current_trace() -> str | None:
    """The id of the trace that is being recorded, in hexadecimal, for the logs."""
    if not _tracers:
        return None
    from opentelemetry.trace import format_trace_id, get_current_span  # noqa: PLC0415 - only where spans are wanted

    context = get_current_span().get_span_context()
    return format_trace_id(context.trace_id) if context.is_valid and context.trace_flags.sampled else None
