"""Drawing from the cards that are not seen."""

import numpy as np
import pytest
from numba import njit

from games.engine.cards import draw_unseen
from games.engine.chance import RANDOM_FIELD, draw_below


@njit
def drawn(states, num_cards):
    return draw_unseen(states[0], num_cards)


@njit
def chosen(states, count):
    return draw_below(states[0], count)


@pytest.mark.full
@pytest.mark.parametrize(("places", "num_cards"), [(2, 3), (3, 6), (10, 11), (7, 52), (12, 63)])
def test_the_nth_unseen_card_is_drawn(places, num_cards):
    rng = np.random.default_rng(0)
    states = np.zeros(1, [("cards", np.int8, places), RANDOM_FIELD])
    for _ in range(500):
        cards = rng.permutation(num_cards)[:places]
        hidden = rng.random(places) < rng.random()
        hidden[rng.integers(places)] = True  # a place for the card that is drawn
        states["cards"], states["random"] = np.where(hidden, -1, cards), rng.integers(2**63)
        left = sorted(set(range(num_cards)) - set(cards[~hidden].tolist()))
        twin = states.copy()
        assert drawn(states, num_cards) == left[chosen(twin, len(left))]
        assert states["random"] == twin["random"]
