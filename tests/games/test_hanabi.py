"""Hanabi: beside OpenSpiel's and PettingZoo's, its rules by hand, and what the own hand may be."""

from collections import Counter
from itertools import permutations

import numpy as np
import pyspiel
import pytest
from shimmy import openspiel_compatibility

from arena.env.native import GameVectorEnv
from games.engine.compiler import instantiate
from games.engine.errors import UsageError
from games.engine.registry import make_game
from tests.games.playing import aec_views, positions
from tests.games.test_lockstep import pair

pytestmark = pytest.mark.full

SMALL = "hanabi:colors=2,hand_size=2,max_information_tokens=3,max_life_tokens=1"
LONG = "hanabi:colors=2,hand_size=2,max_information_tokens=3,max_life_tokens=20"
THREE = "hanabi:players=3,colors=2,hand_size=2,max_information_tokens=3"


def hold(env, *hands):
    """Let the seats hold these cards."""
    cards = [["RY".index(card[0]) * 5 + int(card[1]) - 1 for card in hand.split()] for hand in hands]
    env.states["hands"][0] = cards
    env.mask[:] = env.final_obs().mask[0, env.seats]


def start(spec, *hands):
    """A game in which the seats hold these cards."""
    env = GameVectorEnv(spec, 1)
    env.reset(seed=0)
    hold(env, *hands)
    return env


def play(env, *texts):
    """Return the rewards of the actions, which all seats share."""
    earnings = []
    for text in texts:
        _, rewards, _, _, _ = env.step([env.game.parse_action(env.states[0], text)])
        assert len(set(rewards[0])) == 1
        earnings.append(rewards[0, 0])
    return earnings


