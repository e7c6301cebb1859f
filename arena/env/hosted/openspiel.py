"""OpenSpiel's games as hosted games: `openspiel:oware`, `openspiel:universal_poker(betting=nolimit)`."""

from bisect import bisect
from collections.abc import Iterator, Mapping
from contextlib import suppress
from copy import copy, deepcopy
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.base.errors import UnknownNameError, UsageError
from arena.env.hosted.describe import Traits, hosted_game
from arena.env.hosted.environment import HostedEnv
from arena.env.hosted.game import HostedGame
from arena.env.hosted.hints import did_you_mean
from arena.env.hosted.host import Host, HostedName
from arena.env.spaces import MOST_ACTIONS, Observations

PREFIX = "openspiel"
RESAMPLED = frozenset(
    {
        "bargaining",
        "blackjack",
        "colored_trails",
        "euchre",
        "gin_rummy",
        "hearts",
        "kuhn_poker",
        "leduc_poker",
        "oh_hell",
        "universal_poker",
    }
)
"""Games of hidden information whose `resample_from_infostate` works, and gives what agrees with what the seat knows.

Tried with OpenSpiel 2.0; the others do not have it, and bridge takes minutes.
"""


def pyspiel() -> Any:
    """Return OpenSpiel's module; `UsageError` if it is not installed."""
    try:
        import pyspiel
    except ImportError:
        raise UsageError("OpenSpiel is not installed: pip install open_spiel") from None
    return pyspiel


class OpenSpielHost(HostedEnv):
    """One game of OpenSpiel. Seats that choose at the same time are asked one after the other.

    A seat is shown the observation tensor of the game, or its information state where there is none, or a single 0
    where there is neither.
    """

    def __init__(self, name: str, load: Any):
        self._game = load()
        self._tensor, shape = _tensor_of(self._game)
        single = np.dtype(np.float32)
        observations = Observations(shape, single, -np.inf, np.inf, np.asarray)
        agents = [f"player_{seat}" for seat in range(self._game.num_players())]
        super().__init__(name, agents, observations, self._game.num_distinct_actions())
        kind, traits = self._game.get_type(), pyspiel().GameType
        self.simultaneous = kind.dynamics == traits.Dynamics.SIMULTANEOUS
        self.perfect_information = (
            kind.information == traits.Information.PERFECT_INFORMATION and kind.dynamics == traits.Dynamics.SEQUENTIAL
        )
        self.determinizes = self.perfect_information or kind.short_name in RESAMPLED
        self._chances = kind.chance_mode != traits.ChanceMode.DETERMINISTIC
        self._state: Any = None
        self._returns: list[float] = []  # so far, by seat
        self._chosen: list[int] = []

    def _reset(self, seed: int) -> None:
        if self._chances:
            self._rng = np.random.default_rng(seed)
        self._state = self._game.new_initial_state()
        self._chosen = []
        self._settle()
        self._returns = self._state.returns()

    def _step(self, action: Any) -> NDArray[Any]:
        if self._at_once():
            self._chosen.append(action)
            self._skip()
            if len(self._chosen) == len(self.agents):
                self._state.apply_actions(self._chosen)
                self._chosen = []
                self._settle()
        else:
            self._state.apply_action(action)
            self._settle()
        before, self._returns = self._returns, self._state.returns()
        return np.array([now - then for now, then in zip(self._returns, before, strict=True)])

    def _settle(self) -> None:
        """Let chance happen until somebody is to move, and note the end."""
        while self._chances and self._state.is_chance_node():
            actions, weights = zip(*self._state.chance_outcomes(), strict=True)
            sums = list(accumulate(weights))
            self._state.apply_action(actions[bisect(sums, self._rng.random() * sums[-1], hi=len(sums) - 1)])
        self.terminated[:] = self._state.is_terminal()
        if self._at_once():
            self._skip()
            if len(self._chosen) == len(self.agents):
                self._state.apply_actions(self._chosen)
                self._chosen = []
                self._settle()

    def _at_once(self) -> bool:
        """Return whether seats are to choose at the same time."""
        return self.simultaneous and bool(self._state.is_simultaneous_node())

    def _skip(self) -> None:
        """Let seats that have nothing to choose pass, as OpenSpiel has it: by action 0."""
        while len(self._chosen) < len(self.agents) and not self._state.legal_actions(len(self._chosen)):
            self._chosen.append(0)

    def _next_seat(self) -> int:
        return len(self._chosen) if self._at_once() else int(self._state.current_player())

    def _mask(self, seat: int) -> NDArray[np.bool_]:
        mask = np.zeros(self.num_actions, np.bool_)
        mask[self._state.legal_actions(seat)] = True
        return mask

    def _observe(self, seat: int) -> NDArray[Any]:
        shape = self.observations.shape
        if self._tensor is None or (self._tensor == "information_state_tensor" and self.over):
            return np.zeros(shape, np.float32)
        return np.array(getattr(self._state, self._tensor)(seat), np.float32).reshape(shape)

    def determinize(self, seat: int, seed: int) -> None:
        """Replace what a seat may not know, chance that is still to come included, by a sample drawn by `seed`."""
        self._rng = np.random.default_rng(seed)
        if not self.perfect_information:
            self._state = self._guarded(self._resampled, seat)
            self._look()

    def _resampled(self, seat: int) -> Any:
        return self._state.resample_from_infostate(seat, self._rng.random)

    def copy(self) -> "OpenSpielHost":
        """Return a copy that plays on independently."""
        other = copy(self)
        other.mask, other.terminated, other.truncated = self.mask.copy(), self.terminated.copy(), self.truncated.copy()
        other._state, other._chosen = self._state.clone(), list(self._chosen)
        if self._chances:
            other._rng = deepcopy(self._rng)
        return other

    def board(self) -> str:
        """Return OpenSpiel's text of the position."""
        return self._guarded(lambda: str(self._state))

    def view(self, seat: int) -> str | None:
        """Return OpenSpiel's text of what a seat observes."""
        kind = self._game.get_type()
        if kind.provides_observation_string:
            return self._guarded(lambda: str(self._state.observation_string(seat)))
        if kind.provides_information_state_string:
            return self._guarded(lambda: str(self._state.information_state_string(seat)))
        return None

    def action_text(self, action: Any) -> str:
        """Return OpenSpiel's name of an action."""
        if self.over:
            return str(action)
        return self._guarded(lambda: str(self._state.action_to_string(self.seat, action)))

    def close(self) -> None:
        """Forget the position."""
        self._state = None


