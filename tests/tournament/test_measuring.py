"""Figures of an agent against another."""

import pytest

import games
from arena.base.errors import UsageError
from arena.tournament.measuring import measure

pytestmark = pytest.mark.full


def test_an_agent_that_fails_has_no_figure(tmp_path):
    bot = tmp_path / "bot.py"
    bot.write_text("""import json, sys
sys.stdin.readline()
print(json.dumps({"type": "ready"}), flush=True)
sys.stdin.readline()
""")
    with pytest.raises(UsageError, match=r"cmd:python .* failed in 4 games: nothing is measured"):
        measure(games.make("tic_tac_toe"), f"cmd:python {bot}", "random", 4)


def test_a_figure_has_its_score_and_interval():
    figure = measure(games.make("tic_tac_toe"), "perfect", "random", 40, openings="random:0")
    assert (figure.agent, figure.against, figure.games, figure.seed) == ("perfect", "random", 40, 0)
    assert 0.8 < figure.low < figure.score <= figure.high <= 1
