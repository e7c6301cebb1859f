"""Configs of algorithms that learn from what they just did."""

from dataclasses import dataclass
from typing import Any

from arena.base.checks import numbers_in, require_above, require_at_least, require_between


@dataclass(frozen=True)
class OnPolicyConfig:
    """Configuration shared by on-policy algorithms; the defaults are for board games."""

    learning_rate: float = 1e-3
    """Learning rate of Adam, above 0."""
    discount_factor: float = 0.99
    """Discount per own move (gamma), 0 to 1."""
    reward_normalization: bool = False
    """Divide returns by the running standard deviation of discounted sums of rewards."""
    batch_size: int = 1024
    """Transitions per gradient step, at least 1."""
    repeat: int = 1
    """Passes over the collected transitions, at least 1."""
    channels: int = 64
    """Filters of the convolution on boards; 0 for a perceptron."""
    hidden: int = 128
    """Units of each dense layer, at least 1."""

    def __post_init__(self) -> None:
        require_above(0, **numbers_in(self, "learning_rate"))
        require_at_least(0, **numbers_in(self, "channels"))
        require_at_least(1, **numbers_in(self, "batch_size", "repeat", "hidden"))
        require_between(0, 1, **numbers_in(self, "discount_factor"))


@dataclass(frozen=True)
class ActorCriticConfig(OnPolicyConfig):
    """Configuration shared by actor-critics that add up their losses."""

    gae_lambda: float = 0.95
    """Lambda of generalised advantage estimation, 0 to 1."""
    vf_coef: float = 0.5
    """Weight of the value loss, at least 0."""
    ent_coef: float = 0.01
    """Weight of the entropy bonus, at least 0."""
    max_grad_norm: float | None = 0.5
    """Largest norm of the gradient, above 0; None for no limit."""
    max_batchsize: int = 4096
    """Observations per forward pass when values are computed, at least 1."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above(0, **numbers_in(self, "max_grad_norm"))
        require_at_least(0, **numbers_in(self, "vf_coef", "ent_coef"))
        require_at_least(1, **numbers_in(self, "max_batchsize"))
        require_between(0, 1, **numbers_in(self, "gae_lambda"))


@dataclass(frozen=True)
class NaturalGradientConfig(OnPolicyConfig):
    """Configuration of natural gradient policies; the learning rate is that of the critic."""

    gae_lambda: float = 0.95
    """Lambda of generalised advantage estimation, 0 to 1."""
    advantage_normalization: bool = True
    """Scale all collected advantages to mean 0 and standard deviation 1."""
    optim_critic_iters: int = 10
    """Critic steps per actor step, at least 1."""
    max_grad_norm: float | None = None
    """Largest norm of the critic's gradient, above 0; None for no limit."""
    max_batchsize: int = 4096
    """Observations per forward pass when values are computed, at least 1."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above(0, **numbers_in(self, "max_grad_norm"))
        require_between(0, 1, **numbers_in(self, "gae_lambda"))
        require_at_least(1, **numbers_in(self, "optim_critic_iters", "max_batchsize"))


CONTROL: dict[str, Any] = {"learning_rate": 1e-3, "batch_size": 250, "reward_normalization": True, "hidden": 64}
"""Defaults of actor-critics for single-agent tasks, whose returns may be of any size: CartPole, Acrobot, Pendulum."""


@dataclass(frozen=True)
class PGConfig(OnPolicyConfig):
    """Configuration of REINFORCE."""

    learning_rate: float = 3e-3
    """Learning rate of Adam, above 0."""
    reward_normalization: bool = True
    """Subtract the running mean from returns and divide them by their standard deviation."""


@dataclass(frozen=True)
class A2CConfig(ActorCriticConfig):
    """Configuration of A2C."""


@dataclass(frozen=True)
class PPOConfig(ActorCriticConfig):
    """Configuration of PPO; the defaults are for two CPU cores."""

    learning_rate: float = 2.5e-3
    """Learning rate of Adam, above 0."""
    eps_clip: float = 0.2
    """Clipping range of the probability ratio around 1 (epsilon of equation 7), above 0."""
    dual_clip: float | None = None
    """Bound c of the dual clip, above 1; None for none."""
    value_clip: bool = False
    """Clip the change of values as well."""
    advantage_normalization: bool = True
    """Scale advantages to mean 0 and standard deviation 1 in each minibatch."""
    recompute_advantage: bool = False
    """Recompute values and advantages before each repetition."""
    batch_size: int = 2048
    """Transitions per gradient step, at least 1."""
    repeat: int = 3
    """Passes over the collected transitions, at least 1."""
    half: bool = False
    """Compute in bfloat16 while training, where the device supports it and actions are numbered."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above(0, **numbers_in(self, "eps_clip"))
        require_above(1, **numbers_in(self, "dual_clip"))


