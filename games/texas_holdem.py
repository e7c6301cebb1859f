"""Texas hold'em with limits, for two to ten players, as RLCard and PettingZoo play it.

Each seat gets two cards, blinds of 1 and 2 are paid. After a round of betting three cards are turned up for all, then a
fourth, then a fifth, each followed by a round of betting. A raise is 2 in the first two rounds and 4 in the last two,
at most four in a round. The best five of a seat's own two and the five open cards win; equal hands share the pot.

The order of betting is RLCard's, not that of a poker table: `games.engine.limit_betting` describes it, and
`games.engine.pots` who gets chips that cannot be shared evenly. Betting as at a poker table has
`texas_holdem_no_limit:rules=real`.

Actions, agents, observations and rewards are those of PettingZoo's `texas_holdem_v4`: 0 calls, 1 raises, 2 folds, 3
checks. It differs in this: PettingZoo's documentation says that the mask of an agent whose turn it is not is all zero,
and here it is (there it is that of the agent to move).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.chance import RANDOM_FIELD
from games.engine.game import CHANCE, TERMINAL, Game, State
from games.engine.holdem import (
    MOST_PLAYERS,
    NUM_CARDS,
    ROUNDS,
    SHOWN,
    card_fields,
    deal,
    guess_hidden_hands,
    hide_other_hands,
    num_hole_cards,
    table_picture,
    write_in_order,
    write_visible_cards,
)
from games.engine.jit import njit
from games.engine.limit_betting import (
    BIG_BLIND,
    WORDS,
    before_the_deal,
    bet,
    bet_notes,
    betting_fields,
    legal_bets,
    limit_game,
    pay_blinds,
    write_bets,
)
from games.engine.options import checked_options, require_between
from games.engine.picture import Picture
from games.engine.pots import (
    begin_sharing,
    draw_hand_outcome,
    give_odd_chips,
    hand_chance_outcomes,
    pot_fields,
    write_winnings,
)
from games.engine.ruleset import Ruleset
from games.engine.views import views

MOST_RAISES = 4
OBSERVATION_SIZE = NUM_CARDS + ROUNDS * (MOST_RAISES + 1)


def state_dtype(players: int) -> np.dtype[Any]:
    """Return the layout of a record for so many seats."""
    return np.dtype(
        [*card_fields(players), *betting_fields(ROUNDS, MOST_RAISES, players), *pot_fields(players), RANDOM_FIELD]
    )


@njit
def awaits_blinds(state: Any) -> bool:
    """Return whether all hands are dealt, and nobody has paid a blind."""
    return state.dealt == num_hole_cards(state) and state.small_blind < 0


@njit
def chance_outcomes(state: Any, probabilities: NDArray[Any]) -> None:
    """Write probabilities: of the cards left, the seat that pays the small blind, or the winner who gets odd chips."""
    hand_chance_outcomes(state, awaits_blinds(state), probabilities)


@njit
def draw_outcome(state: Any) -> int:
    """Draw a card of those left, or a seat; odd chips are left to the probabilities."""
    return draw_hand_outcome(state, awaits_blinds(state))


@njit
def apply(state: Any, action: int) -> None:
    """Deal a card, say who pays the small blind or gets odd chips, or bet."""
    if state.current_player != CHANCE:
        if bet(state, action, BIG_BLIND << (state.round // 2)):
            state.current_player = TERMINAL if state.round == ROUNDS else CHANCE
        if state.current_player == TERMINAL:
            begin_sharing(state)
    elif state.odd > 0:
        give_odd_chips(state, action)
    elif awaits_blinds(state):
        pay_blinds(state, action)
    else:
        deal(state, action)
        if state.dealt > num_hole_cards(state) and state.dealt == num_hole_cards(state) + SHOWN[state.round]:
            state.current_player = state.next_player


@njit
def observe(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write own and open cards [52], number of raises in each round one-hot [4, 5]."""
    out[:] = 0
    write_visible_cards(state, seat, out)
    for which in range(ROUNDS):
        out[NUM_CARDS + (MOST_RAISES + 1) * which + state.raises[which]] = 1


@njit
def information_state(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write own seat [P], own cards [52], open cards [52] in order, the seat of the small blind [P], and all bets.

    A card is written as the number of its place in its hand or in the open cards, from 1; all else is one-hot.
    """
    out[:] = 0
    write_in_order(state, seat, out)
    write_bets(state, out[state.paid.shape[0] + 2 * NUM_CARDS :])


@njit
def returns(state: Any, out: NDArray[Any]) -> None:
    """Write the big blinds won or lost; nothing before the end."""
    write_winnings(state, BIG_BLIND, out)


@njit
def hands_are_hidden(state: Any) -> bool:
    """Return whether betting goes on; all hands lie open after it."""
    return state.current_player != TERMINAL and state.odd == 0


@njit
def redact(state: Any, seat: int) -> None:
    """Blank the others' cards, until they lie open at the end."""
    if hands_are_hidden(state):
        hide_other_hands(state, seat)


@njit
def determinize(state: Any, seat: int) -> None:
    """Deal the others cards that are not seen."""
    if hands_are_hidden(state):
        hide_other_hands(state, seat)
        guess_hidden_hands(state)


def picture(state: State) -> Picture:
    """Return a row for each player with its cards; open cards and actions stand below."""
    return table_picture(state, len(WORDS), bet_notes(state))


@checked_options
def game(num_players: int = 2) -> Game:
    """Describe the game; `UsageError` for less than two or more than ten players."""
    require_between("texas_holdem", "num_players", num_players, 2, MOST_PLAYERS)
    return limit_game(
        name="texas_holdem",
        title="Texas hold'em",
        options={"num_players": num_players},
        num_cards=NUM_CARDS,
        observation_size=OBSERVATION_SIZE,
        initial=before_the_deal(state_dtype(num_players), MOST_RAISES),
        rules=Ruleset(
            legal_actions=legal_bets,
            apply=apply,
            observe=observe,
            returns=returns,
            chance_outcomes=chance_outcomes,
            draw_outcome=draw_outcome,
            redact=redact,
            determinize=determinize,
            information_state=information_state,
        ),
        picture=picture,
    )


env, raw_env, parallel_env = views(game)
