"""A password of a database server: from where people keep it, and nowhere to be read afterwards."""

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

from arena.base.errors import UsageError
from arena.base.passwords import handed_on, without_password
from arena.cli.main import main
from arena.store import Store
from arena.store.database import read_url
from arena.tui.services import jobs
from games.engine.cache_folder import cache_directory

pytestmark = pytest.mark.full

PASSWORD = "p:a/s@s%w rd'1"
TOURNAMENT = ["tournament", "tic_tac_toe", "random", "one-ply", "--games", "4"]


@pytest.fixture(scope="module")
def server(postgres):
    postgres.require_password("locked", PASSWORD)
    return postgres


@pytest.fixture
def url(server, monkeypatch, tmp_path):
    """An empty store of a user with a password, which the URL does not name; nothing else knows it, either."""
    for name in ("PGPASSWORD", "PGPASSFILE", "PGSERVICE", "PGSERVICEFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ARENA_CACHE", str(cache_directory().parent))  # which is in the home that is
    monkeypatch.setenv("HOME", str(tmp_path))
    return server.new_database().replace("//arena@", "//locked@")


def test_without_a_password_nobody_gets_in(url):
    with pytest.raises(UsageError, match="no password supplied"):
        Store(url)


def test_it_may_stand_in_the_environment(url, monkeypatch):
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    Store(url).close()


def test_it_may_stand_in_a_password_file(url, tmp_path):
    file = tmp_path / ".pgpass"
    file.write_text(f"*:*:*:locked:{PASSWORD.replace(':', chr(92) + ':')}\n")
    file.chmod(0o600)
    Store(url).close()


@pytest.mark.parametrize("by_name", ["postgresql:///?service=arena", "postgresql://"])
def test_it_may_stand_in_a_service_file(url, tmp_path, monkeypatch, by_name):
    query = read_url(url).query
    service = f"[arena]\nhost={query['host']}\nuser=locked\ndbname=postgres\npassword={PASSWORD}\n"
    (tmp_path / ".pg_service.conf").write_text(f"{service}options={query['options']}\n")
    if by_name == "postgresql://":
        monkeypatch.setenv("PGSERVICE", "arena")
    Store(by_name).close()


def spelt(url):
    return url.replace("//locked@", f"//locked:{quote(PASSWORD, safe='')}@")


def shown(text):
    return [secret for secret in (PASSWORD, quote(PASSWORD, safe=""), "w rd", "w%20rd") if secret in text]


def arena(words, folder, **environment):
    code = "import sys; from arena.cli.main import main; sys.exit(main(sys.argv[1:]))"
    environment = os.environ | {"COLUMNS": "400"} | environment
    command = [sys.executable, "-c", code, *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, check=False)


def test_one_in_the_url_is_nowhere_afterwards_and_the_command_that_is_told_goes_on(url, tmp_path):
    done = arena([*TOURNAMENT, "--store", spelt(url)], tmp_path)
    assert done.returncode == 0, done.stderr
    assert not shown(done.stdout + done.stderr)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) >= 5
    assert not [path for path in files if shown(path.read_bytes().decode(errors="replace"))]
    told = done.stdout.partition("resume it with\n  arena ")[2].splitlines()[0]
    again = arena(shlex.split(told), tmp_path, PGPASSWORD=PASSWORD)
    assert "All games of this tournament are in postgresql" in again.stdout, again.stderr


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ([*TOURNAMENT, "--workers", "2"], ""),
        ([*TOURNAMENT, "--workers", "2"], "/nowhere"),
        (["ladder", "chess"], ""),
        (["ladder", "chess"], "?nonsense=1"),
        (["matches", "--game", "chess"], ":port"),
        (["match", "7"], "/nowhere"),
        (["train", "tic_tac_toe", "ppo", "--share", "shared", "--steps", "0"], "?nonsense=1"),
        (["train", "tic_tac_toe", "ppo", "--share", "shared", "--steps", "0"], ":port"),
    ],
)
def test_no_message_tells_it(url, tmp_path, words, wrong, monkeypatch, capfd):
    place = spelt(url)
    place = {
        "": place,
        "/nowhere": place.replace("/postgres?", "/nowhere?"),
        "?nonsense=1": f"{place}&nonsense=1",
        ":port": f"postgresql://locked:{quote(PASSWORD, safe='')}@localhost:port/x",
    }[wrong]
    monkeypatch.chdir(tmp_path)
    status = main([*words, "--store", place])
    out, err = capfd.readouterr()
    assert not shown(out + err)
    assert "Traceback" not in err
    if wrong:
        assert (status, err.count("\n")) == (2, 1), err


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("arena x --store postgresql://a:b@h/d --y", "arena x --store postgresql://a@h/d --y"),
        ("postgresql+psycopg://a:b%40c@h:5/d", "postgresql+psycopg://a@h:5/d"),
        ("postgresql://a:b/c@d@h:5/d", "postgresql://a@h:5/d"),
        ("mysql://a:@h", "mysql://a@h"),
        ("postgresql://h/d?password=b&x=1", "postgresql://h/d?password=***&x=1"),
        ("postgresql://a:***@h/d", "postgresql://a:***@h/d"),
        ("ray://10.0.0.1:10001 runs/arena.db sqlite:///a.db", "ray://10.0.0.1:10001 runs/arena.db sqlite:///a.db"),
    ],
)
def test_texts_without_it(text, left):
    assert without_password(text) == left


def environment_of(process):
    """Read the environment of a running process, which is empty until the system has begun the program."""
    while process.poll() is None:
        process.send_signal(signal.SIGSTOP)  # an ended process shows no environment
        text = Path(f"/proc/{process.pid}/environ").read_bytes()
        process.send_signal(signal.SIGCONT)
        if text:
            return text
    raise AssertionError("the process ended before its environment was read")


def test_it_is_handed_on_where_others_cannot_read_it(tmp_path, monkeypatch):
    words = ["games", "--store", "postgresql://a:b%40c@h/d"]
    assert handed_on(words) == (["games", "--store", "postgresql://a@h/d"], {"PGPASSWORD": "b@c"})
    assert handed_on(["--store", "mysql://a:b@h/d"]) == (["--store", "mysql://a:b@h/d"], {})
    job = jobs.start(words, tmp_path / "log")
    assert "b%40c" not in " ".join(job.process.args)
    if Path("/proc/self/environ").exists():
        assert b"PGPASSWORD=b@c" in environment_of(job.process)
    job.process.wait()
    assert "b%40c" not in job.output()
