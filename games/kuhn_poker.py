"""Kuhn poker for two or more players.

Rules: H. W. Kuhn, "Simplified two-person poker" (1950); for more players N. Abou Risk and D. Szafron, "Using
counterfactual regret minimization to create competitive multiplayer poker agents" (2010). A deck of one card more than
players; everybody antes 1 and gets a card. In turn each passes or bets 1, until all have passed, or all others have
answered the first bet: by a bet of 1 (a call), or a pass (a fold). The highest card among those who have bet takes the
pot, among all if nobody has. Actions are OpenSpiel's: 0 passes, 1 bets.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from games.engine.cards import UNKNOWN, Card, deal_unseen, draw_unseen, hand_picture
from games.engine.chance import RANDOM_FIELD
from games.engine.compiled import CompiledGame
from games.engine.errors import UsageError
from games.engine.game import CHANCE, TERMINAL, State
from games.engine.jit import njit
from games.engine.options import checked_options, require_between
from games.engine.picture import Picture
from games.engine.ruleset import Ruleset
from games.engine.stakes import Stakes
from games.engine.views import views

PASS, BET = 0, 1
WORDS = ("pass", "bet")
RANKS = "23456789TJQKA"
MOST_PLAYERS = 10


def state_dtype(players: int) -> np.dtype[Any]:
    """Return the layout of a position's record."""
    return np.dtype(
        [
            ("cards", np.int8, players),  # from 0, the lowest; -1 not dealt, or unknown
            ("history", np.int8, 2 * players - 1),  # actions so far, -1 for none
            ("length", np.int8),
            ("first_bet", np.int8),  # when it was made, -1 not yet
            ("current_player", np.int8),  # seat to move, CHANCE or TERMINAL
            RANDOM_FIELD,
        ]
    )


@njit
def chance_outcomes(state: Any, probabilities: NDArray[Any]) -> None:
    """Write the probability of each card to be next: those left are equally likely."""
    players = state.cards.shape[0]
    left = players + 1
    for card in state.cards:
        left -= card >= 0
    probabilities[:] = 1.0 / left
    for card in state.cards:
        if card >= 0:
            probabilities[card] = 0.0


@njit
def draw_outcome(state: Any) -> int:
    """Draw the next card of the deck."""
    return draw_unseen(state, state.cards.shape[0] + 1)


@njit
def legal_actions(state: Any, mask: NDArray[Any]) -> None:
    """Allow both."""
    mask[:] = True


@njit
def random_action(state: Any, bits: Any) -> int:
    """Return either, as likely."""
    return int(bits >> np.uint64(63))


@njit
def apply(state: Any, action: int) -> None:
    """Deal a card, pass or bet."""
    players = state.cards.shape[0]
    if state.current_player == CHANCE:
        seat = 0
        while state.cards[seat] >= 0:
            seat += 1
        state.cards[seat] = action
        if seat == players - 1:
            state.current_player = 0
        return
    state.history[state.length] = action
    # by arithmetic: branches on what is random would be mispredicted
    first = state.length if (action == BET) & (state.first_bet < 0) else state.first_bet
    state.first_bet = first
    state.length += 1
    last = players + max(first, 0)
    state.current_player = TERMINAL if state.length == last else state.length % players


@njit(forceinline=True)  # in line with the kernel, which knows the size of `out`
def observe(state: Any, seat: int, out: NDArray[Any]) -> None:
    """Write own seat [P], own card [P + 1], and the action at each of 2 P - 1 times [2]: all one-hot."""
    players = state.cards.shape[0]
    out[:] = 0
    out[seat] = 1
    if state.cards[seat] >= 0:
        out[players + state.cards[seat]] = 1
    for i in range(2 * players - 1):  # of all times: a loop up to `length` would be mispredicted
        action = state.history[i]
        out[2 * players + 1 + 2 * i + (action & 1)] = action >= 0


@njit
def returns(state: Any, out: NDArray[Any]) -> None:
    """Write the pot less the own chips for the winner, minus the own chips for others; nothing before the end."""
    if state.current_player != TERMINAL:
        return
    players = state.cards.shape[0]
    winner, best, pot = 0, -1, 0
    for seat in range(players):
        bet = has_bet(state, seat)
        out[seat] = -1 - bet
        pot += 1 + bet
        stays = (bet == 1) | (state.first_bet < 0)
        wins = stays & (state.cards[seat] > best)
        winner, best = seat if wins else winner, state.cards[seat] if wins else best
    out[winner] += pot


@njit
def has_bet(state: Any, seat: int) -> int:
    """Return 1 if a seat has bet or called, else 0."""
    players = state.cards.shape[0]
    again = min(seat + players, 2 * players - 2)  # the last may bet only once
    return int((state.history[seat] == BET) | ((seat + players == again) & (state.history[again] == BET)))


@njit
def redact(state: Any, seat: int) -> None:
    """Blank the cards of the others, until they lie open at the end."""
    if state.current_player != TERMINAL:
        for other in range(state.cards.shape[0]):
            if other != seat:
                state.cards[other] = -1


@njit
def determinize(state: Any, seat: int) -> None:
    """Deal the others fresh cards from those that `seat` does not hold."""
    players = state.cards.shape[0]
    redact(state, seat)
    for other in range(players):
        deal_unseen(state, other, players + 1)


def picture(state: State) -> Picture:
    """Return a row for each player, with its card; the actions stand below."""
    players = len(state["cards"])
    names = RANKS[-players - 1 :]
    done = ", ".join(f"player {i % players + 1} {action_text(state, a)}" for i, a in enumerate(_history(state)))
    return hand_picture([[Card(names[card]) if card >= 0 else UNKNOWN] for card in state["cards"]], 2, notes=(done,))


def _history(state: State) -> list[int]:
    return [int(action) for action in state["history"][: state["length"]]]


def action_text(state: State, action: int) -> str:
    """Return `pass` or `bet`."""
    return WORDS[action]


def parse_action(state: State, text: str) -> int:
    """Read `pass`, `check` or `fold`, and `bet` or `call`."""
    word = text.strip().lower()
    if word in ("pass", "check", "fold", "p"):
        return PASS
    if word in ("bet", "call", "b"):
        return BET
    raise UsageError(f"{text.strip()!r} is no action here; type a word, pass or bet")


@checked_options
def game(players: int = 2) -> CompiledGame:
    """Describe the game for 2 to 10 players; `UsageError` for another number."""
    require_between("kuhn_poker", "players", players, 2, MOST_PLAYERS)
    initial = np.zeros((), state_dtype(players))
    initial["cards"] = initial["history"] = initial["first_bet"] = -1
    initial["current_player"] = CHANCE
    size = players + players + 1 + 2 * (2 * players - 1)
    return CompiledGame(
        name="kuhn_poker",
        title="Kuhn poker",
        options={"players": players},
        agents=tuple(f"player_{seat}" for seat in range(players)),
        num_actions=2,
        observation_shape=(size,),
        max_length=2 * players - 1,
        initial=initial,
        rules=Ruleset(
            legal_actions=legal_actions,
            apply=apply,
            observe=observe,
            returns=returns,
            random_action=random_action,
            chance_outcomes=chance_outcomes,
            draw_outcome=draw_outcome,
            redact=redact,
            determinize=determinize,
            information_state=observe,
        ),
        picture=picture,
        action_text=action_text,
        parse_action=parse_action,
        num_outcomes=players + 1,
        information_shape=(size,),
        perfect_information=False,
        stakes=Stakes(chips=1, blind=1, unit="ante"),
    )


env, raw_env, parallel_env = views(game)
