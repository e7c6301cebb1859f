"""Goofspiel beside a plain version of its rules, its deck, and what is hidden in it."""

import numpy as np
import pytest

from arena.env.native import GameVectorEnv
from games import goofspiel
from games.engine.errors import UsageError
from games.engine.game import TERMINAL
from games.engine.registry import make_game
from tests.games.chance import ONE_IN_A_MILLION, chi_square_excess
from tests.games.playing import random_actions

pytestmark = pytest.mark.full


class Reference:
    """The rules on sets of cards, which count from 1."""

    def __init__(self, players, cards):
        self.hands = [set(range(1, cards + 1)) for _ in range(players)]
        self.deck = set(range(1, cards + 1))
        self.points = [0] * players

    def play(self, point_card, bids):
        """One round, and the last one as well where there is nothing to choose."""
        self.deck.remove(point_card)
        for hand, bid in zip(self.hands, bids, strict=True):
            hand.remove(bid)
        if bids.count(max(bids)) == 1:
            self.points[bids.index(max(bids))] += point_card
        if len(self.deck) == 1:
            self.play(*self.deck, [*(next(iter(hand)) for hand in self.hands)])

    def returns(self):
        winners = [points == max(self.points) for points in self.points]
        losers = len(winners) - sum(winners)
        return [(1 / sum(winners) if won else -1 / losers) if losers else 0 for won in winners]


@pytest.mark.parametrize(
    "options",
    [{}, {"players": 3, "cards": 4, "points_order": "ascending"}, {"cards": 2, "players": 10}],
)
def test_random_games_beside_the_reference(options):
    game = make_game("goofspiel", **options)
    env = GameVectorEnv(game, 1)
    rng = np.random.default_rng(5)
    ends = set()
    for seed in range(60):
        env.reset(seed=seed)
        reference = Reference(game.num_players, game.options["cards"])
        while not env.over[0]:
            state = env.states[0]
            point_card = int(state["point_cards"][state["length"]]) + 1
            assert point_card in reference.deck
            if game.options["points_order"] == "ascending":
                assert point_card == min(reference.deck)
            masks = env.joint_masks()[0]
            hands = [{int(card) + 1 for card in np.flatnonzero(mask)} for mask in masks]
            assert hands == reference.hands
            bids = random_actions(masks, rng)
            _, rewards, _, _, _ = env.step_joint(bids[None])
            reference.play(point_card, (bids + 1).tolist())
            assert env.states["points"][0].tolist() == reference.points
            assert env.over[0] == (not reference.deck)
        assert rewards[0].tolist() == pytest.approx(reference.returns())
        ends.add(tuple(np.sign(rewards[0]).tolist()))
    assert len(ends) > 1


def test_every_point_card_is_as_likely_to_come_first_and_second():
    env = GameVectorEnv(make_game("goofspiel", cards=5), 4000)
    env.reset(seed=1)
    first = env.states["point_cards"][:, 0]
    assert chi_square_excess(np.bincount(first, minlength=5), np.full(5, 0.2)) < ONE_IN_A_MILLION
    env.step_joint(np.tile([0, 1], (4000, 1)))
    pairs = np.bincount(first * 5 + env.states["point_cards"][:, 1], minlength=25)
    assert chi_square_excess(pairs, (1 - np.eye(5)).reshape(-1) / 20) < ONE_IN_A_MILLION


def test_an_unseen_bid_is_guessed_from_the_hand_each_card_alike():
    env = GameVectorEnv(make_game("goofspiel", cards=5), 3000)
    env.reset(seed=2)
    env.step_joint(np.tile([2, 1], (3000, 1)))
    env.step(np.full(3000, 4))
    guesses = env.positions()
    assert (guesses["current_player"] == 1).all()
    counts = np.bincount(guesses["chosen"][:, 0], minlength=5)
    assert chi_square_excess(counts, np.array([0.25, 0.25, 0, 0.25, 0.25])) < ONE_IN_A_MILLION


def test_what_is_bid_is_not_seen_before_all_have():
    game = make_game("goofspiel:players=3,cards=4,points_order=ascending")
    env = GameVectorEnv(game, 4)
    env.reset()
    known = np.empty((4, *game.information_shape), np.int8)
    env.step([0, 1, 2, 3])
    for j in range(4):
        goofspiel.information_state(env.states[j], 1, known[j])
    assert (known == known[0]).all()
    assert (env.final_obs().obs == env.final_obs().obs[0]).all()
    env.step([0, 0, 0, 0])
    env.step([1, 1, 1, 1])
    for j in range(4):
        goofspiel.information_state(env.states[j], 1, known[j])
    assert known[:, 3].tolist() == [1, 2, 3, 4], "the bid of seat 0, the last in the order of seat 1"


