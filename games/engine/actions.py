"""Actions: numbers from 0 or, in games of continuous actions, vectors of real numbers within bounds."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.errors import UsageError

Action = int | tuple[float, ...]
"""A number from 0, or the entries of a continuous action, of single precision, so that they are kept exactly."""


@dataclass(frozen=True, eq=False)
class ActionBox:
    """The continuous actions of a game: vectors of k real numbers of single precision, within finite bounds."""

    low: NDArray[np.float32]
    """Least value of each entry, [k]."""
    high: NDArray[np.float32]
    """Greatest value of each entry, [k]."""

    def contain(self, actions: Any) -> NDArray[np.bool_]:
        """Return whether vectors [..., k] lie within the bounds; NaN never does."""
        inside: NDArray[np.bool_] = ((actions >= self.low) & (actions <= self.high)).all(axis=-1)
        return inside

    def sample(self, rng: np.random.Generator, count: int) -> NDArray[np.float32]:
        """Draw actions [n, k] uniformly."""
        drawn = rng.uniform(self.low, self.high, (count, len(self.low)))
        return drawn.astype(np.float32)

    def parse(self, text: str) -> tuple[float, ...]:
        """Read an action from numbers with commas or blanks between them; `UsageError` if they are none."""
        words = text.replace(",", " ").split()
        try:
            action = np.array([np.float32(word) for word in words], np.float32)
        except ValueError:
            action = np.zeros(0, np.float32)
        if len(action) != len(self.low) or not self.contain(action):
            raise UsageError(f"{text.strip()!r} is no action here: {self}")
        return tuple(action.tolist())

    def __str__(self) -> str:
        """The bounds, for people."""
        bounds = {f"{written(low)} to {written(high)}" for low, high in zip(self.low, self.high, strict=True)}
        count = f"{len(self.low)} number{'s' * (len(self.low) != 1)}"
        within = bounds.pop() if len(bounds) == 1 else f"{written(self.low)} to {written(self.high)}"
        return f"{count} from {within}"


def written(action: Any) -> str:
    """Return an action as text: a number, or numbers with commas between them; reading it gives the same action.

    >>> written(3), written((0.5, -1.0, 0.10000000149011612))
    ('3', '0.5,-1,0.1')
    """
    if isinstance(action, int | np.integer):
        return str(action)
    values = np.atleast_1d(np.asarray(action, np.float32))
    return ",".join(np.format_float_positional(value, trim="-") for value in values)


def action_of(entry: Any) -> Action:
    """Return the action in an entry of an array: of shape () a number, of shape (k,) a vector."""
    array = np.asarray(entry)
    return tuple(array.tolist()) if array.ndim else int(array)


def numbered(action: Action) -> int:
    """Return the action of a game whose actions are numbered."""
    assert not isinstance(action, tuple)
    return action


def exact_action(action: Any, box: ActionBox | None) -> Action:
    """Return an action as it is stored: a whole number, or numbers of single precision, as many as a box has."""
    if box is None:
        return int(action)
    entries = np.zeros(len(box.low), np.float32)
    entries[: np.size(action)] = action
    return action_of(entries)


def actions_of(array: NDArray[Any]) -> list[Action]:
    """Return the actions in an array, [n] or [n, k]."""
    return array.tolist() if array.ndim == 1 else list(map(tuple, array.tolist()))


def random_actions(masks: NDArray[np.bool_], box: ActionBox | None, rng: np.random.Generator) -> NDArray[Any]:
    """Draw uniformly from the legal actions, those of `masks` [n, A] or of a box, in n positions."""
    return (rng.random(masks.shape) * masks).argmax(axis=1) if box is None else box.sample(rng, len(masks))


def random_action(mask: NDArray[np.bool_], box: ActionBox | None, rng: np.random.Generator) -> Action:
    """Draw uniformly from the legal actions, those of a `mask` [A] or of a box."""
    return int(rng.choice(np.flatnonzero(mask))) if box is None else action_of(box.sample(rng, 1)[0])
