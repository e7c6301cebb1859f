"""Hanabi: two to five players build fireworks together, and nobody sees their own cards.

Rules and observations are those of N. Bard et al., "The Hanabi challenge: a new frontier for AI research" (2020), as in
its learning environment, in OpenSpiel and in PettingZoo's `hanabi_v5`. Of each color there are three cards of rank 1,
one of the highest, two of the others. In turn a player plays a card (it continues the firework of its color, or costs a
life), discards one, or pays an information token to tell another which of their cards have a color or a rank.
Discarding regains a token, completing a firework too. After playing or discarding a player draws. When the deck is
empty, each has one more turn. All earn the number of cards in the fireworks, and nothing once the lives are spent. The
paper's small game is `hanabi:colors=2,hand_size=2,max_information_tokens=3,max_life_tokens=1`.

With H cards a hand, C colors, R ranks: action i < H discards card i, H + i plays it, 2 H + C (k - 1) + c tells the
k-th next player of color c, and 2 H + C (P - 1) + R (k - 1) + r of rank r. Positions count from the oldest card. The
card of color c and rank r has the number R c + r, with colors in the order R Y G W B.

Differences from PettingZoo:

- What is seen at the end is the final position (there it is the one before), and who would have moved next is the first
  to step with None (there it is player_0).
- Every game is played to its end. There it is truncated, with what has been earned so far, once deals, draws and
  actions are more than 118, OpenSpiel's greatest length of a game: two who tell and discard alone are cut off after 75
  actions, here they end after 89.
- player_0 begins. There `random_start_player` may let another begin, and still names player_0, whose mask is all zero.
- The hand is 4 cards for four players or more unless `hand_size` says otherwise, and what was told of cards is always
  shown (`observation_type` is "card_knowledge").
"""

import re
from typing import Any

import numpy as np

from games.engine.cards import UNKNOWN, Card, hand_picture
from games.engine.compiled import CompiledGame
from games.engine.errors import UsageError
from games.engine.game import CHANCE, State
from games.engine.options import checked_options, require_between
from games.engine.picture import Picture
from games.engine.ruleset import Ruleset
from games.engine.views import views
from games.hanabi.knowledge import determinize, information_state, redact
from games.hanabi.observation import observe
from games.hanabi.rules import (
    COLOR_TOLD,
    RANK_TOLD,
    TELL_COLOR,
    TELL_RANK,
    apply,
    chance_outcomes,
    copies,
    kind_of,
    legal_actions,
    returns,
    state_dtype,
)

COLORS = "RYGWB"
INKS = ("red", "yellow", "green", "grey", "blue")
KINDS = ("discard", "play", "tell", "tell")
LIMITS = {"players": (2, 5), "hand_size": (0, 5), "max_information_tokens": (0, 20), "max_life_tokens": (1, 20)}
"""Least and most of options; of the others 1 and 5."""


def picture(state: State) -> Picture:
    """Return a row for each player, oldest card first, and one for the fireworks; hints and tokens stand below."""
    ranks = state["discarded"].shape[1]
    counts = [int(number) for number in state["held"]]
    hands = [
        [UNKNOWN if card < 0 else _card(int(card), ranks) for card in hand[:number]]
        for hand, number in zip(state["hands"], counts, strict=True)
    ]
    hints = [
        f"player {seat + 1} was told: {' '.join(_hint_texts(state, seat))}".rstrip(": ") for seat in range(len(hands))
    ]
    fireworks = [Card(f"{COLORS[color]}{height}", INKS[color]) for color, height in enumerate(state["fireworks"])]
    gone = [card_text(int(card), ranks) for card in np.repeat(range(state["discarded"].size), state["discarded"].flat)]
    table = f"tokens: {state['information']}; lives: {state['lives']}; deck: {state['deck']}"
    notes = (*hints, table, f"discarded: {' '.join(gone)}" if gone else "")
    return hand_picture(hands, num_actions(state), notes, table=fireworks, table_label="fireworks")


