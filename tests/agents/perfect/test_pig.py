"""Optimal pig: published figures, a plain solution of small games, and play."""

import numpy as np
import pytest

import games
from agents.perfect.pig import PigSolver
from arena.base.errors import UsageError
from arena.match.batch import Pairing, play_matches
from arena.policy.registry import make_agent

pytestmark = pytest.mark.full


def position(game, own=0, other=0, total=0, seat=0):
    state = game.initial.copy()
    state["turn"] = state["current_player"] = seat
    state["scores"][seat], state["scores"][1 - seat], state["turn_total"] = own, other, total
    return state


def test_the_first_player_wins_as_often_as_published():
    """Neller and Presser: 53.06 %, and at the start one holds with 21."""
    game = games.make("pig")
    solver = PigSolver(game)
    assert (1 + solver.value(position(game))) / 2 == pytest.approx(0.5306, abs=1e-4)
    rolls = [solver.best(position(game, total=total))[0].tolist() for total in (20, 21)]
    assert rolls == [[True, False], [False, True]]


def plain_chances(target, sides):
    """The chance to win of each position, by repeating its definition until nothing changes."""
    states = [(i, j, k) for i in range(target) for j in range(target) for k in range(target - i)]
    chances = dict.fromkeys(states, 0.5)

    def chance(i, j, k):
        return 1.0 if i + k >= target else chances[i, j, k]

    change = 1.0
    while change > 1e-9:
        change = 0.0
        for i, j, k in states:
            roll = (1 - chance(j, i, 0) + sum(chance(i, j, k + side) for side in range(2, sides + 1))) / sides
            value = max(roll, 1 - chance(j, i + k, 0))
            change = max(change, abs(value - chances[i, j, k]))
            chances[i, j, k] = value
    return chances


@pytest.mark.parametrize(("target", "sides"), [(12, 6), (9, 2), (7, 10)])
def test_small_games_have_the_chances_of_their_definition(target, sides):
    game = games.make("pig", target=target, sides=sides)
    solver = PigSolver(game)
    for (own, other, total), chance in plain_chances(target, sides).items():
        for seat in (0, 1):
            assert (1 + solver.value(position(game, own, other, total, seat))) / 2 == pytest.approx(chance, abs=1e-6)


def test_it_wins_against_others_and_holds_when_it_has_enough():
    game = games.make("pig", target=20)
    players = [("perfect", make_agent("perfect", game)), ("random", make_agent("random", game))]
    records = play_matches(game, players, [Pairing((i % 2, 1 - i % 2), seed=i) for i in range(200)], 0)
    assert np.mean([record.verdict.returns[i % 2] for i, record in enumerate(records)]) > 0.6
    best, value = PigSolver(game).best(position(game, own=15, total=6))
    assert (best.tolist(), value) == ([False, True], 1.0)


@pytest.mark.parametrize("options", [{"players": 3}, {"target": 300}, {"horizon": 100}])
def test_other_games_of_pig_are_refused(options):
    with pytest.raises(UsageError, match="perfect: pig is solved for two, up to a target of 200"):
        make_agent("perfect", games.make("pig", **options))
