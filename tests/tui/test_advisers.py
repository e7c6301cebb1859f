"""Who gives hints and analyses where nobody is named."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from arena.cli.play import Options, screen
from arena.match.ask import Answer
from arena.match.verdict import MatchRecord, Verdict
from arena.policy.registry import make_game
from arena.store import Store
from arena.tui.parts.hints import Hints
from arena.tui.services.advisers import best_adviser, usual_advisers
from arena.tui.state.live_match import LiveMatch, PositionAnalysis
from tests.tui.agents import FirstLegal
from tests.tui.sample_files import make_run

pytestmark = pytest.mark.full


def rate(path, game, *beaten, specs):
    """Store ten wins of the first of each pair of players over the second."""
    label, won = make_game(game).label, Verdict((1.0, -1.0))
    with Store(path) as store:
        for pair in beaten:
            records = [MatchRecord(label, pair, i, (), (0, 3, 1, 4, 2), won) for i in range(10)]
            store.add_run("tournament", str(pair), label, {"agents": specs}, list(pair), list(enumerate(records)))


def test_without_a_ladder_a_search_by_time_comes_before_what_nobody_has_rated(tmp_path):
    run = make_run(tmp_path / "runs" / "x", "finished")
    found = list(usual_advisers(make_game("tic_tac_toe"), str(tmp_path / "none.db"), tmp_path / "runs"))
    assert found == ["champion", "perfect", "mcts:2s", "ismcts:2s", f"ppo:{run}"]


def test_the_strongest_of_the_ladder_come_before_other_searches(tmp_path):
    snapshot = tmp_path / "x" / "snapshot-0001"
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text("{}")
    specs = {"deep": {"spec": "alphabeta:9"}, "net": {"spec": f"ppo:{snapshot}"}, "engine": {"spec": "cmd:rm -r x"}}
    pairs = ("engine", "deep"), ("deep", "net"), ("net", "random"), ("random", "gone")
    rate(tmp_path / "a.db", "hex", *pairs, specs=specs | {"gone": {"spec": "ppo:runs/gone"}})
    found = list(usual_advisers(make_game("hex"), str(tmp_path / "a.db"), tmp_path / "runs"))
    searches = ["alphabeta:2s", f"ppo:{snapshot}", "mcts:2s", "ismcts:2s"]
    assert found == ["champion", "perfect", *searches], "no program runs unasked"


@pytest.mark.parametrize(
    ("game", "second"),
    [
        ("tic_tac_toe", "perfect"),
        ("go:size=5", "mcts:2s"),
        ("chess", "alphabeta:2s"),
        ("leduc_poker", "perfect"),
        ("hanabi", "ismcts:2s"),
    ],
)
def test_those_that_do_not_play_a_game_are_left_out(game, second, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    seats = make_game(game).num_players
    with screen(Options(game, ("random",) * (seats - 1), store=str(tmp_path / "arena.db"))) as shown:
        names = [name for name, _ in shown.sitting.hints.advisers]
    assert names[:2] == ["champion", second]
    assert best_adviser(make_game(game), str(tmp_path / "arena.db"), tmp_path) == "champion"
    assert not Path("arena.db").exists()


def test_who_only_guesses_makes_way():
    hints = Hints([("perfect", FirstLegal()), ("mcts:2s", FirstLegal())], plays=False)
    position = LiveMatch(make_game("tic_tac_toe")).deal([("a", None), ("b", None)], 0, ())[-1]
    guess = Answer(4, probs=np.eye(9)[4])
    assert "has not solved" in hints.take(position, PositionAnalysis(guess))
    assert hints.next()
    assert hints.take(position, PositionAnalysis(guess)) == "", "nobody is left to ask"
    hints.begin()
    assert hints.take(position, PositionAnalysis(replace(guess, value=0.0))) == ""
