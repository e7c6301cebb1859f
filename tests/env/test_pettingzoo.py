"""`PettingZooEnv`: turns, rewards, ends and masks of scripted games and of PettingZoo's own."""

import warnings

import numpy as np
import pytest

from arena.base.errors import IllegalActionError, UsageError
from arena.env import DummyVectorEnv, PettingZooEnv
from games import connect_four, tic_tac_toe
from tests.collector.games import Scripted
from tests.env.aec import MaskInInfo, NoMask

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # PettingZoo's, about its own import path
    from pettingzoo.classic import connect_four_v3, rps_v2, tictactoe_v3

TURNS = ["a", "b", "b", "a", "c", "b"]
REWARDS = {0: {"b": 1.0}, 2: {"a": 2.0, "b": 3.0}, 3: {"c": -1.0}, 4: {"a": 5.0}, 5: {"b": 8.0}}


def play(env: PettingZooEnv) -> list[tuple]:
    """Lowest legal actions to the end: who was asked, what it saw, and what everybody then got."""
    obs, _ = env.reset()
    told = []
    over = np.zeros(len(env.possible_agents), bool)
    while not over.all():
        asked = obs
        obs, rew, terminated, truncated, _ = env.step(asked["mask"].argmax())
        told.append((asked["agent_id"], asked["obs"].tolist(), rew.tolist(), terminated.tolist()))
        over = terminated | truncated
    return told


@pytest.mark.parametrize("wrapper", [lambda env: env, MaskInInfo, NoMask], ids=["mask", "mask in info", "no mask"])
def test_each_seat_is_asked_in_its_turn_and_gets_what_it_earns(wrapper):
    """What `last()` would report is split over the steps in which it came, the waiting included."""
    told = play(PettingZooEnv(wrapper(Scripted(TURNS, REWARDS))))
    no, all_over = [False] * 3, [True] * 3
    assert told == [
        (0, [0, 0], [0.0, 1.0, 0.0], no),
        (1, [1, 1], [0.0, 0.0, 0.0], no),
        (1, [2, 1], [2.0, 3.0, 0.0], no),
        (0, [3, 0], [0.0, 0.0, -1.0], no),
        (2, [4, 2], [5.0, 0.0, 0.0], no),
        (1, [5, 1], [0.0, 8.0, 0.0], all_over),
    ]


@pytest.mark.parametrize("deaths", [{2: ["c"]}, {2: ["b"]}, {0: ["a"]}])
def test_who_dies_early_is_asked_no_more(deaths):
    (after, (who,)), agents = deaths.popitem(), ["a", "b", "c"]
    turns = [agent for i, agent in enumerate(TURNS) if agent != who or i <= after]
    env = PettingZooEnv(Scripted(turns, {after: {who: -7.0}}, {after: [who]}, agents=tuple(agents)))
    told = play(env)
    assert [agents[seat] for seat, *_ in told] == turns
    assert [rew[agents.index(who)] for *_, rew, _ in told] == [-7.0 if i == after else 0.0 for i in range(len(turns))]
    ended = [terminated[agents.index(who)] for *_, terminated in told]
    assert ended == [i >= after for i in range(len(turns))]
    final = env.final_obs
    assert final["obs"][agents.index(who)].tolist() == [after + 1, agents.index(who)], "what it saw when it died"
    assert final["mask"].all()


def test_all_may_be_truncated():
    env = PettingZooEnv(Scripted(["a", "b"], {}, truncate=True))
    obs, _ = env.reset()
    for _ in range(2):
        obs, _, terminated, truncated, _ = env.step(obs["mask"].argmax())
    assert (terminated.tolist(), truncated.tolist()) == ([False, False], [True, True])


def test_masks_are_found_where_they_stand():
    for env, moves in ((Scripted(TURNS, {}), None), (MaskInInfo(Scripted(TURNS, {})), 0)):
        obs, info = PettingZooEnv(env).reset()
        assert (obs["mask"].tolist(), obs["mask"].dtype) == ([True, True, False, False, False], bool)
        assert info.get("moves") == moves


