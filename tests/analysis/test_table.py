"""Strategies on disk."""

import hashlib
import json

import numpy as np
import pytest
from safetensors.numpy import load, save

from arena.analysis.table import TABLE, StrategyTable, information_states, load_table, save_table
from arena.analysis.tree import build_tree
from arena.base.errors import CheckpointError, UsageError
from arena.policy.registry import make_game
from arena.policy.snapshots import CONFIG

pytestmark = pytest.mark.full

LEDUC = build_tree(make_game("leduc_poker"))


@pytest.fixture
def folder(tmp_path):
    strategy = LEDUC.from_table(np.random.default_rng(0).random((LEDUC.num_states, 3)))
    save_table(tmp_path / "t", LEDUC.game, StrategyTable.of_strategy(LEDUC, strategy), {"solver": "none"})
    return tmp_path / "t"


def test_a_table_is_read_as_it_was_written(folder):
    table = load_table(folder, LEDUC.game)
    np.testing.assert_array_equal(table.known, LEDUC.known)
    np.testing.assert_array_equal(table.probs, table.look_up(LEDUC.seats, LEDUC.known))
    assert json.loads((folder / CONFIG).read_text())["config"] == {"solver": "none"}


def test_rows_are_found_by_what_a_seat_knows_wherever_it_is(folder):
    table = load_table(folder, LEDUC.game)
    decisions = np.flatnonzero(LEDUC.nodes["seat"] >= 0)
    seats = LEDUC.nodes["seat"][decisions].astype(np.int64)
    known = information_states(LEDUC.game, LEDUC.positions(decisions), seats)
    np.testing.assert_array_equal(table.look_up(seats, known), table.probs[LEDUC.nodes["index"][decisions]])


def test_what_the_table_lacks_is_refused(folder):
    table = load_table(folder, LEDUC.game)
    with pytest.raises(UsageError, match="no such information state"):
        table.look_up(np.array([0]), np.full((1, LEDUC.known.shape[1]), 7, np.int8))


def damaged(arrays, **changes):
    return save({**arrays, **changes})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a: damaged(a, probs=a["probs"] * 2), "not probabilities"),
        (lambda a: damaged(a, probs=a["probs"][:, :2].copy()), "no table of"),
        (lambda a: damaged(a, seats=a["seats"] + 5), "seats that"),
        (lambda a: save({"probs": a["probs"]}), "no table of"),
        (lambda a: b"nonsense", "cannot be read"),
    ],
)
def test_a_broken_table_is_refused(folder, change, message):
    content = change(load((folder / TABLE).read_bytes()))
    (folder / TABLE).write_bytes(content)
    with pytest.raises(CheckpointError, match="has changed" if content != b"nonsense" else "cannot be read"):
        load_table(folder, LEDUC.game)
    description = json.loads((folder / CONFIG).read_text())
    description["sha256"] = hashlib.sha256(content).hexdigest()
    (folder / CONFIG).write_text(json.dumps(description))
    with pytest.raises(CheckpointError, match=message):
        load_table(folder, LEDUC.game)


def test_a_table_of_another_game_is_refused(folder):
    with pytest.raises(CheckpointError, match=r"plays leduc_poker\(\), not kuhn_poker\(players=2\)"):
        load_table(folder, make_game("kuhn_poker"))


def test_games_that_hide_nothing_have_no_table():
    tree = build_tree(make_game("tic_tac_toe:m=2,n=2,k=2"))
    with pytest.raises(UsageError, match="has no hidden information"):
        StrategyTable.of_strategy(tree, tree.uniform())
