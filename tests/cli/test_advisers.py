"""Who gives hints where nobody is named."""

from pathlib import Path

import pytest

from arena.cli.advisers import usual_advisers
from arena.cli.play import Options, screen
from arena.policy.registry import make_game
from tests.tui.sample_files import make_run

pytestmark = pytest.mark.full


def test_the_best_come_first(tmp_path):
    make_run(tmp_path / "runs" / "x", "finished")
    found = list(usual_advisers(make_game("connect_four"), str(tmp_path / "none.db"), tmp_path / "runs"))
    assert found[0] == "perfect"
    assert found[-2:] == ["mcts:2s", "ismcts:2s"]


@pytest.mark.parametrize(
    ("game", "first"),
    [("tic_tac_toe", "perfect"), ("go:size=5", "mcts:2s"), ("leduc_poker", "perfect"), ("hanabi", "ismcts:2s")],
)
def test_those_that_do_not_play_a_game_are_left_out(game, first, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    seats = make_game(game).num_players
    with screen(Options(game, ("random",) * (seats - 1), store=str(tmp_path / "arena.db"))) as shown:
        names = [name for name, _ in shown.sitting.hints.advisers]
    assert names[0] == first
    assert not Path("arena.db").exists()
