"""Goofspiel, the game of pure strategy: sealed bids for point cards.

Rules: S. Ross, "Goofspiel: the game of pure strategy" (1971), with OpenSpiel's details. Every player holds the cards 1
to `cards`; so does the deck of point cards. A point card is turned up (at random, or in `ascending` or `descending`
order), all bid a card at once, unseen, and the highest bid takes its points; if the highest is bid twice, nobody does.
The cards bid are gone. The last cards, which leave no choice, are played automatically. Most points win;
several share the win (+1), all others share the loss (-1). With the option `imp_info`, for two players, bids are never
shown: all learn who took the point card, or that nobody did, as in OpenSpiel's game with that option.

An action is a card, 0 for the lowest; in text it is what the card counts, from 1.
"""

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from games.engine.cards import UNKNOWN, Card, hand_picture
from games.engine.chance import RANDOM_FIELD, draw_below
from games.engine.compiled import CompiledGame
from games.engine.errors import UsageError
from games.engine.game import CHANCE, TERMINAL, State
from games.engine.jit import njit
from games.engine.joint import NOT_YET, await_choices, choose, has_chosen, hide_choices
from games.engine.options import checked_options, require_between
from games.engine.picture import Picture
from games.engine.ruleset import Ruleset
from games.engine.scores import share_win
from games.engine.views import views
from games.goofspiel.hidden_bids import guess_bids

MOST_PLAYERS, MOST_CARDS = 10, 50
STEPS = {"random": 0, "ascending": 1, "descending": -1}
"""From one point card to the next, by their order; 0 where chance decides."""


def state_dtype(players: int, cards: int) -> np.dtype[Any]:
    """Return the layout of a position's record; cards count from 0."""
    return np.dtype(
        [
            ("hands", np.int8, (players, cards)),  # 1 where a card is still held
            ("to_come", np.int8, cards),  # 1 for each point card that has not been turned up
            ("point_cards", np.int8, cards),  # that have, in order; -1 after them
            ("bids", np.int8, (cards, players)),  # for each of them, -1 not yet
            ("winners", np.int8, cards),  # of each point card, -1 nobody (yet)
            ("points", np.int16, players),
            ("chosen", np.int16, players),
            ("length", np.int8),  # point cards decided
            ("step", np.int8),  # one of STEPS
            ("imp_info", np.bool_),  # whether bids stay hidden
            ("current_player", np.int8),  # seat to bid, CHANCE or TERMINAL
            RANDOM_FIELD,
        ]
    )


@njit
def chance_outcomes(state: Any, probabilities: NDArray[Any]) -> None:
    """Write the probabilities of the point cards that have not been turned up, all equal."""
    left = probabilities.shape[0] - state.length
    for card in range(probabilities.shape[0]):
        probabilities[card] = state.to_come[card] / left


@njit
def legal_actions(state: Any, mask: NDArray[Any]) -> None:
    """Allow the cards in hand; none at the end."""
    if state.current_player >= 0:
        for card in range(mask.shape[0]):
            mask[card] = state.hands[state.current_player, card] != 0


@njit
def apply(state: Any, action: int) -> None:
    """Bid a card, or turn up a point card."""
    if state.current_player == CHANCE:
        turn_up(state, action)
    elif choose(state, action):
        decide(state)
        if state.length == state.to_come.shape[0] - 1:
            play_last_cards(state)
        elif state.step == 0:
            state.current_player = CHANCE
        else:
            turn_up(state, state.point_cards[state.length - 1] + state.step)


@njit
def turn_up(state: Any, card: int) -> None:
    """Let all bid for a point card."""
    state.point_cards[state.length] = card
    state.to_come[card] = 0
    state.chosen[:] = NOT_YET
    await_choices(state)


