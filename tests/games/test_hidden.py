"""What is hidden in games: nobody learns it, who imagines it may be right, and nothing that was seen is forgotten.

The games of `SMALL` are walked whole, with their own functions.
"""

from collections import Counter, defaultdict
from functools import cache

import numpy as np
import pytest

from games.engine.batch import new_games
from games.engine.compiler import instantiate, kernels
from games.engine.game import CHANCE, TERMINAL
from games.engine.registry import make_game
from tests.games.playing import SPECS, positions, random_actions

pytestmark = pytest.mark.full

HIDDEN = [spec for spec in SPECS if not make_game(spec).perfect_information]
DEALT = [spec for spec in HIDDEN if make_game(spec).has_chance and not make_game(spec).simultaneous]

SMALL = [
    "goofspiel:cards=3,imp_info=true",
    "goofspiel:cards=4,points_order=ascending,imp_info=true",
    "kuhn_poker",
    "kuhn_poker:players=3",
    "leduc_holdem",
    "leduc_poker",
    "liars_dice:dice=2,sides=2",
    "liars_dice:players=3,sides=2",
]

INFORMATION_SETS = {"kuhn_poker": 12, "kuhn_poker:players=3": 48, "leduc_poker": 936, "liars_dice": 24_576}
"""Information sets at which a seat is to move, of games in the literature."""


def knowledge(game):
    return instantiate("games.engine.knowledge", game)


def seen(game, states, seat):
    """Rows of bytes [N, ...]: what `seat` sees in each state, and what it has seen so far where the game tells."""
    obs = np.empty((len(states), game.num_players, *game.observation_shape), game.observation_dtype)
    masks = np.empty((len(states), game.num_players, game.num_actions), np.bool_)
    kernels(game).observe_all(states, np.arange(len(states)), obs, masks)
    rows = [np.ascontiguousarray(part[:, seat]).view(np.uint8).reshape(len(states), -1) for part in (obs, masks)]
    if game.information_shape is not None:
        rows.append(information(game, states, np.full(len(states), seat)).view(np.uint8))
    return np.concatenate(rows, axis=1)


def information(game, states, seats):
    """The information states [N, I] of `seats` [N]."""
    out = np.full((len(states), *game.information_shape), 99, game.observation_dtype)
    knowledge(game).information_states(states, seats, out)
    return out.reshape(len(states), -1)


def redacted(game, states, seat):
    states = states.copy()
    knowledge(game).redact_all(states, np.full(len(states), seat))
    return states


def imagined(game, states, seat, seed=0):
    states = states.copy()
    seeds = np.random.default_rng(seed).integers(2**64, size=len(states), dtype=np.uint64)
    knowledge(game).determinize_all(states, np.full(len(states), seat), seeds)
    return states


@pytest.fixture
def game(spec):
    return make_game(spec)


@cache
def played(spec):
    return np.array([state for seed in range(8) for state, _ in positions(make_game(spec), seed)])


@pytest.fixture
def states(spec):
    """The positions of some random games."""
    return played(spec).copy()


@pytest.mark.parametrize("spec", HIDDEN)
def test_a_seat_sees_nothing_that_it_may_not_know(game, states):
    for seat in range(game.num_players):
        blank = redacted(game, states, seat)
        assert (seen(game, blank, seat) == seen(game, states, seat)).all()
        assert redacted(game, blank, seat).tobytes() == blank.tobytes()


@pytest.mark.parametrize("spec", HIDDEN)
def test_what_is_imagined_agrees_with_all_that_was_seen(game, states):
    for seat in range(game.num_players):
        guess = imagined(game, states, seat)
        assert (seen(game, guess, seat) == seen(game, states, seat)).all()
        assert redacted(game, guess, seat).tobytes() == redacted(game, states, seat).tobytes()
        blank = imagined(game, redacted(game, states, seat), seat)
        assert blank.tobytes() == guess.tobytes(), "the guess does not look at what is hidden"


@pytest.mark.parametrize("spec", DEALT)
def test_something_is_hidden(game, states):
    """Else the tests above would say nothing."""
    running = states[states["current_player"] != TERMINAL]
    for seat in range(game.num_players):
        assert len({state.tobytes() for state in imagined(game, np.repeat(running[-1:], 20), seat)}) > 1


@pytest.mark.parametrize("spec", HIDDEN)
def test_what_is_imagined_can_be_played_to_the_end(game, states):
    running = states[states["current_player"] >= 0]
    count, rng = len(running), np.random.default_rng(0)
    views = np.empty((count, game.num_players, *game.observation_shape), game.observation_dtype)
    masks = np.empty((count, game.num_players, game.num_actions), np.bool_)
    obs = np.empty((count, *game.observation_shape), game.observation_dtype)
    rewards = np.empty((count, game.num_players), np.float32)
    for seat in range(game.num_players):
        games = new_games(game, count)
        games.states[:], games.over[:], games.streams[:] = imagined(game, running, seat), False, np.arange(count)
        games.seats[:] = games.states["current_player"]
        kernels(game).observe_all(games.states, np.arange(count), views, masks)
        games.mask[:] = masks[np.arange(count), games.seats]
        for _ in range(game.max_length):
            rows = np.flatnonzero(~games.over)
            actions = random_actions(games.mask[rows], rng)
            kernels(game).step(games, rows, actions, obs[: len(rows)], rewards[: len(rows)], game.chance_scratch())
        assert (games.states["current_player"] == TERMINAL).all()


