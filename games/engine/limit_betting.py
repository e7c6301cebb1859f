"""What RLCard's two games of limit hold'em share, `leduc_holdem` and `texas_holdem`: blinds, betting, who has won what.

D. Zha, K.-H. Lai, Y. Cao, S. Huang, R. Wei, J. Guo, X. Hu, "RLCard: a toolkit for reinforcement learning in card games"
(2019). Chance says who pays the small blind of 1 and begins; the other pays the big blind of 2. A round of betting ends
when both have answered the last raise, or have not raised. Whoever did not act last begins the next round. Folding is
always legal, also when there is nothing to call. Rewards are counted in big blinds.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from games.engine.errors import UsageError
from games.engine.game import CHANCE, TERMINAL

CALL, RAISE, FOLD, CHECK = 0, 1, 2, 3
WORDS = ("call", "raise", "fold", "check")
BIG_BLIND = 2


def betting_fields(rounds: int, most_raises: int) -> list[Any]:
    """Fields of a record for so many rounds of betting, with at most so many raises each."""
    return [
        ("history", np.int8, (rounds, most_raises + 2)),  # actions of each round, -1 for none
        ("length", np.int8, rounds),  # how many there are in each
        ("raises", np.int8, rounds),  # how many of them are raises
        ("most_raises", np.int8),
        ("paid", np.int8, 2),  # chips of each seat in the pot, the blind included
        ("answered", np.int8),  # how many seats have agreed to what is in the pot, in this round
        ("round", np.int8),  # rounds of betting that are over
        ("small_blind", np.int8),  # the seat that pays it, -1 not yet known
        ("next_player", np.int8),  # seat that will move after chance
        ("folded", np.int8),  # the seat that gave up, -1 none
        ("current_player", np.int8),  # seat to move, CHANCE or TERMINAL
    ]


@njit
def legal_bets(state: Any, mask: NDArray[Any]) -> None:
    """Always fold; raise as often as may be; call what was raised, or check."""
    if state.current_player == TERMINAL:
        return
    even = state.paid[0] == state.paid[1]
    mask[CALL] = not even
    mask[RAISE] = state.raises[state.round] < state.most_raises
    mask[FOLD] = True
    mask[CHECK] = even


@njit
def pay_blinds(state: Any, seat: int) -> None:
    """Let `seat` pay the small blind, and begin."""
    state.small_blind = seat
    state.paid[seat] = BIG_BLIND // 2
    state.paid[1 - seat] = BIG_BLIND
    state.current_player = seat


@njit
def bet(state: Any, action: int, size: int) -> bool:
    """Call, raise by `size`, fold or check; returns whether that ends a round in which nobody has folded."""
    seat = state.current_player
    state.history[state.round, state.length[state.round]] = action
    state.length[state.round] += 1
    if action == FOLD:
        state.folded = seat
        state.current_player = TERMINAL
        return False
    state.current_player = state.next_player = 1 - seat
    state.paid[seat] = state.paid[1 - seat]
    if action == RAISE:
        state.paid[seat] += size
        state.raises[state.round] += 1
        state.answered = 1
        return False
    state.answered += 1
    if state.answered < 2:
        return False
    state.answered = 0
    state.round += 1
    return True


@njit
def settle_pot(state: Any, better: int, out: NDArray[Any]) -> None:
    """Write what each seat has won at the end, in big blinds; the better hand is that of seat 0 if > 0, of 1 if < 0."""
    if state.folded >= 0:
        better = 1 if state.folded == 1 else -1
    if better != 0:
        loser = 1 if better > 0 else 0
        lost = state.paid[loser] / BIG_BLIND
        out[loser] = -lost
        out[1 - loser] = lost


@njit
def write_bets(state: Any, out: NDArray[Any]) -> None:
    """Write who pays the small blind [2] and all actions, one-hot [rounds, most_raises + 2, 4], into `out`."""
    if state.small_blind >= 0:
        out[state.small_blind] = 1
    rounds, longest = state.history.shape
    for which in range(rounds):
        for i in range(state.length[which]):
            out[2 + len(WORDS) * (longest * which + i) + state.history[which, i]] = 1


def before_the_deal(dtype: np.dtype[Any], most_raises: int) -> NDArray[Any]:
    """The record of a game in which chance has everything still to do, shape ()."""
    initial = np.zeros((), dtype)
    initial["cards"] = initial["history"] = initial["folded"] = initial["small_blind"] = -1
    initial["most_raises"] = most_raises
    initial["current_player"] = CHANCE
    return initial


def bets_size(rounds: int, most_raises: int) -> int:
    """How many entries `write_bets` fills."""
    return 2 + len(WORDS) * rounds * (most_raises + 2)


def bet_notes(state: NDArray[Any]) -> tuple[str, ...]:
    """A line for each round of betting, and one for the pot."""
    rounds = zip(state["history"], state["length"], strict=True)
    lines = [", ".join(WORDS[action] for action in history[:length]) for history, length in rounds]
    return (*lines, f"in the pot: {state['paid'][0]} and {state['paid'][1]}")


def bet_text(state: NDArray[Any], action: int) -> str:
    """`call`, `raise`, `fold` or `check`."""
    return WORDS[action]


def parse_bet(state: NDArray[Any], text: str) -> int:
    """Read one of the four words, `bet` for a raise, or a first letter (`c` calls)."""
    word = text.strip().lower()
    word = {"c": "call", "r": "raise", "f": "fold", "bet": "raise"}.get(word, word)
    if word not in WORDS:
        raise UsageError(f"{text.strip()!r} is no action here; type a word: {', '.join(WORDS)}")
    return WORDS.index(word)
