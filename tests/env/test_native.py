"""`GameVectorEnv`: saving and going on, ids, and a game in which turns do not alternate."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.base.errors import UsageError
from arena.collector import Collector
from arena.data.flat import flatten, unflatten
from arena.env import GameVectorEnv, GymVectorEnv, row_threads
from arena.policy.random import RandomPolicy
from tests.agents.pile import game as pile
from tests.games.playing import SPECS, random_actions


def advanced(env: GameVectorEnv, rng: np.random.Generator, moves: int) -> list:
    """Random moves, finished games beginning anew; the bytes of everything that was returned."""
    told = []
    for _ in range(moves):
        env.reset(np.flatnonzero(env.over))
        obs, rew, terminated, truncated, _ = env.step(random_actions(env.mask, rng))
        final = env.final_obs()
        arrays = (obs.agent_id, obs.obs, obs.mask, rew, terminated, truncated, final.obs, final.mask, env.over)
        told.append([array.tobytes() for array in arrays])
    return told


@pytest.mark.full
@pytest.mark.parametrize("spec", SPECS)
def test_a_restored_environment_goes_on_alike(spec):
    env, other = GameVectorEnv(spec, 6), GameVectorEnv(spec, 6)
    env.reset()
    advanced(env, np.random.default_rng(3), 11)
    saved = env.state_dict()
    other.load_state_dict(unflatten(flatten(saved)))
    once = advanced(env, np.random.default_rng(4), 30)
    assert advanced(other, np.random.default_rng(4), 30) == once
    env.load_state_dict(saved)
    assert advanced(env, np.random.default_rng(4), 30) == once, "what was saved stands apart from the environment"
    env.load_state_dict(saved)
    assert advanced(env, np.random.default_rng(4), 30) == once


def test_what_was_saved_elsewhere_is_refused():
    env = GameVectorEnv("tic_tac_toe", 3)
    env.reset()
    before = env.state_dict()
    for other in (GameVectorEnv("tic_tac_toe", 4), GameVectorEnv("connect_four", 3)):
        with pytest.raises(UsageError, match=r"states is .* of shape"):
            env.load_state_dict(other.state_dict())
    assert env.state_dict() == before


@given(st.lists(st.lists(st.integers(0, 3), unique=True, max_size=4), max_size=30), st.integers(0, 2**31))
@settings(max_examples=30)
def test_each_game_goes_its_own_way(calls, seed):
    """Games stepped in any grouping and order end where each of them would end alone."""
    env = GameVectorEnv("tic_tac_toe", 4)
    alone = [GameVectorEnv("tic_tac_toe", 1) for _ in range(4)]
    for one in (env, *alone):
        one.reset()
    rng = np.random.default_rng(seed)
    for ids in calls:
        ids = [i for i in ids if not env.over[i]]
        actions = random_actions(env.mask, rng)[ids]
        obs, rew, terminated, _, _ = env.step(actions, ids)
        for j, i in enumerate(ids):
            one_obs, one_rew, one_terminated, _, _ = alone[i].step(actions[j : j + 1])
            assert obs[j : j + 1] == one_obs
            assert rew[j].tolist() == one_rew[0].tolist()
            assert terminated[j].tolist() == one_terminated[0].tolist()
    assert env.states.tobytes() == np.concatenate([one.states for one in alone]).tobytes()


@pytest.mark.full
def test_turns_may_be_irregular():
    """Taking one counter keeps the turn, taking more ends it; who takes the last pays 1, or 2 if it took more."""
    env = GameVectorEnv(pile(5), 2)
    env.reset()
    seats = [env.step(actions)[0].agent_id.tolist() for actions in ([0, 1], [0, 0])]
    assert seats == [[0, 1], [0, 1]]
    assert env.observations().obs[:, 0].tolist() == [3, 2]
    _, rew, terminated, truncated, _ = env.step([2, 0])
    assert rew.tolist() == [[-2.0, 2.0], [0.0, 0.0]]
    assert terminated.tolist() == [[True, True], [False, False]]
    assert not truncated.any()
    assert env.mask.tolist() == [[True, True, True], [True, False, False]]


@pytest.mark.parametrize("id", [2, [0, 0], -1, 0.5, [True, False]])
def test_ids_are_refused_that_mean_nothing(id):
    env = GameVectorEnv("tic_tac_toe", 2)
    for call in (lambda: env.reset(id), lambda: env.step(np.zeros(np.size(id), int), id), lambda: env.final_obs(id)):
        with pytest.raises(UsageError, match="id "):
            call()


def test_no_game_at_all_is_a_batch_of_none():
    env = GameVectorEnv("tic_tac_toe", 2)
    obs, _ = env.reset([])
    assert (obs.obs.shape, env.over.tolist()) == ((0, 3, 3, 2), [True, True])


def test_its_size_and_seeds():
    with pytest.raises(UsageError, match="num_envs=0 is not at least 1"):
        GameVectorEnv("tic_tac_toe", 0)
    env = GameVectorEnv("tic_tac_toe", 2, m=4, n=4)
    assert (len(env), env.num_agents, env.agents) == (2, 2, ("player_1", "player_2"))
    assert env.game.options == {"m": 4, "n": 4, "k": 3, "players": 2}
    assert env.seed(3) == [3, 4]
    assert len(env.render()) == 2


@pytest.mark.full
@pytest.mark.parametrize("spec", ["connect_four", "kuhn_poker", "rock_paper_scissors:max_cycles=2"])
def test_threads_change_nothing(spec, monkeypatch):
    monkeypatch.setattr(row_threads, "LONG_S", -1.0)  # as if the games were heavy ones
    monkeypatch.setattr(row_threads, "usable_cores", lambda: 3)
    envs = [GameVectorEnv(spec, 300, threads=threads) for threads in (1, 2, 3)]
    rng = np.random.default_rng(0)
    told = [env.reset(seed=4) for env in envs]
    for _ in range(10):
        assert told[0][0] == told[1][0] == told[2][0]
        rows = np.flatnonzero(~envs[0].over)
        if not len(rows):
            break
        mask = envs[0].mask[rows]
        actions = (rng.random(mask.shape) * mask).argmax(axis=1)
        told = [env.step(actions, rows) for env in envs]
        assert all((a == b).all() for other in told[1:] for a, b in zip(told[0][1:4], other[1:4], strict=True))
    with pytest.raises(UsageError, match="threads=0 is not at least 1"):
        GameVectorEnv(spec, 3, threads=0)


@pytest.mark.parametrize("spec", ["tic_tac_toe", "kuhn_poker"])
def test_games_that_begin_anew_by_themselves_are_those_reset_by_hand(spec):
    by_itself, by_hand = GameVectorEnv(spec, 20, autoreset=True), GameVectorEnv(spec, 20)
    rng = np.random.default_rng(1)
    obs, same = by_itself.reset(seed=7)[0], by_hand.reset(seed=7)[0]
    ends = 0
    for _ in range(60):
        assert obs == same
        actions = (rng.random(obs.mask.shape) * obs.mask).argmax(axis=1)
        obs, *outcome, _ = by_itself.step(actions)
        _, *expected, _ = by_hand.step(actions)
        assert all((a == b).all() for a, b in zip(outcome, expected, strict=True))
        if (over := np.flatnonzero(by_hand.over)).size:
            by_hand.reset(over)
            ends += len(over)
        same = by_hand.observations()
    assert ends > 60
    assert not by_itself.over.any()
    assert (by_itself.positions() == by_hand.positions()).all(), "what is imagined of new games begins anew, too"


def test_who_has_to_see_the_end_takes_no_games_that_begin_by_themselves():
    env = GameVectorEnv("tic_tac_toe", 2, autoreset=True)
    for kind in (lambda: Collector(RandomPolicy(seed=0), env), lambda: GymVectorEnv(env)):
        with pytest.raises(UsageError, match="without autoreset=True"):
            kind()
