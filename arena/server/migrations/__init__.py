"""Alembic's environment and its steps; `arena.server.database` runs them."""
