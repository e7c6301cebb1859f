"""Leases of a length of their own, and an index by which those that have run out are found."""

import sqlalchemy as sa
from alembic import op

revision = "4"
down_revision = "3"
LEASE_S = 90.0


def upgrade() -> None:
    """Add the length of leases, which was the same for all, and the index."""
    op.add_column("server_jobs", sa.Column("lease_s", sa.Double(), nullable=True))
    op.execute(f"UPDATE server_jobs SET lease_s = {LEASE_S} WHERE state = 'leased'")
    op.create_index("server_jobs_by_expiry", "server_jobs", ["state", "expires"])
