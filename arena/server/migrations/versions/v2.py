"""Live games, in which people play, as they were then."""

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"
ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the table of live games; jobs may be those of bots in them."""
    op.create_table(
        "server_live_games",
        sa.Column("id", ID, nullable=False),
        sa.Column("ladder", ID, nullable=False),
        sa.Column("first", ID, nullable=False),
        sa.Column("second", ID, nullable=False),
        sa.Column("challenger", ID, nullable=False),
        sa.Column("bot", ID, nullable=True),
        sa.Column("bot_seat", sa.Integer(), nullable=True),
        sa.Column("clock", sa.Text(), nullable=True),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("actions", sa.JSON(), nullable=False),
        sa.Column("spent", sa.JSON(), nullable=False),
        sa.Column("since", sa.Double(), nullable=False),
        sa.Column("verdict", sa.JSON(), nullable=True),
        sa.Column("created", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["ladder"], ["server_ladders.id"]),
        sa.ForeignKeyConstraint(["first"], ["server_accounts.id"]),
        sa.ForeignKeyConstraint(["second"], ["server_accounts.id"]),
        sa.ForeignKeyConstraint(["challenger"], ["server_accounts.id"]),
        sa.ForeignKeyConstraint(["bot"], ["server_bots.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    for column in ("first", "second", "ladder"):
        op.create_index(f"server_live_games_by_{column}", "server_live_games", [column, "state"], unique=False)
    op.add_column("server_jobs", sa.Column("live", sa.BigInteger(), nullable=True))
    op.create_index("server_jobs_by_live", "server_jobs", ["live"], unique=False)
