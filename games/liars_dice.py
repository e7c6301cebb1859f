"""Liar's dice, one round of it, for two or more players.

Rules: as in the literature on equilibria, for instance M. Lanctot, K. Waugh, M. Zinkevich, M. Bowling, "Monte Carlo
sampling for regret minimization in extensive games" (NIPS 2009), where the game of two dice is called bluff. Everybody
rolls dice, unseen. In turn they bid how many dice of one face there are among all, each bid higher than the one before:
more dice, or as many of a higher face. Instead of bidding one may call the last bidder a liar. Then the dice are shown:
if the bid holds its bidder wins 1 from the caller, else the caller from the bidder. Others, if there are more than two,
neither win nor lose. With `wild` dice of the highest face count as any face.

Actions are OpenSpiel's: the bid of n dice of face f is (n - 1) * sides + f - 1, calling a liar comes last.
"""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.cards import die_face, hand_picture
from games.engine.chance import RANDOM_FIELD, draw_below
from games.engine.compiled import CompiledGame
from games.engine.errors import UsageError
from games.engine.game import CHANCE, TERMINAL, State
from games.engine.jit import njit
from games.engine.options import checked_options, require_between
from games.engine.picture import Picture
from games.engine.ruleset import Ruleset
from games.engine.views import views

MOST_PLAYERS, MOST_DICE, MOST_SIDES = 6, 6, 10
LIAR = "liar"


def state_dtype(players: int, dice: int, sides: int) -> np.dtype[Any]:
    """Return the layout of a position's record."""
    bids = players * dice * sides
    return np.dtype(
        [
            (
                "dice",
                np.int8,
                (players, dice),
            ),  # faces from 1, ascending; 0 not rolled, or unknown
            ("bids", np.uint8, bids),  # those that were made: they ascend, and so tell who made them
            ("last", np.int16),  # the last of them, -1 before the first
            ("sides", np.int8),
            ("wild", np.bool_),
            ("rolled", np.int8),  # how many dice
            ("caller", np.int8),  # the seat that called the last bidder a liar, -1 not yet
            ("current_player", np.int8),  # seat to move, CHANCE or TERMINAL
            RANDOM_FIELD,
        ]
    )


@njit
def chance_outcomes(state: Any, probabilities: NDArray[Any]) -> None:
    """Write the probabilities of the faces, all equal; outcome f is face f + 1."""
    probabilities[:] = 1.0 / state.sides


@njit
def legal_actions(state: Any, mask: NDArray[Any]) -> None:
    """Allow all higher bids, and calling a liar once there is a bid."""
    mask[state.last + 1 :] = True
    mask[-1] = state.last >= 0


