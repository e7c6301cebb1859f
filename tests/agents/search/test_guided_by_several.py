"""Guided search in games of more than two players: beside a plain reference, and exact max^n values."""

import math
from functools import cache, partial

import numpy as np
import pytest

from agents.algorithms.alphazero import build
from agents.algorithms.ppo import build as build_ppo
from agents.configs.on_policy import PPOConfig
from agents.configs.search import AlphaZeroConfig
from agents.guided.guided import GuidedSearch
from arena.base.errors import UsageError
from arena.match.batch import Pairing, play_matches
from arena.policy.checkpoint import save_policy
from arena.policy.registration import Spaces
from arena.policy.registry import make_agent, make_game
from tests.agents.search.branching import after, alone, open_positions

pytestmark = pytest.mark.full

THREE = make_game("tic_tac_toe:m=3,n=4,k=3,players=3")


def opinions(players, obs, mask):
    """A network that has an opinion on everything, the same one each time, and for each seat another."""
    seen = obs.reshape(len(obs), -1).astype(np.float64)
    weights = np.sin(np.arange(1, seen.shape[1] + 1))
    logits = np.sin(seen @ weights[:, None] * 3 + np.arange(mask.shape[1]))
    return logits.astype(np.float32), (0.4 * np.cos(seen @ weights[:, None] * 5 + np.arange(players))).astype(
        np.float32
    )


def indifferent(players, obs, mask):
    """A network that knows nothing."""
    return np.zeros(mask.shape, np.float32), np.zeros((len(mask), players), np.float32)


class Node:
    """Of the plain search: results are added to the seat that chose an action, and to the seat to move."""

    def __init__(self, env):
        self.env, self.children, self.priors, self.visits, self.totals = env, {}, {}, {}, {}
        self.count, self.own = 0, 0.0


def plain_search(env, network, simulations):
    """Return the visits of the root's actions after a PUCT search by the formula of Science 362."""
    scale, root = 1.0, Node(env)

    def bound(node, action):
        weight = scale * (math.log((1 + node.count + 19652) / 19652) + 1.25) * math.sqrt(node.count)
        mean = node.totals[action] / node.visits[action] if node.visits[action] else node.own / node.count
        return mean + weight * node.priors[action] / (1 + node.visits[action])

    def simulate(node, earned):
        if node.env.over[0]:
            node.count += 1
            return earned
        seat = int(node.env.seats[0])
        if not node.priors:
            logits, values = network(node.env.observations().obs, node.env.mask)
            legal = np.flatnonzero(node.env.mask[0])
            weights = np.exp(logits[0, legal].astype(float) - logits[0, legal].max())
            for action, prior in zip(legal.tolist(), weights / weights.sum(), strict=True):
                node.priors[action], node.visits[action], node.totals[action] = prior, 0, 0.0
            results = np.roll(values[0], seat)
        else:
            action = max(node.priors, key=partial(bound, node))
            following, rewards = after(node.env, action)
            child = node.children.setdefault(action, Node(following))
            results = simulate(child, rewards)
            node.visits[action] += 1
            node.totals[action] += results[seat]
        node.count += 1
        node.own += results[seat]
        return results

    for _ in range(simulations + 1):
        simulate(root, np.zeros(env.game.num_players))
    return [root.visits.get(action, 0) for action in range(env.game.num_actions)]


@pytest.mark.parametrize("plies", [0, 1, 5])
def test_visits_are_those_of_a_plain_search(plies):
    env, rows = open_positions(THREE, 4, plies)
    network = partial(opinions, THREE.num_players)
    found = GuidedSearch(THREE, 60).search(env.positions(rows), network, np.random.default_rng(0))
    for row, visits in zip(rows, found.visits, strict=True):
        assert visits.tolist() == plain_search(alone(env, row), network, 60)


def max_n(env, known):
    """Return the returns [P] of a position in which each seat maximises its own; None if they are not unique.

    A seat may be indifferent between moves that are not alike for the others: then the values have no one answer.
    """
    key = env.positions().tobytes()
    if key not in known:
        seat, best, answers = int(env.seats[0]), -math.inf, []
        for action in np.flatnonzero(env.mask[0]).tolist():
            following, rewards = after(env, action)
            answers.append(tuple(rewards.tolist()) if following.over[0] else max_n(following, known))
        if None not in answers:
            best = max(values[seat] for values in answers)
        alike = {values for values in answers if values is not None and values[seat] == best}
        known[key] = alike.pop() if len(alike) == 1 else None
    return known[key]


