"""One-ply: takes wins, blocks threats, and sees no further."""

import numpy as np
import pytest

import games
from agents.scripted.one_ply import OnePlyPolicy
from arena.base.errors import UsageError
from arena.policy.registry import make_agent
from games.engine.game import TERMINAL
from tests.agents.positions_by_hand import children, drawn, random_positions, view

pytestmark = pytest.mark.full

CONNECT_FOUR = games.make("connect_four")
TIC_TAC_TOE = games.make("tic_tac_toe")


def choices(game, *states):
    """The actions among which one-ply draws, for each position."""
    probs = OnePlyPolicy(game, seed=0).forward(view(game, list(states))).probs
    assert np.allclose(probs.sum(axis=1), 1)
    assert all(len(set(row[row > 0])) == 1 for row in probs), "not uniform"
    return [np.flatnonzero(row).tolist() for row in probs]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("X X .\nO O .\n. . .", [6]),  # X wins, although O threatens to
        ("X X .\nO . .\n. . .", [6]),  # O must block
        ("O X .\nO X .\n. . .", [5]),  # X wins rather than block
        ("X . .\nO . .\nX . .", [3, 4, 5, 6, 7, 8]),  # nothing to see
        ("X . X\n. O .\nX . O", [1, 3]),  # two threats: either is blocked
        ("X O X\nX O O\nO X .", [8]),  # the only legal move
    ],
)
def test_tic_tac_toe(text, expected):
    assert choices(TIC_TAC_TOE, drawn(TIC_TAC_TOE, text)) == [expected]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (". . . . . . .\n. X X X O O O", [0]),  # X wins, whatever O threatens
        ("X . . . . . .\nX O . . . . .\nX O . . . . .", [0]),  # O blocks the column
        (". . . . . . .\n. . . . . . .\nX X . X O O .", [2]),  # O blocks the gap
        (". O . . . . .\nX X . . X O .\nO X . X X O O", [2]),  # not blocking below a hole of one's own making
    ],
)
def test_connect_four(rows, expected):
    empty = "\n".join([". . . . . . ."] * (6 - rows.count("\n") - 1))
    assert choices(CONNECT_FOUR, drawn(CONNECT_FOUR, f"{empty}\n{rows}")) == [expected]


def winning(game, state, seat):
    """Actions that win at once for the seat to move, if it is `seat`."""
    if state["current_player"] != seat:
        return set()
    return {action for action, (_, earned) in children(game, state).items() if earned[seat] > 0}


@pytest.mark.parametrize("game", [CONNECT_FOUR, TIC_TAC_TOE, games.make("connect_four", rows=4, columns=4, k=3)])
def test_choices_on_random_positions_follow_the_definition(game):
    states = [state for plies in (3, 4, 5, 6, 7) for state in random_positions(game, plies, 8, seed=plies)]
    for state, chosen in zip(states, choices(game, *states), strict=True):
        seat, after = int(state["current_player"]), children(game, state)
        threats = set(after)
        for action, (child, _) in after.items():
            threats &= winning(game, child, 1 - seat) | {action}
        assert chosen == sorted(winning(game, state, seat) or threats or after)


def test_finished_games_in_a_batch_do_no_harm():
    over = next(
        after
        for after, _ in children(TIC_TAC_TOE, drawn(TIC_TAC_TOE, "X X .\nO O .\n. . .")).values()
        if after["current_player"] == TERMINAL
    )
    assert choices(TIC_TAC_TOE, over) == [list(range(9))]


def test_the_seed_fixes_the_moves():
    states = view(CONNECT_FOUR, [CONNECT_FOUR.initial] * 50)
    policy = OnePlyPolicy(CONNECT_FOUR, seed=5)
    first = policy.forward(states).act
    assert np.any(policy.forward(states).act != first)
    policy.reset(seed=5)
    np.testing.assert_array_equal(policy.forward(states).act, first)


@pytest.mark.parametrize("agent", ["one-ply", "random"])
def test_an_argument_is_refused(agent):
    with pytest.raises(UsageError, match=f"'{agent}' takes no argument, not '3'"):
        make_agent(f"{agent}:3", TIC_TAC_TOE)
