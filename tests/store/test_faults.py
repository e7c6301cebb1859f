"""What is wrong with a database is told in one line, and nothing is half-written."""

import os
import random
import re
import resource
import shutil
import sqlite3
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from arena.base.errors import UsageError
from arena.base.extras import install_command
from arena.match.verdict import MatchRecord, Reason, forfeit
from arena.store import Selection, Store
from arena.store.schema import make_current
from tests.store.records import GAME, record, schedule
from tests.store.tournament import BLOCK, contents, in_a_child, play, require_sound

PAGE = 4096


def begin(store: Store):
    return store.open_run("tournament", "key", GAME, {"games": 8}, ["ada", "bob"])


def refusal(work) -> str:
    """The one line with which `work` is refused."""
    with pytest.raises(UsageError) as caught:
        work()
    line = str(caught.value)
    assert "\n" not in line
    return line


@pytest.fixture
def busy(url):
    """Keeps another writer in the middle of its transaction; a call lets it end."""
    begun, end = threading.Event(), threading.Event()

    def write() -> None:
        with Store(url) as store, store.writing():
            begun.set()
            assert end.wait(60)

    writer = threading.Thread(target=write)
    Store(url).close()
    writer.start()
    assert begun.wait(60)
    yield end.set
    end.set()
    writer.join()


@pytest.mark.full
def test_a_writer_waits_for_another_and_then_gives_up(url, busy):
    with Store(url, wait_s=0.2) as store:  # opening and reading wait for nobody
        assert store.matches() == []
        line = refusal(lambda: begin(store))
        assert line.endswith(": another process has been writing to it for 0.2 s; try again when it has ended")
        busy()
    with Store(url) as store:
        assert begin(store).id


def test_a_writer_goes_on_when_the_other_has_ended(url, busy):
    with Store(url, wait_s=60) as store:
        threading.Timer(0.3, busy).start()
        run = begin(store)
        store.add_games(run.id, schedule(2))
        assert list(store.played(run.id)) == schedule(2)


@pytest.mark.full
def test_a_full_database(tmp_path):
    path = str(tmp_path / "arena.db")
    play(path)
    with Store(path) as store:
        run = begin(store)
        with store._database.reading() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
            connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")
        line = refusal(lambda: store.add_games(run.id, schedule(4000, 8)))
        assert line == f"store {path}: the disk is full; make room, and the same command goes on"
        assert list(store.played(run.id)) == schedule(8)
        with store._database.reading() as connection:
            connection.exec_driver_sql(f"PRAGMA max_page_count={pages * 100}")
        store.add_games(run.id, schedule(4000, 8))
        assert list(store.played(run.id)) == schedule(4008)


@pytest.mark.full
@pytest.mark.parametrize("room", [0, 1, 5000, 60_000, 200_000])
def test_a_disk_that_takes_no_more(tmp_path, room):
    """No file of this process may grow beyond a limit: the write-ahead log and the database meet it in turn."""
    path = str(tmp_path / "arena.db")
    play(path)

    def work() -> None:
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        largest = max(file.stat().st_size for file in tmp_path.iterdir())
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest + room, hard))
        with Store(path) as store:
            line = refusal(lambda: [store.add_games(1, schedule(200, start)) for start in range(8, 8008, 200)])
            assert line.startswith(f"store {path}: the disk is full")
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        stored = require_sound(path)
        with Store(path) as store:
            store.add_games(1, schedule(8008))
            assert list(store.played(1)) == schedule(8008)
        assert stored < 8008

    assert in_a_child(work) == 0


def test_a_file_that_lost_its_end_is_refused_or_whole_as_far_as_it_goes(tmp_path):
    whole, cut = tmp_path / "whole.db", tmp_path / "cut.db"
    with Store(whole) as store:
        store.add_games(begin(store).id, schedule(400))
    expected, size = contents(str(whole)), whole.stat().st_size
    for length in [*range(2, 200, 13), *range(200, size, 1777), size - 1]:
        shutil.copy(whole, cut)
        os.truncate(cut, length)
        assert refusal(lambda: contents(str(cut))).startswith(f"store {cut}: "), length
        cut.unlink()
    assert contents(str(whole)) == expected