def test_without_a_mask_everything_is_legal():
    obs, _ = PettingZooEnv(NoMask(Scripted(TURNS, {}))).reset()
    assert obs["mask"].tolist() == [True] * 5


@pytest.mark.parametrize("action", [2, 5, -1, 0.0, None, [0, 1], "0"])
def test_an_illegal_action_changes_nothing(action):
    env = PettingZooEnv(Scripted(TURNS, REWARDS))
    env.reset()
    with pytest.raises(IllegalActionError, match=r"of a is illegal; legal are \[0, 1\]"):
        env.step(action)
    assert play_on(env) == play(PettingZooEnv(Scripted(TURNS, REWARDS)))


def play_on(env: PettingZooEnv) -> list[tuple]:
    """The game that stands at its first move, as `play` tells it."""
    env.reset = lambda: env._turn()  # type: ignore[method-assign]
    return play(env)


def test_an_illegal_action_stops_the_whole_vector():
    env = DummyVectorEnv([lambda: PettingZooEnv(tictactoe_v3.env())] * 2)
    env.reset()
    env.step([0, 4])
    before = env.final_obs()
    with pytest.raises(IllegalActionError, match="action 4 of player_2 is illegal"):
        env.step([1, 4])
    assert env.final_obs() == before
    obs, *_ = env.step([1, 5])
    assert obs.agent_id.tolist() == [0, 0]
    assert obs.obs.sum(axis=(1, 2, 3)).tolist() == [2, 2]


def test_nothing_steps_before_the_first_reset_or_after_the_end():
    env = PettingZooEnv(tictactoe_v3.env())
    with pytest.raises(UsageError, match="not yet begun"):
        env.step(0)
    play(env)
    with pytest.raises(UsageError, match="the episode is over"):
        env.step(0)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [(tictactoe_v3, tic_tac_toe), (connect_four_v3, connect_four)],
    ids=["tictactoe", "connect_four"],
)
def test_their_games_and_ours_are_one_through_it(theirs, ours):
    rng = np.random.default_rng(2)
    pair = DummyVectorEnv([lambda: PettingZooEnv(theirs.env()), lambda: PettingZooEnv(ours.env())])
    assert pair.num_agents == 2
    for _ in range(20):
        obs, _ = pair.reset()
        over = False
        while not over:
            assert obs[0] == obs[1]
            action = rng.choice(np.flatnonzero(obs.mask[0]))
            obs, rew, terminated, truncated, _ = pair.step([action, action])
            assert rew[0].tolist() == rew[1].tolist()
            over = terminated.all()
            assert not truncated.any()
        assert pair.final_obs()[0] == pair.final_obs()[1]
        assert rew[0].sum() == 0


def test_a_parallel_game_turned_into_turns():
    """PettingZoo's rps_v2 as AEC: rock against paper, paper against scissors, then a draw."""
    env = PettingZooEnv(rps_v2.env(max_cycles=3))
    obs, _ = env.reset()
    assert obs["mask"].tolist() == [True] * 3
    earned, asked = np.zeros((6, 2)), []
    for i, action in enumerate([0, 1, 1, 2, 2, 2]):
        asked.append(obs["agent_id"])
        obs, earned[i], terminated, truncated, _ = env.step(action)
    assert asked == [0, 1] * 3
    assert earned.sum(axis=0).tolist() == [-2.0, 2.0]
    assert (terminated | truncated).all()


def test_attributes_are_found_in_the_adapter_and_below_it():
    env = DummyVectorEnv([lambda: PettingZooEnv(tictactoe_v3.env())] * 2)
    assert env.get_env_attr("possible_agents") == [["player_1", "player_2"]] * 2
    env.set_env_attr("bonus", 3, id=1)
    assert env.get_env_attr("bonus", id=1) == [3]
    with pytest.raises(AttributeError):
        env.get_env_attr("bonus", id=0)
    env.reset()
    assert env.get_env_attr("board", id=0)[0] is not None
    env.close()
