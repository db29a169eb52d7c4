"""The first schema: tables, guards of the constitution, the service's privileges, tenants apart, the constitution's first version."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import sqlalchemy as sa

from alembic import op
from app.db.migrate import run_script

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

HERE = Path(__file__).parent


def upgrade() -> None:
    """Create everything and register the constitution as version 1."""
    for part in ("tables", "guards", "service_role", "tenants"):
        run_script((HERE / f"0001_{part}.sql").read_text(encoding="utf-8"))
    text = (HERE / "0001_constitution.md").read_text(encoding="utf-8")
    op.get_bind().execute(
        sa.text("SELECT register_constitution(1, :sha256, :text)"),
        {"sha256": sha256(text.encode()).hexdigest(), "text": text},
    )


def downgrade() -> None:
    """Drop everything but the roles, which other databases of the cluster may use."""
    run_script((HERE / "0001_down.sql").read_text(encoding="utf-8"))