def careful_action(env, rng):
    """A random legal action that seldom costs a life."""
    state, hand_size = env.states[0], env.states["hands"].shape[2]
    legal = np.flatnonzero(env.mask[0])
    ranks = state["discarded"].shape[1]
    hand = state["hands"][env.seats[0]]
    fits = [a - hand_size for a in legal if hand_size <= a < 2 * hand_size]
    fits = [hand_size + i for i in fits if state["fireworks"][hand[i] // ranks] == hand[i] % ranks]
    if fits and rng.random() < 0.8:
        return int(rng.choice(fits))
    others = [a for a in legal if not hand_size <= a < 2 * hand_size]
    return int(rng.choice(others if others and rng.random() < 0.97 else legal))


def deal_alike(env, theirs):
    """Let chance deal in OpenSpiel's game what it has dealt in ours."""
    state = env.states[0]
    drawn = iter(state["hands"].reshape(-1).tolist())
    while theirs.is_chance_node():
        if state["length"] == 0:
            theirs.apply_action(next(drawn))
        else:
            seat = (state["length"] - 1) % env.num_agents
            theirs.apply_action(int(state["hands"][seat, state["held"][seat] - 1]))


@pytest.mark.parametrize("spec", ["hanabi", "hanabi:players=5", SMALL, THREE])
def test_beside_openspiel(spec):
    env = GameVectorEnv(spec, 1)
    options = dict(env.game.options, hand_size=env.game.initial["hands"].shape[1])
    their_game = pyspiel.load_game("hanabi", options)
    assert their_game.num_distinct_actions() == env.game.num_actions
    assert tuple(their_game.observation_tensor_shape()) == env.game.observation_shape
    rng = np.random.default_rng(31)
    scores = []
    for number in range(15):
        env.reset(seed=number)
        theirs = their_game.new_initial_state()
        deal_alike(env, theirs)
        while not env.over[0]:
            assert env.seats[0] == theirs.current_player()
            assert np.flatnonzero(env.mask[0]).tolist() == theirs.legal_actions()
            action = careful_action(env, rng)
            theirs.apply_action(action)
            _, rewards, _, _, _ = env.step([action])
            deal_alike(env, theirs)
            assert rewards[0].tolist() == theirs.rewards()
            views = env.final_obs().obs[0]
            for seat in range(env.num_agents):
                assert views[seat].tolist() == theirs.observation_tensor(seat)
        assert theirs.is_terminal()
        scores.append(theirs.returns()[0])
    assert max(scores) > 0


class Dealer:
    """Deals PettingZoo's game, in place of its random numbers, what ours has dealt."""

    def __init__(self, ours):
        self.ours, self.hands = ours, None

    def choice(self, outcomes, p):
        """The next card: of the first hands, or that which the seat that moved last has drawn."""
        state = self.ours._states[0]
        if state["length"] == 0:
            self.hands = self.hands or state["hands"].reshape(-1).tolist()
            return self.hands.pop(0)
        seat = (state["length"] - 1) % len(self.ours.possible_agents)
        return int(state["hands"][seat, state["held"][seat] - 1])


@pytest.mark.parametrize("constructor", ["env", "raw_env"])
def test_beside_pettingzoo(constructor, monkeypatch):
    """Every view after every move, over 100 random games with the same deal.

    At the end theirs shows the position before, and player_0 is the first to step with None.
    """
    ours, theirs = pair("hanabi", constructor)
    assert ours.possible_agents == theirs.possible_agents
    rng, ends = np.random.default_rng(32), 0
    for number in range(100):
        ours.reset(seed=number)
        dealer = Dealer(ours)
        monkeypatch.setattr(openspiel_compatibility.seeding, "np_random", lambda seed, dealer=dealer: (dealer, seed))
        theirs.reset()
        views = aec_views(ours)
        assert views == aec_views(theirs)
        while not ours.is_over:
            mask = views["observations"][ours.agent_selection]["action_mask"]
            action = int(rng.choice(np.flatnonzero(mask)))
            ours.step(action)
            theirs.step(action)
            views, their_views = aec_views(ours), aec_views(theirs)
            if ours.is_over:
                for view in (views, their_views):
                    del view["observations"], view["agent_selection"], view["cumulative"]
                assert ours._cumulative_rewards == theirs.unwrapped._cumulative_rewards
                ends += sum(views["rewards"].values()) != 0
            assert views == their_views
    assert ends > 30


def test_cards_in_order_build_a_firework():
    env = start(LONG, "Y1 Y2", "Y3 Y4")
    assert play(env, "tell +1 Y", "tell +1 Y") == [0, 0]
    for rank in range(1, 6):
        mover = env.seats[0]
        hold(env, *(f"R{rank} Y{2 + seat}" if seat == mover else "Y1 Y1" for seat in range(2)))
        assert env.states["information"][0] == 1
        assert play(env, "play 1") == [1]
    assert env.states["information"][0] == 2, "a finished firework regains a token"
    assert env.states["fireworks"][0].tolist() == [5, 0]


def test_wrong_cards_cost_lives_and_with_them_everything():
    env = start(SMALL, "R1 R5", "Y5 Y4")
    assert play(env, "play 1") == [1]
    assert play(env, "play 1") == [-1]
    assert env.over[0]
    assert env.states["discarded"][0].sum() == 1


def test_tokens_are_paid_and_regained():
    env = start(LONG, "R1 R5", "Y5 R4")
    mask = env.mask[0]
    assert not mask[:2].any(), "nothing to regain"
    assert np.flatnonzero(mask[4:]).tolist() == [0, 1, 5, 6]  # red, yellow, four, five
    play(env, "tell +1 R")
    assert env.states["told"][0, 1].tolist() == [0, 1]
    assert env.states["may_colors"][0, 1].tolist() == [0b10, 0b01]
    play(env, "tell +1 5", "tell +1 5")
    assert env.states["may_ranks"][0].tolist() == [[0b01111, 0b10000], [0b10000, 0b01111]]
    assert not env.mask[0, 4:].any(), "no token is left"
    play(env, "discard 1")
    assert env.states["information"][0] == 1
    assert env.states["told"][0, 1].tolist() == [1, 0], "later cards move up"


def test_each_has_one_turn_when_the_deck_is_empty():
    env = GameVectorEnv(LONG, 1)
    env.reset(seed=2)
    while env.states["deck"][0]:
        play(env, "play 1")
    play(env, "play 1")
    assert not env.over[0]
    play(env, "play 1")
    assert env.over[0]


@pytest.mark.parametrize("spec", [SMALL, THREE])
def test_guessed_hands_are_as_likely_as_the_cards_make_them(spec):
    """Against a list of all hands that agree with what was told, copies of a card told apart."""
    game = make_game(spec)
    knowledge = instantiate("games.engine.knowledge", game)
    states = [state for seed in range(12) for state, _ in positions(game, seed) if state["current_player"] >= 0]
    rng = np.random.default_rng(6)
    constrained = 0
    for number in rng.choice(len(states), 15, replace=False):
        state, seat = states[number], int(rng.integers(game.num_players))
        possible = possible_hands(state, seat)
        constrained += any(state["told"][seat])
        guesses = np.repeat(state.reshape(1), 60 * len(possible))
        seeds = rng.integers(2**64, size=len(guesses), dtype=np.uint64)
        knowledge.determinize_all(guesses, np.full(len(guesses), seat), seeds)
        in_hands = state["held"][seat]
        counted = Counter(map(tuple, guesses["hands"][:, seat, :in_hands].tolist()))
        assert set(counted) == set(possible)
        share = np.array(list(possible.values())) * len(guesses) / sum(possible.values())
        frequencies = np.array([counted[hand] for hand in possible])
        freedom = len(possible) - 1
        assert ((frequencies - share) ** 2 / share).sum() <= freedom + 5 * np.sqrt(2 * freedom)
    assert constrained


def possible_hands(state, seat):
    """The hands that a seat may hold, with the number of ways in which the cards that are left make them."""
    colors, ranks = state["discarded"].shape
    left = []
    for card in range(colors * ranks):
        color, rank = divmod(card, ranks)
        copies = 3 if rank == 0 else 1 if rank == ranks - 1 else 2
        out = int(state["discarded"][color, rank]) + int(state["fireworks"][color] > rank)
        in_hands = sum((hand == card).sum() for other, hand in enumerate(state["hands"]) if other != seat)
        left += [card] * (copies - out - int(in_hands))
    hands = Counter(permutations(left, int(state["held"][seat])))

    def agrees(hand):
        return all(
            state["may_colors"][seat, i] >> (card // ranks) & 1 and state["may_ranks"][seat, i] >> (card % ranks) & 1
            for i, card in enumerate(hand)
        )

    return {hand: ways for hand, ways in hands.items() if agrees(hand)}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 6}, "players=6 is not between 2 and 5"),
        ({"colors": 0}, "colors=0 is not between 1 and 5"),
        ({"ranks": 6}, "ranks=6 is not between 1 and 5"),
        ({"hand_size": 6}, "hand_size=6 is not between 0 and 5"),
        ({"max_life_tokens": 0}, "max_life_tokens=0 is not between 1 and 20"),
        ({"players": 5, "colors": 1}, "players=5 with hand_size=4 need more than the 10 cards"),
    ],
)
def test_options_out_of_range(options, message):
    with pytest.raises(UsageError, match=f"hanabi: {message}"):
        make_game("hanabi", **options)
