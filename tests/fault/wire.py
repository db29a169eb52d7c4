"""A proxy between the service and Postgres that reads the wire: it knows transactions, and cuts or stalls a chosen COMMIT.

with running_wire(path_of_the_socket) as wire:
    wire.snag(Moment.DURING, "INSERT INTO decisions")   # the next commit of such a transaction: done, and its answer lost
    ...
"""

from __future__ import annotations

import asyncio
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

_SSL = 80877103  # the code of a request for encryption
_STARTING_SECONDS = 20.0


class Moment(StrEnum):
    """When the connection is cut. After a STALL of some seconds the commit goes on as if nothing had been."""

    BEFORE = "before"
    DURING = "during"
    AFTER = "after"
    STALL = "stall"


@dataclass
class Snag:
    """What happens to the next `times` COMMITs of transactions that ran a statement with `marker` in it."""

    moment: Moment
    marker: str
    times: int = 1
    seconds: float = 0.0
    met: threading.Event = field(default_factory=threading.Event)


@dataclass(eq=False)
class _Session:
    """One connection through the proxy. `reply`: what to do with the server's answer to a COMMIT."""

    client: asyncio.StreamWriter
    server: asyncio.StreamWriter
    statements: dict[bytes, str] = field(default_factory=dict)
    ran: list[str] = field(default_factory=list)
    reply: Moment | None = None

    def abort(self) -> None:
        for writer in (self.client, self.server):
            writer.transport.abort()


class Wire:
    """The proxy, in a loop of its own. All public methods may be called from any thread."""

    def __init__(self, upstream: Path) -> None:
        self._upstream = upstream
        self._loop = asyncio.new_event_loop()
        self._snags: list[Snag] = []
        self._sessions: set[_Session] = set()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._server: asyncio.Server | None = None
        self._ended = asyncio.Event()

    @property
    def port(self) -> int:
        """The port on 127.0.0.1."""
        assert self._server is not None
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    def snag(self, moment: Moment, marker: str, *, times: int = 1, seconds: float = 0.0) -> Snag:
        """Lay a snag for coming commits."""
        laid = Snag(moment, marker, times, seconds)
        self._call(lambda: self._snags.append(laid))
        return laid

    def clear(self) -> None:
        """Take up all snags, and let everything flow."""
        self._call(self._snags.clear)
        self.restore()

    def stall(self) -> None:
        """Let nothing through, in either direction, on old connections and on new ones."""
        self._call(self._flowing.clear)

    def restore(self) -> None:
        """Let everything through that waited, and all that comes."""
        self._call(self._flowing.set)

    def cut(self) -> None:
        """Cut every connection there is."""
        self._call(self._cut)

    def _cut(self) -> None:
        for session in list(self._sessions):
            session.abort()

    def _call(self, act: Callable[[], object]) -> None:
        done = threading.Event()

        def then() -> None:
            act()
            done.set()

        self._loop.call_soon_threadsafe(then)
        assert done.wait(_STARTING_SECONDS)

    async def _serve(self, ready: threading.Event) -> None:
        self._server = await asyncio.start_server(self._converse, "127.0.0.1", 0)
        ready.set()
        await self._ended.wait()
        self._server.close()
        for session in list(self._sessions):
            session.abort()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._flowing.wait()
            first = await _startup(reader, writer)
            answers, server = await asyncio.open_unix_connection(str(self._upstream))
        except (OSError, asyncio.IncompleteReadError):
            writer.transport.abort()
            return
        session = _Session(writer, server)
        self._sessions.add(session)
        server.write(first)
        try:
            async with asyncio.TaskGroup() as pumps:
                pumps.create_task(self._asked(session, reader))
                pumps.create_task(self._answered(session, answers))
        except* (OSError, asyncio.IncompleteReadError):
            pass  # one side hung up, or was made to
        finally:
            self._sessions.discard(session)
            for one in (writer, server):
                with suppress(OSError):
                    one.close()

    async def _asked(self, session: _Session, reader: asyncio.StreamReader) -> None:
        """The client's messages: statements are noted, and a COMMIT may meet a snag."""
        while True:
            kind, message = await _message(reader)
            await self._flowing.wait()
            body = message[5:]
            if kind == b"P":
                name, query, _ = body.split(b"\0", 2)
                session.statements[name] = query.decode()
            elif kind == b"B":
                session.ran.append(session.statements.get(body.split(b"\0", 2)[1], ""))
            elif kind == b"Q" and body.startswith(b"BEGIN"):
                session.ran.clear()
            elif kind == b"Q" and body.startswith(b"COMMIT") and not await self._passes(session):
                return
            session.server.write(message)
            await session.server.drain()

    async def _passes(self, session: _Session) -> bool:
        """False when the connection was cut instead of passing the COMMIT on."""
        found = next((one for one in self._snags if one.times > 0 and any(one.marker in sql for sql in session.ran)), None)
        if found is None:
            return True
        found.times -= 1
        found.met.set()
        if found.moment is Moment.BEFORE:
            session.abort()
            return False
        if found.moment is Moment.STALL:
            await asyncio.sleep(found.seconds)
        else:
            session.reply = found.moment
        return True

    async def _answered(self, session: _Session, reader: asyncio.StreamReader) -> None:
        """The server's messages; of the answer to a snagged COMMIT nothing or all is passed on before the cut."""
        while True:
            kind, message = await _message(reader)
            await self._flowing.wait()
            if session.reply is not Moment.DURING:
                session.client.write(message)
                await session.client.drain()
            if kind == b"Z" and session.reply is Moment.DURING:
                session.abort()
            elif kind == b"Z" and session.reply is Moment.AFTER:
                session.client.close()  # what was written still arrives
                session.server.transport.abort()


async def _startup(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    """The first message, which has no type; encryption is declined."""
    while True:
        head = await reader.readexactly(8)
        length, code = struct.unpack("!II", head)
        rest = await reader.readexactly(length - 8)
        if code != _SSL:
            return head + rest
        writer.write(b"N")


async def _message(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    """One message's type, and the whole of it."""
    head = await reader.readexactly(5)
    return head[:1], head + await reader.readexactly(struct.unpack("!I", head[1:])[0] - 4)


@contextmanager
def running_wire(upstream: Path) -> Iterator[Wire]:
    """The proxy, serving from a thread."""
    wire = Wire(upstream)
    ready = threading.Event()
    thread = threading.Thread(target=wire._loop.run_until_complete, args=(wire._serve(ready),), daemon=True)  # noqa: SLF001 - its other half
    thread.start()
    assert ready.wait(_STARTING_SECONDS)
    try:
        yield wire
    finally:
        wire._loop.call_soon_threadsafe(wire._ended.set)  # noqa: SLF001 - as above
        thread.join(_STARTING_SECONDS)
        wire._loop.close()  # noqa: SLF001 - as above
