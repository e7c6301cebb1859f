"""Leduc and Texas hold'em beside PettingZoo's own, with the same deal, move by move over random games.

Compared after every step: observations of all agents, the agent to move and its mask, rewards, cumulative reward,
terminations, truncations, and who is still there.
"""

import copy
from importlib import import_module

import numpy as np
import pytest

from games.engine.cards import card_text
from games.engine.game import CHANCE
from games.engine.holdem import NUM_CARDS, OPEN
from games.engine.leduc import CARDS
from games.engine.registry import make_game
from tests.games.playing import aec_views
from tests.games.test_lockstep import pair
from tests.rules_by_hand import rules_of

pytestmark = pytest.mark.full

LEDUC, LIMIT = ("leduc_holdem", None), ("texas_holdem", 2)
NO_LIMIT = "texas_holdem_no_limit"
GAMES = [LEDUC, LIMIT, ("texas_holdem", 3), ("texas_holdem", 10), (NO_LIMIT, 2), (NO_LIMIT, 4)]
"""Each kind of betting with two players and with more, and as many as there may be: the cards are the same code."""
FEW = [LEDUC, LIMIT, ("texas_holdem", 3), (NO_LIMIT, 2), (NO_LIMIT, 4)]
WEIGHTS = {
    "leduc_holdem": (1, 1, 0.1, 1),  # call, raise, fold, check
    "texas_holdem": (1, 1, 0.1, 1),
    NO_LIMIT: (0.03, 1, 0.5, 0.2, 0.05),  # fold, call, raise half the pot, the pot, all-in
}


def tables(name, players, constructor):
    """Our environment and PettingZoo's, for so many players."""
    return pair(name, constructor, **({"num_players": players} if players else {}))


def cards_to_come(ours):
    """All cards of the game, those of open cards to come as well: they lie in the record's random stream already."""
    twin = copy.deepcopy(ours)
    while not twin.is_over:
        passive = 1 if ours.game.name == NO_LIMIT else 0  # call, else check
        mask = twin.observe(twin.agent_selection)["action_mask"]
        twin.step(passive if mask[passive] else 3)
    return twin._states["cards"][0].tolist()


def start(ours, theirs):
    """A new game on both, with the cards and the blinds of ours."""
    card_type = import_module("rlcard.games.base").Card
    names = CARDS if ours.game.name == "leduc_holdem" else [card_text(card) for card in range(NUM_CARDS)]
    ours.reset()
    if ours.game.name == NO_LIMIT:
        theirs.unwrapped.env.game.dealer_id = int(ours._states["button"][0])
    theirs.reset()
    while theirs.agent_selection != ours.agent_selection:
        theirs.reset()
    cards = [card_type(names[card][1].upper(), names[card][0]) for card in cards_to_come(ours)]
    game = theirs.unwrapped.env.game
    if ours.game.name == "leduc_holdem":
        game.players[0].hand, game.players[1].hand = cards[:2]
        game.dealer.deck = cards[2:]
        return
    for seat, player in enumerate(game.players):
        player.hand = cards[2 * seat : 2 * seat + 2]
    game.dealer.deck = cards[: -OPEN - 1 : -1]  # the last is dealt first


class OddChips:
    """Stands for RLCard's random numbers: odd chips go to whom they went in our game."""

    gifts = ()

    def __init__(self, ours, action):
        """Foresee what chance will do in our game after an action."""
        self.gifts = []  # who might get the odd chips, who gets them
        state, rules = ours._states.copy()[0], rules_of(ours.game)
        rules.apply(state, action)
        while state["current_player"] == CHANCE:
            chances = ours.game.chance_scratch()
            outcome = rules.drawn_outcome(state, chances)
            if "odd" in state.dtype.names and state["odd"] > 0:
                self.gifts.append((np.flatnonzero(chances).tolist(), outcome))
            rules.apply(state, outcome)

    def choice(self, seats):
        winners, seat = self.gifts.pop(0)
        assert seats == winners
        return seat


def shown(env, to_move):
    """Return the views of an environment, with masks of agents not to move as PettingZoo's documentation promises.

    At the end it leaves out who is to step first with None: theirs begins with player_0.
    """
    views = aec_views(env)
    for agent, observation in views["observations"].items():
        if agent != to_move:
            observation["action_mask"] = [0] * len(observation["action_mask"])
    if any(views["terminations"].values()):
        del views["agent_selection"], views["cumulative"]
    return views