def test_the_search_comes_to_the_exact_values_of_three():
    env, rows = open_positions(THREE, 80, 8, seed=4)
    known = {}
    exact = {row: max_n(alone(env, row), known) for row in rows.tolist()}
    rows = np.array([row for row, values in exact.items() if values is not None])
    assert len(rows) > 10
    wanted = np.array([exact[row][int(env.seats[row])] for row in rows.tolist()])
    assert set(wanted.tolist()) >= {-0.5, 1.0}
    found = GuidedSearch(THREE, 4000).search(env.positions(rows), partial(indifferent, 3), np.random.default_rng(0))
    assert np.abs(found.value - wanted).max() < 0.1
    for row, action, value in zip(rows.tolist(), found.act.tolist(), wanted.tolist(), strict=True):
        following, rewards = after(alone(env, row), action)
        values = rewards if following.over[0] else max_n(following, known)
        assert values is None or values[int(env.seats[row])] == value


def pig_values(target, sides, horizon):
    """Return a function that gives the values [3] of pig for three: scores from the seat to move on, total, moves."""

    @cache
    def values(scores, total, moves):
        if moves == horizon:
            return (0.0, 0.0, 0.0)
        held = hold(scores, total, moves)
        if scores[0] + total >= target:
            return held
        passed = values((*scores[1:], scores[0]), 0, moves + 1)
        rolls = [(passed[2], passed[0], passed[1])] + [
            values(scores, total + side, moves + 1) for side in range(2, sides + 1)
        ]
        rolled = tuple(np.mean(rolls, axis=0).tolist())
        return max(held, rolled, key=lambda of: of[0])

    def hold(scores, total, moves):
        if scores[0] + total >= target:
            return (1.0, -0.5, -0.5)
        passed = values((*scores[1:], scores[0] + total), 0, moves + 1)
        return (passed[2], passed[0], passed[1])

    return values


@pytest.mark.parametrize("considered", [0, 2])
def test_pig_for_three_comes_to_its_exact_values(considered):
    """Chance between three seats; Gumbel's search mixes in the opinion of a network that has none."""
    game = make_game("pig", players=3, target=5, sides=3, horizon=10)
    env, rows = open_positions(game, 40, 3, seed=1)
    states = env.positions(rows)
    values = pig_values(5, 3, 10)
    wanted = []
    for state in states:
        seat = int(state["current_player"])
        scores = tuple(np.roll(state["scores"], -seat).tolist())
        wanted.append(values(scores, int(state["turn_total"]), int(state["length"]))[0])
    search = GuidedSearch(game, 4000, considered)
    found = search.search(states, partial(indifferent, 3), np.random.default_rng(0), explores=False)
    assert np.abs(found.value - wanted).max() < 0.12
    assert np.ptp(wanted) > 0.5


def test_what_values_the_seat_to_move_alone_cannot_guide_three(tmp_path):
    config, spaces = AlphaZeroConfig(hidden=8, blocks=0), Spaces.of_game(THREE)
    three, one = tmp_path / "three", tmp_path / "ppo"
    save_policy(three, build(spaces, config, training=False), "alphazero", THREE, config)
    save_policy(one, build_ppo(spaces, PPOConfig(), training=False), "ppo", THREE, PPOConfig())
    agents = [(spec, make_agent(spec, THREE)) for spec in (f"puct:{three}:20", f"gumbel:{three}:8")]
    records = play_matches(THREE, agents, [Pairing((0, 1, 1)), Pairing((1, 0, 1)), Pairing((1, 1, 0))])
    assert all(record.verdict.reason == "finished" for record in records)
    with pytest.raises(UsageError, match="'ppo' values positions for the seat to move alone, not for 3: use alphazero"):
        make_agent(f"puct:{one}:20", THREE)


def test_games_whose_seats_decide_at_the_same_time_are_refused():
    with pytest.raises(UsageError, match="seats decide at the same time; ppo learns there, ismcts searches"):
        GuidedSearch(make_game("tron"), 10)
