"""Games played out by hand: who wins, and what the board looks like then."""

import numpy as np
import pytest

from arena.env.native import GameVectorEnv
from games.engine.registry import make_game


def play(spec: str, moves: str) -> GameVectorEnv:
    """Play moves in the game's notation; the game ends with the last of them or not at all."""
    env = GameVectorEnv(make_game(spec), 1)
    env.reset()
    for text in moves.split():
        env.step([env.game.parse_action(env.states[0], text)])
    return env


@pytest.mark.parametrize(
    ("spec", "moves", "winner"),
    [
        ("connect_four", "1 2 1 3 1 4 1", 0),  # a column
        ("connect_four", "1 1 2 2 3 3 4", 0),  # a row
        ("connect_four", "1 1 2 2 4 4 3", 0),  # a row, completed inside
        ("connect_four", "1 2 2 3 3 4 3 4 4 7 4", 0),  # a rising diagonal
        ("connect_four", "7 6 6 5 5 4 5 4 4 1 4", 0),  # a falling one
        ("connect_four", "7 1 7 2 6 3 6 4", 1),
        ("connect_four:rows=4,columns=5,k=3", "1 2 1 2 1", 0),
        ("tic_tac_toe", "a1 b1 a2 b2 a3", 0),
        ("tic_tac_toe", "b2 a1 a3 b1 b3 c1", 1),
        ("tic_tac_toe", "a1 a2 b2 b1 c3", 0),
        ("tic_tac_toe", "c1 a2 b2 b1 a3", 0),
        ("tic_tac_toe", "a1 b2 c3 a2 c2 c1 a3 b3 b1", -1),
        ("tic_tac_toe:m=4,n=6,k=4", "f4 a1 e4 a2 d4 a3 c4", 0),
        ("tic_tac_toe:m=4,players=3", "a1 b1 c1 a2 b2 c2 a3", 0),
        ("tic_tac_toe:m=4,players=3", "a1 b1 c1 a2 b2 c2 b4 a4 c3", 2),
        ("tic_tac_toe:m=4,n=4,players=4", "a1 b1 c1 d1 a2 b2 c2 d2 b3 a4 c4 d3", 3),
    ],
)
def test_winner(spec, moves, winner):
    env = play(spec, moves)
    assert env.over[0]
    assert env.states["winner"][0] == winner


@pytest.mark.parametrize(
    ("spec", "moves"),
    [
        ("connect_four", "1 1 2 2 3 3"),
        ("connect_four", "1 5 5 6 6 7 7"),  # a row does not go on at the other side, a line below
        ("tic_tac_toe:m=4,n=6,k=4", "a1 b1 a2 b2 a3 b3"),  # three are not enough here
    ],
)
def test_nobody_has_won_yet(spec, moves):
    assert not play(spec, moves).over[0]


def test_connect_four_in_text():
    env = play("connect_four", "4 3 4 4 2 2 5")
    assert env.game.picture(env.states[0]).text(ascii_only=True) == "\n".join(
        [
            "   1   2   3   4   5   6   7",
            " +---+---+---+---+---+---+---+",
            " |   |   |   |   |   |   |   |",
            " |   |   |   |   |   |   |   |",
            " |   |   |   |   |   |   |   |",
            " |   |   |   | O |   |   |   |",
            " |   | O |   | X |   |   |   |",
            " |   | X | O | X |[X]|   |   |",
            " +---+---+---+---+---+---+---+",
        ]
    )


def test_three_see_their_own_marks_first_and_pay_the_winner():
    env = play("tic_tac_toe:players=3", "b2 a1 c1 a2 b1")
    assert env.seats[0] == 2
    seen = env.observations().obs[0]
    cells = [np.argwhere(seen[..., plane]).tolist() for plane in range(3)]
    assert cells == [[[2, 0]], [[0, 1], [1, 1]], [[0, 0], [1, 0]]]
    env = play("tic_tac_toe:players=3", "b2 a1 c1 a2 b1 a3")
    _, rewards, *_ = env.step([env.game.parse_action(env.states[0], "c2")])
    assert env.over[0]
    assert rewards[0].tolist() == [1, -0.5, -0.5]


def test_tic_tac_toe_in_text():
    env = play("tic_tac_toe:m=2,n=4,k=3", "a1 d2 b1 c1")
    assert env.game.picture(env.states[0]).text() == "\n".join(
        [
            "    a   b   c   d",
            "  ╭───┬───┬───┬───╮",
            "1 │ ● │ ● │[○]│   │",
            "2 │   │   │   │ ○ │",
            "  ╰───┴───┴───┴───╯",
        ]
    )
