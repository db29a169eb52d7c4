"""A write can be set aside by the operator: no worker takes it up until the operator says so."""

from __future__ import annotations

from pathlib import Path

from app.db.migrate import run_script

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

HERE = Path(__file__).parent


def upgrade() -> None:
    """Allow the status, and leave such writes alone."""
    run_script((HERE / "0002_up.sql").read_text(encoding="utf-8"))


def downgrade() -> None:
    """What was set aside is accepted again."""
    run_script((HERE / "0002_down.sql").read_text(encoding="utf-8"))
