"""Rollouts of tensors hold what a `Collector` stores in a buffer, and what is learned from them is the same."""

from copy import deepcopy

import numpy as np
import pytest
import torch

from agents.algorithms import a2c, npg, ppo, trpo
from agents.configs.on_policy import A2CConfig, NPGConfig, PPOConfig, TRPOConfig
from arena.base.errors import UsageError
from arena.collector import Collector
from arena.collector.rollout_collector import RolloutCollector
from arena.data import VectorReplayBuffer
from arena.env.native import GameVectorEnv
from arena.policy import MultiAgentPolicyManager, RandomPolicy
from arena.policy.registration import Spaces
from arena.policy.registry import make_game
from arena.policy.rollout import update

BOARDS, MOVES, COLLECTIONS = 8, 7, 6
SMALL = {"hidden": 16, "channels": 8}
LEARNERS = {
    "ppo": (ppo.build, PPOConfig(**SMALL)),
    "ppo, all options": (
        ppo.build,
        PPOConfig(**SMALL, recompute_advantage=True, reward_normalization=True, value_clip=True, dual_clip=2.0),
    ),
    "a2c": (a2c.build, A2CConfig(**SMALL)),
    "npg": (npg.build, NPGConfig(**SMALL)),
    "trpo": (trpo.build, TRPOConfig(**SMALL)),
}


class Seating:
    """The learner against itself, a frozen copy and a random player."""

    def __init__(self, seats: int):
        self._seats, self._rng = seats, np.random.default_rng(0)

    def __call__(self, boards):
        opponent = self._rng.integers(3, size=len(boards))
        seated = np.repeat(opponent[:, None], self._seats, axis=1)
        seated[np.arange(len(boards)), self._rng.integers(self._seats, size=len(boards))] = 0
        return seated


def table(name: str, learner: str = "ppo", openings: int = 0):
    """A learner, its manager and boards, alike for every call."""
    game, (build, config) = make_game(name), LEARNERS[learner]
    torch.manual_seed(0)
    policy, frozen = (build(Spaces.of_task(game), config, True) for _ in range(2))
    policy.reset(1), frozen.reset(2)
    players = [policy, frozen, RandomPolicy(seed=3)]
    manager = MultiAgentPolicyManager(players, mapping=Seating(game.num_players), learners=[0])
    env = GameVectorEnv(game, BOARDS, openings=openings)
    env.seed(4)
    rings = BOARDS * game.num_players
    return policy, manager, env, VectorReplayBuffer(rings * (MOVES + 1), rings)


def both(*arguments, **options):
    """The learner and the collector of rollouts, and those of arrays."""
    policy, *rest = table(*arguments, **options)
    other, *others = table(*arguments, **options)
    return (policy, RolloutCollector(*rest)), (other, Collector(*others))


def require_equal(rollout, batch) -> None:
    own = {"obs": rollout.obs, "mask": rollout.mask, "act": rollout.decision.act, "rew": rollout.rew}
    own |= {"logp": rollout.decision.logp, "value": rollout.decision.value}
    own |= {"terminated": rollout.terminated, "truncated": rollout.truncated, "obs_next": rollout.obs_next}
    stored = {"obs": batch.obs.obs, "mask": batch.obs.mask, "act": batch.act, "rew": batch.rew}
    stored |= {"logp": batch.policy.logp, "value": batch.policy.value}
    stored |= {"terminated": batch.terminated, "truncated": batch.truncated}
    stored["obs_next"] = batch.obs_next.obs[rollout.cut.numpy()]
    for key, tensor in own.items():
        np.testing.assert_array_equal(tensor.numpy(), stored[key], err_msg=key, strict=True)


def collect_and_learn(ours, theirs) -> bool:
    """Collect and update once with each, require that they agree, and return whether there was something to learn."""
    (policy, rollouts), (other, arrays) = ours, theirs
    stats, expected = rollouts.collect(n_step=BOARDS * MOVES), arrays.collect(n_step=BOARDS * MOVES)
    for key in ("returns", "lens", "players"):
        np.testing.assert_array_equal(getattr(stats, key), getattr(expected, key))
    found = list(rollouts.rollouts())
    for name, learner, rollout in found:
        assert (name, learner) == ("policy_0", policy)
        require_equal(rollout, arrays.buffer.sample(0)[0])
        figures = update(policy, rollout, 16, 2)
        expected_figures = other.update(0, arrays.buffer, batch_size=16, repeat=2)
        assert figures.keys() == expected_figures.keys()
    rollouts.reset_buffer(keep_statistics=True), arrays.reset_buffer(keep_statistics=True)
    for key, tensor in policy.state_dict().items():
        assert torch.equal(tensor, other.state_dict()[key]), key
    return bool(found)


@pytest.mark.parametrize(
    "game",
    ["tic_tac_toe", "kuhn_poker:players=3", "leduc_poker", "rock_paper_scissors:max_cycles=3", "connect_four", "pig"],
)
def test_transitions_and_learning_are_those_of_arrays(game):
    ours, theirs = both(game)
    assert all([collect_and_learn(ours, theirs) for _ in range(COLLECTIONS)])


@pytest.mark.full
@pytest.mark.parametrize("learner", list(LEARNERS))
def test_every_learner_of_rollouts_learns_what_it_learns_from_arrays(learner):
    ours, theirs = both("tic_tac_toe", learner, openings=3)
    assert all([collect_and_learn(ours, theirs) for _ in range(COLLECTIONS)])


def test_the_state_of_one_kind_of_collector_is_loaded_by_the_other():
    ours, theirs = both("leduc_poker")
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
    rollouts = RolloutCollector(*rest)
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