@cache
def tree(spec):
    """All histories, level by level: states [N], chance's part in reaching them, parents and actions."""
    game = make_game(spec)
    width = max(game.num_actions, game.num_outcomes)
    levels = [(game.initial.reshape(1), np.ones(1), np.zeros(1, np.int64), np.zeros(1, np.int64))]
    while len(levels[-1][0]):
        states, reach = levels[-1][:2]
        room = len(states) * width
        after = (np.empty(room, states.dtype), np.empty(room), np.empty(room, np.int64), np.empty(room, np.int64))
        scratch = np.empty(game.num_actions, np.bool_), np.empty(game.num_outcomes)
        count = instantiate("tests.games.tree", game).expand(states, reach, *scratch, *after)
        levels.append(tuple(part[:count].copy() for part in after))
    return levels[:-1]


def decisions(spec):
    """The histories in which a seat is to move: states [N] and chance's part in reaching them [N]."""
    levels = tree(spec)
    states, reach = (np.concatenate([level[k] for level in levels]) for k in (0, 1))
    return states[states["current_player"] >= 0], reach[states["current_player"] >= 0]


@pytest.mark.parametrize("spec", INFORMATION_SETS)
def test_number_of_information_sets(spec, game):
    states, _ = decisions(spec)
    movers = states["current_player"].astype(np.int64)
    knowledge = np.column_stack([movers, information(game, states, movers)])
    assert len(np.unique(knowledge, axis=0)) == INFORMATION_SETS[spec]


@pytest.mark.parametrize("spec", SMALL)
def test_an_information_state_recalls_what_its_seat_has_seen_and_done(spec, game):
    """Positions that are one to a seat have the same observation and actions, and came about alike to it."""
    pasts = [[() for _ in range(game.num_players)]]
    meanings = {}
    known, movers = None, None
    for states, _, parents, actions in tree(spec):
        if known is not None:
            pasts = [
                [
                    (*past, (known[seat][parent], action)) if movers[parent] == seat else past
                    for seat, past in enumerate(pasts[parent])
                ]
                for parent, action in zip(parents.tolist(), actions.tolist(), strict=True)
            ]
        movers = states["current_player"].tolist()
        known = []
        for seat in range(game.num_players):
            knowledge = information(game, states, np.full(len(states), seat))
            known.append([hash(row.tobytes()) for row in knowledge])
            for node, view in enumerate(seen(game, states, seat)):
                if movers[node] == seat:
                    meaning = (pasts[node][seat], view.tobytes())
                    assert meanings.setdefault((seat, known[seat][node]), meaning) == meaning
    assert meanings


@pytest.mark.parametrize("spec", SMALL)
def test_guesses_are_as_likely_as_chance_makes_them(spec, game):
    """Chi-square over all deals that agree with what a seat knows, at some positions."""
    states, reach = decisions(spec)
    drawing = "random" in states.dtype.names
    if drawing:
        states["random"] = 0
    rng = np.random.default_rng(5)
    for node in rng.choice(len(states), size=12, replace=False):
        seat = int(rng.integers(game.num_players))
        known = seen(game, states, seat)
        possible = defaultdict(float)
        for other in np.flatnonzero((known == known[node]).all(axis=1)):
            possible[states[other].tobytes()] += reach[other]
        guesses = imagined(game, np.repeat(states[node : node + 1], 100 * len(possible)), seat, seed=int(node))
        if drawing:
            guesses["random"] = 0
        counted = Counter(guess.tobytes() for guess in guesses)
        assert set(counted) == set(possible)
        expected = np.array(list(possible.values()))
        expected *= len(guesses) / expected.sum()
        frequencies = np.array([counted[guess] for guess in possible])
        freedom = len(possible) - 1
        assert ((frequencies - expected) ** 2 / expected).sum() <= freedom + 5 * np.sqrt(2 * freedom)


@pytest.mark.parametrize("spec", SMALL)
def test_chances_are_probabilities(spec, game):
    reached = [reach[states["current_player"] == CHANCE] for states, reach, _, _ in tree(spec)]
    assert not game.has_chance or any(len(some) for some in reached)
    for level, (states, reach, parents, _) in enumerate(tree(spec)[1:]):
        moved_by_chance = tree(spec)[level][0]["current_player"][parents] == CHANCE
        before = np.bincount(parents[moved_by_chance], reach[moved_by_chance])
        assert np.allclose(before[before > 0], tree(spec)[level][1][np.unique(parents[moved_by_chance])])
        assert len(states) == len(reach)
