"""A Postgres of a test's own, made to survive a crash, since it is killed and restarted."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from app.db import migrate
from app.local import place, roles
from app.local.postgres import EmbeddedPostgres
from tests.postgres import Database, quick_folder, run


@contextmanager
def own_postgres(configuration: Mapping[str, str] | None = None) -> Iterator[tuple[EmbeddedPostgres, Database]]:
    """The server and its migrated database. Only in the main thread: its life is bound to the thread."""
    home = Path(tempfile.mkdtemp(prefix="helixir-fault-", dir=quick_folder()))
    postgres = EmbeddedPostgres(home, configuration={"shared_buffers": "64MB", "max_wal_size": "256MB", **(configuration or {})})
    try:
        postgres.start()
        roles.prepare(home)
        run(migrate.migrate(place.migration_dsn(home)))
        yield postgres, Database(place.DATABASE, home)
    finally:
        postgres.stop()
        for folder in (postgres.place.data, postgres.place.sockets, home):
            shutil.rmtree(folder, ignore_errors=True)


def end(postgres: EmbeddedPostgres, number: signal.Signals, seconds: float = 30.0) -> None:
    """Send the server a signal and wait until it is gone."""
    assert postgres.pid is not None
    os.kill(postgres.pid, number)
    until = time.monotonic() + seconds
    while postgres.exit_code() is None:
        assert time.monotonic() < until
        time.sleep(0.02)
