"""The description of a game: its identity, its shapes and its traits, in one frozen object."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from games.engine.actions import Action, ActionBox, exact_action, random_actions
from games.engine.errors import UsageError
from games.engine.identity import GameId
from games.engine.notation import Notation
from games.engine.options import Option
from games.engine.picture import Picture
from games.engine.ruleset import Ruleset
from games.engine.seats import SeatGroup, box_of, group_of
from games.engine.stakes import Stakes

TERMINAL = -4
"""`current_player` of a finished game."""
CHANCE = -1
"""`current_player` where chance is to move; all other values are seats (0, 1, ...)."""

State = NDArray[Any]
"""One position: an array of shape () whose dtype is the game's structured `state_dtype`."""


def position_bytes(position: State) -> bytes:
    """Return the bytes of a position's fields; equal positions have equal ones.

    Those between the fields, which align them, are 0 here. In memory they are what was there before.
    """
    packed = np.zeros((), position.dtype)
    packed[...] = position
    return packed.tobytes()


class Playable(Protocol):
    """A position that is copied and played on from, step by step; for searches in games that are not compiled."""

    seat: int
    """The seat to move."""
    mask: NDArray[np.bool_]
    """Its legal actions, [A]."""

    @property
    def over(self) -> bool:
        """True once nobody is to move any more."""

    def step(self, action: int) -> NDArray[np.float32]:
        """Play a legal action; return what it brought each seat, [P]."""

    def observe(self, seat: int) -> NDArray[Any]:
        """Return what a seat is shown, [*O]."""

    def copy(self) -> "Playable":
        """Return a copy that is played on independently."""


class Problem(NamedTuple):
    """The result of one check of a game."""

    check: str
    """Name of the check."""
    text: str
    """What is wrong, where, and what would be right; empty where nothing is."""


