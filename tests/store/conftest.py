"""The databases that the store is tested on."""

from itertools import count

import pytest

from arena.store import Store


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.full)])
def new_url(request, tmp_path):
    """Makes an empty database and tells its URL; for each kind of database."""
    if request.param == "postgresql":
        return request.getfixturevalue("postgres").new_database
    numbers = count()
    return lambda: f"sqlite:///{tmp_path}/arena-{next(numbers)}.db"


@pytest.fixture
def url(new_url):
    """An empty database."""
    return new_url()


@pytest.fixture
def store(url):
    with Store(url) as store:
        yield store
