"""Liar's dice: who wins, wild or not, with two or more players."""

import numpy as np
import pytest

from arena.env.native import GameVectorEnv
from games.engine.errors import UsageError
from games.engine.registry import make_game


def play(spec, dice, words):
    """Play `words` with these dice; returns the environment, and what all have earned."""
    env = GameVectorEnv(spec, 1)
    env.reset(seed=1)
    env.states["dice"][0] = dice
    totals = np.zeros(env.num_agents)
    for word in words.split():
        _, rewards, _, _, _ = env.step([env.game.parse_action(env.states[0], word)])
        totals += rewards[0]
    return env, totals.tolist()


@pytest.mark.parametrize(
    ("spec", "dice", "words", "winnings"),
    [
        ("liars_dice", [[3], [5]], "1x3 liar", [1, -1]),
        ("liars_dice", [[3], [5]], "1x4 liar", [-1, 1]),
        ("liars_dice", [[3], [5]], "1x1 1x5 liar", [-1, 1]),
        ("liars_dice", [[6], [4]], "2x4 liar", [1, -1]),  # a six is any face
        ("liars_dice:wild=false", [[6], [4]], "2x4 liar", [-1, 1]),
        ("liars_dice", [[6], [4]], "2x6 liar", [-1, 1]),
        ("liars_dice", [[6], [6]], "2x6 liar", [1, -1]),
        ("liars_dice:players=3,dice=2,sides=4", [[1, 1], [1, 2], [3, 4]], "3x1 4x1 liar", [0, 1, -1]),
        ("liars_dice:players=3,dice=2,sides=4", [[1, 1], [1, 2], [3, 3]], "3x1 4x1 liar", [0, -1, 1]),
        ("liars_dice:players=3,dice=2,sides=4", [[1, 1], [1, 2], [3, 3]], "1x1 1x2 4x1 liar", [1, 0, -1]),
    ],
)
def test_who_wins(spec, dice, words, winnings):
    env, returns = play(spec, dice, words)
    assert env.over[0]
    assert returns == winnings


def test_bids_are_numbered_by_dice_and_then_by_face():
    env, _ = play("liars_dice", [[3], [5]], "1x3")
    texts = [env.game.action_text(env.states[0], action) for action in range(13)]
    assert texts[:3] == ["1x1", "1x2", "1x3"]
    assert texts[5:8] == ["1x6", "2x1", "2x2"]
    assert texts[-1] == "liar"


def test_a_bid_is_higher_than_the_last_and_a_liar_needs_a_bid():
    env, _ = play("liars_dice", [[3], [5]], "")
    assert env.mask[0].tolist() == [True] * 12 + [False]
    env, _ = play("liars_dice", [[3], [5]], "1x3 2x1")
    assert env.mask[0].tolist() == [False] * 7 + [True] * 6
    env, _ = play("liars_dice", [[3], [5]], "2x6")
    assert env.mask[0].tolist() == [False] * 12 + [True]


def test_dice_are_held_in_ascending_order_and_all_rolls_occur():
    env = GameVectorEnv("liars_dice:dice=3,sides=4", 2000)
    env.reset(seed=4)
    dice = env.states["dice"]
    assert (np.diff(dice, axis=2) >= 0).all()
    counts = np.bincount(dice.reshape(-1), minlength=5)
    assert counts[0] == 0
    assert (abs(counts[1:] - 3000) < 5 * np.sqrt(12000 * 3 / 16)).all()


@pytest.mark.parametrize("text", ["0x1", "1x0", "3x1", "1x7", "1", "x", "12", "lie"])
def test_what_is_no_bid(text):
    game = make_game("liars_dice")
    with pytest.raises(UsageError, match="type a bid, from 1x1 to 2x6, or liar"):
        game.parse_action(game.initial, text)


@pytest.mark.parametrize(
    ("option", "limits"), [("players", (2, 6)), ("dice", (1, 6)), ("sides", (2, 10))], ids=lambda value: str(value)
)
def test_options_out_of_range(option, limits):
    for value in (limits[0] - 1, limits[1] + 1):
        with pytest.raises(UsageError, match=f"liars_dice: {option}={value} is not between {limits[0]} and"):
            make_game("liars_dice", **{option: value})
