"""Parts that RLCard's limit games `leduc_holdem` and `texas_holdem` share: blinds, betting, and their description.

D. Zha, K.-H. Lai, Y. Cao, S. Huang, R. Wei, J. Guo, X. Hu, "RLCard: a toolkit for reinforcement learning in card games"
(2019). Chance says who pays the small blind of 1; the next seat pays the big blind of 2, and the one after it begins
(of two seats the small blind). Folding is always legal, also when there is nothing to call. Rewards are counted in big
blinds. The order of betting is RLCard's, not that of a poker table:

* Whoever would be next to act after the end of a round begins the next round, not the first seat after the dealer.
* A round ends when as many calls, checks and the last raise have been counted as there were seats at the start of the
  game. Where somebody has folded, seats that have answered are therefore asked again, and may raise again.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.compiled import CompiledGame
from games.engine.errors import UsageError
from games.engine.game import CHANCE, TERMINAL, State
from games.engine.jit import njit
from games.engine.options import Option
from games.engine.picture import Picture
from games.engine.ruleset import Ruleset
from games.engine.stakes import Stakes

CALL, RAISE, FOLD, CHECK = 0, 1, 2, 3
WORDS = ("call", "raise", "fold", "check")
BIG_BLIND = 2
VARIANT = "RLCard's order of betting"


def longest_round(most_raises: int, players: int) -> int:
    """Return how many actions a round may take: all but one check, raises follow, each answered by all the others."""
    folds = players - 2  # one more ends the game
    return (most_raises + 1) * (players - 1) + 1 + folds


def longest_game(rounds: int, most_raises: int, players: int) -> int:
    """Return how many actions a game may take."""
    folds = players - 2
    return rounds * (longest_round(most_raises, players) - folds) + folds


def betting_fields(rounds: int, most_raises: int, players: int = 2) -> list[Any]:
    """Return the fields of a record for so many rounds of betting, with at most so many raises each."""
    return [
        ("history", np.int8, (rounds, longest_round(most_raises, players))),  # actions of each round, -1 for none
        ("length", np.int8, rounds),  # how many there are in each
        ("raises", np.int8, rounds),  # how many of them are raises
        ("most_raises", np.int8),
        ("paid", np.int8, players),  # chips of each seat in the pot, the blind included
        ("answered", np.int8),  # how many times seats have agreed to what is in the pot, in this round
        ("round", np.int8),  # rounds of betting that are over
        ("small_blind", np.int8),  # the seat that pays it, -1 not yet known
        ("next_player", np.int8),  # seat that will move after chance
        ("folded", np.int8, players),  # 1 where a seat gave up
        ("standing", np.int8),  # how many seats have not folded
        ("current_player", np.int8),  # seat to move, CHANCE or TERMINAL
    ]


@njit
def legal_bets(state: Any, mask: NDArray[Any]) -> None:
    """Allow folding always, raising up to the limit, calling a raise, and checking without one."""
    if state.current_player < 0:
        return
    even = state.paid[state.current_player] == price(state, state.current_player)
    mask[CALL] = not even
    mask[RAISE] = state.raises[state.round] < state.most_raises
    mask[FOLD] = True
    mask[CHECK] = even


@njit
def pay_blinds(state: Any, seat: int) -> None:
    """Let `seat` pay the small blind and the next one the big blind; the one after it begins."""
    players = state.paid.shape[0]
    big_blind = (seat + 1) % players
    state.small_blind = seat
    state.paid[seat] = BIG_BLIND // 2
    state.paid[big_blind] = BIG_BLIND
    state.current_player = (big_blind + 1) % players


@njit
def price(state: Any, seat: int) -> int:
    """Return how many chips the seat to move needs to have paid to stay in."""
    if state.paid.shape[0] == 2:  # known when compiling
        return state.paid[1 - seat]
    most = state.paid[0]
    for chips in state.paid:
        most = max(most, chips)
    return most


@njit
def next_standing(state: Any, seat: int) -> int:
    """Return the next seat that has not folded."""
    players = state.paid.shape[0]
    if players == 2:  # known when compiling
        return 1 - seat
    seat = (seat + 1) % players
    while state.folded[seat]:
        seat = (seat + 1) % players
    return seat


@njit
def bet(state: Any, action: int, size: int) -> bool:
    """Call, raise by `size`, fold or check; returns whether that ends a round in which several seats stand."""
    seat, players = state.current_player, state.paid.shape[0]
    state.history[state.round, state.length[state.round]] = action
    state.length[state.round] += 1
    if action == FOLD:
        state.folded[seat] = 1
        state.standing -= 1
        if players == 2 or state.standing == 1:
            state.current_player = TERMINAL
            return False
    state.current_player = state.next_player = next_standing(state, seat)
    if action == FOLD:
        return False
    state.paid[seat] = price(state, seat)
    if action == RAISE:
        state.paid[seat] += size
        state.raises[state.round] += 1
        state.answered = 1
        return False
    state.answered += 1
    if state.answered < players:
        return False
    state.answered = 0
    state.round += 1
    return True


@njit
def settle_pot(state: Any, better: int, out: NDArray[Any]) -> None:
    """Write what each of two seats has won at the end, in big blinds.

    The better hand is that of seat 0 if `better` > 0, of seat 1 if < 0.
    """
    if state.standing == 1:
        better = 1 if state.folded[1] else -1
    if better != 0:
        loser = 1 if better > 0 else 0
        lost = state.paid[loser] / BIG_BLIND
        out[loser] = -lost
        out[1 - loser] = lost


@njit
def write_bets(state: Any, out: NDArray[Any]) -> None:
    """Write who pays the small blind [P] and all actions, one-hot [rounds, longest_round, 4], into `out`."""
    players = state.paid.shape[0]
    if state.small_blind >= 0:
        out[state.small_blind] = 1
    rounds, longest = state.history.shape
    for which in range(rounds):
        for i in range(state.length[which]):
            out[players + len(WORDS) * (longest * which + i) + state.history[which, i]] = 1


def before_the_deal(dtype: np.dtype[Any], most_raises: int) -> NDArray[Any]:
    """Return the record of a game in which chance has everything still to do, shape ()."""
    initial = np.zeros((), dtype)
    initial["cards"] = initial["history"] = initial["small_blind"] = -1
    initial["standing"] = len(initial["paid"])
    initial["most_raises"] = most_raises
    initial["current_player"] = CHANCE
    return initial


def bets_size(rounds: int, most_raises: int, players: int = 2) -> int:
    """Return how many entries `write_bets` fills."""
    return players + len(WORDS) * rounds * longest_round(most_raises, players)


def bet_notes(state: NDArray[Any]) -> tuple[str, ...]:
    """Return a line for each round of betting, and one for the pot."""
    rounds = zip(state["history"], state["length"], strict=True)
    lines = [", ".join(WORDS[action] for action in history[:length]) for history, length in rounds]
    *others, last = (str(chips) for chips in state["paid"])
    return (*lines, f"in the pot: {', '.join(others)} and {last}")


def bet_text(state: NDArray[Any], action: int) -> str:
    """Return `call`, `raise`, `fold` or `check`."""
    return WORDS[action]


def parse_bet(state: NDArray[Any], text: str) -> int:
    """Read one of the four words, `bet` for a raise, or a first letter (`c` calls)."""
    word = text.strip().lower()
    word = {"c": "call", "r": "raise", "f": "fold", "bet": "raise"}.get(word, word)
    if word not in WORDS:
        raise UsageError(f"{text.strip()!r} is no action here; type a word: {', '.join(WORDS)}")
    return WORDS.index(word)


def limit_game(
    *,
    name: str,
    title: str,
    options: Mapping[str, Option],
    num_cards: int,
    observation_size: int,
    initial: NDArray[Any],
    rules: Ruleset,
    picture: Callable[[State], Picture],
) -> CompiledGame:
    """Describe a game of limit betting as RLCard plays it, whose record `initial` is from `before_the_deal`.

    Its information state is the own seat [P], own cards [num_cards], open cards [num_cards], and `write_bets`.
    """
    num_players, rounds, most_raises = len(initial["paid"]), len(initial["history"]), int(initial["most_raises"])
    return CompiledGame(
        name=name,
        title=title,
        variant=VARIANT,
        options=options,
        agents=tuple(f"player_{seat}" for seat in range(num_players)),
        num_actions=len(WORDS),
        observation_shape=(observation_size,),
        observation_dtype=np.float32,
        max_length=longest_game(rounds, most_raises, num_players),
        initial=initial,
        rules=rules,
        picture=picture,
        action_text=bet_text,
        parse_action=parse_bet,
        num_outcomes=num_cards,
        information_shape=(num_players + 2 * num_cards + bets_size(rounds, most_raises, num_players),),
        perfect_information=False,
        pettingzoo_name=f"{name}_v4",
        stakes=Stakes(chips=BIG_BLIND, blind=BIG_BLIND),
    )
