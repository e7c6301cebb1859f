"""Simultaneous choices: seats choose in turn, unseen, and then all choices are played at once.

The record has a field `chosen` (int16 [P]): NOT_YET where a seat has still to choose, NEVER where it no longer does.
Seats choose in ascending order. The record has `RANDOM_FIELD` as well: `determinize` draws a choice for every seat that
`has_chosen`, so that a search goes on from there.
"""

from typing import Any

from games.engine.jit import njit

NOT_YET, NEVER = -1, -2


@njit
def choose(state: Any, action: int) -> bool:
    """Note the choice of the seat to move, and hand the turn to the next; returns whether all have chosen."""
    state.chosen[state.current_player] = action
    return not await_choices(state)


@njit
def await_choices(state: Any) -> bool:
    """Give the turn to the first seat that has still to choose; returns whether there is one."""
    for seat in range(state.chosen.shape[0]):
        if state.chosen[seat] == NOT_YET:
            state.current_player = seat
            return True
    return False


@njit
def has_chosen(state: Any, seat: int) -> bool:
    """Return whether a seat has made a choice that is not yet played. Also known where the choice itself is hidden."""
    return state.chosen[seat] != NEVER and seat < state.current_player


@njit
def hide_choices(state: Any, seat: int) -> None:
    """Blank what the other seats have chosen but not yet played."""
    for other in range(state.chosen.shape[0]):
        if other != seat and state.chosen[other] >= 0:
            state.chosen[other] = NOT_YET