@njit
def apply(state: Any, action: int) -> None:
    """Roll a die, bid, or call the last bidder a liar."""
    players, dice = state.dice.shape
    if state.current_player == CHANCE:
        put_in_order(state.dice[state.rolled // dice], state.rolled % dice, action + 1)
        state.rolled += 1
        if state.rolled == players * dice:
            state.current_player = 0
    elif action == state.bids.shape[0]:
        state.caller = state.current_player
        state.current_player = TERMINAL
    else:
        state.bids[action] = 1
        state.last = action
        state.current_player = (state.current_player + 1) % players


@njit
def put_in_order(hand: NDArray[Any], count: int, face: int) -> None:
    """Add a die to the first `count` of a hand, which ascend."""
    while count > 0 and hand[count - 1] > face:
        hand[count] = hand[count - 1]
        count -= 1
    hand[count] = face


@njit
def observe(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write own seat [P], own dice one-hot [dice, sides], bids made [bids], and whether a liar was called [1]."""
    players, dice = state.dice.shape
    out[:] = 0
    out[seat] = 1
    for i in range(dice):
        if state.dice[seat, i] > 0:
            out[players + state.sides * i + state.dice[seat, i] - 1] = 1
    start = players + dice * state.sides
    for bid in range(state.last + 1):
        out[start + bid] = state.bids[bid]
    out[-1] = state.caller >= 0


@njit
def returns(state: Any, out: NDArray[Any]) -> None:
    """Write +1 for the winner, -1 for the loser; nothing before the end."""
    if state.current_player != TERMINAL:
        return
    bidder = (state.caller - 1) % state.dice.shape[0]
    change = 1 if bid_holds(state) else -1
    out[bidder] = change
    out[state.caller] = -change


@njit
def bid_holds(state: Any) -> bool:
    """Return whether there are as many dice of the last bid's face, wild ones included, as it says."""
    face = state.last % state.sides + 1
    count = 0
    for seat in range(state.dice.shape[0]):
        for die in state.dice[seat]:
            count += int(die == face or (state.wild and die == state.sides))
    return count > state.last // state.sides


@njit
def redact(state: Any, seat: int) -> None:
    """Blank the dice of the others, until they are shown at the end."""
    if state.current_player != TERMINAL:
        for other in range(state.dice.shape[0]):
            if other != seat:
                state.dice[other, :] = 0


@njit
def determinize(state: Any, seat: int) -> None:
    """Roll the dice of the others again, as far as they have been rolled."""
    if state.current_player == TERMINAL:
        return
    redact(state, seat)
    dice = state.dice.shape[1]
    for number in range(state.rolled):
        if number // dice != seat:
            put_in_order(state.dice[number // dice], number % dice, draw_below(state, state.sides) + 1)


def picture(state: State) -> Picture:
    """Return a row for each player, with its dice; the last bid stands below."""
    hands = [[die_face(int(number)) for number in hand] for hand in state["dice"]]
    last, bids = int(state["last"]), len(state["bids"])
    note = f"bid: {action_text(state, last)}" if last >= 0 else ""
    if state["caller"] >= 0:
        note += f"; player {state['caller'] + 1} calls {action_text(state, bids)}"
    return hand_picture(hands, bids + 1, notes=(note,))


def action_text(state: State, action: int) -> str:
    """Return `2x5` for a bid of two fives, or `liar`."""
    if action == len(state["bids"]):
        return LIAR
    number, face = divmod(action, int(state["sides"]))
    return f"{number + 1}x{face + 1}"


def parse_action(state: State, text: str) -> int:
    """Read a bid as `2x5`, `2-5` or `2 5`, and `liar`."""
    word, sides, bids = text.strip().lower(), int(state["sides"]), len(state["bids"])
    if word == LIAR:
        return bids
    if match := re.fullmatch(r"([0-9]{1,2}) ?[x -] ?([0-9]{1,2})", word, re.ASCII):
        number, face = int(match[1]), int(match[2])
        if 1 <= number <= bids // sides and 1 <= face <= sides:
            return (number - 1) * sides + face - 1
    raise UsageError(f"{text.strip()!r} is no action here; type a bid, from 1x1 to {bids // sides}x{sides}, or {LIAR}")


@checked_options
def game(players: int = 2, dice: int = 1, sides: int = 6, wild: bool = True) -> CompiledGame:
    """Describe the game: 2 to 6 players with 1 to 6 dice each, of 2 to 10 sides; else `UsageError`."""
    limits = {"players": (players, 2, MOST_PLAYERS), "dice": (dice, 1, MOST_DICE), "sides": (sides, 2, MOST_SIDES)}
    for name, (value, least, most) in limits.items():
        require_between("liars_dice", name, value, least, most)
    bids = players * dice * sides
    initial = np.zeros((), state_dtype(players, dice, sides))
    initial["last"] = initial["caller"] = -1
    initial["sides"], initial["wild"] = sides, wild
    initial["current_player"] = CHANCE
    shape = (players + dice * sides + bids + 1,)
    return CompiledGame(
        name="liars_dice",
        title="Liar's dice",
        options={"players": players, "dice": dice, "sides": sides, "wild": wild},
        agents=tuple(f"player_{seat}" for seat in range(players)),
        num_actions=bids + 1,
        observation_shape=shape,
        max_length=bids + 1,
        initial=initial,
        rules=Ruleset(
            legal_actions=legal_actions,
            apply=apply,
            observe=observe,
            returns=returns,
            chance_outcomes=chance_outcomes,
            redact=redact,
            determinize=determinize,
            information_state=observe,
        ),
        picture=picture,
        action_text=action_text,
        parse_action=parse_action,
        num_outcomes=sides,
        information_shape=shape,
        perfect_information=False,
    )


env, raw_env, parallel_env = views(game)
