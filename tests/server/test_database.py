"""The tables, one writer for all, and copies made while it writes."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import insert, select

from arena.base.errors import UsageError
from arena.server import accounts
from arena.server.backup import back_up, restore
from arena.server.database import Writer, migrate, open_database
from arena.server.refusals import RefusedError
from arena.server.schema import METADATA, settings
from arena.server.worker import Worker
from arena.store import Store
from tests.server.playing import filled, games


def test_migrations_lead_to_the_tables_and_stop_there(tmp_path):
    with open_database(tmp_path / "arena.db") as store, store.writing() as connection:
        context = MigrationContext.configure(connection)
        differences = compare_metadata(context, METADATA)
        ours = [one for one in differences if "server_" in repr(one) and "server_version" not in repr(one)]
        assert ours == []
        migrate(connection)
    with open_database(tmp_path / "arena.db") as store, store.reading() as connection:
        assert connection.execute(select(settings.c.name)).scalars().all() == ["secret"]


def test_a_store_of_tournaments_becomes_that_of_a_server(tmp_path):
    Store(tmp_path / "arena.db").close()
    open_database(tmp_path / "arena.db").close()
    with Store(tmp_path / "arena.db", create=False) as store:
        assert store.games() == []


def test_what_comes_together_is_written_together_and_refused_alone(tmp_path):
    with open_database(tmp_path / "arena.db") as store:
        writer, begun, gate = Writer(store), threading.Event(), threading.Event()
        commits = []
        writing = store.writing

        def counted():
            commits.append(1)
            return writing()

        store.writing = counted

        def operation(number):
            def insert_or_refuse(connection):
                connection.execute(insert(settings).values(name=str(number), value=""))
                if number % 5 == 0:
                    raise RefusedError(409, f"{number} is refused")
                return number

            return insert_or_refuse

        with ThreadPoolExecutor(31) as pool:
            pool.submit(writer.do, lambda connection: begun.set() or gate.wait())
            assert begun.wait(60)  # alone in its commit: what comes from now on waits for the next one
            futures = [pool.submit(writer.do, operation(number)) for number in range(30)]
            while writer._waiting.qsize() < 30:
                pass
            gate.set()
            outcomes = [future.exception() or future.result() for future in futures]
        writer.close()
        assert len(commits) == 2
        assert [one for one in outcomes if isinstance(one, int)] == [n for n in range(30) if n % 5]
        with store.reading() as connection:
            stored = set(connection.execute(select(settings.c.name)).scalars())
        assert stored == {"secret", *(str(n) for n in range(30) if n % 5)}


def test_a_copy_is_made_while_it_runs_and_restored(site, tmp_path):
    caller = filled(site)
    folder = site.config.bundles
    folder.mkdir()
    (folder / "abc.tar").write_bytes(b"bundle")
    Worker(caller, "w", False).run(most=10)
    played = games(site)
    if not (site.config.data / "arena.db").exists():
        with pytest.raises(UsageError, match="pg_dump"):
            back_up(site.config.data, tmp_path / "copy.tar")
        return
    assert back_up(site.config.data, tmp_path / "copy.tar") > 0
    Worker(caller, "w", False).run(most=4)
    restore(tmp_path / "copy.tar", tmp_path / "restored")
    assert (tmp_path / "restored" / "bundles" / "abc.tar").read_bytes() == b"bundle"
    with open_database(tmp_path / "restored" / "arena.db", create=False) as store:
        site.store, other = store, site.store
        assert games(site) == played
        site.store = other
        with store.reading() as connection:
            assert accounts.account_of(connection, caller.key).name == "bob"
    with pytest.raises(UsageError, match="holds a server already"):
        restore(tmp_path / "copy.tar", tmp_path / "restored")
    (tmp_path / "no.tar").write_bytes(b"x" * 1000)
    with pytest.raises(UsageError, match="cannot be restored"):
        restore(tmp_path / "no.tar", tmp_path / "other")
    with pytest.raises(UsageError, match="holds no server"):
        back_up(tmp_path / "other", tmp_path / "x.tar")
