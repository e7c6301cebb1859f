"""Configs of algorithms that learn action values from all they remember, or from a file."""

from dataclasses import dataclass
from typing import Any

from arena.base.checks import numbers_in, require_above, require_at_least, require_between
from arena.base.errors import UsageError

MOST_PARTS = 10_000
"""Largest number of quantiles, atoms or cosines of a value."""


@dataclass(frozen=True)
class ValueConfig:
    """Configuration shared by value-based algorithms."""

    learning_rate: float = 1e-3
    """Learning rate of Adam, above 0."""
    discount_factor: float = 0.95
    """Discount per own move (gamma), 0 to 1."""
    estimation_step: int = 3
    """Rewards in a target before the estimate (n), at least 1."""
    target_update_freq: int = 500
    """Gradient steps between updates of the target network; 0 for no target network."""
    is_double: bool = True
    """Choose the target's action by the network and evaluate it by the target network (double learning)."""
    batch_size: int = 256
    """Transitions per gradient step, at least 1."""
    update_per_step: float = 0.02
    """Gradient steps per environment step, above 0."""
    buffer_size: int = 100_000
    """Capacity of the replay buffer in transitions, at least 1."""
    eps: float = 0.1
    """Probability of a random action while collecting, 0 to 1."""
    hidden: int = 256
    """Units of each of the two hidden layers, at least 1."""
    blocks: int = 0
    """Residual blocks of a convolutional tower for boards; 0 for a perceptron."""

    def __post_init__(self) -> None:
        require_above(0, **numbers_in(self, "learning_rate", "update_per_step"))
        require_at_least(0, **numbers_in(self, "target_update_freq", "blocks"))
        require_at_least(1, **numbers_in(self, "estimation_step", "batch_size", "buffer_size", "hidden"))
        require_between(0, 1, **numbers_in(self, "discount_factor", "eps"))


SINGLE: dict[str, Any] = {
    "learning_rate": 1e-3,
    "discount_factor": 0.99,
    "estimation_step": 3,
    "target_update_freq": 500,
    "batch_size": 64,
    "update_per_step": 0.1,
    "buffer_size": 50_000,
    "eps": 0.05,
    "hidden": 128,
}
"""Defaults for single-agent tasks whose discounted returns lie between 0 and 100, such as CartPole."""


SLOWER = SINGLE | {"learning_rate": 5e-4, "target_update_freq": 200}
"""The same with smaller steps, for networks with random or learned fractions (IQN, FQF)."""


STEADY = SINGLE | {"learning_rate": 5e-4, "update_per_step": 0.2}
"""The same with smaller but more frequent steps, for plain Q-values (DQN)."""


@dataclass(frozen=True)
class DQNConfig(ValueConfig):
    """Configuration of DQN."""

    clip_loss_grad: bool = False
    """Take the Huber loss in place of the squared error."""
    dueling: bool = False
    """Separate state values and advantages in the network."""


@dataclass(frozen=True)
class C51Config(ValueConfig):
    """Configuration of C51."""

    num_atoms: int = 51
    """Number of atoms of a return distribution, 2 to 10,000."""
    v_min: float = -1.0
    """Smallest return, in the units of the reward."""
    v_max: float = 1.0
    """Largest return, in the units of the reward, above v_min."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_between(2, MOST_PARTS, **numbers_in(self, "num_atoms"))
        require_above(float("-inf"), **numbers_in(self, "v_min"))
        require_above(self.v_min, **numbers_in(self, "v_max"))


@dataclass(frozen=True)
class RainbowConfig(C51Config):
    """Configuration of Rainbow."""

    eps: float = 0.0
    """Probability of a random action while collecting, in addition to the noise in the weights, 0 to 1."""
    noisy_std: float = 0.5
    """Initial scale of the noise in the weights (sigma_0)."""


@dataclass(frozen=True)
class QRDQNConfig(ValueConfig):
    """Configuration of QR-DQN."""

    num_quantiles: int = 50
    """Number of quantiles per action, 2 to 10,000."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_between(2, MOST_PARTS, **numbers_in(self, "num_quantiles"))


