"""The history of ratings, and offers of a draw in live games."""

import sqlalchemy as sa
from alembic import op

revision = "3"
down_revision = "2"
ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the table of past ratings, which begins empty; nobody has offered a draw."""
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
    op.add_column("server_live_games", sa.Column("draw_by", sa.Integer(), nullable=True))