@dataclass(frozen=True)
class NPGConfig(NaturalGradientConfig):
    """Configuration of the natural policy gradient."""

    actor_step_size: float = 0.5
    """Factor on the natural gradient in a step of the actor, above 0."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above(0, **numbers_in(self, "actor_step_size"))


@dataclass(frozen=True)
class TRPOConfig(NaturalGradientConfig):
    """Configuration of TRPO."""

    max_kl: float = 0.01
    """Largest mean divergence of the new policy from the old, in nats, above 0."""
    backtrack_coeff: float = 0.8
    """Factor between successive steps of the line search, 0 to 1."""
    max_backtracks: int = 10
    """Largest number of steps tried by the line search, at least 1."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above(0, **numbers_in(self, "max_kl"))
        require_between(0, 1, **numbers_in(self, "backtrack_coeff"))
        require_at_least(1, **numbers_in(self, "max_backtracks"))


@dataclass(frozen=True)
class MMDConfig(OnPolicyConfig):
    """Configuration of magnetic mirror descent; the defaults are for hundreds of small games at once."""

    learning_rate: float = 3e-3
    """Learning rate of Adam, above 0."""
    discount_factor: float = 1.0
    """Discount per own move (gamma), 0 to 1."""
    gae_lambda: float = 0.95
    """Lambda of the critic's TD(lambda) targets, 0 to 1."""
    temperature: float = 0.2
    """Initial pull of the magnet (alpha), in standard deviations of the returns, above 0."""
    final_temperature: float = 0.05
    """Pull of the magnet at a learning rate of 0, in standard deviations of the returns, above 0."""
    step_ratio: float = 2.5
    """Step size over the pull of the magnet (eta / alpha), above 0."""
    average_rate: float = 0.05
    """Share by which the averaged weights, which play, move towards the network's per update, 0 to 1."""
    max_weight: float = 1000.0
    """Bound of the importance weight of a return, at least 0; 0 uses the critic alone."""
    vf_coef: float = 0.5
    """Weight of the critic's loss, at least 0."""
    max_grad_norm: float | None = 0.5
    """Largest norm of the gradient, above 0; None for no limit."""
    batch_size: int = 2048
    """Transitions per gradient step, at least 1."""
    repeat: int = 2
    """Passes over the collected transitions, at least 1."""
    hidden: int = 64
    """Units of each dense layer, at least 1."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above(0, **numbers_in(self, "temperature", "final_temperature", "step_ratio", "max_grad_norm"))
        require_at_least(0, **numbers_in(self, "max_weight", "vf_coef"))
        require_between(0, 1, **numbers_in(self, "gae_lambda", "average_rate"))


@dataclass(frozen=True)
class PSRLConfig:
    """Priors and accuracy of posterior sampling."""

    discount_factor: float = 0.99
    """Discount (gamma), 0 to 1."""
    epsilon: float = 0.01
    """Accuracy of values, in the units of the return, above 0."""
    transition_prior: float = 1.0
    """Sum of the Dirichlet parameters over the next states, above 0."""
    reward_std: float = 1.0
    """Standard deviation of the normal prior of rewards (mean 0), above 0."""

    def __post_init__(self) -> None:
        require_between(0, 1, **numbers_in(self, "discount_factor"))
        require_above(0, **numbers_in(self, "epsilon", "transition_prior", "reward_std"))
