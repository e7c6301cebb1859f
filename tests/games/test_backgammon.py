"""Backgammon beside a plain version of its rules, its dice, its notation and its picture."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from numba import njit

from arena.env.native import GameVectorEnv
from games import backgammon
from games.backgammon import chance_outcomes
from games.engine.chance import draw, pick, reseed
from games.engine.errors import UsageError
from games.engine.game import CHANCE, TERMINAL
from games.engine.registry import make_game
from tests.games.chance import ONE_IN_A_MILLION, chi_square_excess
from tests.games.playing import random_actions
from tests.rules_by_hand import rules_of

RULES = rules_of(make_game("backgammon"))
TWO_DICE = np.array([1 / 36 if a == b else 2 / 36 if a > b else 0 for a in range(6) for b in range(6)])
OPENING = np.array([0 if a == b else 1 / 30 for a in range(6) for b in range(6)])


def after(own, other, point, number):
    """Both sides' checkers (26 counts each, from their own side) after a move of `own`, None if it is impossible."""
    target = point - number
    if own[point] == 0 or (own[25] and point != 25):
        return None
    if target >= 1 and other[25 - target] >= 2:
        return None
    if target < 0 and any(own[point + 1 :]):
        return None
    if target <= 0 and any(own[7:]):
        return None
    own, other = list(own), list(other)
    own[point] -= 1
    own[max(target, 0)] += 1
    if target >= 1 and other[25 - target] == 1:
        other[25 - target] = 0
        other[25] += 1
    return tuple(own), tuple(other)


@cache
def most(own, other, numbers):
    """Return how many of the numbers can be played, by trying everything."""
    best = 0
    for i, number in enumerate(numbers):
        if number in numbers[:i]:
            continue
        for point in range(1, 26):
            moved = after(own, other, point, number)
            if moved:
                best = max(best, 1 + most(*moved, numbers[:i] + numbers[i + 1 :]))
    return best


def legal(own, other, numbers):
    """The moves (point, number) that begin a way to play as many numbers as possible."""
    best = most(own, other, numbers)
    first_moves = set()
    for i, number in enumerate(numbers):
        for point in range(1, 26):
            moved = after(own, other, point, number)
            if moved and 1 + most(*moved, numbers[:i] + numbers[i + 1 :]) == best:
                first_moves.add((point, number))
    if best == 1 and len(numbers) == 2 and len({number for _, number in first_moves}) == 2:
        return {(point, number) for point, number in first_moves if number == max(numbers)}
    return first_moves


def side(state, seat):
    return tuple(state["checkers"][seat].tolist())


def left(state):
    return tuple(int(die) for die, uses in zip(state["dice"], state["uses"], strict=True) for _ in range(uses))


def setup(own, other, dice, seat=0):
    """The record of a position with `seat` to play `dice`; points with counts, each from its side's own end."""
    states = make_game("backgammon").initial.reshape(1).copy()
    state = states[0]
    state["checkers"] = 0
    for who, points in ((seat, own), (1 - seat, other)):
        for point, count in points.items():
            state["checkers"][who, point] = count
        state["checkers"][who, 0] = 15 - sum(points.values())
    for who in range(2):
        counts, others = state["checkers"][who], state["checkers"][1 - who]
        state["occupied"][who] = sum(1 << point for point in range(1, 26) if counts[point])
        state["closed"][who] = sum(1 << point for point in range(1, 25) if others[25 - point] >= 2)
    state["dice"], state["turn"], state["current_player"] = (1, 1), seat, CHANCE
    a, b = max(dice), min(dice)
    RULES.apply(state, 6 * (a - 1) + b - 1)
    return state


def moves(state):
    """The legal actions as text."""
    mask = np.zeros(150, np.bool_)
    RULES.legal_actions(state, mask)
    return {backgammon.action_text(state, int(action)) for action in np.flatnonzero(mask)}


