"""Exploration: epsilon-greedy for discrete actions, additive noise for continuous ones."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.checks import require_at_least
from arena.base.seeding import make_rng


def epsilon_greedy(
    act: NDArray[np.integer[Any]],
    mask: NDArray[np.bool_] | None,
    num_actions: int,
    eps: float,
    rng: np.random.Generator,
) -> NDArray[np.integer[Any]]:
    """Replace each action [n], with probability `eps`, by a uniform legal one (`mask` [n, A]; None: all legal)."""
    chosen = np.flatnonzero(rng.random(len(act)) < eps)
    if len(chosen):
        keys = rng.random((len(chosen), num_actions))
        legal = np.ones_like(keys) if mask is None else np.asarray(mask)[chosen]
        act = act.copy()
        act[chosen] = (keys * legal + legal).argmax(axis=1)
    return act


class BaseNoise(ABC):
    """Base class of noise that is added to actions."""

    def reset(self) -> None:  # noqa: B027  # most noises remember nothing
        """Return to the initial state, if there is one."""

    @abstractmethod
    def __call__(self, size: Sequence[int]) -> NDArray[np.float64]:
        """Return noise of a shape."""


class GaussianNoise(BaseNoise):
    """Independent normal noise of mean `mu` and standard deviation `sigma` (at least 0), drawn from `rng`."""

    def __init__(self, mu: float = 0.0, sigma: float = 1.0, rng: int | np.random.Generator | None = None):
        require_at_least(0, sigma=sigma)
        self.mu, self.sigma = mu, sigma
        self.rng = make_rng(rng)

    def __call__(self, size: Sequence[int]) -> NDArray[np.float64]:
        """Return noise of a shape."""
        return self.rng.normal(self.mu, self.sigma, size)


class OUNoise(BaseNoise):
    """An Ornstein-Uhlenbeck process, as in DDPG (Lillicrap et al. 2015, arXiv 1509.02971).

    Each call takes one Euler step of dx = theta (mu - x) dt + sigma dW.

    Args:
        mu: mean to which the process reverts.
        sigma: scale of its noise, at least 0.
        theta: rate of reversion, at least 0.
        dt: length of a step, at least 0.
        x0: initial value; None for 0.
        rng: random generator or seed (see `make_rng`).

    """

    def __init__(
        self,
        mu: float = 0.0,
        sigma: float = 0.3,
        theta: float = 0.15,
        dt: float = 0.01,
        x0: float | NDArray[np.float64] | None = None,
        rng: int | np.random.Generator | None = None,
    ):
        require_at_least(0, sigma=sigma, theta=theta, dt=dt)
        self.mu, self.sigma, self.theta, self.dt = mu, sigma, theta, dt
        self.x0 = np.array(0.0 if x0 is None else x0, np.float64)
        self.rng = make_rng(rng)
        self.reset()

    def reset(self) -> None:
        """Return to `x0`."""
        self._x = self.x0

    def __call__(self, size: Sequence[int], mu: float | None = None) -> NDArray[np.float64]:
        """Take one step, reverting to `mu` if given; a new shape restarts the process."""
        if self._x.shape != tuple(size):
            self._x = np.broadcast_to(self.x0, tuple(size))
        drift = self.theta * self.dt * ((self.mu if mu is None else mu) - self._x)
        self._x = self._x + drift + self.sigma * np.sqrt(self.dt) * self.rng.normal(size=size)
        return self._x.copy()
