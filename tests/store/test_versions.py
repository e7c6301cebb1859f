"""Stores of other versions: older ones are brought up to date with all that is in them, newer ones are refused."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect

from arena.base.errors import UsageError
from arena.store import Selection, Store
from arena.store.schema import VERSION
from tests.store.records import GAME, record, schedule

pytestmark = pytest.mark.full


def store_from(script: str, path: Path) -> Path:
    connection = sqlite3.connect(path)
    connection.executescript((Path(__file__).parent / script).read_text(encoding="utf-8"))
    connection.close()
    return path


def described(path: Path) -> dict[str, object]:
    """Tables, columns, keys and indices."""
    found = inspect(create_engine(f"sqlite:///{path}"))
    return {
        table: (
            sorted((column["name"], str(column["type"]), column["nullable"]) for column in found.get_columns(table)),
            found.get_pk_constraint(table)["constrained_columns"],
            sorted((index["name"], tuple(index["column_names"])) for index in found.get_indexes(table)),
            found.get_unique_constraints(table),
        )
        for table in found.get_table_names()
    }


def test_a_store_of_version_1_becomes_one_of_today(tmp_path):
    old = store_from("version_1.sql", tmp_path / "old.db")
    with Store(old) as store, Store(tmp_path / "new.db") as new:
        assert list(store.played(1)) == schedule(4)
        assert store.results(Selection(GAME)).games.sum() == 4
        assert store.ancestors("bob") == ["ada"]
        for each in (store, new):
            run = each.open_run("tournament", "next", GAME, {}, ["ada", "bob"])
            each.add_games(run.id, schedule(6))
        assert described(old) == described(tmp_path / "new.db")
    with Store(old, create=False) as store:
        assert list(store.played(2)) == schedule(6)


def test_a_store_of_version_3_is_brought_up_to_date_on_every_database(url):
    with Store(url) as store:
        run = store.open_run("tournament", "key", GAME, {}, ["ada", "bob"])
        store.add_games(run.id, schedule(2))
        with store._database.writing() as connection:
            for column in ("move_ms", "shown", "transcripts", "start"):
                connection.exec_driver_sql(f"ALTER TABLE matches DROP COLUMN {column}")
            for table in ("ratings", "totals"):
                connection.exec_driver_sql(f"CREATE TABLE {table} (id INTEGER)")
            connection.exec_driver_sql("UPDATE arena_schema SET version = 3")
    with Store(url) as store:
        assert list(store.played(run.id)) == schedule(2)
        timed = replace(record(2), move_ms=tuple(range(20)))
        store.add_games(run.id, [(2, timed)])
        assert [one.move_ms for _, one in store.played(run.id)] == [None, None, timed.move_ms]


@pytest.fixture
def newer(url):
    """The URL of a store that was written by a newer arena."""
    with Store(url) as store, store._database.writing() as connection:
        connection.exec_driver_sql(f"UPDATE arena_schema SET version = {VERSION + 1}")
    return url


def test_a_newer_store_is_refused_and_left_alone(newer):
    for _ in range(2):
        with pytest.raises(
            UsageError, match=rf"a store of version {VERSION + 1}, written by a newer arena; .* up to {VERSION}"
        ):
            Store(newer)


def test_a_store_that_is_upgraded_while_it_is_open(store):
    run = store.open_run("tournament", "key", GAME, {}, ["ada", "bob"])
    with store._database.writing() as connection:
        connection.exec_driver_sql(f"UPDATE arena_schema SET version = {VERSION + 1}")
    with pytest.raises(UsageError, match=f"a newer arena has made it a store of version {VERSION + 1} in the meantime"):
        store.add_games(run.id, schedule(2))
    assert list(store.played(run.id)) == []