@njit
def decide(state: Any) -> None:
    """Give the point card to the only highest bid."""
    highest, winner = -1, -1
    for seat in range(state.chosen.shape[0]):
        bid = state.chosen[seat]
        state.hands[seat, bid] = 0
        state.bids[state.length, seat] = bid
        if bid > highest:
            highest, winner = bid, seat
        elif bid == highest:
            winner = -1
    state.winners[state.length] = winner
    if winner >= 0:
        state.points[winner] += state.point_cards[state.length] + 1
    state.length += 1
    state.chosen[:] = NOT_YET


@njit
def play_last_cards(state: Any) -> None:
    """End the game with the only bids that are left."""
    turn_up(state, lowest(state.to_come))
    for seat in range(state.chosen.shape[0]):
        state.chosen[seat] = lowest(state.hands[seat])
    decide(state)
    state.current_player = TERMINAL


@njit
def lowest(cards: NDArray[Any]) -> int:
    """Return the lowest card of a hand."""
    card = 0
    while not cards[card]:
        card += 1
    return card


@njit
def observe(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write, as zeros and ones, the point card and those to come [2 C], the hands, own first [P C], and points.

    The points [P (1 + all there are)] are one-hot. Seats come in the order of turns, the own first. Where bids stay
    hidden, who has won each round [C P] stands in place of the others' hands.
    """
    players, cards = state.hands.shape
    out[:] = 0
    if state.length < cards and state.point_cards[state.length] >= 0:
        out[state.point_cards[state.length]] = 1
    for card in range(cards):
        out[cards + card] = state.to_come[card]
        out[2 * cards + card] = state.hands[seat, card]
    begin, above = (3 + players if state.imp_info else 2 + players) * cards, cards * (cards + 1) // 2 + 1
    for i in range(players):
        other = (seat + i) % players
        if not state.imp_info:
            for card in range(cards):
                out[(2 + i) * cards + card] = state.hands[other, card]
        out[begin + i * above + state.points[other]] = 1
    if state.imp_info:
        for i in range(state.length):
            if state.winners[i] >= 0:
                out[3 * cards + i * players + (state.winners[i] - seat) % players] = 1


@njit
def information_state(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write all point cards, each with the bids of `seat` and of the others [C (1 + P)]; then its unseen bid.

    Cards count from 1, and 0 is for what has not happened. Where bids stay hidden, who won is in place of the other's
    bid: 1 nobody, 2 `seat`, 3 the other.
    """
    cards, players = state.bids.shape
    for i in range(cards):
        out[i * (1 + players)] = state.point_cards[i] + 1
        for j in range(players):
            out[i * (1 + players) + 1 + j] = state.bids[i, (seat + j) % players] + 1
        if state.imp_info:
            won = 1 if state.winners[i] < 0 else 2 if state.winners[i] == seat else 3
            out[i * (1 + players) + 2] = won if i < state.length else 0
    out[cards * (1 + players)] = state.chosen[seat] + 1


@njit
def returns(state: Any, out: NDArray[Any]) -> None:
    """Write +1 shared by the seats with most points, -1 by the others; nothing before the end."""
    if state.current_player == TERMINAL:
        share_win(state.points, out)


@njit
def redact(state: Any, seat: int) -> None:
    """Blank what others have bid, unseen; where bids stay hidden, all their bids, and which cards they hold (-1)."""
    hide_choices(state, seat)
    if state.imp_info:
        cards = state.to_come.shape[0]
        state.bids[:, 1 - seat] = -1
        state.hands[1 - seat, : cards - state.length] = -1
        state.hands[1 - seat, cards - state.length :] = 0


@njit
def determinize(state: Any, seat: int) -> None:
    """Draw what others have bid, unseen, from their hands; where bids stay hidden, all of the other's bids first."""
    players, cards = state.hands.shape
    if state.imp_info:
        guess_bids(state, seat)
    for other in range(players):
        if other != seat and has_chosen(state, other):
            skip = draw_below(state, cards - state.length)
            card = lowest(state.hands[other])
            while skip > 0:
                card += 1
                skip -= state.hands[other, card]
            state.chosen[other] = card


def picture(state: State) -> Picture:
    """Return the hands, a row for each player, and the card that is bid for; points stand below."""
    players, cards = state["hands"].shape
    across = np.arange(cards)
    row = max(int(state["current_player"]), 0)
    turned = [card + 1 for card in state["point_cards"].tolist() if card >= 0]
    length = int(state["length"])
    notes = [f"points: {' to '.join(map(str, state['points']))}"]
    if length:
        bids = " ".join(str(bid + 1) if bid >= 0 else "?" for bid in state["bids"][length - 1])
        notes.append(f"bids for {turned[length - 1]}: {bids}")
    hands = [[_hand_card(int(state["hands"][seat, card]), card) for card in range(cards)] for seat in range(players)]
    prize = [Card(str(card + 1) if card + 1 in turned[length:] else "") for card in across]
    drawn = hand_picture(hands, cards, tuple(notes), table=prize, table_label="prize")
    return replace(
        drawn,
        cell_actions=np.append(np.tile(across, (players, 1)), np.full((1, cards), -1), axis=0),
        action_cells=np.stack([np.full(cards, row), across], axis=1),
    )


def _hand_card(holds: int, card: int) -> Card:
    """Return a card of a hand, which holds it (1), does not (0), or may (-1)."""
    return UNKNOWN if holds < 0 else Card(str(card + 1) if holds else "")


def action_text(state: State, action: int) -> str:
    """Return the points of the card."""
    return str(action + 1)


def parse_action(state: State, text: str) -> int:
    """Read what a card counts."""
    cards = len(state["to_come"])
    if text.strip().isdecimal() and 1 <= int(text) <= cards:
        return int(text) - 1
    raise UsageError(f"{text.strip()!r} is not a card; type a number from 1 to {cards}")


@checked_options
def game(
    players: int = 2,
    cards: int = 13,
    points_order: Literal["random", "ascending", "descending"] = "random",
    imp_info: bool = False,
) -> CompiledGame:
    """Describe the game for 2 to 10 `players` with 2 to 50 `cards` each; `UsageError` for an option out of range.

    `imp_info` (bids stay hidden) is for two players.
    """
    require_between("goofspiel", "players", players, 2, MOST_PLAYERS)
    require_between("goofspiel", "cards", cards, 2, MOST_CARDS)
    if imp_info and players != 2:
        raise UsageError(f"goofspiel: imp_info is for players=2, not {players}")
    size = (2 + players + imp_info) * cards + players * (cards * (cards + 1) // 2 + 1)
    return CompiledGame(
        name="goofspiel",
        title="Goofspiel",
        options={"players": players, "cards": cards, "points_order": points_order, "imp_info": imp_info},
        agents=tuple(f"player_{seat}" for seat in range(players)),
        num_actions=cards,
        observation_shape=(size,),
        max_length=players * (cards - 1),
        initial=first_position(players, cards, STEPS[points_order], imp_info),
        rules=Ruleset(
            legal_actions=legal_actions,
            apply=apply,
            observe=observe,
            returns=returns,
            chance_outcomes=chance_outcomes,
            redact=redact,
            determinize=determinize,
            information_state=information_state,
        ),
        picture=picture,
        action_text=action_text,
        parse_action=parse_action,
        num_outcomes=cards if points_order == "random" else 0,
        information_shape=(cards * (1 + players) + 1,),
        perfect_information=False,
        simultaneous=True,
    )


def first_position(players: int, cards: int, step: int, imp_info: bool) -> State:
    """Return the first position: all cards in hand, and the first point card turned up unless chance does so."""
    initial = np.zeros((), state_dtype(players, cards))
    initial["hands"] = initial["to_come"] = 1
    initial["point_cards"] = initial["bids"] = initial["winners"] = -1
    initial["imp_info"] = imp_info
    initial["chosen"], initial["step"], initial["current_player"] = NOT_YET, step, CHANCE
    if step:
        first = 0 if step > 0 else cards - 1
        initial["point_cards"][0], initial["to_come"][first], initial["current_player"] = first, 0, 0
    return initial


env, raw_env, parallel_env = views(game)
