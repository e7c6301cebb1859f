"""Rollouts of tensors hold what a `Collector` stores in a buffer, and what is learned from them is the same."""

from copy import deepcopy

import pytest

from arena.base.errors import UsageError
from tests.collector.rollouts import (
    BOARDS,
    COLLECTIONS,
    LEARNERS,
    MOVES,
    both,
    both_in_halves,
    collect_and_learn,
    collect_in_halves,
    collector_of,
    require_equal,
    table,
)


@pytest.mark.parametrize(
    "game",
    [
        "tic_tac_toe",
        "kuhn_poker:players=3",
        "leduc_poker",
        "rock_paper_scissors:max_cycles=3",
        "connect_four",
        "pig",
        "chess",  # observations and masks as bits
    ],
)
def test_transitions_and_learning_are_those_of_arrays(game):
    ours, theirs = both(game)
    assert all([collect_and_learn(ours, theirs) for _ in range(COLLECTIONS)])


@pytest.mark.parametrize("game", ["leduc_poker", "rock_paper_scissors:max_cycles=3", "connect_four"])
def test_halves_that_step_in_turn_bring_the_same(game):
    ours, theirs = both_in_halves(game, openings=2)
    assert all([collect_in_halves(ours, theirs) for _ in range(COLLECTIONS)])


@pytest.mark.full
@pytest.mark.parametrize("game", ["tic_tac_toe", "go:size=9"])
@pytest.mark.parametrize("learner", list(LEARNERS))
def test_every_learner_of_rollouts_learns_what_it_learns_from_arrays(learner, game):
    ours, theirs = both(game, learner, openings=3)
    assert all([collect_and_learn(ours, theirs) for _ in range(COLLECTIONS)])


@pytest.mark.parametrize("game", ["leduc_poker", "chess"])
def test_the_state_of_one_kind_of_collector_is_loaded_by_the_other(game):
    ours, theirs = both(game)
    collect_and_learn(ours, theirs)
    (_, rollouts), (_, arrays) = ours, theirs
    saved = deepcopy((rollouts.state_dict(), arrays.state_dict()))
    rollouts.load_state_dict(saved[1]), arrays.load_state_dict(saved[0])
    assert rollouts.state_dict().transitions.is_open.any()
    assert all([collect_and_learn(ours, theirs) for _ in range(COLLECTIONS)])


def test_new_games_are_begun_and_open_transitions_dropped():
    (_, rollouts), (_, arrays) = both("leduc_poker")
    for collector in (rollouts, arrays):
        collector.collect(n_step=BOARDS * 2)
        collector.reset(gym_reset_kwargs={"seed": 9})
    assert not rollouts.state_dict().transitions.is_open.any()
    rollouts.collect(n_step=BOARDS * MOVES), arrays.collect(n_step=BOARDS * MOVES)
    ((_, _, rollout),) = rollouts.rollouts()
    require_equal(rollout, arrays.buffer.sample(0)[0])


def test_what_cannot_be_collected_is_refused():
    _policy, *rest = table("tic_tac_toe")
    rollouts = collector_of(*rest)
    with pytest.raises(UsageError, match="collected by n_step, 1 or more; got n_step=None, n_episode=3"):
        rollouts.collect(n_episode=3)
    rollouts.collect(n_step=BOARDS)
    with pytest.raises(UsageError, match="nobody has learned from"):
        rollouts.collect(n_step=BOARDS)
    with pytest.raises(UsageError, match="learn from it first"):
        rollouts.state_dict()


def test_a_state_of_other_boards_is_refused():
    (_, rollouts), (_, arrays) = both("leduc_poker")
    state = arrays.state_dict()
    state.transitions.rew = state.transitions.rew[:, :1]
    with pytest.raises(UsageError, match=r"rew is float64 of shape \(8, 1\), not float64 of shape \(8, 2\)"):
        rollouts.load_state_dict(state)
