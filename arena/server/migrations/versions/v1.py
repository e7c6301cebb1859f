"""The first tables, as they were then: written down by Alembic from `arena.server.schema`."""

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None
ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make all tables, those that others refer to first."""
    _accounts()
    _audit()
    _ladders()
    _settings()
    _bots()
    _bundles()
    _invitations()
    _keys()
    _members()
    _workers()
    _jobs()


def _accounts() -> None:
    op.create_table(
        "server_accounts",
        sa.Column("id", ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
    )


def _audit() -> None:
    op.create_table(
        "server_audit",
        sa.Column("id", ID, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("account", sa.BigInteger(), nullable=True),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("server_audit_by_time", "server_audit", ["at"], unique=False)


def _ladders() -> None:
    op.create_table(
        "server_ladders",
        sa.Column("id", ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("run", sa.BigInteger(), nullable=False),
        sa.Column("clock", sa.Text(), nullable=True),
        sa.Column("memory", sa.Text(), nullable=True),
        sa.Column("openings", sa.Text(), nullable=False),
        sa.Column("private", sa.Boolean(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("ahead", sa.Integer(), nullable=False),
        sa.Column("planned", sa.BigInteger(), nullable=False),
        sa.Column("counted", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
    )


def _settings() -> None:
    op.create_table(
        "server_settings",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )


def _bots() -> None:
    op.create_table(
        "server_bots",
        sa.Column("id", ID, nullable=False),
        sa.Column("ladder", ID, nullable=False),
        sa.Column("account", ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("player", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("bundle", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("steady", sa.Boolean(), nullable=False),
        sa.Column("rating", sa.Double(), nullable=False),
        sa.Column("deviation", sa.Double(), nullable=False),
        sa.Column("volatility", sa.Double(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account"],
            ["server_accounts.id"],
        ),
        sa.ForeignKeyConstraint(
            ["ladder"],
            ["server_ladders.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("ladder", "name", "version", name="server_bots_versions"),
        sa.UniqueConstraint("player", name="server_bots_players"),
    )
    op.create_index("server_bots_by_account", "server_bots", ["account"], unique=False)
    op.create_index("server_bots_by_state", "server_bots", ["ladder", "state"], unique=False)


def _bundles() -> None:
    op.create_table(
        "server_bundles",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("account", ID, nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account"],
            ["server_accounts.id"],
        ),
        sa.PrimaryKeyConstraint("digest"),
    )


def _invitations() -> None:
    op.create_table(
        "server_invitations",
        sa.Column("id", ID, nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("ladder", ID, nullable=True),
        sa.Column("uses", sa.Integer(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["ladder"],
            ["server_ladders.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("digest"),
    )


def _keys() -> None:
    op.create_table(
        "server_keys",
        sa.Column("id", ID, nullable=False),
        sa.Column("account", ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=True),
        sa.Column("revoked", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account"],
            ["server_accounts.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("digest"),
    )
    op.create_index("server_keys_by_account", "server_keys", ["account"], unique=False)


def _members() -> None:
    op.create_table(
        "server_members",
        sa.Column("ladder", ID, nullable=False),
        sa.Column("account", ID, nullable=False),
        sa.ForeignKeyConstraint(
            ["account"],
            ["server_accounts.id"],
        ),
        sa.ForeignKeyConstraint(
            ["ladder"],
            ["server_ladders.id"],
        ),
        sa.PrimaryKeyConstraint("ladder", "account"),
    )


def _workers() -> None:
    op.create_table(
        "server_workers",
        sa.Column("id", ID, nullable=False),
        sa.Column("account", ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("machine", sa.JSON(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("games", sa.BigInteger(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("seen", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account"],
            ["server_accounts.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("account", "name", name="server_workers_names"),
    )


def _jobs() -> None:
    op.create_table(
        "server_jobs",
        sa.Column("id", ID, nullable=False),
        sa.Column("ladder", ID, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=True),
        sa.Column("of", sa.BigInteger(), nullable=True),
        sa.Column("bots", sa.JSON(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("opening", sa.JSON(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("worker", ID, nullable=True),
        sa.Column("lease", sa.Text(), nullable=True),
        sa.Column("expires", sa.Double(), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("games", sa.JSON(), nullable=True),
        sa.Column("digest", sa.Text(), nullable=True),
        sa.Column("checked", sa.Text(), nullable=False),
        sa.Column("score", sa.Double(), nullable=True),
        sa.Column("expected", sa.Double(), nullable=True),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("finished", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["ladder"],
            ["server_ladders.id"],
        ),
        sa.ForeignKeyConstraint(
            ["worker"],
            ["server_workers.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("ladder", "number", name="server_jobs_numbers"),
    )
    op.create_index("server_jobs_by_of", "server_jobs", ["of"], unique=False)
    op.create_index("server_jobs_by_state", "server_jobs", ["state", "id"], unique=False)
    op.create_index("server_jobs_by_worker", "server_jobs", ["worker", "state"], unique=False)