@pytest.mark.full
def test_random_games_beside_the_reference():
    """Over 2,500 positions: legal moves, what they do, when the turn ends and the game."""
    env = GameVectorEnv(make_game("backgammon"), 1)
    rng = np.random.default_rng(8)
    positions, doubles, hits, single = 0, 0, 0, 0
    for seed in range(13):
        env.reset(seed=seed)
        while not env.over[0]:
            state, seat = env.states[0].copy(), int(env.seats[0])
            own, other, numbers = side(state, seat), side(state, 1 - seat), left(state)
            expected = {(point - 1) * 6 + number - 1 for point, number in legal(own, other, numbers)}
            assert set(np.flatnonzero(env.mask[0]).tolist()) == expected
            assert env.observations().obs[0, 0].tolist() == [*own[1:], own[0], *np.bincount(numbers, minlength=7)[1:]]
            assert env.observations().obs[0, 1].tolist() == [*other[24:0:-1], other[25], other[0], *[0] * 6]
            action = int(random_actions(env.mask, rng)[0])
            _, rewards, _, _, _ = env.step([action])
            moved = after(own, other, action // 6 + 1, action % 6 + 1)
            assert (side(env.states[0], seat), side(env.states[0], 1 - seat)) == moved
            rest = list(numbers)
            rest.remove(action % 6 + 1)
            goes_on = moved[0][0] < 15 and most(*moved, tuple(rest)) > 0
            if goes_on:
                assert (env.seats[0], left(env.states[0])) == (seat, tuple(rest))
            else:
                assert env.over[0] == (moved[0][0] == 15)
                assert rewards[0, seat] == env.over[0]
            positions, doubles = positions + 1, doubles + (len(numbers) > 2)
            hits += moved[1][25] > other[25]
            single += len(numbers) == 2 and most(own, other, numbers) == 1
    assert positions > 2500
    assert min(doubles, hits, single) > 20


@pytest.mark.full
@pytest.mark.parametrize("seat", [0, 1])
def test_rare_positions_beside_the_reference(seat):
    """Few checkers, many on the bar, closed points: where numbers stand in each other's way."""
    rng = np.random.default_rng(9)
    kinds = Counter()
    for _ in range(1500):
        own = Counter(rng.choice([*range(1, 25), *[25] * 8], size=rng.integers(1, 4)).tolist())
        free = [25 - point for point in range(1, 25) if not own[point]]
        near = [point for point in free if point <= 8]  # before the checkers that come from the bar
        others = rng.choice(near if rng.random() < 0.5 else free, size=rng.integers(3, 6), replace=False).tolist()
        other = Counter({point: 2 if rng.random() < 0.9 else 1 for point in others})
        dice = rng.integers(1, 7, size=2)
        a, b = int(dice.max()), int(dice.min())
        numbers = (a,) * 4 if a == b else (a, b)
        state = setup(own, other, (a, b), seat)
        expected = legal(side(state, seat), side(state, 1 - seat), numbers)
        mask = np.zeros(150, np.bool_)
        RULES.legal_actions(state, mask)
        assert {(a // 6 + 1, a % 6 + 1) for a in np.flatnonzero(mask).tolist()} == expected
        assert state["current_player"] == (seat if expected else CHANCE)
        assert state["turn"] == (seat if expected else 1 - seat)
        if len(numbers) == 2:
            kinds[most(side(state, seat), side(state, 1 - seat), numbers)] += 1
    assert min(kinds[n] for n in range(3)) > 30, kinds


def test_the_higher_number_if_either_but_not_both_can_be_played():
    assert moves(setup({24: 1}, {25 - 13: 2}, (6, 5))) == {"24/18"}
    assert moves(setup({24: 1}, {25 - 18: 2}, (6, 5))) == {"24/19"}, "or else the lower"


def test_a_number_that_prevents_the_other_is_not_played():
    state = setup({25: 1, 8: 1}, {25 - 21: 2, 25 - 2: 2, 25 - 15: 2, 25 - 4: 2}, (6, 4))
    assert moves(state) == {"bar/19"}
    state = setup({10: 1, 5: 1}, {25 - 4: 2}, (6, 5))
    assert moves(state) == {"10/5"}, "10/4 is closed; both are played by 10/5, then 5/off"


def test_bearing_off():
    assert moves(setup({6: 1, 4: 1, 2: 1}, {}, (6, 5))) == {"6/off", "6/1"}
    assert moves(setup({4: 2, 2: 1}, {}, (6, 5))) == {"4/off:6", "4/off:5"}
    assert moves(setup({7: 1, 2: 1}, {}, (6, 2))) == {"7/1", "7/5"}, "not 2/off while one is outside"
    assert moves(setup({6: 1, 3: 1}, {25 - 1: 2}, (5, 5))) == set(), "6/1 is closed, and 3 is not the highest"


@pytest.mark.parametrize(
    ("loser", "scoring", "points"),
    [
        ({1: 14}, "full", 1),
        ({1: 15}, "winloss", 1),
        ({18: 1, 1: 14}, "full", 2),
        ({19: 1, 1: 14}, "full", 3),
        ({25: 1, 1: 14}, "full", 3),
    ],
)
def test_gammons_and_backgammons(loser, scoring, points):
    state = setup({2: 1}, loser, (6, 5))
    state["full"] = scoring == "full"
    RULES.apply(state, backgammon.parse_action(state, "2/off:6"))
    out = np.zeros(2, np.float32)
    RULES.returns(state, out)
    assert state["current_player"] == TERMINAL
    assert out.tolist() == [points, -points]


def test_a_game_without_end_is_drawn():
    state = setup({24: 2}, {24: 2}, (2, 1))
    state["length"] = backgammon.LONGEST - 1
    RULES.apply(state, backgammon.parse_action(state, "24/23"))
    out = np.zeros(2, np.float32)
    RULES.returns(state, out)
    assert state["current_player"] == TERMINAL
    assert out.tolist() == [0, 0]


@njit
def rolls(state, n):
    """Return the frequency of each outcome in `n` draws from the record's stream."""
    counts, chances = np.zeros(36, np.int64), np.zeros(36)
    for _ in range(n):
        chances[:] = 0
        chance_outcomes(state, chances)
        counts[pick(chances, draw(state))] += 1
    return counts


@pytest.mark.full
@pytest.mark.parametrize("seed", range(5))
def test_dice_of_one_stream_are_fair(seed):
    state = make_game("backgammon").initial.reshape(1).copy()[0]
    reseed(state, seed)
    assert chi_square_excess(rolls(state, 30_000), OPENING) < ONE_IN_A_MILLION
    state["dice"] = 1
    assert chi_square_excess(rolls(state, 100_000), TWO_DICE) < ONE_IN_A_MILLION


def test_dice_over_many_games_are_fair():
    """The opening roll, whose higher die begins, and the roll after it, before which nothing can block a player."""
    env = GameVectorEnv(make_game("backgammon"), 8000)
    env.reset(seed=3)
    assert (env.states["dice"][:, 0] > env.states["dice"][:, 1]).all()
    seats, dice = env.seats.astype(int), env.states["dice"] - 1
    of_seat_0, of_seat_1 = dice[np.arange(8000), seats], dice[np.arange(8000), 1 - seats]
    assert chi_square_excess(np.bincount(of_seat_0 * 6 + of_seat_1, minlength=36), OPENING) < ONE_IN_A_MILLION
    for _ in range(2):
        env.step(env.mask.argmax(axis=1))
    assert (env.seats == 1 - seats).all()
    high, low = (env.states["dice"] - 1).T
    assert chi_square_excess(np.bincount(high * 6 + low, minlength=36), TWO_DICE) < ONE_IN_A_MILLION


def test_a_line_in_the_usual_notation():
    state = setup(backgammon.START, backgammon.START, (6, 5))
    for text in ("24/18", "18/13"):
        action = backgammon.parse_action(state, text)
        assert backgammon.action_text(state, action) == text
        RULES.apply(state, action)
    assert state["checkers"][0, 13] == 6
    assert state["current_player"] == CHANCE
    assert moves(setup({25: 1, 13: 1}, {25 - 20: 1}, (5, 5))) == {"bar/20*"}


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("BAR/20*", 148),
        ("6/off", 35),
        ("4/off", 22),
        ("4/off:6", 23),
        ("1/OFF", 4),
        ("bar/off", None),
        ("4/off:3", None),
    ],
)
def test_reading_moves(text, action):
    state = setup({6: 1, 4: 1}, {}, (6, 5))
    if action is None:
        with pytest.raises(UsageError, match="type a point and where to"):
            backgammon.parse_action(state, text)
    else:
        assert backgammon.parse_action(state, text) == action


def test_the_first_position_in_text():
    state = setup(backgammon.START | {6: 6, 8: 2}, backgammon.START, (3, 1))
    assert backgammon.picture(state).text(ascii_only=True) == "\n".join(
        [
            "   13  14  15  16  17  18 bar  19  20  21  22  23  24 off",
            " +---+---+---+---+---+---+---+---+---+---+---+---+---+---+",
            " | O |   |   |   | X |   |   | X |   |   |   |   | O |   |",
            " | O |   |   |   | X |   |   | X |   |   |   |   | O |   |",
            " | O |   |   |   | X |   |   | X |   |   |   |   |   |   |",
            " | O |   |   |   |   |   |   | X |   |   |   |   |   |   |",
            " | O |   |   |   |   |   |   | X |   |   |   |   |   |   |",
            " |   |   |   |   |   |   |   |   |   | 3 | 1 |   |   |   |",
            " | X |   |   |   |   |   |   | 6 |   |   |   |   |   |   |",
            " | X |   |   |   |   |   |   | O |   |   |   |   |   |   |",
            " | X |   |   |   |   |   |   | O |   |   |   |   |   |   |",
            " | X |   |   |   | O |   |   | O |   |   |   |   | X |   |",
            " | X |   |   |   | O |   |   | O |   |   |   |   | X |   |",
            " +---+---+---+---+---+---+---+---+---+---+---+---+---+---+",
            "   12  11  10  9   8   7       6   5   4   3   2   1",
            "player 1 has to play 3 1",
        ]
    )


def test_options():
    with pytest.raises(UsageError, match="scoring='money' is none of 'winloss', 'full'"):
        make_game("backgammon:scoring=money")
    with pytest.raises(UsageError, match="scoring='money' is none of 'winloss', 'full'"):
        backgammon.env(scoring="money")
