"""Configs of actors that learn from action values, or from a file."""

from dataclasses import dataclass
from typing import Literal, get_args

from arena.base.checks import numbers_in, require_above, require_at_least, require_between
from arena.base.errors import UsageError


@dataclass(frozen=True)
class QActorConfig:
    """Configuration shared by actors trained on action values."""

    learning_rate: float = 1e-3
    """Learning rate of Adam for all networks, above 0."""
    gamma: float = 0.99
    """Discount per own move (gamma), 0 to 1."""
    tau: float = 0.005
    """Share by which targets move towards their networks per update, 0 to 1."""
    estimation_step: int = 1
    """Rewards in a target before the estimate (n), at least 1."""
    batch_size: int = 256
    """Transitions per gradient step, at least 1."""
    update_per_step: float = 1.0
    """Gradient steps per environment step, above 0."""
    buffer_size: int = 100_000
    """Capacity of the replay buffer in transitions, at least 1."""
    hidden: int = 128
    """Units of each of the two hidden layers, at least 1."""

    def __post_init__(self) -> None:
        require_above(0, **numbers_in(self, "learning_rate", "update_per_step"))
        require_at_least(1, **numbers_in(self, "estimation_step", "batch_size", "buffer_size", "hidden"))
        require_between(0, 1, **numbers_in(self, "gamma", "tau"))


@dataclass(frozen=True)
class DDPGConfig(QActorConfig):
    """Configuration of DDPG."""

    exploration_noise: float = 0.1
    """Standard deviation of the exploration noise on actions within ±1, at least 0."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(0, **numbers_in(self, "exploration_noise"))


@dataclass(frozen=True)
class TD3Config(QActorConfig):
    """Configuration of TD3."""

    exploration_noise: float = 0.1
    """Standard deviation of the exploration noise on actions within ±1, at least 0."""
    policy_noise: float = 0.2
    """Standard deviation of the noise on the target's actions, at least 0."""
    noise_clip: float = 0.5
    """Bound of the noise on the target's actions, at least 0."""
    update_actor_freq: int = 2
    """Critic updates per update of the actor and the targets, at least 1."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(0, **numbers_in(self, "exploration_noise", "policy_noise", "noise_clip"))
        require_at_least(1, **numbers_in(self, "update_actor_freq"))


@dataclass(frozen=True)
class SACConfig(QActorConfig):
    """Configuration of SAC."""

    alpha: float = 0.2
    """Entropy weight, above 0; its initial value if it is learned."""
    auto_alpha: bool = True
    """Learn alpha towards a target entropy of minus the number of action entries."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above(0, **numbers_in(self, "alpha"))


@dataclass(frozen=True)
class DiscreteSACConfig(QActorConfig):
    """Configuration of discrete SAC."""

    update_per_step: float = 0.1
    """Gradient steps per environment step, above 0."""
    alpha: float = 0.05
    """Entropy weight, above 0; its initial value if it is learned."""
    target_entropy: float = 0.0
    """Target entropy for learning alpha, as a share of the largest possible entropy, 0 to 1; 0 keeps alpha fixed."""
    channels: int = 0
    """Filters of the convolution on boards; 0 for a perceptron."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above(0, **numbers_in(self, "alpha"))
        require_between(0, 1, **numbers_in(self, "target_entropy"))


@dataclass(frozen=True)
class BCQConfig:
    """Configuration of BCQ."""

    learning_rate: float = 1e-3
    """Learning rate of Adam for all networks, above 0."""
    gamma: float = 0.99
    """Discount per own move (gamma), 0 to 1."""
    tau: float = 0.005
    """Share by which targets move towards their networks per update, 0 to 1."""
    estimation_step: int = 1
    """Rewards in a target before the estimate (n), at least 1."""
    lmbda: float = 0.75
    """Weight of the smaller of two values in a target (lambda), 0 to 1."""
    phi: float = 0.05
    """Largest change of a proposed action (phi), as a share of its bound, at least 0."""
    forward_sampled_times: int = 100
    """Number of actions sampled for acting, at least 1."""
    num_sampled_action: int = 10
    """Number of actions sampled for a target, at least 1."""
    batch_size: int = 256
    """Transitions per gradient step, at least 1."""
    hidden: int = 128
    """Units of each of the two hidden layers, at least 1."""

    def __post_init__(self) -> None:
        require_above(0, **numbers_in(self, "learning_rate"))
        require_at_least(0, **numbers_in(self, "phi"))
        require_at_least(
            1,
            **numbers_in(
                self, "estimation_step", "forward_sampled_times", "num_sampled_action", "batch_size", "hidden"
            ),
        )
        require_between(0, 1, **numbers_in(self, "gamma", "tau", "lmbda"))


Mode = Literal["exp", "binary", "all"]


@dataclass(frozen=True)
class DiscreteCRRConfig:
    """Configuration of discrete CRR."""

    learning_rate: float = 1e-3
    """Learning rate of Adam, above 0."""
    discount_factor: float = 0.99
    """Discount per own move (gamma), 0 to 1."""
    policy_improvement_mode: Mode = "exp"
    """Weight of an action by its advantage A: exp(A / beta), 1 if A > 0 else 0, or always 1."""
    ratio_upper_bound: float = 20.0
    """Largest weight of an action in mode "exp", above 0."""
    beta: float = 1.0
    """Temperature of mode "exp", above 0."""
    min_q_weight: float = 10.0
    """Weight of the conservative penalty of CQL, at least 0."""
    target_update_freq: int = 100
    """Gradient steps between updates of the target networks; 0 for no target networks."""
    batch_size: int = 256
    """Transitions per gradient step, at least 1."""
    channels: int = 0
    """Filters of the convolution on boards; 0 for a perceptron."""
    hidden: int = 128
    """Units of each of the two hidden layers, at least 1."""

    def __post_init__(self) -> None:
        require_above(0, **numbers_in(self, "learning_rate", "ratio_upper_bound", "beta"))
        require_at_least(0, **numbers_in(self, "min_q_weight", "target_update_freq", "channels"))
        require_at_least(1, **numbers_in(self, "batch_size", "hidden"))
        require_between(0, 1, **numbers_in(self, "discount_factor"))
        if self.policy_improvement_mode not in get_args(Mode):
            raise UsageError(f"policy_improvement_mode={self.policy_improvement_mode!r} is not one of {get_args(Mode)}")


@dataclass(frozen=True)
class ImitationConfig:
    """Configuration of behaviour cloning."""

    learning_rate: float = 1e-3
    """Learning rate of Adam, above 0."""
    batch_size: int = 256
    """Transitions per gradient step, at least 1."""
    hidden: int = 256
    """Units of each of the two hidden layers, at least 1."""
    blocks: int = 0
    """Residual blocks of a convolutional tower for boards; 0 for a perceptron."""

    def __post_init__(self) -> None:
        require_above(0, **numbers_in(self, "learning_rate"))
        require_at_least(0, **numbers_in(self, "blocks"))
        require_at_least(1, **numbers_in(self, "batch_size", "hidden"))
