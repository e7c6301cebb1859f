"""The first tables."""

from alembic import op

from arena.server.schema import METADATA

revision = "1"
down_revision = None


def upgrade() -> None:
    """Make all tables."""
    METADATA.create_all(op.get_bind())
