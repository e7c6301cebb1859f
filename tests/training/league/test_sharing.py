"""Trainers that share a league: what comes over, what is refused, and what happens while it cannot."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from arena.base.errors import UsageError
from arena.cli.main import main
from arena.policy.checkpoint import build_policy, save_policy
from arena.policy.registry import learning_algorithm, make_game
from arena.store import Snapshot, Store
from arena.training.league.payoff import Counts
from arena.training.league.records import League, Learner, Member, read_league
from arena.training.league.scale import ScaleConfig
from arena.training.league.sharing import Sharing
from tests.store.conftest import new_url, url  # noqa: F401  # fixtures
from tests.training.league.small import CONFIGS, training, words

pytestmark = pytest.mark.full

GAME = make_game("tic_tac_toe")


class Trainer:
    """One trainer of a league, whose snapshots are written by hand."""

    def __init__(self, name, url, tmp_path, share="share"):  # noqa: F811
        self.run = tmp_path / name
        self.league = League(GAME.name, dict(GAME.options), "ppo", ["random"], [Learner("main", "main")])
        self.said = []
        self.sharing = Sharing(url, tmp_path / share, name, self.league, self.run, self.said.append)
        self.sharing.join()

    def add(self, number):
        """A snapshot joins its league."""
        policy = build_policy(learning_algorithm("ppo"), GAME, CONFIGS["ppo"], False)
        folder = f"snapshot-{number:04d}"
        sha256 = save_policy(self.run / folder, policy, "ppo", GAME, CONFIGS["ppo"])
        parent = f"main-{number - 1:04d}" if number > 1 else None
        self.league.members.append(Member(f"main-{number:04d}", "main", "main", number, 9, parent, folder, sha256))

    def names(self):
        return [member.name for member in self.league.members]


@pytest.fixture
def ann(url, tmp_path):  # noqa: F811
    return Trainer("ann", url, tmp_path)


@pytest.fixture
def bob(url, tmp_path):  # noqa: F811
    return Trainer("bob", url, tmp_path)


def test_snapshots_and_counts_come_over(ann, bob):
    ann.add(1)
    ann.add(2)
    ann.league.evaluation.add("main-0002", "random", 8, 1, 1)
    assert ann.sharing.exchange() == 0
    bob.add(1)
    assert bob.sharing.exchange() == 2
    assert bob.names() == ["main-0001", "ann/main-0001", "ann/main-0002"]
    theirs, mine = bob.league.member("ann/main-0002"), ann.league.member("main-0002")
    assert (theirs.role, theirs.learner, theirs.parent) == ("main", "ann/main", "ann/main-0001")
    assert (theirs.step, theirs.generation, theirs.sha256) == (mine.step, mine.generation, mine.sha256)
    for file in ("config.json", "weights.safetensors"):
        assert (bob.run / theirs.folder / file).read_bytes() == (ann.run / mine.folder / file).read_bytes()
    assert bob.league.evaluation.of("ann/main-0002", "random") == Counts(8, 1, 1)
    bob.league.training.add("main", "ann/main-0002", 1, 2, 3)
    bob.league.training.add("main", "main-0001", 4, 0, 0)
    assert bob.sharing.exchange() == 0
    assert ann.sharing.exchange() == 1
    assert ann.league.training.table == {"bob/main": {"main-0002": Counts(1, 2, 3), "bob/main-0001": Counts(4, 0, 0)}}
    assert ann.sharing.exchange() == bob.sharing.exchange() == 0, "everything is known"
    assert ann.said == bob.said == []


def test_what_is_not_what_its_hash_says_is_left_out_until_it_is(ann, bob, tmp_path):
    ann.add(1)
    ann.sharing.exchange()
    weights = tmp_path / "share" / "ann" / "main-0001" / "weights.safetensors"
    right = weights.read_bytes()
    weights.write_bytes(right[:-1] + b"?")
    assert [bob.sharing.exchange() for _ in range(2)] == [0, 0]
    (said,) = bob.said
    assert said.startswith("snapshot ann/main-0001 cannot be taken up: ")
    assert said.endswith("; training goes on, and shares later")
    assert not (bob.run / "shared" / "ann").exists()
    weights.write_bytes(right)
    assert bob.sharing.exchange() == 1
    assert bob.said[1:] == ["the league is shared again"]


def test_names_that_lead_elsewhere_are_refused(ann, bob, tmp_path):
    ann.add(1)
    ann.sharing.exchange()
    (row,) = stored(bob)
    shutil.copytree(tmp_path / "share" / "ann" / "main-0001", tmp_path / "main-0001")
    with Store(bob.sharing._url) as store:
        for name in ("x/../../main-0001", "../main-0001", "eve/main"):
            role = "main" if ".." in name else "king"
            store.add_snapshots(bob.sharing._league_id, [Snapshot(name, role, "x", 1, 1, None, row.sha256)])
    assert bob.sharing.exchange() == 1
    assert bob.names() == ["ann/main-0001"]
    assert "is not the name of a snapshot, or 'king' not a role" in bob.said[0]


def stored(trainer):
    with Store(trainer.sharing._url) as store:
        return store.snapshots(trainer.sharing._league_id)


def test_a_store_that_goes_away_comes_back(tmp_path):
    file, away = tmp_path / "arena.db", tmp_path / "away.db"
    ann, bob = (Trainer(name, str(file), tmp_path) for name in ("ann", "bob"))
    file.rename(away)
    ann.add(1)
    assert [ann.sharing.exchange() for _ in range(2)] == [0, 0]
    assert ann.said == [f"there is no store {file}; training goes on, and shares later"]
    away.rename(file)
    ann.sharing.exchange()
    assert ann.said[1:] == ["the league is shared again"]
    assert bob.sharing.exchange() == 1


def test_a_folder_that_goes_away_comes_back(ann, bob, tmp_path):
    share, away = tmp_path / "share", tmp_path / "away"
    share.rename(away)
    share.write_text("in the way")
    ann.add(1)
    ann.sharing.exchange()
    assert ann.said[0].endswith("; training goes on, and shares later")
    assert stored(bob) == [], "what nobody could read is not announced"
    share.unlink()
    away.rename(share)
    ann.sharing.exchange()
    assert bob.sharing.exchange() == 1


def test_what_cannot_be_shared_is_refused_at_once(ann, url, tmp_path):  # noqa: F811
    with pytest.raises(UsageError, match=r"share has another trainer 'ann': choose a name with --share-as"):
        Sharing(url, tmp_path / "share", "ann", ann.league, tmp_path / "other", print)
    Sharing(url, tmp_path / "share", "ann", ann.league, ann.run, print).join()
    other = League("tic_tac_toe", {"m": 4}, "ppo", [], [])
    with pytest.raises(UsageError, match=r"share is not a league of .*'m': 4.*--share another folder"):
        Sharing(url, tmp_path / "share", "bob", other, tmp_path / "bob", print)
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"file: a league cannot be shared here \(.*\)"):
        Sharing(url, tmp_path / "file", "bob", ann.league, tmp_path / "bob", print)
    with pytest.raises(UsageError, match="store postgresql"):
        Sharing("postgresql://nobody@127.0.0.1:1/none", tmp_path / "share", "bob", other, tmp_path / "bob", print)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"store": "arena.db"}, "needs both store"),
        ({"share_as": "ann"}, "share_as='ann' is for a shared league"),
        ({"store": "arena.db", "share": Path("x"), "share_as": "a/b"}, "share_as='a/b' may only have letters"),
    ],
)
def test_options_that_do_not_go_together(options, message):
    with pytest.raises(UsageError, match=message):
        ScaleConfig(**options)


def test_two_trainers_meet(tmp_path):
    """Another process and this one; the other is killed, and goes on with what it had taken up."""
    file = str(tmp_path / "arena.db")
    shared = ["--store", file, "--share", str(tmp_path / "share")]
    ann, bob = tmp_path / "ann", tmp_path / "bob"
    long = {"steps": 100_000, "snapshots": 50}
    command = [*words("ppo", ann, **long), *shared, "--share-as", "ann"]
    first = subprocess.Popen([sys.executable, "-m", "arena", *command], stderr=subprocess.PIPE, text=True)
    try:
        wait_for(lambda: (tmp_path / "share" / "ann" / "main-0001").exists(), first)
        assert main([*words("ppo", bob, steps=3000, snapshots=2), *shared, "--share-as", "bob"]) == 0
        wait_for(lambda: any(m.learner == "bob/main" for m in read_league(ann).members), first)
    finally:
        os.kill(first.pid, signal.SIGKILL)
        first.communicate()
    league = read_league(bob)
    assert {m.learner for m in league.members} == {"main", "ann/main"}
    assert league.training.table["ann/main"], "what ann has counted"
    assert any(name.startswith("ann/main-") for name in league.training.table["main"]), "they have met"
    scale = ScaleConfig(store=file, share=tmp_path / "share", share_as="ann")
    again = training("ppo", ann, scale=scale, resume=True, **long)
    assert any(m.learner == "bob/main" for m in again.league.members)
    assert any(count.games for count in again.league.training.table["bob/main"].values())


def wait_for(reached, child):
    deadline = time.monotonic() + 300
    while not reached() and child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    assert child.poll() is None, child.stderr.read()
    assert reached()
