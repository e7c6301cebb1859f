"""Moves by the values of positions in which a turn can end, and expectimax search over them (Ballard 1983).

A `Valuer` tells the seat whose turn has ended what to expect. Without search a seat plays towards the end of the
highest value. Searched one ply further, an end is worth what is left after the other seat's best reply to every roll.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.search import turns
from agents.search.positions import positions, require_searchable
from arena.base.errors import UsageError
from arena.data.batch import Batch
from games.engine.compiled import CompiledGame
from games.engine.compiler import instantiate
from games.engine.game import CHANCE, TERMINAL, Game
from games.engine.jit import njit

Valuer = Callable[[NDArray[np.float32]], NDArray[np.float32]]
"""Maps features [m, F + 1] to the expected returns [m] of the seats whose turns have ended."""
FIRST_ROOM = 4096
"""Ends for which memory is allocated at first, and turns under way; both are doubled when needed."""
CANDIDATES = 8
"""Ends of a turn that are searched further, the best ones without search."""


class EndsFound(NamedTuple):
    """The ends of the turns of n positions, M in all; valid until the next are found."""

    ends: turns.Ends
    starts: NDArray[np.int64]
    """Where the ends of each begin, [n + 1]."""


class TurnEnds:
    """Finds the ends of turns in a two-player zero-sum game of perfect information.

    Raises `UsageError` for others.
    """

    def __init__(self, game: Game, agent: str):
        require_searchable(game, agent, chance=True)
        if not isinstance(game, CompiledGame):
            raise UsageError(f"{agent} plays games whose rules are compiled; {game.label} is played by copies")
        self._game, self._agent = game, agent
        self._kernels = instantiate("agents.search.turns", game)
        self.num_features = (game.num_features or int(np.prod(game.observation_shape))) + 1
        """F + 1: the features of a position, and whether chance moves next."""
        self._reserve(FIRST_ROOM)

    def _reserve(self, room: int) -> None:
        game = self._game
        self._ends = turns.Ends(
            states=np.empty(room, game.state_dtype),
            features=np.zeros((room, self.num_features), np.float32),
            payoff=np.empty(room, np.float32),
            action=np.empty(room, np.int16),
            single=np.empty(room, np.bool_),
        )
        turn_room = min(room, 1 << 16)
        shape, dtype = game.observation_shape, np.dtype(game.observation_dtype)
        size = int(np.prod(shape)) * dtype.itemsize
        words = np.zeros(-(-size // 8), np.uint64)
        self._scratch = turns.TurnScratch(
            queue=np.empty(turn_room + 1, game.state_dtype),
            first=np.empty(turn_room, np.int16),
            mask=np.empty(game.num_actions, np.bool_),
            visited=np.zeros(4 * turn_room, np.uint64),
            used=np.empty(2 * turn_room, np.uint64),
            obs=words.view(np.uint8)[:size].view(dtype).reshape(1, *shape),
            words=words,
            payoff=np.empty(2, np.float32),
            chances=np.empty(max(game.num_outcomes, 1), np.float64),
        )

    def positions(self, batch: Batch) -> NDArray[Any]:
        """Return the state records [n] of a batch; `UsageError` if they are missing or of another game."""
        return positions(batch, self._game, self._agent)

    def find(self, states: NDArray[Any], seats: NDArray[np.int8]) -> EndsFound:
        """Return the ends of the turns of `seats` [n] in the positions [n]; see `agents.search.turns.find_ends`."""
        starts = np.empty(len(states) + 1, np.int64)
        while not self._kernels.find_ends(states, seats, self._ends, starts, self._scratch):
            self._reserve(2 * len(self._ends.action))
        return EndsFound(turns.Ends._make(array[: starts[-1]] for array in self._ends), starts)

    def spread(self, states: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return the positions [n, C] after every outcome of chance, and their probabilities [n, C]."""
        shape = len(states), max(self._game.num_outcomes, 1)
        rolled, probabilities = np.empty(shape, self._game.state_dtype), np.empty(shape)
        self._kernels.spread_chance(states, rolled, probabilities, self._scratch)
        return rolled, probabilities


class AfterstateSearch:
    """Values the ends of turns, `plies` turns ahead."""

    def __init__(self, game: Game, value: Valuer, plies: int, agent: str):
        self.turns, self._value, self._plies = TurnEnds(game, agent), value, plies

    def best(self, states: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the best actions [n] of the seats to move, and their values [n]; 0 in games that are over."""
        seats = states["current_player"]
        under_way = np.flatnonzero(seats >= 0)
        act, value = np.zeros(len(states), np.int64), np.zeros(len(states))
        if len(under_way):
            act[under_way], value[under_way] = self._choose(states[under_way], seats[under_way], self._plies)
        return act, value

    def _choose(
        self, states: NDArray[Any], seats: NDArray[np.int8], plies: int
    ) -> tuple[NDArray[np.int16], NDArray[np.float64]]:
        """Return the best first actions [n] and values [n] of the turns of these seats, searched `plies` further."""
        ends, starts = self.turns.find(states, seats)
        values = static_values(ends, self._value).astype(np.float64)
        if plies == 0:
            best = best_of(values, starts)
            return ends.action[best], values[best]
        chosen, owners = candidates(values, starts, CANDIDATES)
        actions, positions_after = ends.action[chosen], ends.states[chosen]  # copies: the search finds other ends
        deeper = self._deeper(positions_after, seats[owners], values[chosen], plies)
        best = best_of(deeper, np.append(0, np.cumsum(np.bincount(owners, minlength=len(states)))))
        return actions[best], deeper[best]

    def _deeper(
        self, ends: NDArray[Any], seats: NDArray[np.int8], values: NDArray[np.float64], plies: int
    ) -> NDArray[np.float64]:
        """Return the values [m] of ends of turns for the seats that ended them, by the turns that follow.

        The values of games that are over stay what they are.
        """
        values = values.copy()
        open_ends = np.flatnonzero(ends["current_player"] != TERMINAL)
        rolled, probabilities = self.turns.spread(ends[open_ends])
        rows, outcomes = np.nonzero(probabilities)
        states, mine = rolled[rows, outcomes], seats[open_ends][rows]
        # where nobody can move after a roll, it is the other seat's turn that has ended
        next_seats = np.where(np.isin(states["current_player"], (CHANCE, TERMINAL)), 1 - mine, states["current_player"])
        values_after = self._choose(states, next_seats.astype(np.int8), plies - 1)[1]
        signed = np.where(next_seats == mine, values_after, -values_after)
        values[open_ends] = np.bincount(rows, probabilities[rows, outcomes] * signed, minlength=len(open_ends))
        return values


def static_values(ends: turns.Ends, value: Valuer) -> NDArray[np.float32]:
    """Return the values [m] of ends of turns: what a game that is over paid, else by the valuer."""
    return np.where(np.isnan(ends.payoff), value(ends.features), ends.payoff)


@njit(cache=True, nogil=True)
def best_of(values: NDArray[Any], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the place of the highest value between each two of `starts` [n + 1], the first of equals, [n]."""
    best = starts[:-1].copy()
    for i in range(best.shape[0]):
        for place in range(starts[i] + 1, starts[i + 1]):
            if values[place] > values[best[i]]:
                best[i] = place
    return best


def candidates(
    values: NDArray[np.float64], starts: NDArray[np.int64], most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return places of up to `most` of the highest values between each two of `starts` [n + 1], and their owners."""
    owners = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    order = np.lexsort((-values, owners))
    rank = np.arange(len(values)) - starts[owners]  # owners stand in ascending order after sorting, too
    kept = order[rank < most]
    return kept, owners[rank < most]
