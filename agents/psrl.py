"""Posterior sampling for reinforcement learning (Strens 2000, ICML; Osband et al. 2013, arXiv 1306.0940).

Tabular and model-based: for every state and action a Dirichlet posterior over the next state, and a normal one over
the mean reward. Whenever something has been learned, a process is drawn from the posterior, solved by value iteration,
and its best policy is followed: what is unknown is tried because some draws make it look good.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import gymnasium as gym
import numpy as np
import torch

from agents import checks
from agents.planning import Floats, Ints, value_iteration
from arena.config import require_above, require_between
from arena.data.batch import Batch
from arena.errors import UsageError
from arena.policy.base import BasePolicy, require_numbers
from arena.policy.checkpoint import load_policy
from arena.policy.kinds import AgentKind, Algorithm, Spaces
from arena.policy.masking import bare_obs, legal_mask
from arena.seeding import make_rng


class PSRLPolicy(BasePolicy):
    """Posterior sampling over S numbered states and A actions; in testing state, the policy of the mean process.

    The mean reward of a state and action has the prior N(m, s^2), which counts as one observation, of its variance too.
    After n rewards of mean r and sum of squared distances D it is normal around (m + n r) / (n + 1), with the standard
    deviation sqrt(s^2 + D + (r - m)^2 n / (n + 1)) / (n + 1): the scale of the conjugate posterior (Murphy 2007,
    "Conjugate Bayesian analysis of the Gaussian distribution", section 5).

    Args:
        trans_count_prior: Dirichlet prior (alphas), [S, A, S], above 0.
        rew_mean_prior: means of the normal priors of rewards, [S, A].
        rew_std_prior: their standard deviations, [S, A], above 0.
        discount_factor: gamma, 0 to 1.
        epsilon: how exactly values are computed, above 0.
        add_done_loop: let terminal states lead to themselves, without reward: once for each time that they are seen.
        action_space: as in `BasePolicy`; Discrete.
        observation_space: as in `BasePolicy`.

    """

    trans_count: torch.Tensor
    rew_count: torch.Tensor
    rew_mean: torch.Tensor
    rew_squares: torch.Tensor
    legal: torch.Tensor

    def __init__(
        self,
        trans_count_prior: Floats,
        rew_mean_prior: Floats,
        rew_std_prior: Floats,
        discount_factor: float = 0.99,
        epsilon: float = 0.01,
        add_done_loop: bool = False,
        action_space: gym.Space[Any] | None = None,
        observation_space: gym.Space[Any] | None = None,
    ):
        super().__init__(observation_space, action_space)
        checks.require_discrete(self, action_space)
        checks.require_between(0, 1, discount_factor=discount_factor)
        checks.require_above(0, epsilon=epsilon)
        counts, mean, std = (np.array(a, np.float64) for a in (trans_count_prior, rew_mean_prior, rew_std_prior))
        if mean.ndim != 2 or counts.shape != (*mean.shape, len(mean)) or std.shape != mean.shape:
            shapes = f"{counts.shape}, {mean.shape}, {std.shape}"
            raise UsageError(f"the priors have shapes {shapes}, not [S, A, S], [S, A], [S, A]")
        checks.require_above(0, trans_count_prior=counts.min(), rew_std_prior=std.min())
        self.gamma, self.epsilon, self.add_done_loop = discount_factor, epsilon, add_done_loop
        rewards = {"rew_count": np.ones_like(mean), "rew_mean": mean, "rew_squares": std**2}  # the prior counts as one
        for name, table in {"trans_count": counts, **rewards, "legal": np.ones(mean.shape, np.bool_)}.items():
            self.register_buffer(name, torch.as_tensor(table))  # saved with checkpoints
        self.rng = make_rng()
        self._q: dict[bool, Floats] = {}  # Q-values [S, A] of the process that is followed, by the state of training

    def reset(self, seed: int | None = None) -> None:
        """With a seed, start the random stream anew, and draw another process."""
        if seed is not None:
            self.rng = make_rng(seed)
            self._q.clear()

    def _apply(self, fn: Any, recurse: bool = True) -> Self:
        """The tables stay where they are counted in: on the CPU, in double precision."""
        return self

    def load_state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """Take over what was learned; the process that was followed is forgotten."""
        self._q.clear()
        return super().load_state_dict(*args, **kwargs)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """The best legal action of the process that is followed; adds its `value` [n]."""
        if self.training not in self._q:
            self._q[self.training] = self._solve()
        q = self._q[self.training][self._states(batch.obs)]
        mask = legal_mask(batch.obs)
        q = q if mask is None else np.where(mask, q, -np.inf)
        return Batch(act=q.argmax(axis=1), value=q.max(axis=1))

    def _solve(self) -> Floats:
        """Q-values [S, A] of a process: drawn from the posterior in training state, else its mean."""
        chances, (rewards, std) = self.trans_count.numpy(), self.reward_posterior()
        if self.training:
            # normalised, a draw from the Dirichlet distribution; small alphas may give 0 throughout
            chances = np.maximum(self.rng.standard_gamma(chances), np.finfo(np.float64).tiny)
            rewards = self.rng.normal(rewards, std)
        chances = chances / chances.sum(axis=2, keepdims=True)
        return value_iteration(chances, rewards, self.gamma, self.epsilon, self.legal.numpy())

    def reward_posterior(self) -> tuple[Floats, Floats]:
        """Mean and standard deviation [S, A] of what is known of each mean reward."""
        count = self.rew_count.numpy()
        return self.rew_mean.numpy(), np.sqrt(self.rew_squares.numpy()) / count

    def _states(self, obs: Any) -> Ints:
        """The states [n] that observations are; `UsageError` for anything but numbers below S."""
        states, count = np.asarray(bare_obs(obs)), len(self.rew_mean)
        if states.ndim != 1 or states.dtype.kind not in "iu" or not ((states >= 0) & (states < count)).all():
            raise UsageError(f"PSRL takes states numbered 0 to {count - 1}, not {states.dtype} of shape {states.shape}")
        return states

    def learn(self, batch: Batch, batch_size: int = 0, repeat: int = 1) -> dict[str, float]:
        """Take note of transitions, each once, whatever `batch_size` and `repeat` say; another process will be drawn.

        Returns the means over all states and actions of what is known of rewards: `psrl/rew_mean`, `psrl/rew_std`.
        """
        state, act, after = self._states(batch.obs), np.asarray(batch.act), self._states(batch.obs_next)
        rew = np.asarray(batch.rew, np.float64)
        require_numbers(rew)
        for seen, states in ((batch.obs, state), (batch.obs_next, after)):
            if (mask := legal_mask(seen)) is not None:
                self.legal.numpy()[states] = mask
        self._observe(state, act, after, rew)
        if self.add_done_loop:
            actions = self.rew_mean.shape[1]
            final = after[np.asarray(batch.terminated, np.bool_)].repeat(actions)
            self._observe(final, np.arange(len(final)) % actions, final, np.zeros(len(final)))
        self._q.clear()
        mean, std = self.reward_posterior()
        return {"psrl/rew_mean": float(mean.mean()), "psrl/rew_std": float(std.mean())}

    def _observe(self, state: Ints, act: Ints, after: Ints, rew: Floats) -> None:
        """Update the posteriors by transitions [n]."""
        np.add.at(self.trans_count.numpy(), (state, act, after), 1)
        count, mean, squares = (a.numpy() for a in (self.rew_count, self.rew_mean, self.rew_squares))
        pair, shape = state * mean.shape[1] + act, mean.shape
        n = np.bincount(pair, minlength=mean.size).reshape(shape)
        new = np.bincount(pair, rew, mean.size).reshape(shape) / np.maximum(n, 1)
        spread = np.bincount(pair, (rew - new[state, act]) ** 2, mean.size).reshape(shape)
        squares += spread + (new - mean) ** 2 * count * n / (count + n)
        mean += (new - mean) * n / (count + n)
        count += n


@dataclass(frozen=True)
class PSRLConfig:
    """How posterior sampling begins."""

    discount: float = 0.99
    """Gamma, 0 to 1."""
    epsilon: float = 0.01
    """How exactly values are computed."""
    transition_prior: float = 1.0
    """Alpha of the Dirichlet priors, in all over the next states."""
    reward_std: float = 1.0
    """Standard deviation of the priors of rewards, whose mean is 0."""

    def __post_init__(self) -> None:
        require_between(self, 0, 1, "discount")
        require_above(self, 0, "epsilon", "transition_prior", "reward_std")


def build(spaces: Spaces, config: PSRLConfig, training: bool) -> PSRLPolicy:
    """A PSRL policy for numbered states and actions; `UsageError` for observations of another kind."""
    if not isinstance(spaces.observation, gym.spaces.Discrete) or spaces.observation.start != 0:
        raise UsageError(f"PSRL keeps a table of numbered states, Discrete(n); it cannot take {spaces.observation}")
    states, actions = int(spaces.observation.n), spaces.num_actions
    policy = PSRLPolicy(
        np.full((states, actions, states), config.transition_prior / states),
        np.zeros((states, actions)),
        np.full((states, actions), config.reward_std),
        config.discount,
        config.epsilon,
        add_done_loop=True,
        action_space=spaces.action,
        observation_space=spaces.observation,
    )
    return policy.train(training)


ALGORITHM = Algorithm(PSRLConfig, build, "on-policy", "ICML 2000, 943-950")
AGENT = AgentKind("posterior sampling", partial(load_policy, "psrl", ALGORITHM), "DIR", ALGORITHM)
