"""Alpha-beta against a search that tries every line, and against games that are known to be drawn."""

import dataclasses

import numpy as np
import pytest

import games
from agents.search.alphabeta import AlphaBetaPolicy
from arena.base.errors import UsageError
from arena.policy.registry import make_agent
from games.engine.game import TERMINAL
from tests.agents import pile
from tests.agents.positions_by_hand import children, drawn, minimax, random_positions, view

SMALL_BOARD = games.make("connect_four", rows=4, columns=4, k=3)
TIC_TAC_TOE = games.make("tic_tac_toe")


@pytest.mark.full
@pytest.mark.parametrize("depth", [1, 2, 4, 12])
@pytest.mark.parametrize(
    ("game", "plies"), [(TIC_TAC_TOE, 4), (SMALL_BOARD, 7), (games.make("tic_tac_toe", m=3, n=4, k=3), 6)]
)
def test_values_and_best_moves_are_those_of_plain_minimax(game, plies, depth):
    states = random_positions(game, plies, count=8, seed=depth)
    answer = AlphaBetaPolicy(game, depth, seed=0).forward(view(game, states))
    for row, state in enumerate(states):
        values = minimax(game, state, depth)
        best = max(values.values())
        assert answer.value[row] == pytest.approx(best, abs=1e-12)
        assert np.flatnonzero(answer.probs[row]).tolist() == [a for a, v in values.items() if v > best - 1e-9]


@pytest.mark.full
@pytest.mark.parametrize("depth", [1, 3, 9])
def test_the_value_changes_sign_with_the_seat_and_not_with_the_ply(depth):
    game = pile.game()
    states = [np.array((n, (0, 0), seat), pile.DTYPE) for n in range(1, 10) for seat in (0, 1)]
    answer = AlphaBetaPolicy(game, depth, seed=0).forward(view(game, states))
    expected = [max(minimax(game, state, depth).values()) for state in states]
    np.testing.assert_allclose(answer.value, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("text", "best", "value"),
    [
        ("X X .\nO O .\n. . .", [6], 1.0),  # X wins at once, and could also win later
        ("X O .\n. X .\n. . .", [8], -(0.999**3)),  # O has lost; blocking puts it off by two plies
        ("X O X\nX O .\n. X O", [2], 0.0),  # O must block, then it is a draw
    ],
)
def test_a_quick_win_is_preferred_and_a_loss_is_put_off(text, best, value):
    state = drawn(TIC_TAC_TOE, text)
    answer = AlphaBetaPolicy(TIC_TAC_TOE, 9, seed=0).forward(view(TIC_TAC_TOE, [state]))
    assert np.flatnonzero(answer.probs[0]).tolist() == best
    assert answer.value[0] == pytest.approx(value)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_search_to_the_end_never_loses_tic_tac_toe(seat):
    policy, stack = AlphaBetaPolicy(TIC_TAC_TOE, 9, seed=1), [TIC_TAC_TOE.initial]
    while stack:  # every line of the opponent's
        state = stack.pop()
        options = children(TIC_TAC_TOE, state)
        if state["current_player"] == seat:
            action = int(policy.forward(view(TIC_TAC_TOE, [state])).act[0])
            options = {action: options[action]}
        for after, earned in options.values():
            assert earned[seat] >= 0
            if after["current_player"] != TERMINAL:
                stack.append(after)


def test_ties_are_broken_at_random_and_by_the_seed():
    states = [TIC_TAC_TOE.initial] * 200
    policy = AlphaBetaPolicy(TIC_TAC_TOE, 2, seed=3)
    first = policy.forward(view(TIC_TAC_TOE, states)).act
    assert set(first.tolist()) == set(range(9))
    policy.reset(seed=3)
    np.testing.assert_array_equal(policy.forward(view(TIC_TAC_TOE, states)).act, first)


@pytest.mark.full
def test_a_row_does_not_depend_on_its_batch():
    states = random_positions(SMALL_BOARD, 5, count=20, seed=0)
    policy = AlphaBetaPolicy(SMALL_BOARD, 6, seed=0)
    together = policy.forward(view(SMALL_BOARD, states))
    for row, state in enumerate(states):
        alone = policy.forward(view(SMALL_BOARD, [state]))
        np.testing.assert_array_equal(alone.probs[0], together.probs[row])
        assert alone.value[0] == together.value[row]


@pytest.mark.parametrize("argument", ["0", "-1", "x", "2.5", "4,5", "²"])
def test_a_depth_that_is_no_whole_number_is_refused(argument):
    with pytest.raises(UsageError, match="whole number of at least 1"):
        make_agent(f"alphabeta:{argument}", TIC_TAC_TOE)


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (dataclasses.replace(TIC_TAC_TOE, zero_sum=False), "zero-sum"),
        (games.make("kuhn_poker"), "perfect information"),
        (dataclasses.replace(TIC_TAC_TOE, agents=("a", "b", "c")), "two players"),
    ],
)
@pytest.mark.parametrize("agent", ["alphabeta", "one-ply"])
def test_games_that_cannot_be_searched_are_refused(agent, game, message):
    with pytest.raises(UsageError, match=message):
        make_agent(agent, game)


@pytest.mark.parametrize("agent", ["alphabeta:2", "one-ply"])
def test_positions_that_are_missing_or_of_another_board_are_refused(agent):
    policy, batch = make_agent(agent, TIC_TAC_TOE), view(SMALL_BOARD, [SMALL_BOARD.initial])
    with pytest.raises(UsageError, match="another game or size"):
        policy.forward(batch)
    batch.obs.pop("state")
    with pytest.raises(UsageError, match=r"needs batch\.obs\.state"):
        policy.forward(batch)
