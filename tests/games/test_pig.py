"""Pig beside a plain version of its rules, its die, and what is known about it."""

from functools import cache

import numpy as np
import pytest

from arena.env.native import GameVectorEnv
from games import pig
from games.engine.errors import UsageError
from games.engine.game import CHANCE, TERMINAL
from games.engine.registry import make_game
from tests.games.chance import ONE_IN_A_MILLION, chi_square_excess
from tests.rules_by_hand import rules_of


def position(game, **fields):
    """The record of a position with some fields set."""
    states = game.initial.reshape(1).copy()
    for name, value in fields.items():
        states[name] = value
    return states[0]


@pytest.mark.parametrize("options", [{}, {"players": 3, "target": 40, "sides": 4}, {"players": 2, "horizon": 30}])
def test_random_games_beside_plain_rules(options):
    game = make_game("pig", **options)
    env = GameVectorEnv(game, 1)
    rng = np.random.default_rng(3)
    wins = draws = 0
    for seed in range(40):
        env.reset(seed=seed)
        scores, total, turn, length = [0] * game.num_players, 0, 0, 0
        while True:
            enough = scores[turn] + total >= game.options["target"]
            assert env.mask[0].tolist() == [not enough, True]
            assert env.seats[0] == turn
            action = pig.HOLD if enough else int(rng.random() < 0.1)
            _, rewards, _, _, _ = env.step([action])
            length += 1
            if action == pig.HOLD:
                scores[turn] += total
            elif (roll := int(env.states["last_roll"][0])) > 1:
                total += roll
            winner = turn if scores[turn] >= game.options["target"] else None
            if action == pig.HOLD or roll == 1:
                total, turn = 0, (turn + 1) % game.num_players
            assert env.states["scores"][0].tolist() == scores
            assert env.states["turn_total"][0] == total
            assert env.over[0] == (winner is not None or length == game.options["horizon"])
            if env.over[0]:
                break
            assert not rewards.any()
        others = -1 / (game.num_players - 1)
        expected = [0 if winner is None else 1 if seat == winner else others for seat in range(game.num_players)]
        assert rewards[0].tolist() == pytest.approx(expected)
        wins, draws = wins + (winner is not None), draws + (winner is None)
    assert draws if "horizon" in options else wins


def test_the_die_is_fair_in_each_game_and_over_all():
    game = make_game("pig", target=1000, sides=5, horizon=600)
    env = GameVectorEnv(game, 200)
    env.reset(seed=0)
    counts = np.zeros((200, 5), np.int64)
    for _ in range(game.max_length):
        env.step(np.where(env.mask[:, pig.ROLL], pig.ROLL, pig.HOLD))
        counts[np.arange(200), env.states["last_roll"] - 1] += 1
    assert chi_square_excess(counts.sum(axis=0), np.full(5, 0.2)) < ONE_IN_A_MILLION
    assert max(chi_square_excess(row, np.full(5, 0.2)) for row in counts) < ONE_IN_A_MILLION


def test_holding_at_20_gains_8_14_points_a_turn():
    """From the game's own outcomes, exactly; 62.45 % of such turns gain nothing (Neller and Presser, 2004)."""
    game = make_game("pig")
    rules = rules_of(game)

    @cache
    def gain(total):
        """Expected gain, and the chance of none, of a turn that has come so far."""
        if total >= 20:
            return total, 0.0
        state = position(game, turn_total=total)
        rules.apply(state, pig.ROLL)
        assert state["current_player"] == CHANCE
        probabilities = np.zeros(6)
        rules.chance_outcomes(state, probabilities)
        mean, nothing = 0.0, 0.0
        for side, probability in enumerate(probabilities):
            after = state.copy()
            rules.apply(after, side)
            more, none = gain(int(after["turn_total"])) if after["current_player"] == 0 else (0, 1)
            mean, nothing = mean + probability * more, nothing + probability * none
        return mean, nothing

    assert gain(0) == pytest.approx((8.14, 0.6245), abs=0.005)


def test_a_seat_sees_itself_first_and_no_more_than_the_target():
    game = make_game("pig", players=3, target=5, sides=20)
    observation = np.empty(game.observation_shape, np.int8)
    rules_of(game).observe(position(game, scores=[1, 2, 3], turn_total=19), 1, observation)
    assert observation.argmax(axis=1).tolist() == [5, 2, 3, 1]
    assert observation.sum(axis=1).tolist() == [1, 1, 1, 1]


def test_the_last_action_before_the_horizon_can_still_win():
    game = make_game("pig", target=10, horizon=7)
    state = position(game, scores=[4, 0], turn_total=6, length=6)
    rules_of(game).apply(state, pig.HOLD)
    out = np.zeros(2, np.float32)
    rules_of(game).returns(state, out)
    assert state["current_player"] == TERMINAL
    assert out.tolist() == [1, -1]


@pytest.mark.parametrize(
    ("option", "value", "limits"),
    [
        ("players", 1, "2 and 10"),
        ("players", 11, "2 and 10"),
        ("target", 0, "1 and 1,000"),
        ("sides", 1, "2 and 100"),
        ("horizon", 0, "1 and 30,000"),
    ],
)
def test_options_out_of_range(option, value, limits):
    with pytest.raises(UsageError, match=f"pig: {option}={value} is not between {limits}"):
        make_game("pig", **{option: value})
