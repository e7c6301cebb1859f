"""The databases that the store is tested on."""

import pytest

from arena.store import Store
from tests.store.postgres import running_server


@pytest.fixture(scope="session")
def postgres():
    with running_server() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    """An empty database, one of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/arena.db"
    return request.getfixturevalue("postgres").new_database()


@pytest.fixture
def store(url):
    with Store(url) as store:
        yield store