def describe(name: str, options: Mapping[str, Any]) -> HostedGame:
    """Describe the OpenSpiel game `name` with its parameters; `UsageError` if there is none or it cannot be hosted."""
    spiel = pyspiel()
    own = dict(options)
    shown = f"{PREFIX}:{name}"
    if name not in (known := spiel.registered_names()):
        raise UnknownNameError("game of OpenSpiel", name, known)
    wanted_length = own.pop("max_length", None)
    load = partial(_load, shown, name, own)
    game = load()
    kind = game.get_type()
    if kind.dynamics == spiel.GameType.Dynamics.MEAN_FIELD:
        raise UsageError(f"{shown} is a mean-field game, which has no seats to play")
    if game.num_distinct_actions() < 1:
        raise UsageError(f"{shown} does not number its actions, as those that are played must")
    if game.num_distinct_actions() > MOST_ACTIONS:
        raise UsageError(f"{shown} has {game.num_distinct_actions():,} actions, more than {MOST_ACTIONS:,}")
    utility = spiel.GameType.Utility
    return hosted_game(
        shown,
        options,
        partial(OpenSpielHost, shown, load),
        max_length=_length(game) if wanted_length is None else wanted_length,
        traits=Traits(
            chance=kind.chance_mode != spiel.GameType.ChanceMode.DETERMINISTIC,
            repeatable=True,
            zero_sum=kind.utility in (utility.ZERO_SUM, utility.CONSTANT_SUM),
            cooperative=kind.utility == utility.IDENTICAL,
            wins_at_one=kind.reward_model == spiel.GameType.RewardModel.TERMINAL and game.max_utility() <= 1,
            lowest_return=game.min_utility(),
        ),
        title=str(kind.long_name),
    )


def names() -> Iterator[HostedName]:
    """Yield OpenSpiel's games."""
    for kind in sorted(pyspiel().registered_games(), key=lambda kind: str(kind.short_name)):
        seats = f"{kind.min_num_players}" + (f"-{kind.max_num_players}" * (kind.max_num_players > kind.min_num_players))
        words = [kind.information.name, kind.dynamics.name, kind.utility.name]
        traits = ", ".join(word.lower().replace("_", " ") for word in words)
        yield HostedName(str(kind.short_name), f"{kind.long_name}: {seats} seats, {traits}")


def _tensor_of(game: Any) -> tuple[str | None, tuple[int, ...]]:
    """Return the method of a state that shows a seat what it may know, and the shape of what that gives."""
    kind = game.get_type()
    shapes = {
        "observation_tensor": (kind.provides_observation_tensor, game.observation_tensor_shape),
        "information_state_tensor": (kind.provides_information_state_tensor, game.information_state_tensor_shape),
    }
    for name, (is_there, shape) in shapes.items():
        if is_there:
            with suppress(pyspiel().SpielError):  # a few games say that they have one, and have none
                return name, tuple(shape())
    return None, (1,)


def _length(game: Any) -> int:
    """Return the largest number of actions in a game; seats that choose at the same time are asked one by one."""
    simultaneous = game.get_type().dynamics == pyspiel().GameType.Dynamics.SIMULTANEOUS
    length = int(game.max_game_length()) * (game.num_players() if simultaneous else 1)
    return max(1, min(length, 20_000))


def _load(shown: str, name: str, parameters: Mapping[str, Any]) -> Any:
    spiel = pyspiel()
    try:
        return spiel.load_game(f"{name}({','.join(f'{key}={value}' for key, value in parameters.items())})")
    except (spiel.SpielError, RuntimeError, TypeError, IndexError) as error:
        kind = next(kind for kind in spiel.registered_games() if kind.short_name == name)
        known = ["max_length", *kind.parameter_specification]
        if unknown := sorted(parameters.keys() - known):
            otherwise = f"; it has {', '.join(known)}"
            hint = did_you_mean(unknown[0], known, otherwise)
            raise UsageError(f"{shown} has no option {unknown[0]!r}{hint}") from None
        options = f" (it has the options {', '.join(kind.parameter_specification)})" * bool(
            kind.parameter_specification
        )
        raise UsageError(f"{shown}: {' '.join(str(error).split())}{options}") from None


HOST = Host(describe, names)
