"""The description of a game: its functions, its shapes and its traits, in one frozen object."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.notation import Notation
from games.engine.options import Option
from games.engine.picture import Picture

TERMINAL = -4
"""`current_player` of a finished game."""
CHANCE = -1
"""`current_player` where chance is to move; all other values are seats (0, 1, ...)."""

State = NDArray[Any]
"""One position: an array of shape () whose dtype is the game's structured `state_dtype`."""


@dataclass(frozen=True, eq=False)
class Game:
    """One game with its options settled.

    A position is one flat, self-contained record of `state_dtype` (it has at least the field `current_player`),
    so that a copy of it is one assignment.
    """

    name: str
    """Registered name, `connect_four`."""
    title: str
    """Name for people, `Connect Four`."""
    options: Mapping[str, Option]
    """Every option with its value; `games.make(name, **options)` gives this game again."""
    agents: tuple[str, ...]
    """Agent names by seat, as in PettingZoo's game of the same name."""
    num_actions: int
    """Actions are 0 .. num_actions - 1."""
    observation_shape: tuple[int, ...]
    """Shape of what one seat sees, without its action mask."""
    max_length: int
    """No game is longer, in actions."""
    initial: State
    """The first position, shape ()."""
    rules: str
    """Name of the module that holds the functions of `games.engine.rules` for this game."""
    picture: Callable[[State], Picture]
    """What a position looks like."""
    action_text: Callable[[State, int], str]
    """An action in the game's notation."""
    parse_action: Callable[[State, str], int]
    """The action that a text means; `UsageError` if it cannot be read. It may be illegal in the position."""
    position_text: Callable[[State], str] | None = None
    """A position in the notation that people have for those of this game (FEN), where there is one."""
    parse_position: Callable[[str], State] | None = None
    """The position that such a text means; `UsageError` if none that can arise."""
    notation: Notation | None = None
    """The file format that people have for whole games, where there is one."""
    observation_dtype: Any = np.int8
    observation_high: int = 1
    """No entry of an observation is larger; none is below 0."""
    symmetries: tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...] = ()
    """Relabellings that keep the game the same: pairs (flat observation index [prod(O)], action index [A])."""
    num_outcomes: int = 0
    """Outcomes of chance are 0 .. num_outcomes - 1; none without chance."""
    information_shape: tuple[int, ...] | None = None
    """Shape of `information_state`; None where nothing is hidden, so that a position is its own."""
    perfect_information: bool = True
    simultaneous: bool = False
    """Seats decide at the same time: they are asked in turn, and none learns what the others chose before all have."""
    zero_sum: bool = True
    cooperative: bool = False
    """All seats earn the same."""
    is_cut: bool = False
    """Its end cuts off what could go on for ever: games are truncated, not terminated."""
    bare: bool = False
    """PettingZoo's view shows a bare whole number, without an action mask; the observation has shape (1,)."""
    pettingzoo_name: str | None = None
    """PettingZoo's environment with the same actions, observations and rewards."""

    @property
    def has_chance(self) -> bool:
        """Whether chance ever moves."""
        return self.num_outcomes > 0

    def chance_scratch(self) -> NDArray[np.float64] | None:
        """What kernels take as `chances`: scratch [C]; None without chance."""
        return np.zeros(self.num_outcomes) if self.has_chance else None

    @property
    def num_players(self) -> int:
        """Number of seats."""
        return len(self.agents)

    @property
    def state_dtype(self) -> np.dtype[Any]:
        """Structured dtype of a position."""
        return self.initial.dtype

    @property
    def label(self) -> str:
        """Name with the options that matter, `tic_tac_toe(m=6, n=6, k=4)`; equal labels mean equal games."""
        options = ", ".join(f"{key}={value}" for key, value in self.options.items())
        return f"{self.name}({options})"
