"""Where our games differ from PettingZoo's and OpenSpiel's of the same name, as their descriptions say."""

import inspect
import warnings
from importlib import import_module

import numpy as np
import pyspiel
import pytest

from games import hanabi, matrix_game
from tests.games.test_lockstep import pair

pytestmark = pytest.mark.full

DIFFERENT = {
    "chicken": "`matrix_cd` is `0 4;1 3|0 1;4 3`",
    "prisoners_dilemma": "`matrix_pd` is `5 0;10 1|5 10;0 1`",
    "shapley": "`matrix_shapleys_game` is `0 0 1;1 0 0;0 1 0|0 1 0;0 0 1;1 0 0`",
    "stag_hunt": "`matrix_sh` is `2 0;1 1|2 1;0 1`",
}
"""What the description says of OpenSpiel's."""
SAME = {"battle_of_the_sexes": "matrix_bos", "matching_pennies": "matrix_mp", "rock_paper_scissors": "matrix_rps"}


def theirs_of(name):
    """PettingZoo's environment of that name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # about its own import path
        return import_module(f"pettingzoo.classic.{name}")


def game_of_tells_and_discards(env):
    """Play what loses no life, as long as it goes; returns how many actions that is."""
    env.reset(seed=0)
    for number in range(1, 200):
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(np.flatnonzero(mask * np.r_[np.full(5, 1), np.zeros(5), np.full(10, 2)])[-1]))
        if any(env.terminations.values()) or any(env.truncations.values()):
            return number
    raise AssertionError("without an end")


def test_hanabi_is_played_to_its_end():
    """Theirs is truncated when deals, draws and actions are more than 118, OpenSpiel's greatest length of a game."""
    ours, theirs = pair("hanabi", "env")
    assert pyspiel.load_game("hanabi").max_game_length() == 118
    assert game_of_tells_and_discards(theirs) == 75
    assert all(theirs.truncations.values())
    assert not any(theirs.terminations.values())
    assert game_of_tells_and_discards(ours) == 89
    assert all(ours.terminations.values())
    assert not any(ours.truncations.values())


def test_hanabi_begins_with_player_0():
    """Theirs names player_0 as well where `random_start_player` lets another begin, with nothing that it may do."""
    env = theirs_of("hanabi_v5").env(random_start_player=True)
    starts = set()
    for seed in range(20):
        env.reset(seed=seed)
        to_move = env.unwrapped.hanabi_env.game_state.current_player()
        starts.add((env.agent_selection, to_move, bool(env.observe(env.agent_selection)["action_mask"].any())))
    assert starts == {("player_0", 0, True), ("player_0", 1, False)}
    assert "random_start_player" not in inspect.signature(hanabi.game).parameters


@pytest.mark.parametrize("name", ["leduc_holdem", "texas_holdem"])
def test_who_steps_first_after_a_hand(name):
    """Ours begins with the agent behind the one that moved last, theirs with player_0."""
    ours, theirs = pair(name, "env")
    orders = {"ours": set(), "theirs": set()}
    for seed in range(40):
        for side, env in (("ours", ours), ("theirs", theirs)):
            rng, last, order = np.random.default_rng(seed), "", []
            env.reset(seed=seed)
            for agent in env.agent_iter():
                observation, _, terminated, _, _ = env.last()
                action = None if terminated else int(rng.choice(np.flatnonzero(observation["action_mask"])))
                last, order = (last, [*order, agent]) if terminated else (agent, order)
                env.step(action)
            orders[side].add((last, *order))
    first, second = "player_0", "player_1"
    assert orders["theirs"] == {(first, first, second), (second, first, second)}
    assert orders["ours"] == {(first, second, first), (second, first, second)}


def test_leduc_is_for_two():
    """PettingZoo's has an option `num_players` for Texas hold'em alone."""
    assert "num_players" in inspect.signature(theirs_of("texas_holdem_v4").raw_env).parameters
    assert "num_players" not in inspect.signature(theirs_of("leduc_holdem_v4").raw_env).parameters


def payoffs_of(name):
    game = pyspiel.load_matrix_game(name)
    return [np.array(game.row_utilities()).tolist(), np.array(game.col_utilities()).tolist()]


@pytest.mark.parametrize("name", matrix_game.KNOWN)
def test_named_payoffs_beside_openspiels(name):
    ours = matrix_game.read_payoffs(matrix_game.KNOWN[name].payoffs).tolist()
    if name in SAME:
        assert ours == payoffs_of(SAME[name])
    else:
        assert f"- {name}: {DIFFERENT[name]}" in matrix_game.__doc__
        theirs, payoffs = DIFFERENT[name].split("`")[1::2]
        assert matrix_game.read_payoffs(payoffs).tolist() == payoffs_of(theirs) != ours
