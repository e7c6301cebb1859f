"""Texas hold'em with limits, for two players, as RLCard and PettingZoo play it.

Each of two seats gets two cards, blinds of 1 and 2 are paid. After a round of betting three cards are turned up for
both, then a fourth, then a fifth, each followed by a round of betting. A raise is 2 in the first two rounds and 4 in
the last two, at most four in a round. The best five of the own two and the open five cards win; equal hands share the
pot. How betting goes is told in `games.engine.limit_betting`.

Actions, agents, observations and rewards are those of PettingZoo's `texas_holdem_v4`: 0 calls, 1 raises, 2 folds, 3
checks. Cards are numbered as there, ace to king of spades, hearts, diamonds, clubs. It differs in this: PettingZoo's
documentation says that the mask of an agent whose turn it is not is all zero, and here it is (there it is that of the
agent to move).
"""

from functools import cache
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from games.engine.cards import deal_unseen, hand_picture
from games.engine.chance import RANDOM_FIELD, draw, reseed
from games.engine.game import CHANCE, TERMINAL, Game, State
from games.engine.limit_betting import (
    BIG_BLIND,
    WORDS,
    before_the_deal,
    bet,
    bet_notes,
    bet_text,
    bets_size,
    betting_fields,
    legal_bets,
    parse_bet,
    pay_blinds,
    settle_pot,
    write_bets,
)
from games.engine.picture import Picture
from games.engine.poker_hands import NUM_RANKS, hand_strength
from games.engine.views import views

__all__ = ["draw", "env", "game", "parallel_env", "raw_env", "reseed"]

NUM_CARDS = 52
RANKS, SUITS = "A23456789TJQK", "shdc"
ROUNDS, MOST_RAISES = 4, 4
IN_HANDS, OPEN = 4, 5
SHOWN = np.array([0, 3, 4, 5], np.int8)  # open cards in each round
STATE = np.dtype(
    [
        ("cards", np.int8, IN_HANDS + OPEN),  # two of seat 0, two of seat 1, the open ones; -1 not dealt, or unknown
        ("dealt", np.int8),  # how many
        *betting_fields(ROUNDS, MOST_RAISES),
        RANDOM_FIELD,
    ]
)
SEEN = NUM_CARDS + ROUNDS * (MOST_RAISES + 1)
KNOWN = 2 + 2 * NUM_CARDS + bets_size(ROUNDS, MOST_RAISES)

legal_actions = legal_bets


@njit
def chance_outcomes(state: Any, probabilities: NDArray[Any]) -> None:
    """A card of those left; when both hands are dealt, the seat that pays the small blind."""
    if state.dealt == IN_HANDS and state.small_blind < 0:
        probabilities[:2] = 0.5
        return
    probabilities[:] = 1.0 / (NUM_CARDS - state.dealt)
    for card in state.cards:
        if card >= 0:
            probabilities[card] = 0.0


