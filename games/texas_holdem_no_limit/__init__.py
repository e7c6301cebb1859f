"""Texas hold'em without limits, for two to ten players: as RLCard and PettingZoo play it, or as it is played.

Each seat gets two cards, blinds are paid. After a round of betting three cards are turned up for all, then a fourth,
then a fifth, each followed by a round of betting. The best five of a seat's own two and the five open cards win. A game
is one hand; chance says who has the button.

Without options the rules are RLCard's, and actions, agents, observations and rewards (chips won or lost) those of
PettingZoo's `texas_holdem_no_limit_v6`; `games.texas_holdem_no_limit.rlcard` describes RLCard's order of betting.
It differs in this: PettingZoo's documentation says that the mask of an agent whose turn it is not is all zero, and here
it is (there it is that of the agent to move); the button is drawn for every game (there once for each environment).

`rules=real` plays as at a table: `games.texas_holdem_no_limit.real` has the rules, and these options count.

* `stacks`: the chips of each seat, `100 40 200`, or one number for all.
* `blinds`: small and big blind.
* `bets`: the sizes of raises that there are, as shares of the pot after a call; 0 is the smallest raise allowed.

There observations show the whole table (`write_table` in `games.texas_holdem_no_limit.table`), and rewards are counted
in big blinds.

Actions: 0 folds, 1 checks or calls, then comes a raise for each size of `bets`, from the smallest on (2 is half the
pot, 3 the pot); the last one (4) goes all-in.
"""

import re
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from games.engine.compiled import CompiledGame
from games.engine.errors import UsageError
from games.engine.game import CHANCE, State
from games.engine.holdem import MOST_PLAYERS, NUM_CARDS, ROUNDS, table_picture
from games.engine.limit_betting import VARIANT
from games.engine.options import checked_options, require_between
from games.engine.picture import Picture
from games.engine.stakes import Stakes
from games.engine.views import views
from games.texas_holdem_no_limit.real import REAL
from games.texas_holdem_no_limit.rlcard import OBSERVATION_SIZE, RLCARD
from games.texas_holdem_no_limit.table import (
    CALL,
    FOLD,
    RAISE,
    THOUSAND,
    information_size,
    state_dtype,
    table_size,
)

