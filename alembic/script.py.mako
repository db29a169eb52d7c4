"""${message}."""

from __future__ import annotations

from pathlib import Path

from app.db.migrate import run_script

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = ${repr(branch_labels)}
depends_on = ${repr(depends_on)}


def upgrade() -> None:
    """Run the script beside this file."""
    run_script(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))


def downgrade() -> None:
    """Migrations only go forward: going back would drop what people said."""
    raise NotImplementedError
