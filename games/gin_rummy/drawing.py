"""Pictures of gin rummy, and its actions as text."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from games.engine.cards import RANKS, SUITS, UNKNOWN, card_text, hand_picture, playing_card
from games.engine.errors import UsageError
from games.engine.game import State
from games.engine.picture import Picture
from games.gin_rummy.melds import NUM_CARDS, NUM_RANKS, NUM_SUITS, POINTS, SHORTEST
from games.gin_rummy.rules import DEAD, DEALT, DISCARD, DRAW, GIN, HAND, KNOCK, NUM_ACTIONS, SCORE, TAKE

WORDS = {SCORE: "score 1", SCORE + 1: "score 2", DRAW: "draw", TAKE: "take", DEAD: "dead", GIN: "gin"}
NUMBERS = {word: action for action, word in WORDS.items()}
Cards = tuple[int, ...]


def action_text(state: State, action: int) -> str:
    """Return `draw` from the stock or `take` the top discard; `discard As`, `knock As`, `gin`, `dead`; `score 1`."""
    if action in WORDS:
        return WORDS[action]
    word, first = ("discard", DISCARD) if action < KNOCK else ("knock", KNOCK)
    return f"{word} {card_text(action - first)}"


def parse_action(state: State, text: str) -> int:
    """Read what `action_text` writes; a bare card is discarded."""
    word = " ".join(text.lower().split())
    if word in NUMBERS:
        return NUMBERS[word]
    if match := re.fullmatch(rf"(?:(discard|knock) )?([{RANKS.lower()}])([{SUITS}])", word):
        card = NUM_RANKS * SUITS.index(match[3]) + RANKS.lower().index(match[2])
        return card + (KNOCK if match[1] == "knock" else DISCARD)
    moves = "draw, take, discard As, knock As, gin, dead, or score 1"
    raise UsageError(f"{text.strip()!r} is no action here; type a move: {moves}")


def picture(state: State) -> Picture:
    """Return a row for each player, melds first, and one for stock and pile; pointing at a card discards or draws."""
    rows = [_in_order(state, seat) for seat in range(2)]
    hands = [
        [*map(playing_card, row), *[UNKNOWN] * (int(count) - len(row))]
        for row, count in zip(rows, state["held"], strict=True)
    ]
    pile = [playing_card(int(state["pile"][state["discarded"] - 1]))] if state["discarded"] else []
    notes = (*_piles(state), *_points(state), _ending(state))
    drawn = hand_picture(hands, NUM_ACTIONS, notes, table=[UNKNOWN, *pile], table_label="stock, pile")
    seat = int(state["current_player"])
    if seat < 0 or state["ending"]:
        return drawn
    pointed = {DRAW: (2, 0), **({TAKE: (2, 1)} if pile else {})}
    if state["held"][seat] > HAND:
        pointed = {DISCARD + card: (seat, column) for column, card in enumerate(rows[seat])}
    cell_actions, action_cells = drawn.cell_actions.copy(), drawn.action_cells.copy()
    for action, cell in pointed.items():
        cell_actions[cell] = action
        action_cells[action] = cell
    return replace(drawn, cell_actions=cell_actions, action_cells=action_cells)


def _in_order(state: State, seat: int) -> list[int]:
    """Return the cards of a hand that are known: melds, and then all others by rank."""
    cards = cards_of(int(state["hands"][seat]))
    melded = [card for meld in best_melds(cards) for card in meld]
    return melded + sorted(set(cards) - set(melded), key=lambda card: (card % NUM_RANKS, card))


def _piles(state: State) -> Iterator[str]:
    """Yield lines on the stock, and on the discards under the top one, by suit."""
    if int(state["held"].sum()) < DEALT and not state["length"]:
        return
    pile = [int(card) for card in state["pile"][: state["discarded"]]]
    in_stock = NUM_CARDS - int(state["held"].sum()) - len(pile) - int(state["laid_away"] >= 0)
    yield f"stock: {in_stock} cards"
    if under := sorted(pile[:-1]):
        suits = ["".join(RANKS[card % NUM_RANKS] for card in under if card // NUM_RANKS == suit) for suit in range(4)]
        yield "in the pile: " + " ".join(ranks + SUITS[suit] for suit, ranks in enumerate(suits) if ranks)


def _points(state: State) -> Iterator[str]:
    """Yield the deadwood of each hand that is seen."""
    for seat in range(2):
        cards = cards_of(int(state["hands"][seat]))
        if len(cards) == state["held"][seat] >= HAND:
            left = set(cards).difference(*best_melds(cards))
            yield f"player {seat + 1}: deadwood {sum(POINTS[card % NUM_RANKS] for card in left)}"


def _ending(state: State) -> str:
    """Return a line on who ended the hand, and how; "" before that."""
    ending = int(state["ending"])
    if not ending:
        return ""
    how = {DEAD: "declares the hand dead", GIN: "goes gin", KNOCK: "knocks"}[ending]
    laid_away = f", laying away {card_text(int(state['laid_away']))}" if ending != DEAD else ""
    return f"player {state['ender'] + 1} {how}{laid_away}"


def cards_of(hand: int) -> Cards:
    """Return the cards that are bits of a hand, ascending."""
    return tuple(card for card in range(NUM_CARDS) if hand >> card & 1)


def best_melds(cards: Cards) -> list[Cards]:
    """Return the melds that leave the fewest points."""
    return max(
        _choices(list(_all_melds(cards))), key=lambda melds: sum(POINTS[card % NUM_RANKS] for card in sum(melds, ()))
    )


def _all_melds(cards: Cards) -> Iterator[Cards]:
    """Yield every set and every run of some cards."""
    for rank in range(NUM_RANKS):
        same_rank = [card for card in cards if card % NUM_RANKS == rank]
        for size in range(SHORTEST, NUM_SUITS + 1):
            yield from combinations(same_rank, size)
    for first in cards:
        longest = first + NUM_RANKS - first % NUM_RANKS  # where the suit ends
        for last in range(first + SHORTEST, longest + 1):
            if set(run := tuple(range(first, last))) <= set(cards):
                yield run


def _choices(melds: list[Cards]) -> Iterator[list[Cards]]:
    """Yield every choice of melds that share no card."""
    yield []
    for i, meld in enumerate(melds):
        others = [other for other in melds[i + 1 :] if not set(other) & set(meld)]
        yield from ([meld, *chosen] for chosen in _choices(others))
