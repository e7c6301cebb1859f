"""The functions that a game provides, and the contract of each.

These are placeholders: in every template of kernels that imports from here, `games.engine.compiler` puts the functions
that a game names in its `Ruleset` in their place, those of `games.engine.defaults` where it names none (only the first
four are needed by every game), and the sizes. `draw` and `reseed` are the engine's own. Each function works on one
state record, is decorated with `numba.njit`, and allocates nothing.
"""

from typing import Any

from numpy.typing import NDArray

NUM_ACTIONS = 0
"""The game's number of actions, A."""
NUM_PLAYERS = 0
"""The game's number of seats, P."""
NUM_OUTCOMES = 0
"""The number of outcomes of chance, C; 0 without chance."""
OBSERVATION_SHAPE = (0,)
"""The shape of what one seat sees, O."""
OBSERVATION_BYTES = 0
"""The size of what one seat sees."""


def legal_actions(state: Any, mask: NDArray[Any]) -> None:
    """Write into `mask` (bool [A], all False on entry) True at the actions of the player to move."""
    raise NotImplementedError


def apply(state: Any, action: int) -> None:
    """Play a legal `action`, or let the outcome `action` happen where it is chance's turn.

    Sets `state.current_player` to the seat that moves next, to CHANCE or to TERMINAL.
    """
    raise NotImplementedError


def observe(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write what `seat` sees into every entry of `out` [O]; nothing may depend on what is hidden from `seat`."""
    raise NotImplementedError


def returns(state: Any, out: NDArray[Any]) -> None:
    """Write the sum of each seat's rewards since the start into `out` (float32 [P], all zero on entry)."""
    raise NotImplementedError


def random_action(state: Any, bits: Any) -> int:
    """Return a uniformly random legal action, chosen by 64 random bits; -1 to have it chosen from the mask.

    A shortcut for games with very many actions, few of them legal.
    """
    raise NotImplementedError


def playout_action(state: Any, bits: Any) -> int:
    """Return the legal action that a playout of a search plays, chosen by 64 random bits; -1 for a random one.

    For games in which random play says little of who is ahead.
    """
    raise NotImplementedError


def prior(state: Any, action: int) -> float:
    """Return how a legal `action` looks before it is searched: as simulations won, or lost if negative.

    The default is 0: nothing is known. `agents.search.rave_tree` asks once for each action of a node.
    """
    raise NotImplementedError


def chance_outcomes(state: Any, probabilities: NDArray[Any]) -> None:
    """Write the probability of each outcome into `probabilities` (float64 [C], all zero on entry) where chance moves.

    A game of chance has `games.engine.chance.RANDOM_FIELD` in its record.
    """
    raise NotImplementedError


def draw_outcome(state: Any) -> int:
    """Draw an outcome of chance from the record's random stream, distributed as `chance_outcomes`; -1 to use that.

    A shortcut for games with many outcomes.
    """
    raise NotImplementedError


def draw(state: Any) -> float:
    """Return the next number from 0 to 1 (excluded) of the record's own random stream."""
    raise NotImplementedError


def reseed(state: Any, seed: int) -> None:
    """Restart the record's random stream from `seed`."""
    raise NotImplementedError


def heuristic(state: Any, seat: int) -> float:
    """Estimate the value of an unfinished game for `seat`, between -1 and 1 (excluded), where a search stops.

    For zero-sum games of two seats; the other seat's value is the opposite. The default is 0, a draw.
    """
    raise NotImplementedError


def features(state: Any, seat: int, out: NDArray[Any]) -> bool:
    """Write into `out` (float32 [F]) what a value network for `seat` is shown of a position between turns.

    F is the game's `num_features`. False, the default, leaves it at what `observe` writes. For games whose observation
    a small network reads badly.
    """
    raise NotImplementedError


def redact(state: Any, seat: int) -> None:
    """Blank what `seat` may not know, in place (its random stream is the engine's to hide).

    A picture of a redacted record shows blanks as unknown; `observe` gives `seat` the same before and after.
    """
    raise NotImplementedError


def determinize(state: Any, seat: int) -> None:
    """Replace what `seat` may not know, in place, by a sample that is uniform over all that agrees with its knowledge.

    It draws from the record's random stream, which the engine has reseeded.
    """
    raise NotImplementedError


def information_state(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write all that `seat` has seen and done into `out` [I]: equal arrays, and only those, look the same to it."""
    raise NotImplementedError