def test_observation():
    """Two rounds of four cards: the second point card, those to come, hands, points."""
    env = GameVectorEnv(make_game("goofspiel:cards=4,points_order=descending"), 1)
    env.reset()
    env.step_joint(np.array([[0, 3]]))
    own = [0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1]
    points = np.eye(11, dtype=int)
    assert env.final_obs().obs[0, 1].tolist() == [*own, *points[4], *points[0]]
    assert env.game.picture(env.states[0]).text(ascii_only=True) == "\n".join(
        [
            "",
            "      +---+---+---+---+",
            "  X 1 |   | 2 | 3 | 4 |",
            "  O 2 | 1 | 2 | 3 |   |",
            "prize |   |   | 3 |   |",
            "      +---+---+---+---+",
            "points: 0 to 4",
            "bids for 4: 1 4",
        ]
    )


def test_the_last_cards_are_played_by_themselves():
    env = GameVectorEnv(make_game("goofspiel:cards=2,points_order=ascending"), 1)
    env.reset()
    _, rewards, _, _, _ = env.step_joint(np.array([[1, 0]]))
    assert env.states["current_player"][0] == TERMINAL
    assert env.states["points"][0].tolist() == [1, 2]
    assert rewards[0].tolist() == [-1, 1]


def test_options_out_of_range():
    with pytest.raises(UsageError, match="goofspiel: players=1 is not between 2 and 10"):
        make_game("goofspiel", players=1)
    with pytest.raises(UsageError, match="goofspiel: cards=51 is not between 2 and 50"):
        make_game("goofspiel", cards=51)
    with pytest.raises(UsageError, match="points_order='up' is none of 'random', 'ascending', 'descending'"):
        make_game("goofspiel:points_order=up")
    with pytest.raises(UsageError, match="points_order='up' is none of 'random', 'ascending', 'descending'"):
        goofspiel.env(points_order="up")


def test_hidden_bids():
    """Winners are public, bids are not: rounds won by seat 0, by nobody, by seat 1, of five."""
    env = GameVectorEnv(make_game("goofspiel:cards=5,points_order=ascending,imp_info=true"), 1)
    env.reset()
    for bids in ([3, 2], [1, 1], [0, 4]):
        env.step_joint(np.array([bids]))
    known = np.empty(env.game.information_shape, np.int8)
    goofspiel.information_state(env.states[0], 1, known)
    assert known.tolist() == [1, 3, 3, 2, 2, 1, 3, 5, 2, 4, 0, 0, 0, 0, 0, 0]
    hand, won, points = [1, 0, 0, 1, 0], [0, 1, 0, 0, 1, 0, 0, 0, 0, 0], [np.eye(16, dtype=int)[n] for n in (3, 1)]
    assert env.final_obs().obs[0, 1].tolist() == [0, 0, 0, 1, 0, 0, 0, 0, 0, 1, *hand, *won, *points[0], *points[1]]
    goofspiel.redact(env.states[0], 1)
    assert env.game.picture(env.states[0]).text(ascii_only=True).splitlines()[2:7:4] == [
        "  X 1 | ? | ? |   |   |   |",
        "points: 1 to 3",
    ]
    with pytest.raises(UsageError, match="goofspiel: imp_info is for players=2, not 3"):
        make_game("goofspiel:players=3,imp_info=true")


def test_hidden_bids_of_a_long_game_are_guessed_in_agreement():
    """Fifty cards, where ways are counted up to 50!."""
    game = make_game("goofspiel:cards=50,imp_info=true")
    env = GameVectorEnv(game, 20)
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(40):
        env.step_joint(random_actions(env.joint_masks().reshape(40, 50), rng).reshape(20, 2))
    guess = env.positions()
    mine, theirs = guess["bids"][:, :40, 0], guess["bids"][:, :40, 1]
    assert (mine == env.states["bids"][:, :40, 0]).all()
    assert (np.sign(mine - theirs) == np.sign(mine - env.states["bids"][:, :40, 1])).all()
    assert all(len(set(row)) == 40 for row in theirs.tolist())
    assert (np.take_along_axis(guess["hands"][:, 1], theirs.astype(np.int64), axis=1) == 0).all()
    assert (guess["hands"][:, 1].sum(axis=1) == 10).all()
    assert (theirs != env.states["bids"][:, :40, 1]).any()
