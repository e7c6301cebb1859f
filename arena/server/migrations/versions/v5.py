"""Open jobs are found by their kind: those beside the plan of a ladder are few among many."""

from alembic import op

revision = "5"
down_revision = "4"


def upgrade() -> None:
    """Put the kind of a job into the index of states."""
    op.drop_index("server_jobs_by_state", "server_jobs")
    op.create_index("server_jobs_by_state", "server_jobs", ["state", "kind", "id"])
