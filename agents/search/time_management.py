"""The share of its clock that a search spends on a move.

A share of the time left for the moves that are still to come, and most of the increment, as chess programs do (Hyatt,
"Using Time Wisely", ICCA Journal 7, 1984). A reserve is never spent: on a busy machine a process may be held up.
"""

from agents.search.budget import Budget
from arena.data.batch import Batch
from arena.policy.clock import ClockReading, least, read_clock
from games.engine.game import Game

TYPICAL_PLIES = 80
"""Length of a game in plies, where its rules allow more."""
LEAST_SHARE = 0.35
"""Share of the moves of a whole game that are expected to be still to come, however long it has been."""
RESERVE_S = 0.4
"""Seconds on the clock that are not spent: on a busy machine moves of long games cost more than their increments."""
OF_INCREMENT = 0.75
"""Share of the increment that is spent."""
OF_INCREMENT_SAVING = 0.1
"""Share of the increment that is spent below the reserve: a search that ends before others get its processor."""
OF_MOVE = 0.9
"""Share of a limit for the move that is spent, less `LOST_S`."""
LOST_S = 0.01
"""Seconds that pass around a search; of a clock they are kept for each move to come."""
FEWEST_S = 0.001
"""Seconds of the shortest search."""


def budget_for(game: Game, own: Budget, obs: Batch, row: int, counts: str) -> Budget:
    """Return the budget of one row of observations: an agent's own, within what its clock allows.

    A count that nobody asked for (`own.usual`) gives way to a clock. `counts` names the limit of a clock that counts as
    the agent does: `depth` or `nodes`.
    """
    clock = read_clock(obs, row)
    if clock is None:
        return own
    seconds = least(own.seconds, seconds_for(game, clock))
    prescribed = clock.depth if counts == "depth" else clock.nodes
    gives_way = own.usual and (seconds is not None or prescribed is not None)
    count = least(None if gives_way else own.count, prescribed)
    return Budget(count, seconds)


def seconds_for(game: Game, clock: ClockReading) -> float | None:
    """Return the seconds to search for a move under a clock; None where it does not limit time."""
    limits = []
    if clock.game_seconds_left is not None:
        limits.append(_of_game(game, clock, clock.game_seconds_left))
    if clock.seconds_left is not None and clock.seconds_left != clock.game_seconds_left:
        limits.append(OF_MOVE * clock.seconds_left - LOST_S)
    return max(min(limits), FEWEST_S) if limits else None


def _of_game(game: Game, clock: ClockReading, left_s: float) -> float:
    """Return the share of a chess clock for this move."""
    in_game = min(game.max_length, TYPICAL_PLIES) / game.num_players
    moves = max(in_game - clock.moves_played, LEAST_SHARE * in_game, 2.0)
    if clock.moves_to_go is not None:
        moves = min(moves, max(clock.moves_to_go, 1.25))  # the last of a period leaves a fifth: the next has its own
    spare_s = left_s - RESERVE_S - LOST_S * moves
    if spare_s <= 0:  # save time until there is a reserve again
        return min(OF_INCREMENT_SAVING * clock.increment_s, 0.3 * left_s)
    return spare_s / moves + min(OF_INCREMENT * clock.increment_s, 0.5 * spare_s)