def last_rewards(env):
    """Return the rewards that the agents get as they leave."""
    rewards = {}
    while env.agents:
        rewards[env.agent_selection] = env.last(observe=False)[1]
        env.step(None)
    return rewards


def play_to_the_end(ours, theirs, rng, illegal_chance=0.0):
    """One game on both, with few folds; what they tell must agree throughout. Returns the actions."""
    start(ours, theirs)
    actions, chance = [], OddChips
    while not ours.is_over:
        mover = ours.agent_selection
        views = shown(ours, mover)
        assert views == shown(theirs, mover)
        mask = np.array(views["observations"][mover]["action_mask"])
        wanted = 1 - mask if rng.random() < illegal_chance and not mask.all() else mask
        weights = wanted * WEIGHTS[ours.game.name]
        actions.append(int(rng.choice(len(mask), p=weights / weights.sum())))
        if mask[actions[-1]]:
            chance = theirs.unwrapped.env.game.judger.np_random = OddChips(ours, actions[-1])
        ours.step(actions[-1])
        theirs.step(actions[-1])
    assert not chance.gifts
    assert shown(ours, None) == shown(theirs, None)
    assert last_rewards(ours) == last_rewards(theirs)
    return actions


@pytest.mark.parametrize(("name", "players"), GAMES)
def test_random_games(name, players):
    ours, theirs = tables(name, players, "env")
    rng = np.random.default_rng(21)
    lines = [play_to_the_end(ours, theirs, rng) for _ in range(60)]
    fold = 0 if name == NO_LIMIT else 2
    lengths = [len(line) for line in lines if line.count(fold) < len(ours.possible_agents) - 1]
    assert len(lengths) > 30, "most come to a showdown"
    assert max(map(len, lines)) > ours.game.max_length / (10 if name == NO_LIMIT else 3)


@pytest.mark.parametrize(("name", "players"), [LEDUC, (NO_LIMIT, 2)])
def test_random_games_without_wrappers(name, players):
    ours, theirs = tables(name, players, "raw_env")
    rng = np.random.default_rng(21)
    for _ in range(10):
        play_to_the_end(ours, theirs, rng)


@pytest.mark.parametrize(("name", "players"), FEW)
def test_games_that_end_by_an_illegal_action(name, players):
    ours, theirs = tables(name, players, "env")
    rng = np.random.default_rng(22)
    for _ in range(20):
        play_to_the_end(ours, theirs, rng, illegal_chance=0.2)


@pytest.mark.parametrize(("name", "players"), FEW)
def test_spaces_and_agents(name, players):
    ours, theirs = tables(name, players, "env")
    assert ours.possible_agents == theirs.possible_agents
    start(ours, theirs)
    for agent in ours.possible_agents:
        assert ours.observation_space(agent) == theirs.observation_space(agent)
        assert ours.action_space(agent) == theirs.action_space(agent)
        for key, part in theirs.observe(agent).items():
            assert ours.observe(agent)[key].dtype == part.dtype
    assert ours.metadata["name"] == theirs.metadata["name"]
    assert ours.metadata["is_parallelizable"] == theirs.metadata["is_parallelizable"]


def test_chips_that_cannot_be_shared_evenly_go_to_a_winner_by_chance():
    """Three seats, one of which has folded its small blind: the board plays for the others, who share 9 chips."""
    game = make_game("texas_holdem", num_players=3)
    rules, state = rules_of(game), game.initial.reshape(1).copy()[0]
    board = [26, 29, 32, 35, 38]  # hearts and others would do; here the ace, 4, 7, 10 and king of diamonds
    for outcome in (1, 2, 3, 14, 15, 16, 0):  # hands of spades and hearts, seat 0 pays the small blind
        rules.apply(state, outcome)
    for action in (0, 2):  # seat 2 calls, seat 0 folds
        rules.apply(state, action)
    shown = iter(board)
    while state["odd"] == 0:
        if state["current_player"] == CHANCE:
            rules.apply(state, next(shown))
        else:
            rules.apply(state, 3)
    chances = np.zeros(game.num_outcomes)
    rules.chance_outcomes(state, chances)
    assert chances[:3].tolist() == [0, 0.5, 0.5]
    rules.apply(state, 2)
    returns = np.zeros(3, np.float32)
    rules.returns(state, returns)
    assert returns.tolist() == [-0.5, 0, 0.5]
