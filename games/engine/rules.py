"""The functions that a game file provides, with what each must do.

These are placeholders: `games.engine.compiler` puts the game's own functions in their place in every template of
kernels that imports from here, and those of `games.engine.defaults` where a game has none (only the first four are
needed by every game), and the sizes. Each function works on one state record, is decorated with `numba.njit`, and
allocates nothing.
"""

from typing import Any

from numpy.typing import NDArray

NUM_ACTIONS = 0
"""The game's number of actions, A."""
NUM_PLAYERS = 0
"""The game's number of seats, P."""
OBSERVATION_SHAPE = (0,)
"""The shape of what one seat sees, O."""


def legal_actions(state: Any, mask: NDArray[Any]) -> None:
    """Write into `mask` (bool [A], all False on entry) True at the actions of the player to move."""
    raise NotImplementedError


def apply(state: Any, action: int) -> None:
    """Play a legal `action`, or let the outcome `action` happen where it is chance's turn.

    Sets `state.current_player` to the seat that moves next, to CHANCE or to TERMINAL.
    """
    raise NotImplementedError


def observe(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write what `seat` sees into `out` [O], every entry of it; nothing in it depends on what `seat` may not know."""
    raise NotImplementedError


def returns(state: Any, out: NDArray[Any]) -> None:
    """Write what each seat has earned since the start into `out` (float32 [P], all zero on entry)."""
    raise NotImplementedError


def random_action(state: Any, bits: Any) -> int:
    """Give a legal action by 64 random bits, each as likely as the others; -1: it takes the mask to choose one.

    For games of very many actions, few of them legal, that know better than to look through a mask.
    """
    raise NotImplementedError


def chance_outcomes(state: Any, probabilities: NDArray[Any]) -> None:
    """Write into `probabilities` (float64 [C], all zero on entry) how likely each outcome is, where chance is to move.

    A game of chance imports `draw`, `reseed` and `stream` from `games.engine.chance` as well, and has their field.
    """
    raise NotImplementedError


def draw_outcome(state: Any) -> int:
    """Give an outcome of chance by the record's random stream, as likely as `chance_outcomes` says; -1: go by that.

    For games that know better than to look through probabilities.
    """
    raise NotImplementedError


def draw(state: Any) -> float:
    """Give the next number from 0 to 1 (excluded) of the record's own random stream."""
    raise NotImplementedError


def reseed(state: Any, seed: int) -> None:
    """Begin the record's random stream anew."""
    raise NotImplementedError


def heuristic(state: Any, seat: int) -> float:
    """What an unfinished game looks like for `seat`, between -1 and 1 (excluded), where a search has to break off.

    For games of two seats and zero sum; the other seat's is the opposite. A game without one looks like a draw.
    """
    raise NotImplementedError


def redact(state: Any, seat: int) -> None:
    """Blank what `seat` may not know, in place (its random stream is the engine's to hide).

    A picture of a redacted record shows blanks as unknown; `observe` gives `seat` the same before and after.
    """
    raise NotImplementedError


def determinize(state: Any, seat: int) -> None:
    """Replace what `seat` may not know by a sample, in place: uniform over all that agrees with what it has seen.

    It draws from the record's random stream, which the engine begins anew before.
    """
    raise NotImplementedError


def information_state(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write into `out` [I] all that `seat` has seen and done so far: equal arrays, and only those, are one to it."""
    raise NotImplementedError
