"""Evaluating over time: only what a store lacks is played, once, by players who are what their names say."""

import json
import os
import signal
from collections import Counter
from itertools import combinations

import pytest

import games
from arena.base.errors import CheckpointError, UsageError
from arena.cli.main import main
from arena.match.limits import Limits
from arena.store import Store
from arena.tournament.config import TournamentConfig
from arena.tournament.entrants import named, read_agents
from arena.tournament.tournament import run_tournament

GAME = games.make("tic_tac_toe")
CONFIG = TournamentConfig(games=4, openings="random:1", new_only=True)
OLD = {"a": "random", "b": "one-ply", "c": "alphabeta:1"}


def met(store):
    """How often every two have met."""
    return Counter(frozenset(match.record.players) for match in store.each_match())


def play(store, players=OLD, config=CONFIG):
    return run_tournament(GAME, players, config, store=store)


def every(count, names):
    return Counter({frozenset(pair): count for pair in combinations(names, 2)})


def test_a_newcomer_costs_its_own_pairs(tmp_path):
    with Store(tmp_path / "arena.db") as store:
        assert len(play(store).records) == 12
        newcomer = play(store, OLD | {"d": "random"})
        assert len(newcomer.records) == 12, "games of the newcomer alone"
        assert all("d" in record.players for record in newcomer.records)
        assert met(store) == every(4, "abcd")
        assert newcomer.table.games == 24, "the table has all"
        assert play(store, OLD | {"d": "random"}).table.games == 24
        assert store.count() == 24


@pytest.mark.full
def test_games_of_any_tournament_under_the_clock_count(tmp_path):
    with Store(tmp_path / "arena.db") as store:
        play(store, config=TournamentConfig(games=2, openings="random:1"))
        play(store)
        assert met(store) == every(4, "abc")
        longer = play(store, config=TournamentConfig(games=6, openings="random:1", new_only=True))
        assert met(store) == every(6, "abc")
        assert {record.opening for record in longer.records} == {longer.records[0].opening}, "the third opening alone"
        play(store, config=TournamentConfig(games=2, limits=Limits(time_per_move="10s"), new_only=True))
        assert met(store) == every(8, "abc"), "games under another clock are others"


@pytest.mark.full
def test_a_kill_in_the_middle_costs_no_game_and_plays_none_twice(tmp_path):
    url = tmp_path / "arena.db"
    for left in (1, 2):
        child = os.fork()
        if child == 0:
            add = Store.add_games

            def dies(self, run, played, left=left, add=add, count=[0]):  # noqa: B006
                count[0] += 1
                add(self, run, played)
                if count[0] == left:
                    os.kill(os.getpid(), signal.SIGKILL)

            Store.add_games = dies
            with Store(url) as store:
                play(store)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    with Store(url) as store:
        assert store.count() == 12
        assert len(play(store).records) == 12
        assert met(store) == every(4, "abc")


def test_one_name_is_one_player(tmp_path):
    with Store(tmp_path / "arena.db") as store:
        play(store)
        with pytest.raises(
            UsageError, match=r"c is alphabeta:2 now, and was alphabeta:1 in run 1 of .*; give it another"
        ):
            play(store, OLD | {"c": "alphabeta:2"})
        assert store.count() == 12


def snapshot(folder, number, digest):
    made = folder / f"snapshot-{number:04d}"
    made.mkdir(parents=True)
    content = {"format": 1, "algorithm": "ppo", "game": "tic_tac_toe", "options": {}, "config": {}, "sha256": digest}
    (made / "config.json").write_text(json.dumps(content))
    return made


def test_who_was_trained_is_named_by_its_weights(tmp_path):
    first = snapshot(tmp_path / "run", 1, "1a2b3c4d5e6f")
    spec = f"ppo:{tmp_path / 'run'}"
    assert (named(spec, spec).name, named(spec, spec).spec) == (f"{spec}@1a2b3c4d", f"ppo:{first}")
    guided = f"gumbel:{tmp_path / 'run'}:16"
    assert named(guided, guided).name == f"gumbel:{tmp_path / 'run'}@1a2b3c4d:16"
    assert named("mine", f"gumbel:{tmp_path / 'run'}:16").spec == f"gumbel:{first}:16"
    second = snapshot(tmp_path / "run", 2, "ffff00001111")
    assert named("mine", spec).name == "mine@ffff0000"
    assert named("mine@ffff0000", spec).name == "mine@ffff0000"
    assert named("mine", spec).spec == f"ppo:{second}"
    assert named("deep", "alphabeta:4").name == "deep"
    by_name = f"{spec}@1a2b3c4d"
    assert (named(by_name, by_name).name, named(by_name, by_name).spec) == (by_name, f"ppo:{first}"), (
        "it is a spec, too"
    )
    with pytest.raises(CheckpointError, match="has weights of the hash 00000000"):
        named("lost", f"{spec}@00000000")


def test_agents_come_from_a_file(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agents.toml").write_text(
        '# who plays\nrandom = "random"\n"the one" = "one-ply"\n[b]\nspec = "random"\n'
    )
    assert read_agents(tmp_path / "agents.toml") == {"random": "random", "the one": "one-ply", "b": "random"}
    command = ["tournament", "tic_tac_toe", "d=random", "--agents", "agents.toml", "--games", "2", "--new-only"]
    for missing in (12, 0):
        assert main(command) == 0
        assert f"{missing} games are missing in runs/arena.db." in capsys.readouterr().out
    content = json.loads((tmp_path / "runs/tournament-tic_tac_toe-1/results.json").read_text())
    assert content["played"]["agents"]["the one"] == {"spec": "one-ply", "files": {}}
    assert {"versions", "machine", "begun", "ended", "seed", "openings", "limits"} <= content["played"].keys()
    assert {row["agent"]: row["spec"] for row in content["players"]}["the one"] == "one-ply"


def test_agents_from_a_file_have_options(tmp_path):
    (tmp_path / "agents.toml").write_text(
        '[fish]\nspec = "uci:stockfish"\nnodes = 1000\n"Skill Level" = 3\nUCI_LimitStrength = true\n'
    )
    spec = "uci:stockfish,nodes=1000,Skill Level=3,UCI_LimitStrength=true"
    assert read_agents(tmp_path / "agents.toml") == {"fish": spec}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("random = 3", "'random' is not an agent"),
        ("[a]\nspeck = 'random'", "'a' is not an agent"),
        ("[a]\nspec = 'random'\ndepth = 3", "a: 'depth' is not an option of random; all of it is in its spec, random"),
        ("[a]\nspec = 'level:4'\ndepth = 3", "'depth' is not an option of level; .* level:1-10"),
        ("[a]\nspec = 'uci:x'\nnodes = [3]", r"a: 'nodes' = \[3\] is no option; write a number"),
        ("[a]\nspec = 'uci:x'\nPath = 'a,b'", "'Path' = 'a,b' is no option"),
        ("a = ", "agents.toml: "),
        ("", "has no agents"),
    ],
)
def test_a_file_of_agents_that_is_none(tmp_path, text, told):
    (tmp_path / "agents.toml").write_text(text)
    with pytest.raises(UsageError, match=told):
        read_agents(tmp_path / "agents.toml")


def test_only_formats_of_fixed_pairs_are_filled_up(tmp_path):
    with pytest.raises(
        UsageError, match="new_only fills up the meetings of a round-robin or a gauntlet, not of a swiss"
    ):
        TournamentConfig(format="swiss", new_only=True)
    with pytest.raises(UsageError, match="it needs a store"):
        run_tournament(GAME, OLD, CONFIG)