@pytest.mark.full
def test_a_power_cut_anywhere_in_the_log_leaves_whole_blocks(tmp_path):
    """The file as it was at the start, and only the first bytes of what was written since."""
    live, after = tmp_path / "live.db", tmp_path / "after.db"
    with Store(live) as store:
        run = begin(store)
        store._database.close()  # all of it is in the file now
        for start in range(0, 24, BLOCK):
            store.add_games(run.id, schedule(BLOCK, start))
        log = Path(f"{live}-wal").read_bytes()
        start = live.read_bytes()
    counts = set()
    for length in [*range(0, len(log), 2311), len(log)]:
        after.write_bytes(start)
        Path(f"{after}-wal").write_bytes(log[:length])
        counts.add(require_sound(str(after)))
        assert not Path(f"{after}-wal").exists()
    assert counts == set(range(0, 25, BLOCK))


@pytest.mark.full
def test_a_power_cut_while_the_log_is_moved_into_the_file_loses_nothing(tmp_path):
    """Any of the pages have arrived, as the disk pleases; the log is still there."""
    live, after = tmp_path / "live.db", tmp_path / "after.db"
    with Store(live) as store:
        run = begin(store)
        store._database.close()
        old = live.read_bytes()
        store.add_games(run.id, schedule(400))
        log = Path(f"{live}-wal").read_bytes()
    new = live.read_bytes()
    old = old.ljust(len(new), b"\0")
    assert sum(old[i : i + PAGE] != new[i : i + PAGE] for i in range(0, len(new), PAGE)) > 20
    rng = random.Random(0)
    for _ in range(20):
        after.write_bytes(b"".join(rng.choice((old, new))[i : i + PAGE] for i in range(0, len(new), PAGE)))
        Path(f"{after}-wal").write_bytes(log)
        assert require_sound(str(after)) == 400


def test_every_transaction_is_on_the_disk_before_it_counts(tmp_path):
    with Store(tmp_path / "arena.db") as store, store._database.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar_one() == 2  # FULL
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"


@pytest.mark.full
def test_a_server_that_dies_in_the_middle(postgres):
    url = postgres.new_database()
    with Store(url) as store:
        run = begin(store)
        store.add_games(run.id, schedule(BLOCK))
        postgres.stop()
        assert refusal(lambda: store.add_games(run.id, schedule(BLOCK, BLOCK))).startswith(
            "store postgresql+psycopg://"
        )
        assert "password" not in refusal(lambda: Store(url.replace("arena@", "arena:secret@")))
        postgres.start()
        store.add_games(run.id, schedule(BLOCK, BLOCK))
    assert require_sound(url) == 2 * BLOCK


def not_sqlite(folder: Path) -> Path:
    (folder / "notes.txt").write_text("These are notes, and long enough to be something. " * 99)
    return folder / "notes.txt"


def not_a_store(folder: Path) -> Path:
    connection = sqlite3.connect(folder / "other.db")
    connection.execute("CREATE TABLE cakes (id)")
    connection.close()
    return folder / "other.db"


def in_a_file(folder: Path) -> Path:
    return not_sqlite(folder) / "arena.db"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (not_sqlite, "store {}: it is not a store: the file is not an SQLite database"),
        (not_a_store, "store {}: it is not a store, but another database (tables cakes)"),
        (in_a_file, "store {}: no folder can be made for it (File exists)"),
        (lambda folder: folder, "store {}: the file cannot be opened or made here"),
        (
            lambda folder: Path("/proc/arena/arena.db"),
            "store {}: no folder can be made for it (No such file or directory)",
        ),
        (lambda folder: Path("/proc/arena.db"), "store {}: the file cannot be opened or made here"),
    ],
)
def test_what_is_no_store(tmp_path, make, message):
    path = make(tmp_path)
    before = [file.read_bytes() for file in tmp_path.iterdir()]
    assert refusal(lambda: Store(path)) == message.format(path)
    assert [file.read_bytes() for file in tmp_path.iterdir()] == before


