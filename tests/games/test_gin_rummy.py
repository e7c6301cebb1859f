"""Gin rummy beside RLCard's game as PettingZoo showed it, with the same cards, move by move over many games.

Compared after every step: observations of all agents, the agent to move and its mask, rewards, cumulative reward,
terminations, truncations, and who is still there.
"""

from importlib import import_module

import numpy as np
import pytest

from games import gin_rummy
from games.gin_rummy.drawing import cards_of
from games.gin_rummy.melds import deadwood, gin_card
from games.gin_rummy.rules import DEAD, DISCARD, DRAW, GIN, KNOCK, TAKE
from tests.games import zoo_gin_rummy
from tests.games.playing import aec_views

pytestmark = pytest.mark.full

OPTIONS = [
    {},
    {"knock_reward": 0.25, "gin_reward": 1.5, "opponents_hand_visible": True},
]


def rlcards(cards):
    get_card = import_module("rlcard.games.gin_rummy.utils.utils").get_card
    return [get_card(int(card)) for card in cards]


def bits(cards):
    """RLCard's cards as bits."""
    get_card_id = import_module("rlcard.games.gin_rummy.utils.utils").get_card_id
    return sum(1 << get_card_id(card) for card in cards)


def hold(player, cards):
    """Let RLCard's player hold these cards."""
    player.hand = rlcards(cards)
    player.did_populate_hand()


def start(ours, theirs):
    """A new game on both, with the hands of ours."""
    ours.reset()
    theirs.reset()
    while theirs.agent_selection != ours.agent_selection:
        theirs.reset()
    here = theirs.unwrapped.env.game.round
    hands = [cards_of(int(hand)) for hand in ours._states["hands"][0]]
    for player, cards in zip(here.players, hands, strict=True):
        hold(player, cards)
    here.dealer.stock_pile = rlcards(set(range(52)).difference(*hands))
    theirs.unwrapped.next_legal_moves = theirs.unwrapped.env.get_state(0)["legal_actions"]  # of the seat to move


def step(ours, theirs, action):
    """Play on both; theirs draws the card of ours, and lays the same card away for gin."""
    seat = ours.possible_agents.index(ours.agent_selection)
    before = int(ours._states["hands"][0, seat])
    here = theirs.unwrapped.env.game.round
    ours.step(action)
    state = ours._states[0]
    if action == DRAW:
        drawn = rlcards([state["cards"][state["length"] - 1]])[0]
        here.dealer.stock_pile.remove(drawn)
        here.dealer.stock_pile.append(drawn)
    theirs.step(action)
    if action == GIN:
        kept = bits(here.players[seat].hand)
        assert kept & before == kept
        assert deadwood(kept) == deadwood(int(state["hands"][seat])) == 0
        hold(here.players[seat], cards_of(int(state["hands"][seat])))
        here.players[seat].known_cards = rlcards(cards_of(int(state["taken"][seat])))


def shown(env, agent=None):
    """Return the views of an environment, with the observation of one agent alone, or of all."""
    views = aec_views(env)
    views["rewards"] = {one: np.float32(reward) for one, reward in views["rewards"].items()}
    views["cumulative"] = np.float32(views["cumulative"])
    if agent:
        views["observations"] = views["observations"][agent]
    return views


def good_action(env, legal, rng):
    """An action of a player who gathers melds, at random now and then."""
    state, seat = env._states[0], env.possible_agents.index(env.agent_selection)
    hand = int(state["hands"][seat])
    if rng.random() < 0.1:
        return int(rng.choice(legal))
    if TAKE in legal:
        top = 1 << int(state["pile"][state["discarded"] - 1])
        better = min(deadwood((hand | top) ^ 1 << card) for card in cards_of(hand)) < deadwood(hand)
        return TAKE if better else int(legal[0] if legal[0] != TAKE else legal[-1])
    going_out = [action for action in legal if action >= KNOCK]
    if going_out and rng.random() < 0.5:
        return int(rng.choice(going_out))
    discards = [action for action in legal if DISCARD <= action < KNOCK]
    return int(min(discards, key=lambda action: deadwood(hand ^ 1 << (int(action) - DISCARD)), default=legal[0]))


def any_action(env, legal, rng):
    return int(rng.choice(legal))


