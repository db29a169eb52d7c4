"""The look at the stored vectors' models at start is bounded, however many memories there are."""

from __future__ import annotations

from pathlib import Path

from app.db.migrate import run_script

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

HERE = Path(__file__).parent


def upgrade() -> None:
    """Look at the newest."""
    run_script((HERE / "0003_up.sql").read_text(encoding="utf-8"))


def downgrade() -> None:
    """Look at all."""
    run_script((HERE / "0003_down.sql").read_text(encoding="utf-8"))