@njit
def apply(state: Any, action: int) -> None:
    """Deal a card, say who pays the small blind, or bet."""
    if state.current_player != CHANCE:
        if bet(state, action, BIG_BLIND << (state.round // 2)):
            state.current_player = TERMINAL if state.round == ROUNDS else CHANCE
    elif state.dealt == IN_HANDS and state.small_blind < 0:
        pay_blinds(state, action)
    else:
        place = state.dealt
        if place < IN_HANDS:  # in turn, one each
            place = 2 * (place % 2) + place // 2
        state.cards[place] = action
        state.dealt += 1
        if state.dealt > IN_HANDS and state.dealt == IN_HANDS + SHOWN[state.round]:
            state.current_player = state.next_player


@njit
def observe(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Own and open cards [52], number of raises in each round one-hot [4, 5]."""
    out[:] = 0
    for place in range(state.cards.shape[0]):
        if state.cards[place] >= 0 and (place // 2 == seat or place >= IN_HANDS):
            out[state.cards[place]] = 1
    for which in range(ROUNDS):
        out[NUM_CARDS + (MOST_RAISES + 1) * which + state.raises[which]] = 1


@njit
def information_state(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Own seat [2], own cards [52], open cards [52] as shown one by one, who pays the small blind, all bets.

    A card is written as the number of its place in its hand or in the open cards, from 1; all else is one-hot.
    """
    out[:] = 0
    out[seat] = 1
    for i in range(2):
        if state.cards[2 * seat + i] >= 0:
            out[2 + state.cards[2 * seat + i]] = i + 1
    for i in range(OPEN):
        if state.cards[IN_HANDS + i] >= 0:
            out[2 + NUM_CARDS + state.cards[IN_HANDS + i]] = i + 1
    write_bets(state, out[2 + 2 * NUM_CARDS :])


@njit
def returns(state: Any, out: NDArray[Any]) -> None:
    """Big blinds won or lost; nothing before the end."""
    if state.current_player != TERMINAL:
        return
    better = np.int64(0)
    if state.folded < 0:
        better = seat_strength(state, 0) - seat_strength(state, 1)
    settle_pot(state, better, out)


@njit
def seat_strength(state: Any, seat: int) -> int:
    """The strength of a seat's two cards with the five open ones."""
    suits = np.int64(0)  # a word of 13 bits for each, one above the other
    for place in range(state.cards.shape[0]):
        if place // 2 == seat or place >= IN_HANDS:
            suit, rank = divmod(np.int64(state.cards[place]), NUM_RANKS)
            suits |= np.int64(1) << (NUM_RANKS * suit + (rank + NUM_RANKS - 1) % NUM_RANKS)  # the ace is highest
    word = (1 << NUM_RANKS) - 1
    return hand_strength(
        suits & word, suits >> NUM_RANKS & word, suits >> 2 * NUM_RANKS & word, suits >> 3 * NUM_RANKS & word
    )


@njit
def redact(state: Any, seat: int) -> None:
    """Blank the other's cards, until they lie open at the end."""
    if state.current_player != TERMINAL:
        other = 2 * (1 - seat)
        state.cards[other : other + 2] = -1


@njit
def determinize(state: Any, seat: int) -> None:
    """Deal the other two cards that are not seen."""
    if state.current_player == TERMINAL or state.small_blind < 0:
        return
    redact(state, seat)
    for place in range(2 * (1 - seat), 2 * (1 - seat) + 2):
        deal_unseen(state, place, NUM_CARDS)


def picture(state: State) -> Picture:
    """A row a player with its cards, and one for those that are open; what was done stands below."""
    names = ["?" if card < 0 else card_text(int(card)) for card in state["cards"]]
    shown = int(SHOWN[min(int(state["round"]), ROUNDS - 1)])
    notes = (f"open: {' '.join(names[IN_HANDS : IN_HANDS + shown])}",) if state["dealt"] > IN_HANDS else ()
    return hand_picture([names[:2], names[2:4]], len(WORDS), notes=(*notes, *bet_notes(state)))


def card_text(card: int) -> str:
    """Rank and suit, `As` for the ace of spades."""
    suit, rank = divmod(card, NUM_RANKS)
    return RANKS[rank] + SUITS[suit]


@cache
def game() -> Game:
    """Describe the game."""
    return Game(
        name="texas_holdem",
        title="Texas hold'em",
        options={},
        agents=("player_0", "player_1"),
        num_actions=len(WORDS),
        observation_shape=(SEEN,),
        observation_dtype=np.float32,
        max_length=ROUNDS * (MOST_RAISES + 2),
        initial=before_the_deal(STATE, MOST_RAISES),
        rules=__name__,
        picture=picture,
        action_text=bet_text,
        parse_action=parse_bet,
        num_outcomes=NUM_CARDS,
        information_shape=(KNOWN,),
        perfect_information=False,
        pettingzoo_name="texas_holdem_v4",
    )


env, raw_env, parallel_env = views(game)
