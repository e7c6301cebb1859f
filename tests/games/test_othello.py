"""Othello beside a plain version of its rules, and beside published counts."""

import numpy as np
import pytest

from games.engine.errors import UsageError
from games.engine.game import TERMINAL
from games.engine.registry import make_game
from tests.games.playing import children, positions, random_line
from tests.games.test_rules import play

DIRECTIONS = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if r or c]


class Reference:
    """The rules on a dictionary of cells."""

    def __init__(self, size):
        half = size // 2
        self.size, self.seat, self.winner, self.over = size, 0, -1, False
        self.discs = {(half - 1, half): 0, (half, half - 1): 0, (half - 1, half - 1): 1, (half, half): 1}

    def turned(self, cell, seat):
        """The discs that a disc of `seat` on this cell turns over."""
        flips = []
        for down, right in DIRECTIONS if cell not in self.discs else ():
            run, at = [], (cell[0] + down, cell[1] + right)
            while self.discs.get(at) == 1 - seat:
                run.append(at)
                at = (at[0] + down, at[1] + right)
            flips += run if self.discs.get(at) == seat else []
        return flips

    def placements(self, seat):
        return (action for action in range(self.size**2) if self.turned(divmod(action, self.size), seat))

    def legal(self):
        return list(self.placements(self.seat)) or [self.size**2]

    def play(self, action):
        if action < self.size**2:
            cell = divmod(action, self.size)
            self.discs |= dict.fromkeys([*self.turned(cell, self.seat), cell], self.seat)
        self.seat = 1 - self.seat
        if all(next(self.placements(seat), None) is None for seat in (0, 1)):
            self.over = True
            counts = [list(self.discs.values()).count(seat) for seat in (0, 1)]
            self.winner = -1 if counts[0] == counts[1] else int(np.argmax(counts))


@pytest.mark.parametrize(("size", "games"), [(4, 25), (6, 10), (16, 1)])
def test_random_games_beside_the_reference(size, games):
    game = make_game("othello", size=size)
    passes = 0
    for seed in range(games):
        reference = Reference(size)
        line = random_line(game.label.replace("(", ":").rstrip(")"), seed)
        for (state, mask), action in zip(positions(game, seed), [*line, None], strict=True):
            board = game.picture(state).pieces
            assert {(int(r), int(c)): int(board[r, c]) for r, c in np.argwhere(board >= 0)} == reference.discs
            if action is None:
                assert reference.over
                assert state["winner"] == reference.winner
            else:
                assert not reference.over
                assert state["current_player"] == reference.seat
                assert np.flatnonzero(mask).tolist() == reference.legal()
                passes += action == size * size
                reference.play(action)
    assert passes or size == 16


def test_perft():
    """The usual counts of lines from the first position."""
    game = make_game("othello")
    states, counts = game.initial.reshape(1), []
    for _ in range(8):
        states = children(game, states)
        counts.append(len(states))
    assert counts == [4, 12, 56, 244, 1396, 8200, 55_092, 390_216]


def test_all_games_on_the_smallest_board():
    """60,060 games on 4 x 4: 15,015 after each of the four first moves (reversi-nxn.blogspot.com, 2008)."""
    game = make_game("othello", size=4)
    states, ended = game.initial.reshape(1), 0
    while len(states):
        ended += int((states["current_player"] == TERMINAL).sum())
        states = children(game, states)
    assert ended == 60_060


def test_a_player_without_discs_has_lost_at_once():
    env = play("othello", "e6 f4 e3 f6 g5 d6 e7 f5 c5")  # the shortest game there is
    assert env.over[0]
    assert env.states["winner"][0] == 0
    assert env.game.picture(env.states[0]).notes == ("discs: 13 to 0",)


def test_the_pass_is_legal_only_when_nothing_else_is():
    game = make_game("othello:size=4")
    for seed in range(20):
        for state, mask in positions(game, seed):
            if state["current_player"] != TERMINAL:
                assert mask[-1] == (not mask[:-1].any())


def test_the_first_position_in_text():
    game = make_game("othello:size=4")
    assert game.picture(game.initial).text(ascii_only=True) == "\n".join(
        [
            "    a   b   c   d",
            "  +---+---+---+---+",
            "1 |   |   |   |   |",
            "2 |   | O | X |   |",
            "3 |   | X | O |   |",
            "4 |   |   |   |   |",
            "  +---+---+---+---+",
            "discs: 2 to 2",
        ]
    )


@pytest.mark.parametrize("size", [0, 2, 7, 18])
def test_sizes(size):
    with pytest.raises(UsageError, match=f"othello: size={size} is not an even number between 4 and 16"):
        make_game("othello", size=size)
