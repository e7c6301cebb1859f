"""Run the migrations over the connection that the caller has open, within its transaction."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], version_table="server_version")
with context.begin_transaction():
    context.run_migrations()
