"""Posterior sampling for reinforcement learning (Strens 2000, ICML; Osband et al. 2013, arXiv 1306.0940).

Tabular and model-based. For every state and action there is a Dirichlet posterior over the next state and a normal one
over the mean reward. After each update a Markov decision process is sampled from the posterior and solved by value
iteration, and its optimal policy is followed. Uncertainty makes some samples optimistic, and so leads to exploration.
"""

from typing import Any, Self

import gymnasium as gym
import numpy as np
import torch

from agents.configs.on_policy import PSRLConfig
from agents.learning import checks
from agents.learning.planning import Floats, Ints, value_iteration
from arena.base.checks import require_above, require_between
from arena.base.errors import UsageError
from arena.base.seeding import make_rng
from arena.data.batch import Batch
from arena.policy.base import BasePolicy, require_numbers
from arena.policy.masking import bare_obs, legal_mask
from arena.policy.registration import Spaces


class PSRLPolicy(BasePolicy):
    """Posterior sampling over S numbered states and A actions; in testing mode, the policy of the mean process.

    The mean reward of a state and action has the prior N(m, s^2), which counts as an observation, also of its variance.
    After n rewards of mean r and sum of squared deviations D, the posterior is normal with mean (m + n r) / (n + 1)
    and standard deviation sqrt(s^2 + D + (r - m)^2 n / (n + 1)) / (n + 1): the scale of the conjugate posterior (Murphy
    2007, "Conjugate Bayesian analysis of the Gaussian distribution", section 5).

    Args:
        trans_count_prior: Dirichlet prior (alphas), [S, A, S], above 0.
        rew_mean_prior: means of the normal priors of rewards, [S, A].
        rew_std_prior: their standard deviations, [S, A], above 0.
        discount_factor: gamma, 0 to 1.
        epsilon: accuracy of values, above 0.
        add_done_loop: add, for each visit of a terminal state, a transition to itself without reward.
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
        require_between(0, 1, discount_factor=discount_factor)
        require_above(0, epsilon=epsilon)
        counts, mean, std = (np.array(a, np.float64) for a in (trans_count_prior, rew_mean_prior, rew_std_prior))
        if mean.ndim != 2 or counts.shape != (*mean.shape, len(mean)) or std.shape != mean.shape:
            shapes = f"{counts.shape}, {mean.shape}, {std.shape}"
            raise UsageError(f"the priors have shapes {shapes}, not [S, A, S], [S, A], [S, A]")
        require_above(0, trans_count_prior=counts.min(), rew_std_prior=std.min())
        self.discount_factor, self.epsilon, self.add_done_loop = discount_factor, epsilon, add_done_loop
        rewards = {"rew_count": np.ones_like(mean), "rew_mean": mean, "rew_squares": std**2}  # the prior counts as one
        for name, table in {"trans_count": counts, **rewards, "legal": np.ones(mean.shape, np.bool_)}.items():
            self.register_buffer(name, torch.as_tensor(table))  # saved with checkpoints
        self.rng = make_rng()
        self._q: dict[bool, Floats] = {}  # Q-values [S, A] of the process that is followed, by the state of training

    def reset(self, seed: int | None = None) -> None:
        """Restart the random stream and sample another process if a seed is given."""
        if seed is not None:
            self.rng = make_rng(seed)
            self._q.clear()

    def _apply(self, fn: Any, recurse: bool = True) -> Self:
        """Keep the tables on the CPU and in double precision."""
        return self

    def load_state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """Restore the posterior; the sampled process is dropped."""
        self._q.clear()
        return super().load_state_dict(*args, **kwargs)

    def forward(self, batch: Batch, state: Any = None) -> Batch:
        """Return the best legal action of the sampled process, with its `value` [n]."""
        if self.training not in self._q:
            self._q[self.training] = self._solve()
        q = self._q[self.training][self._states(batch.obs)]
        mask = legal_mask(batch.obs)
        q = q if mask is None else np.where(mask, q, -np.inf)
        return Batch(act=q.argmax(axis=1), value=q.max(axis=1))

    def _solve(self) -> Floats:
        """Return Q-values [S, A] of a process sampled from the posterior or, in testing mode, of its mean."""
        chances, (rewards, std) = self.trans_count.numpy(), self.reward_posterior()
        if self.training:
            # normalised, a draw from the Dirichlet distribution; small alphas may give 0 throughout
            chances = np.maximum(self.rng.standard_gamma(chances), np.finfo(np.float64).tiny)
            rewards = self.rng.normal(rewards, std)
        chances = chances / chances.sum(axis=2, keepdims=True)
        return value_iteration(chances, rewards, self.discount_factor, self.epsilon, self.legal.numpy())

    def reward_posterior(self) -> tuple[Floats, Floats]:
        """Return the mean and standard deviation [S, A] of the posterior of each mean reward."""
        count = self.rew_count.numpy()
        return self.rew_mean.numpy(), np.sqrt(self.rew_squares.numpy()) / count

    def _states(self, obs: Any) -> Ints:
        """Return observations as state numbers [n]; raise `UsageError` unless they are integers from 0 to S - 1."""
        states, count = np.asarray(bare_obs(obs)), len(self.rew_mean)
        if states.ndim != 1 or states.dtype.kind not in "iu" or not ((states >= 0) & (states < count)).all():
            raise UsageError(f"PSRL needs states numbered 0 to {count - 1}, not {states.dtype} of shape {states.shape}")
        return states

    def learn(self, batch: Batch, batch_size: int = 0, repeat: int = 1) -> dict[str, float]:
        """Update the posterior by each transition once, whatever `batch_size` and `repeat` are.

        Drops the sampled process. Returns the posterior means and deviations of rewards, averaged over states and
        actions: `psrl/rew_mean`, `psrl/rew_std`.
        """
        state, act, after = self._states(batch.obs), np.asarray(batch.act), self._states(batch.obs_next)
        rew = np.asarray(batch.rew, np.float64)
        require_numbers(rew)
        for obs, states in ((batch.obs, state), (batch.obs_next, after)):
            if (mask := legal_mask(obs)) is not None:
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
        """Update the posterior by transitions [n]."""
        np.add.at(self.trans_count.numpy(), (state, act, after), 1)
        count, mean, squares = (a.numpy() for a in (self.rew_count, self.rew_mean, self.rew_squares))
        pair, shape = state * mean.shape[1] + act, mean.shape
        n = np.bincount(pair, minlength=mean.size).reshape(shape)
        new = np.bincount(pair, rew, mean.size).reshape(shape) / np.maximum(n, 1)
        spread = np.bincount(pair, (rew - new[state, act]) ** 2, mean.size).reshape(shape)
        squares += spread + (new - mean) ** 2 * count * n / (count + n)
        mean += (new - mean) * n / (count + n)
        count += n


def build(spaces: Spaces, config: PSRLConfig, training: bool) -> PSRLPolicy:
    """Build a PSRL policy for numbered states and actions; raise `UsageError` for other observations."""
    if not isinstance(spaces.observation, gym.spaces.Discrete) or spaces.observation.start != 0:
        raise UsageError(f"PSRL keeps a table of numbered states, Discrete(n); it cannot take {spaces.observation}")
    states, actions = int(spaces.observation.n), spaces.num_actions
    policy = PSRLPolicy(
        np.full((states, actions, states), config.transition_prior / states),
        np.zeros((states, actions)),
        np.full((states, actions), config.reward_std),
        discount_factor=config.discount_factor,
        epsilon=config.epsilon,
        add_done_loop=True,
        action_space=spaces.action,
        observation_space=spaces.observation,
    )
    return policy.train(training)
