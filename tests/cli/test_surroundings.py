"""Whatever the output, the arguments and the limits are: one line, and a status that says what happened."""

import os
import shutil
import subprocess
import sys
import time
from contextlib import chdir

import pytest

from arena.base.errors import UsageError
from arena.cli.main import main
from arena.store import Store
from tests.tiers import mostly_slow

pytestmark = pytest.mark.full

ARENA = f"{sys.executable} -m arena"
PLAY = "tournament tic_tac_toe random one-ply --games 2"


def shell(command, folder, **environment):
    kept = os.environ | {"TMPDIR": str(folder), "XDG_STATE_HOME": str(folder / "state")} | environment
    done = subprocess.run(["bash", "-c", command], capture_output=True, cwd=folder, env=kept, check=False, timeout=120)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def here(command, folder):
    """Run a command in this process, and return its status."""
    with chdir(folder):
        return main(command.split())


@pytest.mark.parametrize(
    ("words", "encoding"),
    [("games", "ascii"), ("train --help", "latin-1")],
)
def test_an_output_that_cannot_spell_everything_gets_what_it_can(tmp_path, words, encoding):
    status, out, err = shell(f"{ARENA} {words}", tmp_path, PYTHONIOENCODING=encoding)
    assert (status, err) == (0, "")
    assert len(out) > 200


def test_boards_are_drawn_where_their_signs_cannot_be_spelt(tmp_path):
    assert here("tournament connect_four random one-ply --games 2", tmp_path) == 0
    status, out, err = shell(f"{ARENA} match 1", tmp_path, PYTHONIOENCODING="ascii")
    assert (status, err) == (0, "")
    assert "?" in out


@pytest.mark.parametrize(
    ("words", "closed"),
    [("games", ">&-"), ("", "<&-"), ("", "<&- >&-"), (PLAY, "<&- >&- 2>&-")],
)
def test_closed_streams_lead_nowhere(tmp_path, words, closed):
    status, out, err = shell(f"{ARENA} {words} {closed}", tmp_path)
    assert (status, err) == (0, "")
    assert bool(out) == (">&-" not in closed.replace("2>&-", ""))
    if words.startswith("tournament"):
        assert here("match 1", tmp_path) == 0


@pytest.mark.parametrize("words", ["games", "train --help"])
def test_a_full_output_is_told(tmp_path, words):
    assert shell(f"{ARENA} {words} > /dev/full", tmp_path) == (
        1,
        "",
        "arena: the standard output cannot be written (No space left on device)\n",
    )


def test_a_full_error_output_changes_no_status(tmp_path):
    assert shell(f"{ARENA} nothing 2> /dev/full", tmp_path) == (2, "", "")


def test_a_limit_on_the_size_of_files_is_told_and_results_are_whole(tmp_path):
    command = "tournament tic_tac_toe random one-ply --games 40 --out results"
    assert here(command, tmp_path) == 0
    limited = f"ulimit -f 4; {ARENA} {command.replace('results', 'others')}"
    status, _, err = shell(limited, tmp_path)
    assert (status, err.count("\n")) in ((1, 1), (2, 1))
    assert "Traceback" not in err
    assert "too large" in err or "full" in err
    assert here(command.replace("results", "others"), tmp_path) == 0
    for name in ("ratings.csv", "games.csv", "results.json"):
        assert (tmp_path / "results" / name).read_text() == (tmp_path / "others" / name).read_text()


@pytest.mark.parametrize("words", ["match g.pgn --out $'\\xff'", "$'\\xff'", "games $'a\\xe9'"])
def test_an_argument_that_is_no_text_is_refused(tmp_path, words):
    status, out, err = shell(f"{ARENA} {words}", tmp_path)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("arena: the argument '")
    assert err.endswith("' is not text in UTF-8\n")
    assert "\\x" in err


@pytest.mark.parametrize(
    "words",
    [
        ["a\nb"],
        ["match", "a\nb"],
        ["play", "chess\nx"],
        ["tournament", "chess", "a\nb", "random"],
        ["rate", "a\n\x1b[31mb"],
        ["games", "a\nb"],
        ["train", "chess", "ppo", "--out", "/dev/null/a\nb"],
        ["tournament", "chess", "random", "one-ply", "--store", "/dev/null/a\nb"],
    ],
    ids=" ".join,
)
def test_an_argument_with_a_line_break_is_told_in_one_line(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1), err
    assert "\x1b" not in err
    assert "Traceback" not in err


@pytest.mark.parametrize("words", [["matches"], ["ladder", "chess"], ["train", "tic_tac_toe", "ppo"]], ids=" ".join)
def test_a_working_folder_that_was_deleted_is_told_in_one_line(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    tmp_path.rmdir()
    assert main(words) == 2
    assert capsys.readouterr().err == "arena: the working folder was deleted; change to one that exists\n"


def test_a_store_whose_working_folder_was_deleted_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tmp_path.rmdir()
    for make in (True, False):
        with pytest.raises(UsageError, match=r"store arena\.db: the working folder"):
            Store("arena.db", create=make)


@pytest.mark.parametrize("how", mostly_slow(["moved", "removed"], {"moved"}, "trains"))
def test_a_training_whose_folder_goes_away_ends_in_a_line(tmp_path, how):
    words = "train tic_tac_toe dqn --out run --steps 8000 --snapshots 4 --threads 1 --evaluation-games 2"
    command = [sys.executable, "-m", "arena", *words.split()]
    training = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while not (tmp_path / "run" / "snapshot-0001").exists():
        assert time.monotonic() < deadline
        assert training.poll() is None
        time.sleep(0.02)
    (tmp_path / "run").rename(tmp_path / "moved")
    if how == "removed":
        shutil.rmtree(tmp_path / "moved")
    out, err = training.communicate(timeout=120)
    assert (training.returncode, out) == (1, "")
    assert "Traceback" not in err
    assert "internal error" not in err
    assert err.splitlines()[-1].startswith(("arena: the folder run is gone", "arena: run cannot be written"))
    if how == "moved":
        assert here(f"{words.replace('--out run', '--out moved')} --resume", tmp_path) == 0
