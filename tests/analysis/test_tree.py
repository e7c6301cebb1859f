"""Games written out into arrays."""

import dataclasses

import numpy as np
import pytest

from arena.analysis.response import exploitability
from arena.analysis.tree import build_tree
from arena.base.errors import UsageError
from arena.policy.registry import make_game
from games.engine.game import CHANCE, TERMINAL
from tests.analysis.forgetful import information_state
from tests.analysis.plain import Plain

pytestmark = pytest.mark.full

SMALL = ("kuhn_poker", "kuhn_poker:players=3", "liars_dice:dice=1,sides=2", "matrix_game:payoffs=shapley")


@pytest.mark.parametrize(
    ("spec", "positions", "ends", "states"),
    [
        ("kuhn_poker", 58, 30, 12),
        ("kuhn_poker:players=3", 617, 312, 48),
        ("leduc_poker", 9457, 5520, 936),
        ("liars_dice:dice=1", 294883, 147420, 24576),
    ],
)
def test_sizes_are_those_that_are_published(spec, positions, ends, states):
    """As OpenSpiel 2.0.2 counts them (its liar's dice has six sides)."""
    tree = build_tree(make_game(spec))
    assert (len(tree.nodes), len(tree.payoffs), tree.num_states) == (positions, ends, states)


@pytest.mark.parametrize("spec", SMALL)
def test_information_states_are_those_of_a_plain_walk(spec):
    game = make_game(spec)
    tree, plain = build_tree(game), Plain(game)
    expected = plain.decisions()
    found = {
        (int(seat), known.tobytes()): np.flatnonzero(row).tolist()
        for seat, known, row in zip(tree.seats, tree.known, tree.table(tree.uniform()), strict=True)
    }
    assert found == expected


@pytest.mark.parametrize("spec", SMALL)
def test_any_strategy_is_worth_what_a_plain_walk_says(spec):
    game = make_game(spec)
    tree, plain = build_tree(game), Plain(game)
    table = np.random.default_rng(3).random((tree.num_states, game.num_actions))
    strategy = tree.from_table(table)
    rows = tree.table(strategy)
    behaviour = {(int(s), k.tobytes()): row for s, k, row in zip(tree.seats, tree.known, rows, strict=True)}
    np.testing.assert_allclose(exploitability(tree, strategy).values, plain.values(behaviour), atol=1e-12)


@pytest.mark.parametrize("spec", ["leduc_poker", "kuhn_poker:players=3", "tron:rows=3,columns=3"])
def test_nodes_hang_together(spec):
    nodes = build_tree(make_game(spec)).nodes
    children = np.flatnonzero(nodes["num_children"] > 0)
    for node in children[:: max(1, len(children) // 500)].tolist():
        first, count = int(nodes["first_child"][node]), int(nodes["num_children"][node])
        part = nodes[first : first + count]
        assert first > node
        assert (part["parent"] == node).all()
        assert (np.diff(part["action"]) > 0).all()
        if nodes["seat"][node] == CHANCE:
            assert part["probability"].sum() == pytest.approx(1.0)
        else:
            assert (part["probability"] == 1.0).all()
    assert ((nodes["num_children"] == 0) == (nodes["seat"] == TERMINAL)).all()


def test_positions_are_replayed():
    tree = build_tree(make_game("leduc_poker"))
    states = tree.positions(np.arange(len(tree.nodes)))
    np.testing.assert_array_equal(states["current_player"], tree.nodes["seat"])
    assert len(np.unique(states[tree.nodes["seat"] == TERMINAL])) == len(tree.payoffs)


def test_a_strategy_survives_its_table():
    tree = build_tree(make_game("kuhn_poker:players=3"))
    strategy = tree.from_table(np.random.default_rng(0).random((tree.num_states, 2)))
    np.testing.assert_allclose(tree.from_table(tree.table(strategy)), strategy, rtol=1e-15)


def test_where_nothing_is_hidden_every_history_is_a_decision_of_its_own():
    tree = build_tree(make_game("tic_tac_toe:m=2,n=2,k=2"))
    assert tree.num_states == (tree.nodes["seat"] >= 0).sum()
    assert tree.known.shape == (tree.num_states, 0)


def test_a_line_longer_than_the_first_guess_is_followed():
    tree = build_tree(make_game("matrix_game:payoffs=1,rounds=40"))  # 80 plies, of one choice each
    assert len(tree.nodes) == 81
    assert exploitability(tree, tree.uniform()).values.tolist() == [40, -40]


@pytest.mark.parametrize("spec", ["texas_holdem", "connect_four"])
def test_large_games_are_refused_by_size(spec):
    game = make_game(spec)
    with pytest.raises(UsageError, match="more than 20,000 positions in its tree") as refused:
        build_tree(game, most_positions=20_000)
    assert game.label in str(refused.value)


def test_a_game_just_within_the_bound_is_written_out():
    game = make_game("leduc_poker")
    assert len(build_tree(game, 9457).nodes) == 9457
    with pytest.raises(UsageError, match="more than 9,456"):
        build_tree(game, 9456)


def test_seats_that_forget_are_refused():
    """Kuhn poker in which a seat is told only its own number."""
    game = make_game("kuhn_poker")
    game = dataclasses.replace(game, rules=dataclasses.replace(game.rules, information_state=information_state))
    with pytest.raises(UsageError, match="forgets what it did before"):
        build_tree(game)