def play_to_the_end(ours, theirs, choose, rng, illegal_chance=0.0):
    """One game on both; what they tell must agree throughout. Returns the actions."""
    start(ours, theirs)
    actions = []
    while not ours.is_over:
        mover = ours.agent_selection
        views = shown(ours, mover)
        assert views == shown(theirs, mover)
        legal = np.array(views["observations"]["action_mask"], np.bool_)
        if rng.random() < illegal_chance:
            actions.append(any_action(ours, np.flatnonzero(~legal), rng))
            ours.step(actions[-1])
            theirs.step(actions[-1])
        else:
            actions.append(choose(ours, np.flatnonzero(legal), rng))
            step(ours, theirs, actions[-1])
    if not illegal_chance:
        assert shown(ours) == shown(theirs)
    return actions


def last_rewards(env):
    """Return the rewards that the agents get as they leave."""
    rewards = {}
    while env.agents:
        rewards[env.agent_selection] = np.float32(env.last(observe=False)[1])
        env.step(None)
    return rewards


@pytest.mark.parametrize(("constructor", "options"), list(zip(("env", "raw_env"), OPTIONS, strict=True)))
@pytest.mark.parametrize(("choose", "number", "endings"), [(good_action, 60, {GIN, KNOCK}), (any_action, 15, {DEAD})])
def test_games_beside_pettingzoo(constructor, options, choose, number, endings):
    ours, theirs = getattr(gin_rummy, constructor)(**options), getattr(zoo_gin_rummy, constructor)(**options)
    ours.reset(seed=5)
    rng, reached = np.random.default_rng(51), set()
    for _ in range(number):
        play_to_the_end(ours, theirs, choose, rng)
        assert last_rewards(ours) == last_rewards(theirs)
        reached.add(int(ours._states["ending"][0]))
    assert endings <= reached


def test_games_that_end_by_an_illegal_action():
    ours, theirs = gin_rummy.env(), zoo_gin_rummy.env()
    ours.reset(seed=6)
    rng = np.random.default_rng(52)
    for _ in range(20):
        play_to_the_end(ours, theirs, any_action, rng, illegal_chance=0.2)
        assert ours.rewards == theirs.rewards
        assert last_rewards(ours) == last_rewards(theirs)


@pytest.mark.parametrize("options", OPTIONS, ids=["as it is", "with options"])
def test_spaces_and_agents(options):
    ours, theirs = gin_rummy.env(**options), zoo_gin_rummy.env(**options)
    assert ours.possible_agents == theirs.possible_agents
    start(ours, theirs)
    for agent in ours.possible_agents:
        assert ours.observation_space(agent) == theirs.observation_space(agent)
        assert ours.action_space(agent) == theirs.action_space(agent)
        for key, part in theirs.observe(agent).items():
            assert ours.observe(agent)[key].dtype == part.dtype
    assert ours.metadata["name"] == theirs.metadata["name"]
    assert ours.metadata["is_parallelizable"] == theirs.metadata["is_parallelizable"]


def test_each_seat_sees_its_own_side_and_there_everybody_that_of_the_seat_to_move():
    ours, theirs = gin_rummy.env(), zoo_gin_rummy.env()
    start(ours, theirs)
    mover, other = ours.agent_selection, ours.possible_agents[1 - ours.possible_agents.index(ours.agent_selection)]
    assert (theirs.observe(other)["observation"] == theirs.observe(mover)["observation"]).all()
    assert theirs.observe(other)["action_mask"].any()
    observation = ours.observe(other)
    hand = ours._states["hands"][0, ours.possible_agents.index(other)]
    assert tuple(np.flatnonzero(observation["observation"][0])) == cards_of(int(hand))
    assert not observation["action_mask"].any()


def test_rewards_hold_after_a_seeded_reset_and_there_rlcards_come_back():
    theirs = zoo_gin_rummy.env(knock_reward=0.75)
    scorer = theirs.unwrapped.env.game.judge.scorer
    assert scorer.get_payoff == theirs.unwrapped._get_payoff
    theirs.reset(seed=1)
    assert theirs.unwrapped.env.game.judge.scorer.get_payoff.__name__ == "get_payoff_gin_rummy_v1"
    ours = gin_rummy.env(knock_reward=0.75)
    ours.reset(seed=1)
    assert ours._states["knock_reward"][0] == 0.75


def test_gin_lays_away_the_lowest_card_and_there_another_one():
    """Of eleven cards in melds, an ace to a four and a five to an eight among them, any end of these may go."""
    cards = [*range(0, 4), *range(17, 21), *range(26 + 7, 26 + 10)]
    hand = sum(1 << card for card in cards)
    judge, utils = (import_module(f"rlcard.games.gin_rummy.{name}") for name in ("judge", "utils.utils"))
    theirs = [utils.get_card_id(card) for card in judge.get_going_out_cards(rlcards(cards), 10)[1]]
    assert gin_card(hand) == 0
    assert theirs[0] != 0
    assert deadwood(hand ^ 1 << theirs[0]) == 0
