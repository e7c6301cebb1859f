"""Kalah: sow seeds round the board, and bring most of them to one's own store.

Rules: each player has a row of houses (six, with four seeds in each at the start) and a store at its right end. A
player takes all seeds of an own house and sows them one by one to the right: into the houses that follow, the own
store, the other's houses, and on round the board, but not into the other's store. If the last seed falls

* into the own store, the same player moves again;
* into an own house that was empty, and the house opposite is not, both go to the own store. With `empty_capture`
  the last seed goes there even if the house opposite is empty.

The game is over when all houses of one player are empty. What is left in the other's goes to that one's store, or
counts for nobody without `sweep`; then more seeds win, and equal numbers draw. (William Julius Champion, 1940; rules
and variants as in Wikipedia's article. The results of Irving, Donkers and Uiterwijk, 2000, are for `empty_capture`.)

An action is the number of an own house, 0 at the left; people count from 1. The second player sits opposite:

          6   5   4   3   2   1
     0  │ 4 │ 4 │ 4 │ 4 │ 4 │ 4 │
        │ 4 │ 4 │ 4 │ 4 │ 4 │ 4 │  0
          1   2   3   4   5   6
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.boards import win_or_loss
from games.engine.compiled import CompiledGame
from games.engine.errors import UsageError
from games.engine.game import TERMINAL, State
from games.engine.jit import njit
from games.engine.options import checked_options, require_between
from games.engine.picture import MARKS, Picture
from games.engine.ruleset import Ruleset
from games.engine.views import views

MOST = 12


def state_dtype(houses: int) -> np.dtype[Any]:
    """Return the layout of a position's record."""
    return np.dtype(
        [
            ("seeds", np.int16, (2, houses + 1)),  # of each seat: its houses from left to right, then its store
            ("empty_capture", np.bool_),
            ("sweep", np.bool_),
            ("last_action", np.int8),  # -1 before the first move
            ("last_seat", np.int8),  # who moved last
            ("winner", np.int8),  # seat, -1 for nobody (yet)
            ("current_player", np.int8),  # seat to move, or TERMINAL
        ]
    )


@njit
def legal_actions(state: Any, mask: NDArray[Any]) -> None:
    """Allow every own house with seeds in it."""
    for house in range(mask.shape[0]):
        mask[house] = state.current_player != TERMINAL and state.seeds[state.current_player, house] > 0


@njit
def apply(state: Any, action: int) -> None:
    """Sow the seeds of a house, capture, and pass the turn."""
    seat, store = state.current_player, state.seeds.shape[1] - 1
    side, last = sow(state, seat, action)
    if side == seat and last < store and state.seeds[side, last] == 1:
        capture(state, seat, last)
    state.last_action = action
    state.last_seat = seat
    left = (in_houses(state, 0), in_houses(state, 1))
    if left[0] == 0 or left[1] == 0:
        finish(state, left)
    elif side != seat or last != store:
        state.current_player = 1 - seat


@njit
def sow(state: Any, seat: int, house: int) -> tuple[int, int]:
    """Sow the seeds of a house of `seat`; returns where the last one fell: whose side, and which house or the store."""
    store = state.seeds.shape[1] - 1
    hand = state.seeds[seat, house]
    state.seeds[seat, house] = 0
    side, place = seat, house
    for _ in range(hand):
        place += 1
        if place > store or (place == store and side != seat):
            side, place = 1 - side, 0
        state.seeds[side, place] += 1
    return side, place


@njit
def capture(state: Any, seat: int, house: int) -> None:
    """Take the last seed and those opposite, if there are any (or need not be)."""
    store = state.seeds.shape[1] - 1
    opposite = store - 1 - house
    if state.seeds[1 - seat, opposite] > 0 or state.empty_capture:
        state.seeds[seat, store] += state.seeds[1 - seat, opposite] + 1
        state.seeds[seat, house] = state.seeds[1 - seat, opposite] = 0


@njit
def in_houses(state: Any, seat: int) -> int:
    """Return the number of seeds in the houses of `seat`."""
    total = 0
    for house in range(state.seeds.shape[1] - 1):
        total += state.seeds[seat, house]
    return total


@njit
def finish(state: Any, left: tuple[int, int]) -> None:
    """End the game with so many seeds left in the houses of each seat."""
    store = state.seeds.shape[1] - 1
    if state.sweep:
        for seat in range(2):
            state.seeds[seat, :store] = 0
            state.seeds[seat, store] += left[seat]
    lead = state.seeds[0, store] - state.seeds[1, store]
    if lead != 0:
        state.winner = 0 if lead > 0 else 1
    state.current_player = TERMINAL


