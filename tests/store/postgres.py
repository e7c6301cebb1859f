"""A real PostgreSQL server for the tests."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from scripts.postgres_server import PostgresServer, installed_binaries, postgres_running


@contextmanager
def running_server() -> Iterator[PostgresServer]:
    """A server until the end of the block; skips where PostgreSQL is not installed, and fails there with CI=true."""
    try:
        installed_binaries()
    except FileNotFoundError as error:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{error}, and CI=true asks for the tests of it")
        pytest.skip(str(error))
    with postgres_running() as server:
        yield server
