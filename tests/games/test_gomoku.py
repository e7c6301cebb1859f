"""Gomoku beside a plain version of its rules, and what more than five are worth."""

import numpy as np
import pytest
from numba import njit

from games.engine.boards import in_line
from games.engine.errors import UsageError
from games.engine.registry import make_game
from tests.games.playing import positions, random_line
from tests.games.test_rules import play

SMALL_BOARDS = [(1, 1), (1, 20), (2, 3), (8, 8)]
"""Boards of at most 64 cells, which are looked at as bits."""
LARGE_BOARDS = [(5, 20), (9, 8)]
"""Boards that are looked at cell by cell."""


def longest_lines(board):
    """The lengths of all lines of one colour, by seat."""
    rows, columns = board.shape
    lengths = {0: {0}, 1: {0}}
    for row, column in np.argwhere(board >= 0):
        seat = int(board[row, column])
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            r, c, length = row, column, 0
            while 0 <= r < rows and 0 <= c < columns and board[r, c] == seat:
                r, c, length = r + down, c + right, length + 1
            before = row - down, column - right
            if not (0 <= before[0] < rows and 0 <= before[1] < columns and board[before] == seat):
                lengths[seat].add(length)
    return lengths


@pytest.mark.full
@pytest.mark.parametrize(("rows", "columns"), [*SMALL_BOARDS, *LARGE_BOARDS])
def test_lines_of_any_length_on_boards_of_any_size(rows, columns):
    dtype = np.dtype([("board", np.int8, (rows, columns))])
    rng, won = np.random.default_rng(rows * columns), 0
    for k in (2, 3, 4, max(rows, columns)):
        for _ in range(10):
            state = np.full((), -1, dtype)
            for ply, cell in enumerate(rng.permutation(rows * columns)):
                row, column = divmod(int(cell), columns)
                state["board"][row, column] = ply % 2
                lines = longest_lines(state["board"])
                assert ends_in_line(state.reshape(1), row, column, k) == (max(lines[ply % 2]) >= k)
                if max(lines[ply % 2]) >= k:
                    won += 1
                    break
    assert won or rows * columns < 3


@njit
def ends_in_line(states, row, column, k):
    return in_line(states[0].board, row, column, k)


@pytest.mark.parametrize("overline", [True, False])
def test_random_games_beside_the_reference(overline):
    game = make_game("gomoku", size=7, overline=overline)
    overlines = draws = 0
    for seed in range(60):
        spec = f"gomoku:size=7,overline={str(overline).lower()}"
        line = random_line(spec, seed)
        for number, (state, mask) in enumerate(positions(game, seed)):
            board = state["board"]
            lines = longest_lines(board)
            winners = [seat for seat in (0, 1) if any(n >= 5 if overline else n == 5 for n in lines[seat])]
            overlines += max(lines[0] | lines[1]) > 5
            if number < len(line):
                assert not winners
                assert (mask == (board < 0).reshape(-1)).all()
                assert state["current_player"] == number % 2
            else:
                assert winners == ([state["winner"]] if state["winner"] >= 0 else [])
                assert winners or (board >= 0).all()
                draws += not winners
    assert draws
    assert overline or overlines


@pytest.mark.parametrize(("overline", "winner"), [("true", 0), ("false", -1)])
def test_six(overline, winner):
    env = play(f"gomoku:overline={overline}", "a1 a15 b1 b14 c1 c13 e1 e15 f1 f14 d1")
    assert env.over[0] == (winner == 0)
    assert env.states["winner"][0] == winner


def test_five_beside_six_win_in_both():
    env = play("gomoku:overline=false", "a1 a15 b1 b14 c1 c13 e1 e15 f1 f14 d2 i1 d3 i3 d4 i5 d5 i7 d1")
    assert env.over[0]
    assert env.states["winner"][0] == 0


def test_rows_count_from_the_bottom():
    env = play("gomoku:size=7", "a1 g7")
    assert env.game.picture(env.states[0]).text(ascii_only=True) == "\n".join(
        [
            "    a   b   c   d   e   f   g",
            "  +---+---+---+---+---+---+---+",
            "7 |   |   |   |   |   |   |[O]|",
            "6 |   |   |   |   |   |   |   |",
            "5 |   |   |   |   |   |   |   |",
            "4 |   |   |   |   |   |   |   |",
            "3 |   |   |   |   |   |   |   |",
            "2 |   |   |   |   |   |   |   |",
            "1 | X |   |   |   |   |   |   |",
            "  +---+---+---+---+---+---+---+",
        ]
    )


@pytest.mark.parametrize("size", [0, 4, 21])
def test_sizes(size):
    with pytest.raises(UsageError, match=f"gomoku: size={size} is not between 5 and 20"):
        make_game("gomoku", size=size)
