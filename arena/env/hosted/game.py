"""`HostedGame`: the description of a game that somebody else's environment plays."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UsageError
from arena.env.hosted.environment import HostedEnv
from games.engine.actions import Action, ActionBox, actions_of
from games.engine.game import TERMINAL, Game, Playable, Problem, State
from games.engine.picture import Picture

MAX_LENGTH = 5000
"""Default bound on the length of a game, in actions; longer games are truncated."""
UNKNOWN = -1
"""In place of the seed of an environment's game: where it stands is not known."""
EVERYBODY = -1
"""`viewer` of a position that is shown whole."""


@dataclass(frozen=True, eq=False)
class HostedGame(Game):
    """A game whose rules are an environment of somebody else's.

    A position is the seed of the game and the actions so far, from which the environment is brought there again.
    """

    make_env: Callable[[], HostedEnv] = field(kw_only=True)
    """Makes one game, without a bound on its length."""
    draw: Callable[[HostedEnv, int], Picture] = field(kw_only=True)
    """Returns the picture of what a seat, or `EVERYBODY`, is shown by an environment."""
    checks: Callable[["HostedGame", int, int], Iterator[Problem]] = field(kw_only=True)
    """Checks the contract in a number of random games by seeds from one on; see `problems`."""
    copies: bool = field(kw_only=True)
    """True if an environment can be copied in the middle of a game, with what a seat may not know drawn again."""
    chance: bool = field(kw_only=True)
    """True if games differ by their seeds."""

    @property
    def has_chance(self) -> bool:
        """True if games differ by their seeds."""
        return self.chance

    def new_env(self) -> HostedEnv:
        """Return an environment that plays one game after the other."""
        env = self.make_env()
        env.max_length = self.max_length
        return env

    def playable(self, state: State, seed: int) -> Playable:
        """Return the position of a record to be played on from, as the seat to move may imagine it."""
        if self.action_box is not None:
            raise UsageError(f"{self.spec}: its positions cannot be searched, since its actions are continuous")
        if not self.copies:
            what = "copied" if self.perfect_information else "copied with what is hidden drawn again"
            raise UsageError(f"{self.spec}: its positions cannot be searched, since they cannot be {what}")
        with self._replayer.at(state) as env:
            copy = env.copy()
        copy.determinize(copy.seat, seed)
        return copy

    def actions_between(self, before: State, after: State) -> list[int] | None:
        """Return the actions that lead from one position to another; None where none do."""
        length = int(before["length"])
        if before["seed"] != after["seed"] or length > after["length"]:
            return None
        if not np.array_equal(before["actions"][:length], after["actions"][:length]):
            return None
        actions: list[int] = after["actions"][length : after["length"]].tolist()
        return actions

    def history(self, state: State) -> tuple[str, ...]:
        """Return the names of the actions that led to a position; none in games that hide something."""
        if not self.perfect_information or self.action_box is not None:
            return ()
        names, before = [], state.copy()
        for number in range(int(state["length"])):
            before["length"] = number
            names.append(self.action_text(before, int(state["actions"][number])))
        return tuple(names)

    @cached_property
    def _replayer(self) -> "Replayer":
        return Replayer(self.new_env)

    def problems(self, num_games: int, seed: int) -> Iterator[Problem]:
        """Play random games by seeds from `seed` on; yield the result of each check of the contract of games."""
        return self.checks(self, num_games, seed)

    def redact(self, states: State, seats: NDArray[np.int64]) -> None:
        """Limit each of `states` [R] to what its seat of `seats` [R] is shown, in place."""
        states["viewer"] = seats


def position_dtype(max_length: int, box: ActionBox | None) -> np.dtype[Any]:
    """Return the dtype of positions of a game with at most `max_length` actions, numbered or of a box."""
    action = np.dtype(np.int32 if box is None else (np.float32, box.low.shape))
    return np.dtype(
        [
            ("current_player", np.int32),
            ("viewer", np.int32),
            ("length", np.int32),
            ("seed", np.uint64),
            ("actions", action, (max_length,)),
        ]
    )


def first_position(max_length: int, box: ActionBox | None) -> State:
    """Return the first position of the game with seed 0."""
    state = np.zeros((), position_dtype(max_length, box))
    state["viewer"] = EVERYBODY
    return state


class Replayer:
    """Brings an environment to positions of its game: on from the last one where it can, else from the beginning.

    Screens, agents that think meanwhile and several boards share one, each in its turn.
    """

    def __init__(self, make_env: Callable[[], HostedEnv]):
        self._make_env = make_env
        self._lock = threading.Lock()
        self._env: HostedEnv | None = None
        self._seed = UNKNOWN
        self._actions: list[Action] = []

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave the environment behind: what it renders with may not be pickled, nor where it stands."""
        return type(self), (self._make_env,)

    @contextmanager
    def at(self, state: State) -> Iterator[HostedEnv]:
        """Yield the environment in a position, to be looked at or copied."""
        seed, actions = int(state["seed"]), actions_of(state["actions"][: state["length"]])
        with self._lock:
            if self._env is None:
                self._env = self._make_env()
            known, self._seed = self._seed, UNKNOWN  # until it is there: it may fail on the way
            if seed != known or actions[: len(self._actions)] != self._actions:
                self._actions = []
                self._env.reset(env_seed(seed))
            for action in actions[len(self._actions) :]:
                self._env.step(action)
            self._seed, self._actions = seed, actions
            yield self._env


def env_seed(seed: int) -> int:
    """Return the seed that an environment is given for a game's seed: environments take 31 bits."""
    return seed % 2**31


def seat_to_move(env: HostedEnv) -> int:
    """Return the `current_player` of a position."""
    return TERMINAL if env.over else env.seat
