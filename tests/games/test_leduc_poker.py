"""Leduc poker: the size of its tree as counted elsewhere, and games played by hand."""

import numpy as np
import pytest

from arena.env.native import GameVectorEnv
from games.engine.game import CHANCE, TERMINAL
from games.engine.leduc import CARDS
from tests.games.test_hidden import tree


def play(seat_0, seat_1, open_card, words):
    """Play `words` with these cards; the game is over then, or not."""
    env = GameVectorEnv("leduc_poker", 1)
    env.reset(seed=1)
    env.states["cards"][0] = CARDS.index(seat_0), CARDS.index(seat_1), -1
    totals = np.zeros(2)
    for word in words.split():
        _, rewards, _, _, _ = env.step([env.game.parse_action(env.states[0], word)])
        totals += rewards[0]
        if env.states["cards"][0, 2] >= 0:
            env.states["cards"][0, 2] = CARDS.index(open_card)
    return env, totals.tolist()


def test_number_of_histories():
    """9,457: in 157 chance moves, in 3,780 a seat; 5,520 are ends."""
    movers = np.concatenate([states["current_player"] for states, _, _, _ in tree("leduc_poker")])
    counts = [int((movers == CHANCE).sum()), int((movers >= 0).sum()), int((movers == TERMINAL).sum())]
    assert counts == [157, 3_780, 5_520]


@pytest.mark.parametrize(
    ("cards", "words", "winnings"),
    [
        ("Js Kh Qs", "check check check check", -1),
        ("Js Kh Jh", "check check check check", 1),  # a pair
        ("Qs Qh Js", "raise call raise raise call", 0),
        ("Ks Js Jh", "check raise raise call raise raise call", -13),
        ("Ks Js Qh", "check raise raise call check raise raise call", 13),
        ("Ks Js Qh", "raise fold", 1),
        ("Ks Js Qh", "raise raise fold", -3),
        ("Ks Js Qh", "raise raise call check raise fold", -5),
    ],
)
def test_what_is_won(cards, words, winnings):
    env, returns = play(*cards.split(), words)
    assert env.over[0]
    assert returns == [winnings, -winnings]


@pytest.mark.parametrize(
    ("words", "legal"),
    [
        ("", [False, True, True]),  # nothing to fold
        ("check", [False, True, True]),
        ("raise", [True, True, True]),
        ("raise raise", [True, True, False]),
        ("raise raise call", [False, True, True]),
    ],
)
def test_legal_actions(words, legal):
    env, _ = play("Js", "Qs", "Ks", words)
    assert env.mask[0].tolist() == legal


def test_seat_0_begins_both_rounds():
    for words in ("check check", "check raise call", "raise call"):
        env, _ = play("Js", "Qs", "Ks", words)
        assert env.seats[0] == 0
        assert env.states["round"][0] == 1
