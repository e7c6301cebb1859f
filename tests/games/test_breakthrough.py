"""Breakthrough beside a plain version of its rules."""

import numpy as np
import pytest

from games.engine.errors import UsageError
from games.engine.registry import make_game
from tests.games.playing import children, positions, random_line
from tests.games.test_rules import play


class Reference:
    """The rules on a dictionary of cells as people name them: (column, row), rows from 1 at the first player's side."""

    def __init__(self, rows, columns):
        self.rows, self.columns, self.seat, self.winner = rows, columns, 0, None
        full = 2 if rows >= 6 else 1
        self.pieces = {(c, r): 0 for c in range(columns) for r in range(1, full + 1)}
        self.pieces |= {(c, rows + 1 - r): 1 for c, r in self.pieces}

    def moves(self):
        """Every legal move as text."""
        ahead = 1 if self.seat == 0 else -1
        for (column, row), seat in self.pieces.items():
            for aside in (-1, 0, 1):
                at = self.pieces.get((column + aside, row + ahead))
                if seat == self.seat and 0 <= column + aside < self.columns and at != seat and (at is None or aside):
                    sign = "-" if at is None else "x"
                    yield f"{self.name(column, row)}{sign}{self.name(column + aside, row + ahead)}"

    @staticmethod
    def name(column, row):
        return f"{'abcdefghijklmnopqrst'[column]}{row}"

    def play(self, move):
        origin, target = (
            ("abcdefghijklmnopqrst".index(cell[0]), int(cell[1:])) for cell in move.replace("x", "-").split("-")
        )
        self.pieces[target] = self.pieces.pop(origin)
        self.seat = 1 - self.seat
        if target[1] in (1, self.rows) or self.seat not in self.pieces.values():
            self.winner = 1 - self.seat


@pytest.mark.parametrize(
    ("spec", "games"),
    [("breakthrough", 20), ("breakthrough:rows=5,columns=9", 20)],
)
def test_random_games_beside_the_reference(spec, games):
    game = make_game(spec)
    rows = game.options["rows"]
    for seed in range(games):
        reference = Reference(**game.options)
        for action, (state, mask) in zip([*random_line(spec, seed), None], positions(game, seed), strict=True):
            board = game.picture(state).pieces
            assert {(int(c), rows - int(r)): int(board[r, c]) for r, c in np.argwhere(board >= 0)} == reference.pieces
            assert (state["winner"] == reference.winner) if action is None else (reference.winner is None)
            if action is not None:
                assert state["current_player"] == reference.seat
                legal = [game.action_text(state, a) for a in np.flatnonzero(mask)]
                assert sorted(legal) == sorted(reference.moves())
                reference.play(game.action_text(state, action))


def test_lines_of_three_moves():
    """As many as the plain version counts."""

    def lines(reference, depth):
        if depth == 0 or reference.winner is not None:
            return int(depth == 0)
        total = 0
        for move in list(reference.moves()):
            after = Reference(reference.rows, reference.columns)
            after.pieces, after.seat = dict(reference.pieces), reference.seat
            after.play(move)
            total += lines(after, depth - 1)
        return total

    game = make_game("breakthrough:rows=5,columns=9")
    states = game.initial.reshape(1)
    for _ in range(3):
        states = children(game, states)
    assert len(states) == lines(Reference(5, 9), 3)


def test_the_first_player_has_22_moves_and_so_has_the_second():
    game = make_game("breakthrough")
    states = children(game, game.initial.reshape(1))
    assert len(states) == 22
    assert len(children(game, states)) == 22 * 22


def test_both_see_the_board_from_their_own_side():
    """The answer that mirrors a move is the same action, and what its player saw was the same."""
    game = make_game("breakthrough")
    env = play("breakthrough", "a2-b3")
    assert game.parse_action(game.initial, "a2-b3") == game.parse_action(env.states[0], "a7-b6")
    first = env.final_obs().obs[0, 0]
    env.step([game.parse_action(env.states[0], "a7-b6")])
    own, others = env.final_obs().obs[0, 0, :, :, 0], env.final_obs().obs[0, 0, :, :, 1]
    assert (own == others[::-1]).all()
    assert first[2, 1].tolist() == [1, 0]


def test_whoever_captures_everything_has_won():
    env = play("breakthrough:rows=5,columns=2", "a1-a2 a5-a4 b1-b2 b5-b4 a2-a3 b4xa3 b2xa3")
    assert not env.over[0]
    env = play("breakthrough:rows=5,columns=2", "a1-a2 a5-a4 b1-b2 b5-b4 a2-a3 b4xa3 b2xa3 a4-b3 a3-b4")
    assert not env.over[0]
    env = play("breakthrough:rows=5,columns=2", "a1-a2 a5-a4 b1-b2 a4-a3 b2xa3 b5-b4 a3xb4")
    assert env.over[0]
    assert env.states["winner"][0] == 0


def test_in_text():
    env = play("breakthrough:rows=5,columns=3", "a1-b2 c5-c4")
    assert env.game.picture(env.states[0]).text(ascii_only=True) == "\n".join(
        [
            "    a   b   c",
            "  +---+---+---+",
            "5 | X | X |   |",
            "4 |   |   |[X]|",
            "3 |   |   |   |",
            "2 |   | O |   |",
            "1 |   | O | O |",
            "  +---+---+---+",
        ]
    )


@pytest.mark.parametrize("text", ["a2", "a2-a4", "a3-a2", "a2-c3", "a2-", "h2-i3", "a2 - a3 -"])
def test_what_is_no_step_ahead(text):
    game = make_game("breakthrough")
    with pytest.raises(UsageError, match="type a"):
        game.parse_action(game.initial, text)


@pytest.mark.parametrize("option", ["rows", "columns"])
@pytest.mark.parametrize("value", [1, 21])
def test_sizes(option, value):
    with pytest.raises(UsageError, match=f"breakthrough: {option}={value} is not between 2 and 20"):
        make_game("breakthrough", **{option: value})