@pytest.mark.parametrize(
    ("url", "message"),
    [
        (
            "postgresql://ada:secret@127.0.0.1:1/arena",
            r"store postgresql\+psycopg://ada:\*\*\*@127.0.0.1:1/arena: .*refused",
        ),
        ("postgresql:///arena?host=/nowhere", r"store postgresql\+psycopg:///arena\?host=%2Fnowhere: .*No such file"),
        ("oracel://host/arena", r"store 'oracel://host/arena' is neither a path nor a URL like sqlite:///arena.db: "),
        ("://", r"store '://' is neither a path nor a URL like sqlite:///arena.db: "),
        ("sqlite:///", "a store is a file, and 'sqlite:///' names none"),
        ("", "a store is a file, and '' names none"),
    ],
)
def test_what_cannot_be_reached(url, message):
    with pytest.raises(UsageError, match=message) as caught:
        Store(url)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.full
def test_a_database_of_something_else_on_a_server(postgres):
    with pytest.raises(UsageError, match='database "elsewhere" does not exist'):
        Store(postgres.url("elsewhere"))
    url = postgres.new_database()
    with Store(url) as store, store._database.writing() as connection:
        connection.exec_driver_sql("DROP TABLE arena_schema CASCADE")
    assert "it is not a store, but another database" in refusal(lambda: Store(url))


def test_a_server_without_its_driver(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(UsageError, match=re.escape(f"need the package psycopg; {install_command('postgres')}")):
        Store("postgresql://host/arena")


def test_a_store_that_is_not_there_or_empty_is_only_made_when_asked(tmp_path):
    path = tmp_path / "folder" / "arena.db"
    assert refusal(lambda: Store(path, create=False)) == f"there is no store {path}"
    assert not path.parent.exists()
    (tmp_path / "empty.db").touch()
    assert refusal(lambda: Store(tmp_path / "empty.db", create=False)) == f"store {tmp_path}/empty.db is empty"
    Store(tmp_path / "empty.db").close()
    Store(tmp_path / "empty.db", create=False).close()


@pytest.mark.full
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become a user who may not write here")
@pytest.mark.parametrize(("folder_mode", "file_mode"), [(0o755, 0o666), (0o777, 0o444), (0o755, 0o444)])
def test_a_folder_or_file_that_is_read_only(folder_mode, file_mode):
    folder = Path(tempfile.mkdtemp(dir="/tmp"))  # pytest's own folders are root's alone
    path = folder / "arena.db"
    play(str(path))
    path.chmod(file_mode)
    folder.chmod(folder_mode)

    def work() -> None:
        os.setuid(65534)

        def write() -> None:
            with Store(path) as store:
                store.add_games(begin(store).id, schedule(2, 8))

        assert refusal(write) in (
            f"store {path}: the file or its folder is read-only",
            f"store {path}: the file cannot be opened or made here",
        )

    try:
        assert in_a_child(work) == 0
        assert require_sound(str(path)) == 8
    finally:
        shutil.rmtree(folder)


def test_the_last_words_of_an_agent_may_hold_anything(store):
    run = begin(store)
    verdict = forfeit(2, 0, Reason.CRASHED, "ValueError: \0 \ud800 \U0001f600 '; DROP TABLE matches")
    lost = MatchRecord(GAME, ("ada", "bob"), 2**63 - 1, (), (), verdict)
    store.add_games(run.id, [(0, lost), (1, record(1))])
    (_, read), _ = store.played(run.id)
    assert read.verdict.detail == "ValueError: \\x00 \\ud800 \U0001f600 '; DROP TABLE matches"
    assert read.seed == 2**63 - 1


def test_a_name_that_no_database_takes(store):
    run = begin(store)
    for name in ("a\0b", "\ud800"):
        assert "is not a name: it holds characters that are not text" in refusal(
            lambda name=name: store.add_games(run.id, [(0, record(0, (name, "b")))])
        )
    assert store.results(Selection(GAME)).names == ()


def test_two_who_create_the_tables_at_once(url):
    first, second = Store(url), Store(url)
    with second._database.writing() as connection:
        make_current(connection)  # as one does who found the database empty a moment ago
    first.close()
    second.close()
    assert contents(url)["played"] == []
