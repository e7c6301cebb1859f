"""Best answers, and how far strategies are from an equilibrium."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.analysis.response import best_response, exploitability
from arena.analysis.tree import build_tree
from arena.policy.registry import make_game
from tests.analysis.plain import Plain

pytestmark = pytest.mark.full

KUHN = build_tree(make_game("kuhn_poker"))


def test_uniform_play_is_as_exploitable_as_published():
    """NashConv 11/12 and 4.747222 (OpenSpiel's exploitability_test.py)."""
    kuhn = exploitability(KUHN, KUHN.uniform())
    assert kuhn.nash_conv == pytest.approx(11 / 12, abs=1e-12)
    assert kuhn.exploitability == pytest.approx(0.458333, abs=1e-6)
    leduc = build_tree(make_game("leduc_poker"))
    assert exploitability(leduc, leduc.uniform()).nash_conv == pytest.approx(4.747222, abs=1e-6)
    assert exploitability(leduc, leduc.uniform()).exploitability == pytest.approx(2.373611, abs=1e-6)


@pytest.mark.parametrize(
    ("spec", "expected"), [("liars_dice:dice=1", 1.5614886463844795), ("kuhn_poker:players=3", 2.0625)]
)
def test_uniform_play_is_as_exploitable_as_openspiel_says(spec, expected):
    """OpenSpiel 2.0.2's nash_conv; in games of three seats it is the sum of what each could gain alone."""
    tree = build_tree(make_game(spec))
    assert exploitability(tree, tree.uniform()).nash_conv == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("spec", "fold"), [("kuhn_poker", 0), ("leduc_poker", 0)])
def test_who_always_folds_loses_the_ante_twice(spec, fold):
    """NashConv 2 in both games (same source): each seat gains the other's ante."""
    tree = build_tree(make_game(spec))
    table = np.zeros((tree.num_states, tree.game.num_actions))
    legal = tree.table(tree.uniform()) > 0
    table[np.arange(tree.num_states), legal.argmax(axis=1)] = 1  # fold, or check where nothing was raised
    assert exploitability(tree, tree.from_table(table)).nash_conv == pytest.approx(2.0)


@pytest.mark.parametrize("alpha", [0.0, 0.1, 1 / 3])
def test_the_equilibria_of_kuhn_poker_are_not_exploitable(alpha):
    """The family of H. W. Kuhn (1950): the first player bets the jack with alpha, the king with 3 alpha."""
    bets = {
        0: {(0, ""): alpha, (1, ""): 0.0, (2, ""): 3 * alpha, (0, "pb"): 0.0, (1, "pb"): alpha + 1 / 3, (2, "pb"): 1.0},
        1: {(0, "p"): 1 / 3, (1, "p"): 0.0, (2, "p"): 1.0, (0, "b"): 0.0, (1, "b"): 1 / 3, (2, "b"): 1.0},
    }
    table = np.empty((12, 2))
    for row, state in enumerate(KUHN.positions(KUHN.example)):
        seat = int(state["current_player"])
        done = "".join("pb"[a] for a in state["history"][: state["length"]])
        bet = bets[seat][int(state["cards"][seat]), done]
        table[row] = 1 - bet, bet
    result = exploitability(KUHN, KUHN.from_table(table))
    np.testing.assert_allclose(result.values, [-1 / 18, 1 / 18], atol=1e-12)
    assert result.nash_conv == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    "spec",
    [
        "kuhn_poker",
        "liars_dice:dice=1,sides=2",
        "matrix_game:payoffs=rock_paper_scissors",
        "matrix_game:payoffs=battle_of_the_sexes,rounds=2",
    ],
)
@pytest.mark.parametrize("seed", [0, 1])
def test_best_answers_are_those_of_brute_force_over_all_pure_strategies(spec, seed):
    game = make_game(spec)
    tree = build_tree(game)
    strategy = tree.from_table(np.random.default_rng(seed).random((tree.num_states, game.num_actions)) ** 3)
    rows = tree.table(strategy)
    behaviour = {(int(s), k.tobytes()): row for s, k, row in zip(tree.seats, tree.known, rows, strict=True)}
    plain = Plain(game)
    expected = [plain.best_response(behaviour, seat) for seat in range(game.num_players)]
    np.testing.assert_allclose(exploitability(tree, strategy).best_responses, expected, atol=1e-9)


def test_brute_force_agrees_with_three_seats():
    game = make_game("matrix_game:payoffs=prisoners_dilemma,rounds=2")
    tree = build_tree(game)
    assert exploitability(tree, tree.uniform()).best_responses.tolist() == pytest.approx([6.0, 6.0])
    three = build_tree(make_game("kuhn_poker:players=3"))
    strategy = three.from_table(np.random.default_rng(0).random((three.num_states, 2)))
    for seat in range(3):
        worth, answer = best_response(three, strategy, seat)
        assert exploitability(three, answer).values[seat] == pytest.approx(worth)
        for state in np.flatnonzero(three.seats == seat).tolist():  # no single change is an improvement
            changed = three.table(answer)
            changed[state] = changed[state, ::-1]
            assert exploitability(three, three.from_table(changed)).values[seat] <= worth + 1e-12


@settings(max_examples=50)
@given(st.lists(st.floats(0.0, 1.0), min_size=12, max_size=12))
def test_no_strategy_gains_less_than_nothing(bets):
    table = np.array([[1 - bet, bet] for bet in bets])
    result = exploitability(KUHN, KUHN.from_table(table))
    assert (result.best_responses >= result.values - 1e-12).all()
    assert result.values.sum() == pytest.approx(0.0, abs=1e-12)
    for seat in range(2):
        worth, answer = best_response(KUHN, KUHN.from_table(table), seat)
        assert worth == pytest.approx(result.best_responses[seat])
        assert exploitability(KUHN, answer).values[seat] == pytest.approx(worth)
