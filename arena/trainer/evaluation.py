"""Testing a policy, and the figures of a training."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.collector.collector import Collector
from arena.collector.protocol import CollectorLike
from arena.data.stats import CollectStats
from arena.policy.base import BasePolicy
from arena.trainer.logger import BaseLogger

RewardMetric = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Maps the returns of episodes [E, P] to one figure per episode [E]."""


def figures(stats: CollectStats, reward_metric: RewardMetric | None = None) -> dict[str, Any]:
    """Return the figures of a collection: `n/ep`, `n/st` and, with episodes, `rews`, `lens`, `rew`, `len` and `_std`.

    Raises `UsageError` for several agents without a reward metric.
    """
    rews = stats.returns
    if reward_metric is not None and len(rews):
        rews = np.asarray(reward_metric(rews))
        if rews.shape != (len(stats.returns),):
            raise UsageError(f"reward_metric gave shape {rews.shape}, not one figure per episode, {stats.lens.shape}")
    if rews.ndim > 1:
        if len(rews):
            raise UsageError("the returns are vectors over the agents: give a reward_metric, such as lambda r: r[:, 0]")
        rews = rews[:, 0]
    result: dict[str, Any] = {"n/ep": stats.n_collected_episodes, "n/st": stats.n_collected_steps}
    result.update(rews=rews, lens=stats.lens)
    if len(rews):
        result.update(rew=float(rews.mean()), rew_std=float(rews.std()))
        result.update(len=float(stats.lens.mean()), len_std=float(stats.lens.std()))
    return result


def test_episode(
    policy: BasePolicy,
    collector: Collector,
    test_fn: Callable[[int, int | None], None] | None,
    epoch: int,
    n_episode: int,
    logger: BaseLogger | None = None,
    global_step: int | None = None,
    reward_metric: RewardMetric | None = None,
) -> dict[str, Any]:
    """Test a policy in testing mode on new episodes; return their figures."""
    was_training = policy.training
    collector.reset_env()
    collector.reset_buffer()
    policy.eval()
    try:
        if test_fn is not None:
            test_fn(epoch, global_step)
        result = figures(collector.collect(n_episode=n_episode), reward_metric)
    finally:
        policy.train(was_training)
    if logger is not None and global_step is not None:
        logger.log_test_data(result, global_step)
    return result


test_episode.__test__ = False  # type: ignore[attr-defined]  # its published name makes pytest take it for a test


def gather_info(
    start_time: float,
    train_c: CollectorLike | None,
    test_c: Collector | None,
    best_reward: float,
    best_reward_std: float,
) -> dict[str, float | str]:
    """Return the figures of a training that began at `start_time`: steps, episodes, times, speeds, best test."""
    duration = max(time.time() - start_time, 1e-9)
    model_time = duration
    info: dict[str, float | str] = {"duration": f"{duration:.2f}s", "train_time/model": f"{model_time:.2f}s"}
    if test_c is not None:
        model_time -= test_c.collect_time
        info |= {
            "test_step": test_c.collect_step,
            "test_episode": test_c.collect_episode,
            "test_time": f"{test_c.collect_time:.2f}s",
            "test_speed": f"{test_c.collect_step / max(test_c.collect_time, 1e-9):.2f} step/s",
            "best_reward": best_reward,
            "best_result": f"{best_reward:.2f} ± {best_reward_std:.2f}",
        }
    if train_c is not None:
        model_time -= train_c.collect_time
        busy = duration - (test_c.collect_time if test_c is not None else 0.0)
        info |= {
            "train_step": train_c.collect_step,
            "train_episode": train_c.collect_episode,
            "train_time/collector": f"{train_c.collect_time:.2f}s",
            "train_speed": f"{train_c.collect_step / max(busy, 1e-9):.2f} step/s",
        }
    info["train_time/model"] = f"{max(model_time, 0.0):.2f}s"
    return info