NAME = "texas_holdem_no_limit"
MOST_CHIPS, MOST_SHARE = 1_000_000, 100
RLCARD_BLINDS, RLCARD_BETS = "1 2", "0.5 1"
SHARES = {"min": 0, "half pot": THOUSAND // 2, "pot": THOUSAND}
"""Words for sizes of raises, in thousandths of the pot."""


def picture(state: State) -> Picture:
    """Return a row for each player with its cards; open cards, actions and chips stand below."""
    done, at = [], 0
    for length in state["length"]:
        done.append(", ".join(history_text(state, int(action)) for action in state["history"][at : at + length]))
        at += int(length)
    left = ", ".join(str(chips) for chips in state["stack"] - state["paid"])
    chips = f"in the pot: {', '.join(map(str, state['paid']))}; left: {left}"
    button = (f"player {state['button'] + 1} has the button",) if state["button"] >= 0 else ()
    return table_picture(state, num_actions(state), (*button, *done, chips))


def num_actions(state: State) -> int:
    """Return the number of actions."""
    return RAISE + len(state["sizes"]) + 1


def history_text(state: State, action: int) -> str:
    """Return an action of the past as words, with `check or call` for both."""
    if action == num_actions(state) - 1:
        return "all-in"
    return raise_text(int(state["sizes"][action - RAISE])) if action >= RAISE else ("fold", "check or call")[action]


def raise_text(size: int) -> str:
    """Return a raise by `size` thousandths of the pot as words."""
    words = {thousandths: word for word, thousandths in SHARES.items()}
    return f"raise {words.get(size, f'{size / THOUSAND:g} pot')}"


def action_text(state: State, action: int) -> str:
    """Return `fold`, `check` or `call`, `raise min`, `raise half pot`, `raise 0.75 pot`, `all-in` and so on."""
    if action == CALL:
        seat = int(state["current_player"])
        return "call" if seat >= 0 and state["bet"][seat] < state["high"] else "check"
    return history_text(state, action)


def parse_action(state: State, text: str) -> int:
    """Read what `action_text` writes; `check` and `call` are one, `raise` may be `bet` or left out."""
    word = re.sub(r"[\s-]+", " ", text.strip().lower())
    word = {"f": "fold", "c": "call", "allin": "all in"}.get(word, word)
    if word == "fold":
        return FOLD
    if word in ("check", "call", "check or call"):
        return CALL
    if word == "all in":
        return num_actions(state) - 1
    word = "raise " + word.removeprefix("raise ").removeprefix("bet ")
    known = [raise_text(int(size)) for size in state["sizes"]]
    if word not in known:
        raise UsageError(
            f"{text.strip()!r} is no action here; type a word: fold, check, call, {', '.join(known)}, all-in"
        )
    return RAISE + known.index(word)


def read_numbers(option: str, text: str, kind: type[int] | type[float]) -> list[Any]:
    """Return the numbers of an option, separated by blanks; `UsageError` if they are not all numbers."""
    try:
        return [kind(word) for word in text.split()]
    except ValueError:
        sort = "whole numbers" if kind is int else "numbers"
        raise UsageError(f"{NAME}: {option}={text!r} is not a list of {sort} with blanks between them") from None


def read_stacks(text: str, players: int, big_blind: int) -> list[int]:
    """Return the chips of each seat."""
    stacks = read_numbers("stacks", text, int)
    if len(stacks) not in (1, players):
        raise UsageError(f"{NAME}: stacks={text!r} is neither one number nor one for each of {players} players")
    for stack in stacks:
        require_between(NAME, "stacks", stack, big_blind, MOST_CHIPS)
    return stacks if len(stacks) == players else stacks * players


def read_blinds(text: str) -> list[int]:
    """Return small and big blind."""
    blinds = read_numbers("blinds", text, int)
    if len(blinds) != 2 or not 1 <= blinds[0] <= blinds[1] <= MOST_CHIPS:
        raise UsageError(f"{NAME}: blinds={text!r} is not a small and a big blind, two whole numbers from 1 on")
    return blinds


def read_bets(text: str) -> list[int]:
    """Return the sizes of raises, in thousandths of the pot."""
    shares = read_numbers("bets", text, float)
    sizes = [round(share * THOUSAND) for share in shares if 0 <= share <= MOST_SHARE]
    exact = len(sizes) == len(shares) and all(
        size / THOUSAND == share for size, share in zip(sizes, shares, strict=True)
    )
    if not shares or not exact or sorted(set(sizes)) != sizes:
        raise UsageError(
            f"{NAME}: bets={text!r} are not rising shares of the pot, from 0 to {MOST_SHARE}, of at most three decimals"
        )
    return sizes


def longest_hand(players: int, most_raises: int) -> int:
    """Return the most actions in a hand of `most_raises`: all others answer each raise, and all act in each round."""
    return most_raises * (players - 1) + ROUNDS * players


def most_raises_rlcard(stack: int, big_blind: int) -> int:
    """Return an upper bound on the number of raises by RLCard's rules.

    A raise may lead to one chip more than was bet before it. But it puts half the pot in, where the bets of the two
    seats that raised last are: the third raise after a bet leads at least to one and a half times that bet.
    """
    raises, bet = 1, big_blind
    while bet < stack:
        bet, raises = max(bet + 1, 3 * bet // 2), raises + 3
    return raises


def most_raises_real(players: int, stack: int, big_blind: int, smallest: int) -> int:
    """Return an upper bound on raises where each, all-ins aside, is at least a big blind and a share of the pot.

    At least two seats have paid the highest bet once a raise is about to be made on top of a call.
    """
    raises, bet = players, big_blind  # each may go all-in once
    while bet < stack:
        bet, raises = bet + max(big_blind, 2 * bet * smallest // THOUSAND), raises + 1
    return raises


def initial_state(stacks: list[int], blinds: list[int], sizes: list[int], longest: int) -> NDArray[Any]:
    """Return the record of a hand before the deal, shape ()."""
    initial = np.zeros((), state_dtype(len(stacks), len(sizes), longest))
    initial["cards"] = initial["history"] = initial["button"] = -1
    initial["stack"], initial["blinds"], initial["sizes"] = stacks, blinds, sizes
    initial["standing"] = len(stacks)
    initial["current_player"] = CHANCE
    return initial


def _require_rlcard(sizes: Sequence[float], blinds: Sequence[int], chips: Sequence[int]) -> None:
    """Raise `UsageError` unless bets, blinds and stacks are those that RLCard's rules have."""
    if sizes != read_bets(RLCARD_BETS) or blinds != read_blinds(RLCARD_BLINDS):
        raise UsageError(f"{NAME}: blinds and bets are fixed in rules=rlcard; use rules=real")
    if len(set(chips)) > 1 or chips[0] == blinds[1]:
        raise UsageError(
            f"{NAME}: in rules=rlcard all stacks are equal, of more than {blinds[1]} chips; use rules=real"
        )


@checked_options
def game(
    num_players: int = 2,
    rules: Literal["rlcard", "real"] = "rlcard",
    stacks: str = "100",
    blinds: str = RLCARD_BLINDS,
    bets: str = RLCARD_BETS,
) -> CompiledGame:
    """Describe the game; the module's docstring explains the options.

    `UsageError` for less than two or more than ten players, for numbers that cannot be read or do not fit each other,
    and for blinds, bets or different stacks that RLCard's rules do not have.
    """
    require_between(NAME, "num_players", num_players, 2, MOST_PLAYERS)
    sizes, (small_blind, big_blind) = read_bets(bets), read_blinds(blinds)
    chips = read_stacks(stacks, num_players, big_blind)
    is_real = rules == "real"
    if is_real:
        most_raises = most_raises_real(num_players, max(chips), big_blind, sizes[0])
    else:
        _require_rlcard(sizes, [small_blind, big_blind], chips)
        most_raises = most_raises_rlcard(chips[0], big_blind)
    longest = longest_hand(num_players, most_raises)
    cards_and_stacks = np.array([1.0] * NUM_CARDS + [chips[0]] * 2, np.float32)
    return CompiledGame(
        name=NAME,
        title="No-limit Texas hold'em",
        variant="" if is_real else VARIANT,
        options={"num_players": num_players, "rules": rules, "stacks": stacks, "blinds": blinds, "bets": bets},
        agents=tuple(f"player_{seat}" for seat in range(num_players)),
        num_actions=RAISE + len(sizes) + 1,
        observation_shape=(table_size(num_players),) if is_real else (OBSERVATION_SIZE,),
        observation_dtype=np.float32,
        observation_high=-(-max(chips) // big_blind) if is_real else cards_and_stacks,
        max_length=longest,
        initial=initial_state(chips, [small_blind, big_blind], sizes, longest),
        rules=REAL if is_real else RLCARD,
        picture=picture,
        action_text=action_text,
        parse_action=parse_action,
        num_outcomes=NUM_CARDS,
        information_shape=(information_size(num_players, longest),),
        perfect_information=False,
        pettingzoo_name=None if is_real else "texas_holdem_no_limit_v6",
        stakes=Stakes(chips=big_blind if is_real else 1, blind=big_blind),
    )


env, raw_env, parallel_env = views(game)