@dataclass(frozen=True, eq=False)
class Game:
    """One game with its options settled: what leagues, tournaments, stores and screens know of it.

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
    """Actions are 0 .. num_actions - 1; 0 where all are continuous, those of `action_box`."""
    observation_shape: tuple[int, ...]
    """Shape of what one seat sees, without its action mask."""
    max_length: int
    """Upper bound on the length of a game, in actions."""
    initial: State
    """The first position, shape ()."""
    picture: Callable[[State], Picture]
    """Function that draws a position."""
    action_text: Callable[[State, Any], str]
    """Writes an `Action` in the game's notation."""
    parse_action: Callable[[State, str], Any]
    """The `Action` that a text means; `UsageError` if it cannot be read. It may be illegal in the position."""
    position_text: Callable[[State], str] | None = None
    """Function that writes a position in the game's standard notation (FEN), if it has one."""
    parse_position: Callable[[str], State] | None = None
    """Function that reads that notation; `UsageError` for a position that cannot arise."""
    notation: Notation | None = None
    """Standard file format of whole games (PGN, SGF), if there is one."""
    action_box: ActionBox | None = None
    """The continuous actions of the game; None where actions are numbered.

    Where some seats have numbered actions and others continuous ones, both are given: an action is then a vector within
    the box for all, of a numbered one the number and zeros; the mask of a seat with continuous actions is all False."""
    manual_text: str = ""
    """Its rules in Markdown, as `games.engine.manual` says; "" for the file in `games/manuals` of its name."""
    variant: str = ""
    """Variant of the rules, if they are not those that the name suggests; shown in the catalogue."""
    observation_dtype: Any = np.int8
    observation_high: int | NDArray[Any] = 1
    """No entry of an observation is larger (one number, or one for each entry)."""
    observation_low: int | NDArray[Any] = 0
    """No entry of an observation is smaller."""
    symmetries: tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...] = ()
    """Relabellings that keep the game the same: pairs (flat observation index [prod(O)], action index [A])."""
    num_outcomes: int = 0
    """Outcomes of chance are 0 .. num_outcomes - 1; none without chance."""
    information_shape: tuple[int, ...] | None = None
    """Shape of `information_state`; None where nothing is hidden, so that the position itself is one."""
    perfect_information: bool = True
    simultaneous: bool = False
    """Seats decide at the same time: they choose in turn, unseen, until all have chosen."""
    zero_sum: bool = True
    wins_at_one: bool = True
    """No seat returns more than 1, so that searches take a return of 1 for a win that nothing improves."""
    payoffs: tuple[float, ...] = (-1, 0, 1)
    """Results that a value network tells apart, ascending: the returns of a seat with any options of the game.

    Where wins are at one, those beyond count as 1."""
    payoff_options: tuple[str, ...] = ()
    """Options that change what the results of a game pay, and nothing else."""
    num_features: int = 0
    """Features that the rule `features` writes of a position; 0 without that rule."""
    lowest_return: float = -1.0
    """No seat is known to return less, where nobody wins; it bounds what a forfeit costs there."""
    cooperative: bool = False
    """All seats get the same returns."""
    stakes: Stakes | None = None
    """What returns are worth in a game for chips; None in others."""
    groups: tuple[SeatGroup, ...] = ()
    """Seats by group, where not all agents have the same observations and actions: those of a group have."""
    repeatable: bool = True
    """A seed and actions always give the same game, which can be resumed and replayed exactly."""
    truncates: bool = False
    """Games end by truncation, not by termination."""
    unmasked_observation: bool = False
    """PettingZoo's view shows a bare whole number, without an action mask; the observation has shape (1,)."""
    pettingzoo_name: str | None = None
    """PettingZoo's environment with the same actions, observations and rewards."""

    @property
    def competitive(self) -> bool:
        """True if seats can win against each other.

        In other games, cooperative ones and those of one seat, nobody wins: players are measured by what a team earns
        that they are in alone.
        """
        return self.num_players > 1 and not self.cooperative

    @property
    def forfeit_return(self) -> float:
        """Return of a seat that forfeits: -1, or less where nobody wins and playing on could earn less."""
        return -1.0 if self.competitive else min(-1.0, self.lowest_return)

    @property
    def action_dtype(self) -> np.dtype[Any]:
        """Dtype of a stored action: a whole number, or k numbers of single precision."""
        return np.dtype(np.int32 if self.action_box is None else (np.float32, self.action_box.low.shape))

    def exact(self, action: Any) -> Action:
        """Return an action as it is stored: a whole number, or numbers of single precision, as many as the game has."""
        return exact_action(action, self.action_box)

    @property
    def action_shape(self) -> tuple[int, ...]:
        """Shape of an action in an array: () where they are numbered, else (k,)."""
        return () if self.action_box is None else self.action_box.low.shape

    def allows(self, action: Action, mask: NDArray[np.bool_]) -> bool:
        """Return whether an action is legal where the mask of numbered actions is `mask` [A]."""
        if self.action_box is None:
            return not isinstance(action, tuple) and 0 <= action < self.num_actions and bool(mask[action])
        if np.shape(action) != self.action_shape:
            return False
        return bool(self.allow_each(np.array([action], np.float32), mask[None])[0])

    def allow_each(self, actions: NDArray[Any], masks: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which of n actions, [n] or [n, k], are legal where the masks of numbered ones are [n, A]."""
        if self.action_box is None:
            return _listed(actions, masks)
        legal = self.action_box.contain(actions)
        rows = np.flatnonzero(masks.any(axis=1))
        if len(rows):
            numbers = actions[rows, 0]
            legal[rows] &= (numbers == np.rint(numbers)) & _listed(np.nan_to_num(numbers, nan=-1.0), masks[rows])
        return legal

    def group_of(self, seat: int) -> SeatGroup | None:
        """Return the group of a seat; None where all seats have the same observations and actions."""
        return group_of(self.groups, seat)

    def box_of(self, seat: int) -> ActionBox | None:
        """Return the continuous actions of a seat, of its own entries alone; None where its actions are numbered."""
        return box_of(self.groups, self.action_box, seat)

    def draw_actions(
        self, seats: NDArray[np.int64], masks: NDArray[np.bool_], rng: np.random.Generator
    ) -> NDArray[Any]:
        """Draw legal actions uniformly, [n] or [n, k], for seats [n] with masks [n, A]."""
        if self.action_box is None or not self.groups:
            return random_actions(masks, self.action_box, rng)
        drawn = np.zeros((len(seats), *self.action_shape), np.float32)
        for group in self.groups:
            rows = np.flatnonzero(np.isin(seats, group.seats))
            drawn[rows] = group.padded_actions(group.draw(masks[rows], rng), self.action_shape)
        return drawn

    @property
    def has_chance(self) -> bool:
        """True if chance ever moves."""
        return self.num_outcomes > 0

    def chance_scratch(self) -> NDArray[np.float64] | None:
        """Return the scratch array [C] that kernels take as `chances`; None without chance."""
        return np.zeros(self.num_outcomes) if self.has_chance else None

    def ruleset(self) -> Ruleset:
        """Return the rules to compile; `UsageError` for a game that has none, whose positions cannot be searched."""
        raise UsageError(
            f"{self.spec}: its positions cannot be searched, since its rules are not compiled; 'arena agents' lists "
            "the agents that play by what they are shown"
        )

    def problems(self, num_games: int, seed: int) -> Iterator[Problem]:
        """Play random games by seeds from `seed` on; yield the result of each check of the contract of games."""
        raise NotImplementedError(f"{self.name} has no checks")

    def playable(self, state: State, seed: int) -> Playable:
        """Return a position to be played on from, as the seat to move may imagine it.

        What that seat may not know, chance that is still to come included, is a sample drawn by `seed`. Raises
        `UsageError` if positions cannot be copied or sampled. Compiled games are searched by their kernels instead.
        """
        raise UsageError(f"{self.spec}: its positions are records, which kernels play on from")

    def actions_between(self, before: State, after: State) -> list[int] | None:
        """Return the actions that lead from one position to another; None where none do.

        Only positions of games that are not compiled tell that.
        """
        raise UsageError(f"{self.spec}: its positions do not say how they came about")

    def history(self, state: State) -> tuple[str, ...]:
        """Return the names of the actions that led to a position, where it tells them; empty otherwise."""
        return ()

    def redact(self, states: State, seats: NDArray[np.int64]) -> None:
        """Blank in each of `states` [R] what its seat of `seats` [R] may not know, in place."""
        raise NotImplementedError(f"{self.name} has no positions to blank")

    @property
    def num_players(self) -> int:
        """Number of seats."""
        return len(self.agents)

    @property
    def state_dtype(self) -> np.dtype[Any]:
        """Structured dtype of a position."""
        return self.initial.dtype

    @property
    def spec(self) -> str:
        """Text that names the game on a command line, `tic_tac_toe:m=6,n=6,k=4`; `games.make` reads it."""
        return GameId(self.name, self.options).spec

    @property
    def label(self) -> str:
        """Name with the options that matter, `tic_tac_toe(m=6, n=6, k=4)`; equal labels mean equal games.

        `games.make` reads it as well.
        """
        return GameId(self.name, self.options).label


def _listed(numbers: NDArray[Any], masks: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which numbers [n] are those of actions that the masks [n, A] allow."""
    inside = (numbers >= 0) & (numbers < masks.shape[1])
    allowed: NDArray[np.bool_] = masks[np.arange(len(masks)), np.where(inside, numbers, 0).astype(np.int64)]
    return inside & allowed
