"""Configs of algorithms that search while they learn."""

from dataclasses import dataclass

from arena.base.checks import numbers_in, require_above, require_at_least, require_between

MOST_SIMULATIONS = 10**7
"""Largest number of simulations per move; their tree takes some gigabytes."""


@dataclass(frozen=True)
class SearchConfig:
    """Configuration of the search; the defaults are for two CPU cores."""

    simulations: int = 96
    """Simulations per fully searched move of self-play, 1 to 10,000,000."""
    quick_simulations: int = 24
    """Simulations per quickly searched move, which is not learned from, 1 to 10,000,000."""
    full_share: float = 0.35
    """Share of moves that are searched in full, above 0 to 1; drawn for all games at once."""
    play_simulations: int = 100
    """Simulations per move in tests, tournaments and play, 1 to 10,000,000."""
    considered: int = 0
    """Actions with which the sequential halving of Gumbel AlphaZero begins; 0 for PUCT with Dirichlet noise."""
    noise: float = 10.0
    """Sum of the Dirichlet parameters of root noise, above 0; alpha is this divided by the number of actions."""
    noise_share: float = 0.25
    """Share of the noise in the priors at the root, 0 to 1."""
    opening_moves: int = 8
    """Moves per seat and game that are drawn by visits; later moves are the best ones."""

    def __post_init__(self) -> None:
        require_above(0, **numbers_in(self, "noise", "full_share"))
        require_at_least(0, **numbers_in(self, "considered", "opening_moves"))
        require_between(1, MOST_SIMULATIONS, **numbers_in(self, "simulations", "quick_simulations", "play_simulations"))
        require_between(0, 1, **numbers_in(self, "noise_share", "full_share"))


@dataclass(frozen=True)
class AlphaZeroConfig(SearchConfig):
    """Configuration of AlphaZero; the defaults are for two CPU cores."""

    learning_rate: float = 2e-3
    """Learning rate of Adam, above 0."""
    weight_decay: float = 1e-4
    """Decoupled weight decay of Adam, at least 0."""
    batch_size: int = 256
    """Positions per gradient step, at least 1."""
    update_per_step: float = 0.02
    """Gradient steps per move, above 0."""
    buffer_size: int = 200_000
    """Capacity of the replay buffer in positions, the window learned from, at least 1."""
    vf_coef: float = 1.0
    """Weight of the value loss beside the policy loss, at least 0."""
    blocks: int = 0
    """Residual blocks of a tower for boards; 0 for a perceptron, three times as fast on a CPU."""
    channels: int = 32
    """Filters of each convolution of a tower, at least 1."""
    hidden: int = 512
    """Units of each dense layer, at least 1."""
    half: bool = True
    """Compute in bfloat16 while training, where the device supports it; takes half the time."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_above(0, **numbers_in(self, "learning_rate", "update_per_step"))
        require_at_least(0, **numbers_in(self, "blocks", "weight_decay", "vf_coef"))
        require_at_least(1, **numbers_in(self, "batch_size", "buffer_size", "channels", "hidden"))
