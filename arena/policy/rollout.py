"""Rollouts: transitions of a learner as tensors on one device, and the protocol of policies that act and learn there.

Shapes: n rows, N transitions, K of them at which a stretch is cut off, A actions, O observation.
"""

from typing import Any, NamedTuple, Protocol, runtime_checkable

import torch
from torch import Tensor

from arena.data.batch import Batch
from arena.policy import returns
from arena.policy.base import BasePolicy
from arena.policy.packed import PackedRows
from arena.policy.returns import Steps


class Decision(NamedTuple):
    """Actions that a policy has drawn, with what learning from them needs."""

    act: Tensor
    """Actions, int64 [n]; of a policy for real numbers, where it acts alone, float32 [n, k]."""
    logp: Tensor
    """Their log-probabilities, [n]."""
    value: Tensor
    """Values of the observations, [n]."""


class Rollout(NamedTuple):
    """N transitions, of one pair of board and seat after the other, and of each pair in the order of time."""

    obs: Tensor | PackedRows
    """What the seat saw, [N, *O]; many booleans as bits."""
    mask: Tensor | PackedRows
    """Its legal actions, bool [N, A]; of many actions as bits."""
    decision: Decision
    """What it did, [N]."""
    rew: Tensor
    """What it received until its next turn or the end of the game, float64 [N]."""
    terminated: Tensor
    """Whether the game ended before its next turn, bool [N]."""
    truncated: Tensor
    """Whether the rules cut the game off before its next turn, bool [N]."""
    bounds: Tensor
    """Where the pairs begin, and N, int64 [pairs + 1]."""
    cut: Tensor
    """Rows that did not terminate and after which no row goes on with the game, int64 [K]."""
    obs_next: Tensor
    """The seat's own next observation of each of those, [K, *O]."""


@runtime_checkable
class LearnsFromRollouts(Protocol):
    """A policy for numbered actions that acts on tensors, and learns from them, without a way through NumPy."""

    def decide(self, obs: Tensor, mask: Tensor | None) -> Decision:
        """Draw an action for each row of observations [n, *O], with legal actions `mask` [n, A]; None: all."""

    def process_rollout(self, rollout: Rollout) -> Batch:
        """Return the transitions for `learn`, with what `process_fn` adds to those of a buffer."""


def update(policy: BasePolicy, rollout: Rollout, batch_size: int, repeat: int) -> dict[str, Any]:
    """Do what `BasePolicy.update` does on a buffer of the same transitions; return the figures of `learn`."""
    assert isinstance(policy, LearnsFromRollouts)
    policy.updating = True
    try:
        figures = policy.learn(policy.process_rollout(rollout), batch_size=batch_size, repeat=repeat)
    finally:
        policy.updating = False
    if policy.lr_scheduler is not None:
        policy.lr_scheduler.step()
    return figures


def gae(rollout: Rollout, value: Tensor, decay: tuple[float, float], cut_value: Tensor) -> tuple[Tensor, Tensor]:
    """Return returns [N] and generalised advantages [N], both float64, by `arena.policy.returns.gae`.

    `value` [N] are the values of the observations, `cut_value` [K] those of `rollout.obs_next`, both float64; `decay`
    are gamma and lambda. Every other row that goes on is followed by its pair's next, whose value is that of its next
    observation.
    """
    following = torch.zeros_like(value)
    following[:-1] = value[1:]
    following[rollout.cut] = cut_value
    done, places = rollout.terminated | rollout.truncated, torch.arange(len(value), device=value.device)
    under_way = torch.zeros_like(done)
    under_way[rollout.cut] = True  # behind which nothing follows
    tensors: Any = Steps  # of tensors in place of arrays
    steps = tensors(rollout.rew, value, following, done, places, rollout.terminated, under_way)
    if value.is_cuda:
        from arena.policy.device_returns import gae_of_tensors

        return gae_of_tensors(steps, rollout.bounds, decay)
    total, advantage = returns.gae(*(tensor.numpy() for tensor in steps), decay)
    return torch.from_numpy(total), torch.from_numpy(advantage)
