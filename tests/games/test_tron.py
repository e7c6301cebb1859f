"""Tron beside a plain version of its rules, and what happens to those who crash."""

import numpy as np
import pytest

from arena.env.native import GameVectorEnv
from games import tron
from games.engine.errors import UsageError
from games.engine.game import TERMINAL
from games.engine.registry import make_game
from tests.games.chance import ONE_IN_A_MILLION, chi_square_excess
from tests.games.playing import random_actions

pytestmark = pytest.mark.full

STEPS = {0: (-1, 0), 1: (0, 1), 2: (1, 0), 3: (0, -1)}
UP, RIGHT, DOWN, LEFT = STEPS


class Reference:
    """The rules on a set of free cells."""

    def __init__(self, rows, columns, heads):
        self.free = {(row, column) for row in range(rows) for column in range(columns)} - set(heads.values())
        self.heads = heads
        self.last = {}
        self.crashed = []
        """Seats in the order in which they crashed, a set for each time."""

    def play(self, choices):
        goals = {}
        for seat in self.heads:
            row, column = self.heads[seat]
            down, right = STEPS[choices[seat]]
            goals[seat] = (row + down, column + right)
        out = {seat for seat, goal in goals.items() if goal not in self.free or list(goals.values()).count(goal) > 1}
        self.heads = {seat: goal for seat, goal in goals.items() if seat not in out}
        self.last = {seat: choices[seat] for seat in self.heads}
        self.free -= set(self.heads.values())
        if out:
            self.crashed.append(out)

    def returns(self, players):
        winners = set(self.heads) or self.crashed[-1]
        losers = players - len(winners)
        return [0 if not losers else 1 / len(winners) if seat in winners else -1 / losers for seat in range(players)]


@pytest.mark.parametrize(
    "options", [{}, {"players": 4, "rows": 6, "columns": 7}, {"players": 4, "rows": 3, "columns": 3}]
)
def test_random_games_beside_the_reference(options):
    game = make_game("tron", **options)
    env = GameVectorEnv(game, 1)
    rng = np.random.default_rng(4)
    together = out_early = 0
    for _ in range(120):
        env.reset()
        heads = {seat: tuple(head) for seat, head in enumerate(env.states["heads"][0].tolist())}
        reference = Reference(game.options["rows"], game.options["columns"], heads)
        while not env.over[0]:
            masks = env.joint_masks()[0]
            for seat, mask in enumerate(masks):
                back = {(reference.last[seat] + 2) % 4} if seat in reference.last else set()
                assert set(np.flatnonzero(mask).tolist()) == (
                    set(range(4)) - back if seat in reference.heads else set()
                )
            choices = random_actions(masks, rng)
            _, rewards, _, _, _ = env.step_joint(choices[None])
            reference.play(choices.tolist())
            state = env.states[0]
            assert {tuple(cell) for cell in np.argwhere(state["walls"] < 0).tolist()} == reference.free
            riding = np.flatnonzero(state["fell"] == tron.RIDING).tolist()
            assert riding == sorted(reference.heads)
            assert all(tuple(state["heads"][seat].tolist()) == reference.heads[seat] for seat in riding)
            assert env.over[0] == (len(riding) <= 1)
        assert rewards[0].tolist() == pytest.approx(reference.returns(game.num_players))
        together += len(reference.crashed[-1]) > 1
        out_early += len(reference.crashed) > 1
    assert together
    assert out_early or game.num_players == 2


def play(options, *rounds):
    """The environment after rounds of choices, as `("up", "left")`; a crashed seat's is ignored."""
    env = GameVectorEnv(make_game("tron", **options), 1)
    env.reset()
    for choices in rounds:
        env.step_joint(np.array([[tron.WORDS.index(word) for word in choices]]))
    return env


def test_cycles_that_meet_in_a_cell_crash_both():
    env = play({"rows": 5, "columns": 3}, ("right", "left"))
    assert env.over[0]
    assert env.states["fell"][0].tolist() == [1, 1]
    assert env.states["walls"][0, 2].tolist() == [0, -1, 1], "nobody has entered it"


def test_cycles_that_change_places_crash_both():
    env = play({"rows": 3, "columns": 4}, ("right", "left"))
    assert env.states["current_player"][0] == TERMINAL
    assert env.states["fell"][0].tolist() == [1, 1]


def test_who_has_crashed_is_not_asked_again_and_its_wall_remains():
    env = play(
        {"players": 3, "rows": 8, "columns": 8}, ("left", "up", "up"), ("left", "up", "up"), ("left", "up", "up")
    )
    assert env.states["fell"][0].tolist() == [3, tron.RIDING, 3]
    assert env.over[0]
    env = play({"players": 3, "rows": 8, "columns": 8}, *[("left", "up", "down")] * 3)
    assert env.states["fell"][0].tolist() == [3, tron.RIDING, tron.RIDING]
    assert env.seats[0] == 1
    assert not env.joint_masks()[0, 0].any()
    assert env.states["walls"][0, 3, :3].tolist() == [0, 0, 0]
    assert not env.final_obs().obs[0, 0, :, :, 1].any(), "it rides no more"


def test_an_unseen_choice_is_guessed_each_direction_alike():
    env = GameVectorEnv(make_game("tron", players=3), 3000)
    env.reset(seed=0)
    env.step(np.full(3000, UP))
    counts = np.bincount(env.positions()["chosen"][:, 0], minlength=4)
    assert chi_square_excess(counts, np.full(4, 0.25)) < ONE_IN_A_MILLION
    env.step(np.full(3000, UP))
    env.step(np.full(3000, UP))
    env.step(np.full(3000, LEFT))
    env.step(np.full(3000, LEFT))
    chosen = env.positions()["chosen"]
    pairs = np.bincount(chosen[:, 0] * 4 + chosen[:, 1], minlength=16)
    assert chi_square_excess(pairs, np.outer([1, 1, 0, 1], [1, 1, 0, 1]).reshape(-1) / 9) < ONE_IN_A_MILLION


def test_a_board_in_text():
    env = play({"players": 3, "rows": 4, "columns": 6}, ("left", "right", "up"), ("left", "up", "left"))
    assert env.game.picture(env.states[0]).text(ascii_only=True) == "\n".join(
        [
            "    a   b   c   d   e   f",
            "  +---+---+---+---+---+---+",
            "1 |   |   | 3 | # |   |   |",
            "2 | x | X |   | # |   | 2 |",
            "3 |   |   |   |   | O | O |",
            "4 |   |   |   |   |   |   |",
            "  +---+---+---+---+---+---+",
            "player 1 crashed in round 2",
        ]
    )


@pytest.mark.parametrize("rows", range(3, 9))
@pytest.mark.parametrize("columns", [3, 4, 5, 20])
def test_cycles_begin_apart_and_a_half_turn_exchanges_them(rows, columns):
    starts = tron.starts(rows, columns)
    assert len(set(starts)) == 4
    assert all(0 <= row < rows and 0 <= column < columns for row, column in starts)
    turned = [(rows - 1 - row, columns - 1 - column) for row, column in starts]
    assert turned == [starts[1], starts[0], starts[3], starts[2]]


@pytest.mark.parametrize(
    ("option", "value", "limits"), [("players", 5, "2 and 4"), ("rows", 2, "3 and 20"), ("columns", 21, "3 and 20")]
)
def test_options_out_of_range(option, value, limits):
    with pytest.raises(UsageError, match=f"tron: {option}={value} is not between {limits}"):
        make_game("tron", **{option: value})
