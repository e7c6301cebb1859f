"""The history of ratings."""

import sqlalchemy as sa
from alembic import op

revision = "3"
down_revision = "2"
ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the table of past ratings, which begins empty."""
    op.create_table(
        "server_ratings",
        sa.Column("bot", ID, nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("rating", sa.Double(), nullable=False),
        sa.Column("deviation", sa.Double(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["bot"], ["server_bots.id"]),
        sa.PrimaryKeyConstraint("bot", "games"),
    )
