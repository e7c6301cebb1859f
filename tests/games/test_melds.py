"""Melds of gin rummy: compiled deadwood beside every choice of melds tried out in Python, and beside OpenSpiel's."""

from itertools import combinations

import numpy as np
import pyspiel
import pytest

from games.gin_rummy.drawing import best_melds, card_text, cards_of
from games.gin_rummy.melds import POINTS, deadwood, gin_card, knocking_cards

pytestmark = pytest.mark.full

RANKS, SUITS = "A23456789TJQK", "shdc"


def hand(text):
    """The cards of a text, as bits."""
    return sum(1 << (RANKS.index(card[0]) + 13 * SUITS.index(card[1])) for card in text.split())


def points(cards):
    return sum(POINTS[card % 13] for card in cards)


def is_meld(cards):
    ranks, suits = sorted(card % 13 for card in cards), {card // 13 for card in cards}
    a_set = len(set(ranks)) == 1
    return len(cards) >= 3 and (a_set or (len(suits) == 1 and ranks[-1] - ranks[0] == len(cards) - 1))


def fewest_points(cards):
    """The points that are left by the best choice of melds: each card in turn is left, or is the first of a meld."""
    if len(cards) == 0:
        return 0
    first, others = cards[0], cards[1:]
    left = [POINTS[first % 13] + fewest_points(others)]
    for size in range(2, len(others) + 1):
        for more in combinations(others, size):
            if is_meld((first, *more)):
                left.append(fewest_points(tuple(card for card in others if card not in more)))
    return min(left)


def random_hands(number, size, seed):
    """Hands, most of them of few ranks or of neighbouring cards, so that melds compete for cards."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        ranks = rng.choice(13, size=rng.integers(3, 14), replace=False)
        if rng.random() < 0.5:
            ranks = np.arange(len(ranks)) + rng.integers(0, 14 - len(ranks))
        deck = [rank + 13 * suit for rank in ranks for suit in range(4)]
        yield tuple(sorted(rng.choice(deck, size=size, replace=False).tolist()))


def bits(cards):
    return sum(1 << card for card in cards)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("As 2s 3s", 0),
        ("Ks As 2s", 13),  # an ace is low
        ("7s 7h 7d 8s 9s", 14),  # the set would leave 17
        ("4s 4h 4d 4c 5s 6s", 0),  # three fours and a run
        ("5s 5h 5d 6s 6h 6d 7s 7h 7d Kc", 10),  # three sets, or three runs
        ("2s 3s 4s 5s 4h 4d 6c 6d 6h 9c", 17),
        ("As 3h 5d 7c 9s Jh Kd 2c 4s 6h", 57),
    ],
)
def test_hands_by_hand(text, left):
    assert deadwood(hand(text)) == left


@pytest.mark.parametrize(("size", "number"), [(10, 300), (11, 150)])
def test_deadwood_is_what_every_choice_of_melds_gives_at_best(size, number):
    points = set()
    for cards in random_hands(number, size, seed=size):
        expected = fewest_points(cards)
        assert deadwood(bits(cards)) == expected, [card_text(card) for card in cards]
        points.add(expected)
    assert 0 in points
    assert len(points) > 20


def test_deadwood_is_that_of_openspiel():
    utils = pyspiel.gin_rummy.GinRummyUtils(13, 4, 10)
    for cards in random_hands(5000, 10, seed=1):
        assert deadwood(bits(cards)) == utils.min_deadwood(list(cards))


@pytest.mark.parametrize("size", [10, 11])
def test_melds_that_are_shown_leave_the_deadwood(size):
    for cards in random_hands(200, size, seed=2):
        melds = best_melds(cards_of(bits(cards)))
        laid_down = [card for meld in melds for card in meld]
        assert all(map(is_meld, melds))
        assert len(set(laid_down)) == len(laid_down)
        assert points(set(cards) - set(laid_down)) == deadwood(bits(cards))


def test_cards_to_go_out_with():
    gins = knocks = 0
    for cards in random_hands(3000, 11, seed=3):
        left = {card: deadwood(bits(cards) ^ 1 << card) for card in cards}
        gin = [card for card in cards if left[card] == 0]
        assert gin_card(bits(cards)) == (gin[0] if gin else -1)
        assert cards_of(knocking_cards(bits(cards))) == tuple(card for card in cards if left[card] <= 10)
        gins += len(gin) > 0
        knocks += min(left.values()) <= 10
    assert gins > 50
    assert knocks - gins > 200
