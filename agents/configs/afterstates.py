"""Config of the algorithm that learns values of positions after moves."""

from dataclasses import dataclass

from arena.base.checks import numbers_in, require_above, require_at_least, require_between


@dataclass(frozen=True)
class TDConfig:
    """Configuration of TD(lambda); the defaults are for backgammon on one CPU core."""

    learning_rate: float = 1e-3
    """Learning rate of Adam, above 0."""
    td_lambda: float = 0.7
    """Weight of what follows later beside the prediction for the next turn (lambda), 0 to 1."""
    epsilon: float = 0.5
    """Share of random moves in training, 0 to 1; none in games with chance, whose dice explore."""
    average_rate: float = 1e-3
    """Share by which the averaged weights, which play, move towards the network's per gradient step, 0 to 1."""
    batch_size: int = 512
    """Turns per gradient step, at least 1."""
    repeat: int = 1
    """Passes over the collected turns, at least 1."""
    hidden: int = 128
    """Units of the first dense layer, at least 4; the second has a quarter of them."""

    def __post_init__(self) -> None:
        require_above(0, **numbers_in(self, "learning_rate"))
        require_at_least(1, **numbers_in(self, "batch_size", "repeat"))
        require_at_least(4, **numbers_in(self, "hidden"))
        require_between(0, 1, **numbers_in(self, "td_lambda", "epsilon", "average_rate"))