def _card(card: int, ranks: int) -> Card:
    """Return a card in its colour."""
    return Card(card_text(card, ranks), INKS[card // ranks])


def _hint_texts(state: State, seat: int) -> list[str]:
    """Return the hints on each card of a seat, "-" for a color or rank without one."""
    texts = []
    for i in range(int(state["held"][seat])):
        hinted, color, rank = (int(state[field][seat, i]) for field in ("told", "may_colors", "may_ranks"))
        of_color = COLORS[color.bit_length() - 1] if hinted & COLOR_TOLD else "-"
        texts.append(of_color + (str(rank.bit_length()) if hinted & RANK_TOLD else "-"))
    return texts


def card_text(card: int, ranks: int) -> str:
    """Return color and rank, `R1`."""
    return f"{COLORS[card // ranks]}{card % ranks + 1}"


def num_actions(state: State) -> int:
    """Return the number of actions."""
    players, hand_size = state["hands"].shape
    return 2 * hand_size + (players - 1) * sum(state["discarded"].shape)


def action_text(state: State, action: int) -> str:
    """Return `play 1` or `discard 1` for the oldest card, `tell +1 R` or `tell +1 3` for a hint to the next player."""
    kind, where, what = kind_of.py_func(_Sizes(state), action)
    if kind == TELL_COLOR:
        return f"tell +{where} {COLORS[what]}"
    return f"tell +{where} {what + 1}" if kind == TELL_RANK else f"{KINDS[kind]} {where + 1}"


class _Sizes:
    """The sizes of a position, as attributes, as compiled code has them."""

    def __init__(self, state: State):
        self.hands, self.discarded = state["hands"], state["discarded"]


def parse_action(state: State, text: str) -> int:
    """Read what `action_text` writes."""
    known = [action_text(state, action).lower() for action in range(num_actions(state))]
    word = re.sub(r"\s+", " ", text.strip().lower())
    if word not in known:
        raise UsageError(f"{text.strip()!r} is no action here; type a move: play 1, discard 1, tell +1 R or tell +1 3")
    return known.index(word)


def observation_size(players: int, colors: int, ranks: int, hand_size: int, cards: int, tokens: int) -> int:
    """Return the number of entries of an observation, with `cards` and `tokens` in all."""
    kinds = colors * ranks
    others = (players - 1) * hand_size * kinds + players
    table = cards - players * hand_size + kinds + tokens + cards
    last_action = 2 * players + 4 + colors + ranks + 2 * hand_size + kinds + 2
    knowledge = players * hand_size * (kinds + colors + ranks)
    return others + table + last_action + knowledge


def initial_state(dtype: np.dtype[Any], cards: int, players: int, information_tokens: int, life_tokens: int) -> State:
    """Return the position before the first card is dealt."""
    state = np.zeros((), dtype)
    state["hands"] = state["actions"] = state["shown"] = -1
    state["deck"], state["turns_left"] = cards, players
    state["information"] = state["most_information"] = information_tokens
    state["lives"] = state["most_lives"] = life_tokens
    state["current_player"] = CHANCE
    return state


def longest_game(cards: int, players: int, information_tokens: int) -> int:
    """Return the largest number of moves with this number of cards in the deck after the first deal.

    All moves but telling draw a card or are among the last turns, and each regains at most one token to tell with.
    """
    return 2 * (cards + players) + information_tokens


RULES = Ruleset(
    legal_actions=legal_actions,
    apply=apply,
    observe=observe,
    returns=returns,
    chance_outcomes=chance_outcomes,
    redact=redact,
    determinize=determinize,
    information_state=information_state,
)


@checked_options
def game(
    players: int = 2,
    colors: int = 5,
    ranks: int = 5,
    hand_size: int = 0,
    max_information_tokens: int = 8,
    max_life_tokens: int = 3,
) -> CompiledGame:
    """Describe the game; a `hand_size` of 0 means 5 cards for up to three players and 4 for more.

    `UsageError` for numbers out of range, or if there are not enough cards for all hands.
    """
    options = {
        "players": players,
        "colors": colors,
        "ranks": ranks,
        "hand_size": hand_size,
        "max_information_tokens": max_information_tokens,
        "max_life_tokens": max_life_tokens,
    }
    for name, value in options.items():
        require_between("hanabi", name, value, *LIMITS.get(name, (1, 5)))
    hand_size = hand_size or (5 if players <= 3 else 4)
    cards = colors * sum(copies.py_func(rank, ranks) for rank in range(ranks))
    if players * hand_size > cards:
        raise UsageError(f"hanabi: players={players} with hand_size={hand_size} need more than the {cards} cards")
    return _game(options, hand_size, cards)


def _game(options: dict[str, int], hand_size: int, cards: int) -> CompiledGame:
    """Describe the game of valid options, with hands and a deck of so many cards."""
    players, colors, ranks = options["players"], options["colors"], options["ranks"]
    max_information_tokens, max_life_tokens = options["max_information_tokens"], options["max_life_tokens"]
    longest = longest_game(cards - players * hand_size, players, max_information_tokens)
    dtype = state_dtype(colors, ranks, players, hand_size, longest)
    initial = initial_state(dtype, cards, players, max_information_tokens, max_life_tokens)
    tokens = max_information_tokens + max_life_tokens
    return CompiledGame(
        name="hanabi",
        title="Hanabi",
        options=options,
        agents=tuple(f"player_{seat}" for seat in range(players)),
        num_actions=2 * hand_size + (players - 1) * (colors + ranks),
        observation_shape=(observation_size(players, colors, ranks, hand_size, cards, tokens),),
        observation_dtype=np.float64,
        max_length=longest,
        initial=initial,
        rules=RULES,
        picture=picture,
        action_text=action_text,
        parse_action=parse_action,
        num_outcomes=colors * ranks,
        information_shape=(1 + players * hand_size + 3 * longest,),
        perfect_information=False,
        zero_sum=False,
        cooperative=True,
        pettingzoo_name="hanabi_v5",
    )


env, raw_env, parallel_env = views(game)
