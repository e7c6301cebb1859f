"""Games in which all choose at once, stepped with the choices of all seats."""

import numpy as np
import pytest

from arena.env.native import GameVectorEnv
from games import tron
from games.engine.errors import GameOverError, IllegalActionError, UsageError
from games.engine.game import TERMINAL
from games.engine.registry import make_game
from tests.games.playing import SPECS, random_actions

SIMULTANEOUS = [spec for spec in SPECS if make_game(spec).simultaneous]
NONSENSE = 10**6

all_of_them = pytest.mark.parametrize("spec", SIMULTANEOUS)


def begun(spec, num_envs, seed=0):
    env = GameVectorEnv(make_game(spec), num_envs)
    env.reset(seed=seed)
    return env


def choices(env, rng, rows=None):
    """Legal choices [R, P] of all seats; nonsense for those that have none."""
    masks = env.joint_masks(rows)
    picked = random_actions(masks.reshape(-1, masks.shape[2]), rng).reshape(masks.shape[:2])
    return np.where(masks.any(axis=2), picked, NONSENSE)


def snapshot(env):
    return [array.copy() for array in (env.states, env.seats, env.observations().obs, env.mask, env.over)]


def same(one, other):
    return all((a == b).all() for a, b in zip(one, other, strict=True))


@all_of_them
def test_a_joint_step_is_every_seats_step_in_turn(spec):
    """Over whole games: positions, observations, rewards and ends; seats that are out are left out of both."""
    joint, turns = begun(spec, 12, seed=1), begun(spec, 12, seed=1)
    rng = np.random.default_rng(1)
    while not joint.over.all():
        rows = np.flatnonzero(~joint.over)
        chosen = choices(joint, rng, rows)
        obs, rewards, terminated, truncated, _ = joint.step_joint(chosen, rows)
        totals = np.zeros_like(rewards)
        for j, row in enumerate(rows):
            for seat in range(joint.num_agents):
                if chosen[j, seat] != NONSENSE:
                    assert turns.seats[row] == seat
                    last = turns.step(chosen[j, [seat]], row)
                    totals[j] += last[1][0]
            assert (last[2][0] == terminated[j]).all()
            assert (last[3][0] == truncated[j]).all()
        assert (totals == rewards).all()
        assert same(snapshot(joint), snapshot(turns))
        assert obs == turns.observations(rows)
    assert (joint.states["current_player"] == TERMINAL).all()


@all_of_them
@pytest.mark.parametrize("action", [-1, NONSENSE])
def test_one_illegal_choice_and_nothing_is_played(spec, action):
    env = begun(spec, 3)
    rng = np.random.default_rng(2)
    for seat in range(env.num_agents):
        before, chosen = snapshot(env), choices(env, rng)
        chosen[1, seat] = action
        with pytest.raises(IllegalActionError, match=rf"environment 1: action {action} is illegal; legal are \["):
            env.step_joint(chosen)
        assert same(before, snapshot(env))


@pytest.mark.parametrize("spec", [spec for spec in SIMULTANEOUS if spec.startswith(("goofspiel", "tron"))])
def test_what_a_seat_may_not_choose_is_illegal_for_it_alone(spec):
    env = begun(spec, 1)
    env.step_joint(np.array([[seat % 2 for seat in range(env.num_agents)]]))
    masks, before = env.joint_masks()[0], snapshot(env)
    assert masks.any(axis=1).all(), "all are still there"
    legal = masks.argmax(axis=1)
    for seat in range(env.num_agents):
        wrong = legal.copy()
        wrong[seat] = masks[seat].argmin()
        with pytest.raises(
            IllegalActionError, match=f"legal are {np.flatnonzero(masks[seat]).tolist()}".replace("[", r"\[")
        ):
            env.step_joint(wrong[None])
        assert same(before, snapshot(env))
    env.step_joint(legal[None])


def test_a_seat_that_is_out_is_not_asked_whatever_stands_for_it():
    spec = "tron:players=4,rows=6,columns=7"
    env, other = begun(spec, 40), begun(spec, 40)
    rng = np.random.default_rng(3)
    ignored = 0
    while not env.over.all():
        rows = np.flatnonzero(~env.over)
        chosen = choices(env, rng, rows)
        out = env.states["fell"][rows] != tron.RIDING
        assert (out == (chosen == NONSENSE)).all()
        env.step_joint(chosen, rows)
        other.step_joint(np.where(out, 0, chosen), rows)
        assert same(snapshot(env), snapshot(other))
        ignored += out.sum()
    assert ignored > 40


@all_of_them
def test_joint_masks_are_what_each_seat_is_asked_in_turn(spec):
    env = begun(spec, 1)
    rng = np.random.default_rng(4)
    while not env.over[0]:
        masks = env.joint_masks()
        for seat in np.flatnonzero(masks[0].any(axis=1)):
            assert env.seats[0] == seat
            assert (env.mask[0] == masks[0, seat]).all()
            assert (env.joint_masks()[0, seat:] == masks[0, seat:]).all(), "not changed by what others choose"
            env.step(random_actions(env.mask, rng))
    assert env.joint_masks().all(), "all True in a finished game"


@all_of_them
def test_a_finished_game_takes_no_choices(spec):
    env = begun(spec, 2)
    rng = np.random.default_rng(5)
    while not env.over[0]:
        env.step_joint(choices(env, rng, [0]), [0])
    before, chosen = snapshot(env), np.where(env.joint_masks().any(axis=2), 0, NONSENSE)
    with pytest.raises(GameOverError, match="environment 0: the game is over; reset"):
        env.step_joint(chosen)
    assert same(before, snapshot(env))


@all_of_them
def test_choices_are_whole_numbers_one_a_seat(spec):
    env = begun(spec, 2)
    seats = env.num_agents
    for wrong in (np.zeros((2, seats)), np.zeros((1, seats), int), np.zeros((2, seats + 1), int), np.zeros(2, int)):
        with pytest.raises(UsageError, match=rf"step_joint takes whole numbers \[2, {seats}\]"):
            env.step_joint(wrong)


def test_games_of_turns_have_no_joint_step():
    env = begun("connect_four", 1)
    with pytest.raises(UsageError, match="connect_four is played in turns"):
        env.step_joint(np.zeros((1, 2), int))