@njit
def observe(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write numbers of seeds [2, houses + 1]: the houses and the store of `seat`, and those of the other."""
    for place in range(out.shape[1]):
        out[0, place] = state.seeds[seat, place]
        out[1, place] = state.seeds[1 - seat, place]


@njit
def heuristic(state: Any, seat: int) -> float:
    """Return the lead in stored seeds, divided by all seeds and one more."""
    store = state.seeds.shape[1] - 1
    lead = state.seeds[seat, store] - state.seeds[1 - seat, store]
    return lead / (1 + in_houses(state, 0) + in_houses(state, 1) + state.seeds[0, store] + state.seeds[1, store])


def picture(state: State) -> Picture:
    """Return the board from the first player's side, with stores at its ends; pointing at an own house plays it."""
    first, second = state["seeds"].astype(str)
    houses = len(first) - 1
    seat = 1 if state["current_player"] == 1 else 0
    cells = np.full((2, houses + 2), -1)
    cells[1 - seat, 1:-1] = np.arange(houses)[:: -1 if seat else 1]
    across = np.arange(houses) + 1
    last, last_seat = int(state["last_action"]), int(state["last_seat"])
    return Picture(
        pieces=np.array([[1] * (houses + 1) + [-1], [-1] + [0] * (houses + 1)], np.int8),
        letters=np.array([[*second[::-1], ""], ["", *first]]),
        cell_actions=cells,
        action_cells=np.stack([np.full(houses, 1 - seat), across[:: -1 if seat else 1]], axis=1),
        row_labels=(f"{MARKS[1]} 2", f"{MARKS[0]} 1"),
        column_labels=("", *map(str, across[::-1]), ""),
        bottom_labels=("", *map(str, across), ""),
        board="bowls",
        last=(1 - last_seat, houses - last if last_seat else 1 + last) if last >= 0 else None,
    )


def action_text(state: State, action: int) -> str:
    """Return the house, counted from 1 at its player's left."""
    return str(action + 1)


def parse_action(state: State, text: str) -> int:
    """Read a house, counted from 1."""
    houses = state["seeds"].shape[1] - 1
    if text.strip().isdecimal() and 1 <= int(text) <= houses:
        return int(text) - 1
    raise UsageError(f"{text.strip()!r} is not a house; type a number from 1 to {houses}")


@checked_options
def game(houses: int = 6, seeds: int = 4, empty_capture: bool = False, sweep: bool = True) -> CompiledGame:
    """Describe the game.

    `houses` (of each player) and `seeds` (in each house at the start) are from 1 to 12; `empty_capture`: whether a last
    seed in an empty house is won even if the house opposite is empty; `sweep`: whether seeds left in houses at the end
    count for their owner. Raises `UsageError` for an option out of range.
    """
    for name, value in (("houses", houses), ("seeds", seeds)):
        require_between("kalah", name, value, 1, MOST)
    initial = np.zeros((), state_dtype(houses))
    initial["seeds"][:, :houses] = seeds
    initial["empty_capture"], initial["sweep"] = empty_capture, sweep
    initial["last_action"] = initial["winner"] = -1
    return CompiledGame(
        name="kalah",
        title="Kalah",
        options={"houses": houses, "seeds": seeds, "empty_capture": empty_capture, "sweep": sweep},
        agents=("player_0", "player_1"),
        num_actions=houses,
        observation_shape=(2, houses + 1),
        observation_dtype=np.int16,
        observation_high=2 * houses * seeds,
        max_length=longest(houses, seeds),
        initial=initial,
        rules=Ruleset(
            legal_actions=legal_actions,
            apply=apply,
            observe=observe,
            returns=win_or_loss,
            heuristic=heuristic,
        ),
        picture=picture,
        action_text=action_text,
        parse_action=parse_action,
    )


def longest(houses: int, seeds: int) -> int:
    """Return a bound on the number of moves.

    Count for each seed in a house how many steps it has to the store of that side. A move that brings nothing to a
    store lowers the sum of these by 1 or more. A seed that comes to a store does so once; until the next one does, the
    same move sows at most all houses, a seed each, which raises the sum by at most houses * (houses - 1).
    """
    at_the_start = seeds * houses * (houses + 1)
    all_seeds = 2 * houses * seeds
    return at_the_start + all_seeds * (1 + houses * (houses - 1))


env, raw_env, parallel_env = views(game)
