"""Hex beside a plain version of its rules."""

import numpy as np
import pytest

from games.engine.compiler import kernels
from games.engine.errors import UsageError
from games.engine.registry import make_game
from tests.games.playing import positions, random_line
from tests.games.test_rules import play

AROUND = [(-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1)]


def joined(stones, size, seat):
    """Return whether a chain of `stones` (a set of cells) leads from the first side of `seat` to its second."""
    across = seat  # the coordinate that counts from side to side: rows for seat 0, columns for seat 1
    reached = {cell for cell in stones if cell[across] == 0}
    edge = list(reached)
    while edge:
        row, column = edge.pop()
        new = {(row + down, column + right) for down, right in AROUND} & stones - reached
        reached |= new
        edge += new
    return any(cell[across] == size - 1 for cell in reached)


def stones_of(state, seat):
    return {(int(row), int(column)) for row, column in np.argwhere(state["board"] == seat)}


@pytest.mark.parametrize(
    ("spec", "games"),
    [("hex:size=1", 3), ("hex:size=3", 60), ("hex:size=5,swap=false", 20), ("hex", 5)],
)
def test_random_games_beside_the_reference(spec, games):
    game = make_game(spec)
    size, swaps = game.options["size"], 0
    for seed in range(games):
        stones, seat = ({}, 0)
        for number, (action, (state, mask)) in enumerate(
            zip([*random_line(spec, seed), None], positions(game, seed), strict=True)
        ):
            assert {cell: s for s in (0, 1) for cell in stones_of(state, s)} == stones
            winners = [s for s in (0, 1) if joined({cell for cell in stones if stones[cell] == s}, size, s)]
            assert winners == ([state["winner"]] if action is None else [])
            if action is None:
                break
            legal = [i for i in range(size * size) if divmod(i, size) not in stones]
            if game.options["swap"] and number == 1:
                legal.append(size * size)
            assert np.flatnonzero(mask).tolist() == legal
            assert state["current_player"] == seat
            if action == size * size:
                swaps += 1
                ((row, column),) = stones
                stones = {(column, row): 1}
            else:
                stones[divmod(action, size)] = seat
            seat = 1 - seat
    assert swaps or size != 3


def test_somebody_always_wins():
    """No full board leaves both players apart, and none joins both (Nash)."""
    game = make_game("hex:size=5")
    states = np.repeat(game.initial.reshape(1), 500)
    mask = np.zeros(game.num_actions, np.bool_)
    kernels(game).playouts(states, game.initial.reshape(1), mask, game.chance_scratch(), 3)
    assert set(states["winner"]) == {0, 1}
    rng = np.random.default_rng(0)
    for _ in range(200):
        board = rng.permutation(np.arange(25) % 2).reshape(5, 5)
        cells = [{(int(r), int(c)) for r, c in np.argwhere(board == seat)} for seat in (0, 1)]
        assert joined(cells[0], 5, 0) != joined(cells[1], 5, 1)


@pytest.mark.parametrize(
    ("moves", "winner"),
    [
        ("a1 b1 a2 b2 a3", 0),  # straight down
        ("c1 a1 b2 a2 a3", 0),  # along the diagonal of neighbours
        ("c3 a3 c2 b2 b3 c1", 1),
    ],
)
def test_chains_that_win(moves, winner):
    env = play("hex:size=3,swap=false", moves)
    assert env.over[0]
    assert env.states["winner"][0] == winner


def test_the_other_diagonal_joins_nothing():
    assert not play("hex:size=3,swap=false", "a1 a2 b2 b1 c3").over[0]


def test_the_swap_mirrors_the_first_stone_and_gives_it_to_the_second_player():
    env = play("hex:size=3", "a2 swap")
    assert env.seats[0] == 0
    assert env.game.picture(env.states[0]).text(ascii_only=True) == "\n".join(
        [
            "    a   b   c",
            "  +---+---+---+",
            "1 |   |[O]|   |",
            "  2 |   |   |   |",
            "    3 |   |   |   |",
            "      +---+---+---+",
            "X top to bottom, O left to right",
        ]
    )
    assert env.mask[0].sum() == 8
    assert not env.mask[0, -1], "nobody swaps twice"


def test_a_stone_on_the_side_is_joined_anew_after_the_swap():
    # a1 touches the left side now, not the top
    assert not play("hex:size=3", "a1 swap b2 c2 b3 b1").over[0]
    env = play("hex:size=3", "a1 swap b2 b1 b3 c1")
    assert env.over[0]
    assert env.states["winner"][0] == 1


def test_without_the_rule_there_is_no_swap():
    game = make_game("hex:size=3,swap=false")
    assert game.num_actions == 9
    with pytest.raises(UsageError, match=r"from a1 to c3$"):
        game.parse_action(game.initial, "swap")


@pytest.mark.parametrize("size", [0, -1, 20])
def test_sizes(size):
    with pytest.raises(UsageError, match=f"hex: size={size} is not between 1 and 19"):
        make_game("hex", size=size)
