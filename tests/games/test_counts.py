"""Counts that are known from the literature, reached by playing every legal action of every position."""

import numpy as np
import pytest
from numpy.typing import NDArray

from games.engine.game import TERMINAL
from games.engine.registry import make_game
from tests.games.playing import children

pytestmark = pytest.mark.full


def distinct(states: NDArray[np.void]) -> NDArray[np.void]:
    """One of each board."""
    boards = np.ascontiguousarray(states["board"])
    rows = boards.reshape(-1).view((np.void, states.dtype["board"].itemsize))  # a whole board as one thing to sort
    return states[np.unique(rows, return_index=True)[1]]


def test_connect_four_positions_after_each_move():
    """Tromp's counts (OEIS A212693)."""
    game = make_game("connect_four")
    states = game.initial.reshape(1)
    counts = [1]
    for _ in range(7):
        states = distinct(children(game, states))
        counts.append(len(states))
    assert counts == [1, 7, 49, 238, 1120, 4263, 16422, 54859]


def test_tic_tac_toe_games():
    """255,168 games: 131,184 won by the first player, 77,904 by the second, 46,080 drawn."""
    game = make_game("tic_tac_toe")
    states = game.initial.reshape(1)
    ends = {0: 0, 1: 0, -1: 0}
    while len(states):
        for winner in ends:
            ends[winner] += int(((states["current_player"] == TERMINAL) & (states["winner"] == winner)).sum())
        states = children(game, states)
    assert ends == {0: 131_184, 1: 77_904, -1: 46_080}
    assert sum(ends.values()) == 255_168


def test_tic_tac_toe_positions():
    """5,478 positions, the empty board among them."""
    game = make_game("tic_tac_toe")
    states = game.initial.reshape(1)
    total = 0
    while len(states):
        total += len(states)
        states = distinct(children(game, states))
    assert total == 5_478
