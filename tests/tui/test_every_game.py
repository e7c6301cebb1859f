"""Games of every kind are played to their ends by keys, against an agent that draws its moves."""

import numpy as np
import pytest

from arena.data.batch import Batch
from arena.policy.protocol import Policy
from arena.policy.registry import make_agent, make_game
from arena.tui.app import ArenaApp
from arena.tui.parts.sitting import PlayOptions
from arena.tui.screens.play import PlayScreen
from tests.tiers import mostly_slow
from tests.tui.helpers import until

pytestmark = pytest.mark.full

PLAYED = {
    "tic_tac_toe": "tic_tac_toe",
    "breakthrough": "breakthrough:rows=5,columns=9",
    "chess": "chess",
    "go": "go:size=5,komi=0.5,ko=simple",
    "othello": "othello:size=6",
    "kalah": "kalah:houses=4,empty_capture=true",
    "backgammon": "backgammon",
    "pig": "pig",
    "hanabi": "hanabi",
    "leduc_poker": "leduc_poker",
    "gin_rummy": "gin_rummy",
    "liars_dice": "liars_dice",
    "rock_paper_scissors": "rock_paper_scissors",
    "tron": "tron",
}
"""Moves into a cell, from cell to cell, by letters, with passes, several in a row, by dice, by words, of hands.

That every game's moves are read as they are written is for `tests/games/test_contract.py`. The options are those of
`tests.games.playing`, which are compiled already.
"""
LINES = {"chess": ("f3 g4", "e5 Qh4#")}
"""Fixed lines where random moves would take hundreds: the fool's mate."""
LONG = {"backgammon", "breakthrough", "gin_rummy", "pig", "rock_paper_scissors", "tron"}
"""Dozens of turns, which are resigned after some."""
MOST_TURNS = 5
QUICK = {"tic_tac_toe", "breakthrough", "backgammon", "leduc_poker", "liars_dice", "rock_paper_scissors"}
"""Into a cell, from cell to cell, by dice, of hands, by words, at once."""


class Reader(Policy):
    """Plays moves that are written down."""

    def __init__(self, game, line):
        self._game, self._line = game, line.split()
        self._played = 0

    needs_state = True

    def forward(self, batch, state=None):
        self._played += 1
        text = self._line[self._played - 1]
        return Batch(act=np.array([self._game.parse_action(batch.obs.state[0], text)]))


def choose(legal, rng, game):
    """A move by its notation; go is passed soon, or it would never end."""
    texts = list(legal.values())
    return "pass" if game == "go" and "pass" in texts else texts[rng.integers(len(texts))]


@pytest.mark.parametrize("name", mostly_slow(PLAYED, QUICK, "plays whole games by keys"))
async def test_a_game_is_played_by_keys_to_its_end(name):
    game = make_game(PLAYED[name])
    mine, theirs = LINES.get(name, ("", ""))
    others = [("bot", Reader(game, theirs) if theirs else make_agent("random", game))]
    app = ArenaApp(PlayScreen(game, others, PlayOptions(seed=1)))
    rng = np.random.default_rng(1)
    async with app.run_test(size=(80, 24)) as pilot:
        turns = 0
        while True:
            screen = app.screen
            await until(pilot, lambda screen=screen: screen.sitting.my_turn or screen.sitting.position.verdict, 120)
            if screen.sitting.position.verdict:
                break
            known = len(screen.match.positions)
            if name in LONG and turns == MOST_TURNS:
                await pilot.press("ctrl+r", "ctrl+r")
            else:
                move = mine.split()[turns] if mine else choose(screen.sitting.position.legal, rng, name)
                await pilot.press(*move, "enter")
            await until(pilot, lambda screen=screen, known=known: len(screen.match.positions) > known)
            turns += 1
        assert screen.sitting.position.verdict.offender in (None, screen.sitting.seat)
        assert "n: next game" in str(screen.query_one("#notice").content)
