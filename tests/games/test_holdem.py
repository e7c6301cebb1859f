"""Leduc and Texas hold'em beside PettingZoo's own, with the same deal, move by move over random games.

Compared after every step: observations of all agents, the agent to move and its mask, rewards, cumulative reward,
terminations, truncations, and who is still there.
"""

import copy
from importlib import import_module

import numpy as np
import pytest

from games import texas_holdem
from games.engine.leduc import CARDS
from games.engine.registry import make_game
from tests.games.playing import aec_views
from tests.games.test_lockstep import pair

pytestmark = pytest.mark.parametrize("name", ["leduc_holdem", "texas_holdem"])

NAMES = {
    "leduc_holdem": CARDS,
    "texas_holdem": [texas_holdem.card_text(card) for card in range(texas_holdem.NUM_CARDS)],
}


def cards_to_come(ours):
    """All cards of the game, those of open cards to come as well: they lie in the record's random stream already."""
    twin = copy.deepcopy(ours)
    while not twin.is_over:
        mask = twin.observe(twin.agent_selection)["action_mask"]
        twin.step(0 if mask[0] else 3)  # call or check
    return twin._states["cards"][0].tolist()


def start(ours, theirs):
    """A new game on both, with the cards and the blinds of ours."""
    card_type = import_module("rlcard.games.base").Card
    ours.reset()
    theirs.reset()
    while theirs.agent_selection != ours.agent_selection:
        theirs.reset()
    names = [NAMES[ours.game.name][card] for card in cards_to_come(ours)]
    cards = [card_type(name[1].upper(), name[0]) for name in names]
    game = theirs.unwrapped.env.game
    if ours.game.name == "leduc_holdem":
        game.players[0].hand, game.players[1].hand = cards[:2]
        game.dealer.deck = cards[2:]
    else:
        game.players[0].hand, game.players[1].hand = cards[:2], cards[2:4]
        game.dealer.deck = cards[:3:-1]  # the last is dealt first


def shown(env, to_move):
    """What an environment tells, masks as PettingZoo's documentation promises them for those who are not to move.

    At the end it leaves out who is to step first with None: theirs begins with player_0.
    """
    told = aec_views(env)
    for agent, seen in told["observations"].items():
        if agent != to_move:
            seen["action_mask"] = [0] * len(seen["action_mask"])
    if any(told["terminations"].values()):
        del told["agent_selection"], told["cumulative"]
    return told


def last_rewards(env):
    """What all agents are told as they leave."""
    told = {}
    while env.agents:
        told[env.agent_selection] = env.last(observe=False)[1]
        env.step(None)
    return told


def play_to_the_end(ours, theirs, rng, illegal_chance=0.0):
    """One game on both, with few folds; what they tell must agree throughout. Returns the actions."""
    start(ours, theirs)
    actions = []
    while not ours.is_over:
        mover = ours.agent_selection
        told = shown(ours, mover)
        assert told == shown(theirs, mover)
        mask = np.array(told["observations"][mover]["action_mask"])
        wanted = 1 - mask if rng.random() < illegal_chance else mask
        weights = wanted * (1, 1, 0.1, 1)
        actions.append(int(rng.choice(4, p=weights / weights.sum())))
        ours.step(actions[-1])
        theirs.step(actions[-1])
    assert shown(ours, None) == shown(theirs, None)
    assert last_rewards(ours) == last_rewards(theirs)
    return actions


@pytest.mark.parametrize(("constructor", "num_games"), [("env", 400), ("raw_env", 50)])
def test_random_games(name, constructor, num_games):
    ours, theirs = pair(name, constructor)
    rng = np.random.default_rng(21)
    lines = [play_to_the_end(ours, theirs, rng) for _ in range(num_games)]
    lengths = [len(line) for line in lines if line[-1] != 2]
    assert len(lengths) > num_games / 2, "most come to a showdown"
    assert max(lengths) > make_game(name).max_length / 2


def test_games_that_end_by_an_illegal_action(name):
    ours, theirs = pair(name, "env")
    rng = np.random.default_rng(22)
    for _ in range(50):
        play_to_the_end(ours, theirs, rng, illegal_chance=0.2)


def test_spaces_and_agents(name):
    ours, theirs = pair(name, "env")
    assert ours.possible_agents == theirs.possible_agents
    start(ours, theirs)
    for agent in ours.possible_agents:
        assert ours.observation_space(agent) == theirs.observation_space(agent)
        assert ours.action_space(agent) == theirs.action_space(agent)
        for key, part in theirs.observe(agent).items():
            assert ours.observe(agent)[key].dtype == part.dtype
    assert ours.metadata["name"] == theirs.metadata["name"]
    assert ours.metadata["is_parallelizable"] == theirs.metadata["is_parallelizable"]
