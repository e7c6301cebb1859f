"""Offline training: the order of things, its counters and log, what is refused, and that it learns."""

import numpy as np
import pytest
import torch
from torch.utils.tensorboard import SummaryWriter

from agents.algorithms.dqn import build
from agents.configs.value_based import DQNConfig
from arena.base.errors import UsageError
from arena.collector import Collector
from arena.data import VectorReplayBuffer
from arena.env import GameVectorEnv
from arena.policy.manager import MultiAgentPolicyManager
from arena.policy.random import RandomPolicy
from arena.policy.registration import Spaces
from arena.policy.registry import make_agent, make_game
from arena.trainer import OfflineTrainer, offline_trainer
from arena.trainer.base import Hooks
from arena.trainer.logger import TensorboardLogger
from arena.trainer.offline import OfflineSchedule
from tests.trainer.walk import LENGTH, Improver, collectors

pytestmark = pytest.mark.full

PLAN = {"max_epoch": 2, "update_per_epoch": 3, "batch_size": 5, "episode_per_test": 2}


def filled(policy: Improver) -> tuple[VectorReplayBuffer, Collector]:
    """A buffer of eight transitions, and a collector to test with."""
    train, test = collectors(policy)
    train.collect(n_step=8)
    return train.buffer, test


def test_offline_step_by_step():
    policy = Improver()
    buffer, test = filled(policy)
    log: list[tuple] = []
    info = offline_trainer(
        policy,
        buffer,
        test,
        **PLAN,
        test_fn=lambda *told: log.append(("test", *told, policy.training)),
        save_fn=lambda saved: log.append(("save", saved is policy, policy.updates)),
        save_checkpoint_fn=lambda *told: log.append(("checkpoint", *told)),
    )
    assert log == [
        ("test", 0, 0, False),
        ("save", True, 0),
        ("test", 1, 3, False),
        ("save", True, 3),
        ("checkpoint", 1, 0, 3),
        ("test", 2, 6, False),
        ("save", True, 6),
        ("checkpoint", 2, 0, 6),
    ]
    assert policy.taught == [(5, {})] * 6, "each time on a sample of batch_size"
    assert len(buffer) == 8
    assert (info["best_reward"], info["test_episode"]) == (6.0 * LENGTH, 6)
    assert "train_step" not in info


def test_function_and_iterator_are_the_same():
    policy = Improver()
    buffer, test = filled(policy)
    epochs = list(OfflineTrainer(policy, buffer, test, OfflineSchedule(**PLAN)))
    assert [epoch for epoch, _, _ in epochs] == [1, 2]
    assert epochs[0][1] == {"loss": 0.5, "test": 3.0 * LENGTH}
    assert epochs[-1][2]["best_reward"] == 6.0 * LENGTH


def test_it_stops_when_a_test_is_good_enough():
    policy = Improver()
    buffer, test = filled(policy)
    hooks = Hooks(stop_fn=lambda reward: reward >= 3 * LENGTH)
    OfflineTrainer(policy, buffer, test, OfflineSchedule(**PLAN), hooks).run()
    assert policy.updates == 3


def test_without_a_test_collector_it_learns_to_the_end():
    policy = Improver()
    buffer, _ = filled(policy)
    info = OfflineTrainer(policy, buffer, None, OfflineSchedule(**PLAN)).run()
    assert policy.updates == 6
    assert set(info) == {"duration", "train_time/model"}


def test_it_goes_on_from_its_log(tmp_path):
    policy, saved = Improver(), []
    buffer, test = filled(policy)
    for max_epoch in (1, 3):
        with SummaryWriter(str(tmp_path)) as writer:
            offline_trainer(
                policy,
                buffer,
                test,
                **PLAN | {"max_epoch": max_epoch},
                save_checkpoint_fn=lambda *told: saved.append(told),
                resume_from_log=True,
                logger=TensorboardLogger(writer),
            )
    assert saved == [(1, 0, 3), (2, 0, 6), (3, 0, 9)]


@pytest.mark.parametrize("name", ["max_epoch", "update_per_epoch", "batch_size", "episode_per_test"])
def test_schedules_that_mean_nothing(name):
    with pytest.raises(UsageError, match=f"{name}=0 is not at least 1"):
        OfflineSchedule(**PLAN | {name: 0})


def test_what_offline_training_cannot_use_is_refused():
    policy = Improver()
    buffer, _ = filled(policy)
    with pytest.raises(UsageError, match="train_fn is for trainings that collect"):
        OfflineTrainer(policy, buffer, None, OfflineSchedule(**PLAN), Hooks(train_fn=lambda *_: None))
    buffer.reset()
    with pytest.raises(UsageError, match="the buffer is empty"):
        OfflineTrainer(policy, buffer, None, OfflineSchedule(**PLAN))


def games_of_others(games: int) -> VectorReplayBuffer:
    """What both seats saw in games of `one-ply` against a random player."""
    game = make_game("tic_tac_toe")
    players = [make_agent("one-ply", game), RandomPolicy(seed=3)]
    manager = MultiAgentPolicyManager(players, mapping=np.array([[0, 1], [1, 0]] * 8), learners=[0, 1])
    manager.reset(seed=4)
    buffer = VectorReplayBuffer(32 * games, 32)
    Collector(manager, GameVectorEnv(game, 16), buffer).collect(n_episode=games)
    return buffer


def score_against_random(learner, seat: int) -> float:
    """Mean reward over 400 games."""
    policies = [learner, RandomPolicy(seed=5)] if seat == 0 else [RandomPolicy(seed=5), learner]
    manager = MultiAgentPolicyManager(policies)
    manager.eval()
    stats = Collector(manager, GameVectorEnv("tic_tac_toe", 100)).collect(n_episode=400)
    return float(stats.returns_stat.mean[seat])


def test_dqn_learns_to_beat_random_from_games_of_others():
    """Playing at random brings +0.29 to who begins and -0.29 to the other; over 400 games that varies by 0.05."""
    np.random.seed(11)
    torch.manual_seed(11)
    config = DQNConfig(hidden=64, target_update_freq=100)
    learner = build(Spaces.of_game(make_game("tic_tac_toe")), config, training=True)
    offline_trainer(learner, games_of_others(1000), None, 1, 600, 1, 64, verbose=False)
    assert score_against_random(learner, 0) >= 0.7
    assert score_against_random(learner, 1) >= 0.3