@dataclass(frozen=True)
class IQNConfig(ValueConfig):
    """Configuration of IQN."""

    sample_size: int = 32
    """Fractions sampled for acting in testing mode (K), at least 1."""
    online_sample_size: int = 8
    """Fractions sampled for the network that learns (N), at least 1."""
    target_sample_size: int = 8
    """Fractions sampled for the target network (N'), at least 1."""
    num_cosines: int = 64
    """Cosine features of a fraction, at least 1."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(
            1, **numbers_in(self, "sample_size", "online_sample_size", "target_sample_size", "num_cosines")
        )


@dataclass(frozen=True)
class FQFConfig(ValueConfig):
    """Configuration of FQF."""

    num_fractions: int = 32
    """Number of proposed fractions, 2 to 10,000."""
    fraction_learning_rate: float = 2.5e-9
    """Learning rate of RMSprop for the fractions, above 0."""
    ent_coef: float = 0.0
    """Weight of the entropy bonus of the fractions, at least 0."""
    num_cosines: int = 64
    """Cosine features of a fraction, 1 to 10,000."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above(0, **numbers_in(self, "fraction_learning_rate"))
        require_at_least(0, **numbers_in(self, "ent_coef"))
        require_between(2, MOST_PARTS, **numbers_in(self, "num_fractions"))
        require_between(1, MOST_PARTS, **numbers_in(self, "num_cosines"))


@dataclass(frozen=True)
class NFSPConfig(ValueConfig):
    """Configuration of NFSP; the defaults are for hundreds of small games at once."""

    learning_rate: float = 3e-3
    """Learning rate of Adam for the best response, above 0."""
    average_learning_rate: float = 3e-3
    """Learning rate of Adam for the average, above 0."""
    anticipatory: float = 0.3
    """Probability that a seat plays a training game by the best response (eta), 0 to 1."""
    discount_factor: float = 1.0
    """Discount per own move (gamma), 0 to 1."""
    estimation_step: int = 1
    """Rewards in a target before the estimate, at least 1."""
    target_update_freq: int = 100
    """Gradient steps between updates of the target network; 0 for no target network."""
    update_per_step: float = 0.004
    """Gradient steps per move, above 0."""
    reservoir_size: int = 2_000_000
    """Number of the best response's moves kept for imitation, at least 1."""
    eps: float = 0.06
    """Probability of a random move in games played by the best response, 0 to 1."""
    hidden: int = 64
    """Units of each of the two hidden layers, at least 1."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above(0, **numbers_in(self, "average_learning_rate"))
        require_at_least(1, **numbers_in(self, "reservoir_size"))
        require_between(0, 1, **numbers_in(self, "anticipatory"))


@dataclass(frozen=True)
class DiscreteBCQConfig(ValueConfig):
    """Configuration of discrete BCQ."""

    eps: float = 0.001
    """Probability of a random action while collecting, 0 to 1."""
    unlikely_action_threshold: float = 0.3
    """Smallest probability of a considered action, as a share of the most likely one's, 0 to below 1."""
    imitation_logits_penalty: float = 0.01
    """Weight of the mean square of the imitator's logits, at least 0."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(1, **numbers_in(self, "target_update_freq"))
        require_at_least(0, **numbers_in(self, "imitation_logits_penalty"))
        require_between(0, 1, **numbers_in(self, "unlikely_action_threshold"))
        if self.unlikely_action_threshold == 1:
            raise UsageError("unlikely_action_threshold=1 leaves no action; it must be below 1")


@dataclass(frozen=True)
class DiscreteCQLConfig(QRDQNConfig):
    """Configuration of discrete CQL."""

    min_q_weight: float = 10.0
    """Weight of the conservative loss, at least 0."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least(0, **numbers_in(self, "min_q_weight"))
