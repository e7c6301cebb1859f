"""Rollouts of tensors beside what a `Collector` stores in a buffer, and what both learn from."""

import numpy as np
import torch

from agents.algorithms import a2c, npg, ppo, trpo
from agents.configs.on_policy import A2CConfig, NPGConfig, PPOConfig, TRPOConfig
from arena.collector import Collector
from arena.collector.boards import HostBoards, OwnBoards
from arena.collector.rollout_collector import RolloutCollector
from arena.data import VectorReplayBuffer
from arena.env.make import vector_games
from arena.policy import MultiAgentPolicyManager, RandomPolicy
from arena.policy.packed import as_tensor
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


def fixed_seating(seats: int):
    """Players who sit where they sit however many games end at once."""
    return (np.arange(BOARDS)[:, None] + np.arange(seats)) % 3


def table(name: str, learner: str = "ppo", openings: int = 0, seating=Seating):
    """A learner, its manager and boards, alike for every call."""
    game, (build, config) = make_game(name), LEARNERS[learner]
    torch.manual_seed(0)
    policy, frozen = (build(Spaces.of_task(game), config, True) for _ in range(2))
    policy.reset(1), frozen.reset(2)
    players = [policy, frozen, RandomPolicy(seed=3)]
    manager = MultiAgentPolicyManager(players, mapping=seating(game.num_players), learners=[0])
    env = vector_games(game, BOARDS, openings)
    env.seed(4)
    rings = BOARDS * game.num_players
    return policy, manager, env, VectorReplayBuffer(rings * (MOVES + 1), rings)


def both(*arguments, **options):
    """The learner and the collector of rollouts, and those of arrays."""
    policy, *rest = table(*arguments, **options)
    other, *others = table(*arguments, **options)
    return (policy, collector_of(*rest)), (other, Collector(*others))


def collector_of(manager, env, buffer, beside=False) -> RolloutCollector:
    boards = HostBoards(env, torch.device("cpu")) if beside else OwnBoards(env)
    return RolloutCollector(manager, boards, buffer)


def both_in_halves(*arguments, **options):
    """The same where half of the boards steps at a time, beside a device which is the CPU here."""
    policy, *rest = table(*arguments, **options, seating=fixed_seating)
    other, *others = table(*arguments, **options, seating=fixed_seating)
    return (policy, collector_of(*rest, beside=True)), (other, Collector(*others))


def require_equal(rollout, batch, tolerance=0.0) -> None:
    own = {
        "obs": as_tensor(rollout.obs),
        "mask": as_tensor(rollout.mask),
        "act": rollout.decision.act,
        "rew": rollout.rew,
    }
    own |= {"logp": rollout.decision.logp, "value": rollout.decision.value}
    own |= {"terminated": rollout.terminated, "truncated": rollout.truncated, "obs_next": rollout.obs_next}
    stored = {"obs": batch.obs.obs, "mask": batch.obs.mask, "act": batch.act, "rew": batch.rew}
    stored |= {"logp": batch.policy.logp, "value": batch.policy.value}
    stored |= {"terminated": batch.terminated, "truncated": batch.truncated}
    stored["obs_next"] = batch.obs_next.obs[rollout.cut.numpy()]
    for key, tensor in own.items():
        np.testing.assert_allclose(tensor.numpy(), stored[key], tolerance, tolerance, err_msg=key, strict=True)


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


def collect_in_halves(ours, theirs) -> bool:
    """Collect once with each, require that they agree, and return whether there was something to learn.

    A product of half as many rows may differ in the last bit, and so would all that is learned from it.
    """
    (_, rollouts), (_, arrays) = ours, theirs
    stats, expected = rollouts.collect(n_step=BOARDS * MOVES), arrays.collect(n_step=BOARDS * MOVES)
    assert sorted(map(tuple, stats.returns)) == sorted(map(tuple, expected.returns))
    found = list(rollouts.rollouts())
    for _, _, rollout in found:
        require_equal(rollout, arrays.buffer.sample(0)[0], tolerance=1e-5)
    rollouts.reset_buffer(keep_statistics=True), arrays.reset_buffer(keep_statistics=True)
    return bool(found)
