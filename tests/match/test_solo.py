"""Games as Gymnasium environments of one agent against others."""

import subprocess
import sys

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import arena.match.gymnasium  # noqa: F401  # registers the games
from arena.base.errors import UsageError
from arena.match.solo import SoloEnv
from arena.policy.registry import GAMES, make_game


def play_out(env, policy, seed) -> tuple[float, int]:
    """One game; the return and the number of the agent's moves."""
    _, info = env.reset(seed=seed)
    total, moves, over = 0.0, 0, False
    while not over:
        _, reward, terminated, truncated, info = env.step(policy(info["action_mask"]))
        total, moves, over = total + reward, moves + 1, terminated or truncated
    return total, moves


@pytest.mark.filterwarnings("ignore::UserWarning")  # the checker would rather see other spaces
@pytest.mark.parametrize("name", GAMES.names())
def test_gymnasium_finds_every_game_and_has_nothing_against_it(name):
    title = "".join(word.capitalize() for word in name.split("_"))
    env = gym.make(f"arena/{title}-v0", opponent="random", seat=None)
    assert env.unwrapped.game.name == name
    check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.full
def test_the_module_is_imported_by_make_itself_and_brings_nothing_heavy():
    code = """
import sys, gymnasium
env = gymnasium.make("arena.match.gymnasium:arena/ConnectFour-v0", opponent="random")
assert not {"torch", "pettingzoo"} & set(sys.modules)
print(env.unwrapped.game.label)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "connect_four(rows=6, columns=7, k=4)\n"


@pytest.mark.full
@pytest.mark.parametrize("seat", [0, 1])
def test_a_searching_opponent_beats_random_moves_on_either_seat(seat):
    env = gym.make("arena/ConnectFour-v0", opponent="alphabeta:2", seat=seat)
    rng = np.random.default_rng(0)
    results = [play_out(env, lambda mask: rng.choice(np.flatnonzero(mask)), seed)[0] for seed in range(20)]
    assert np.mean(results) < -0.7
    assert env.unwrapped.seat == seat


def test_seats_are_drawn_and_seeds_decide():
    env = SoloEnv("kuhn_poker", opponent="random", seat=None)
    seats, firsts = [], []
    for seed in (*range(12), *range(12)):
        obs, info = env.reset(seed=seed)
        seats.append(info["seat"])
        firsts.append(obs["observation"].tolist())
    assert set(seats) == {0, 1}
    assert seats[:12] == seats[12:]
    assert firsts[:12] == firsts[12:]


def test_games_that_end_before_the_first_turn_are_played_again():
    env = SoloEnv("texas_holdem", opponent="random", seat=1)
    for seed in range(40):  # the other folds at once in every fourth
        _, info = env.reset(seed=seed)
        env.step(int(info["action_mask"].argmax()))


@pytest.mark.full
def test_an_illegal_move_loses_and_what_is_no_action_is_refused():
    env = SoloEnv("tic_tac_toe", render_mode="ansi")
    with pytest.raises(UsageError, match="not yet begun"):
        env.step(0)
    env.reset(seed=1)
    env.step(4)
    for wrong in (9, -1, 0.5, True, np.True_, None, [0]):
        with pytest.raises(UsageError, match="is not a whole number below 9"):
            env.step(wrong)
    assert "●" in env.render()
    obs, reward, terminated, truncated, _ = env.step(4)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert obs["action_mask"].all()
    with pytest.raises(UsageError, match="the game is over"):
        env.step(0)


def test_options_and_cut_games():
    env = gym.make("arena/RockPaperScissors-v0", options={"max_cycles": 3})
    env.reset(seed=2)
    told = [env.step(0) for _ in range(3)]
    assert [(terminated, truncated) for _, _, terminated, truncated, _ in told] == [(False, False)] * 2 + [
        (False, True)
    ]
    assert isinstance(told[0][0], int)
    assert SoloEnv("connect_four", options={"rows": 4}).game is make_game("connect_four:rows=4")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seat": 2}, "seat=2 is not between 0 and 1, the seats of tic_tac_toe"),
        ({"opponent": "randm"}, "unknown agent 'randm'"),
        ({"options": {"m": 0}}, "m=0 is not between 1 and 20"),
        ({"render_mode": "human"}, "unknown render_mode 'human'"),
    ],
)
def test_what_cannot_be_made(options, message):
    with pytest.raises(UsageError, match=message):
        SoloEnv("tic_tac_toe", **options)
