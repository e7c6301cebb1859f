"""Kalah beside a plain version of its rules, and its special cases by hand."""

import numpy as np
import pytest

from games.engine.errors import UsageError
from games.engine.registry import make_game
from tests.games.playing import positions, random_line
from tests.games.test_rules import play


class Reference:
    """One ring of pits: the houses of player 0, its store, the houses of player 1, its store."""

    def __init__(self, houses, seeds, empty_capture, sweep):
        self.houses, self.empty_capture, self.sweep = houses, empty_capture, sweep
        self.ring = ([seeds] * houses + [0]) * 2
        self.seat, self.over = 0, False

    def rows(self):
        return [self.ring[: self.houses + 1], self.ring[self.houses + 1 :]]

    def legal(self):
        return [house for house in range(self.houses) if self.rows()[self.seat][house]]

    def play(self, house):
        stores = (self.houses, 2 * self.houses + 1)
        at = self.seat * (self.houses + 1) + house
        own = range(self.seat * (self.houses + 1), stores[self.seat])
        hand, self.ring[at] = self.ring[at], 0
        while hand:
            at = (at + 1) % len(self.ring)
            if at != stores[1 - self.seat]:
                self.ring[at] += 1
                hand -= 1
        opposite = 2 * self.houses - at
        if at in own and self.ring[at] == 1 and (self.ring[opposite] or self.empty_capture):
            self.ring[stores[self.seat]] += self.ring[opposite] + 1
            self.ring[at] = self.ring[opposite] = 0
        if at != stores[self.seat]:
            self.seat = 1 - self.seat
        rows = self.rows()
        if not any(rows[0][:-1]) or not any(rows[1][:-1]):
            self.over = True
            if self.sweep:
                self.ring = [seeds for row in rows for seeds in [0] * self.houses + [sum(row)]]

    def winner(self):
        lead = self.rows()[0][-1] - self.rows()[1][-1]
        return 0 if lead > 0 else 1 if lead else -1


@pytest.mark.parametrize("houses", [1, 4, 6])
@pytest.mark.parametrize("options", [{}, {"empty_capture": True}, {"sweep": False}])
def test_random_games_beside_the_reference(houses, options):
    again = 0
    for seeds in (1, 3, 4, 12):
        game = make_game("kalah", houses=houses, seeds=seeds, **options)
        spec = "kalah:" + ",".join(f"{key}={str(value).lower()}" for key, value in game.options.items())
        for seed in range(8):
            reference = Reference(**game.options)
            for action, (state, mask) in zip([*random_line(spec, seed), None], positions(game, seed), strict=True):
                assert state["seeds"].tolist() == reference.rows()
                assert reference.over == (action is None)
                if action is None:
                    assert state["winner"] == reference.winner()
                else:
                    assert state["current_player"] == reference.seat
                    assert np.flatnonzero(mask).tolist() == reference.legal()
                    before = reference.seat
                    reference.play(action)
                    again += before == reference.seat and not reference.over
    assert again or houses == 1


def seeds_after(spec, moves):
    return play(spec, moves).states["seeds"][0].tolist()


def test_the_last_seed_in_the_store_gives_another_move():
    env = play("kalah", "3")
    assert env.states["seeds"][0].tolist() == [[4, 4, 0, 5, 5, 5, 1], [4, 4, 4, 4, 4, 4, 0]]
    assert env.seats[0] == 0
    env = play("kalah", "3 1")
    assert env.seats[0] == 1


def test_a_last_seed_alone_captures_what_is_opposite():
    assert seeds_after("kalah:houses=4,seeds=1", "2 1 1") == [[0, 0, 2, 1, 2], [0, 2, 0, 1, 0]]


def test_a_seed_that_went_all_the_way_round_captures_as_well():
    assert seeds_after("kalah:houses=1,seeds=3", "1") == [[0, 6], [0, 0]]


@pytest.mark.parametrize(("empty_capture", "row"), [("false", [1, 0, 1, 0, 3]), ("true", [1, 0, 0, 0, 4])])
def test_nothing_opposite(empty_capture, row):
    spec = f"kalah:houses=4,seeds=1,empty_capture={empty_capture}"
    assert seeds_after(spec, "4 3 2 2") == [row, [0, 0, 2, 1, 0]]


def test_what_is_left_goes_to_its_owner_or_to_nobody():
    assert seeds_after("kalah:houses=1,seeds=2", "1") == [[0, 1], [0, 3]]
    assert seeds_after("kalah:houses=1,seeds=2,sweep=false", "1") == [[0, 1], [3, 0]]


def test_two_figures_fit_into_the_picture():
    env = play("kalah:houses=4,seeds=11", "1")
    assert env.game.picture(env.states[0]).text(ascii_only=True) == "\n".join(
        [
            "           4    3    2    1",
            "    +----+----+----+----+----+----+",
            "O 2 |  0 | 12 | 12 | 12 | 12 |    |",
            "X 1 |    |[ 1]| 13 | 13 | 12 |  1 |",
            "    +----+----+----+----+----+----+",
            "           1    2    3    4",
        ]
    )


@pytest.mark.parametrize("option", ["houses", "seeds"])
@pytest.mark.parametrize("value", [0, 13])
def test_numbers_out_of_range(option, value):
    with pytest.raises(UsageError, match=f"kalah: {option}={value} is not between 1 and 12"):
        make_game("kalah", **{option: value})
