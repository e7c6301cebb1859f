"""Search guided by a network: beside a plain reference in Python, and by what it must find."""

import math
from functools import partial

import numpy as np
import pytest

from agents.algorithms.alphazero import build
from agents.algorithms.mmd import build as build_mmd
from agents.configs.on_policy import MMDConfig
from agents.configs.search import AlphaZeroConfig
from agents.guided.guided import GuidedSearch, RootNoise, _visit_sequence
from agents.guided.puct import network_of
from agents.learning.symmetries import turn
from agents.search.alphabeta import AlphaBetaPolicy
from arena.base.errors import CheckpointError, UsageError
from arena.data.batch import Batch
from arena.env import GameVectorEnv
from arena.match.batch import Pairing, play_matches
from arena.policy.checkpoint import save_policy
from arena.policy.registration import Spaces
from arena.policy.registry import make_agent, make_game
from tests.agents.search.branching import after, alone, open_positions

pytestmark = pytest.mark.full

TIC_TAC_TOE = make_game("tic_tac_toe")


def opinions(obs, mask):
    """A network that has an opinion on everything, the same one each time."""
    seen = obs.reshape(len(obs), -1).astype(np.float64)
    weights = np.sin(np.arange(1, seen.shape[1] + 1))
    logits = np.sin(seen @ weights[:, None] * 3 + np.arange(mask.shape[1]))
    return logits.astype(np.float32), (0.4 * np.cos(seen @ weights * 5)).astype(np.float32)


def indifferent(obs, mask):
    """A network that knows nothing."""
    return np.zeros(mask.shape, np.float32), np.zeros(len(mask), np.float32)


class Node:
    """Of the reference: `proven` is its result for seat 0, if that is known."""

    def __init__(self, env):
        self.children, self.priors, self.visits, self.totals = {}, {}, {}, {}
        self.own = self.count = 0
        self.env, self.proven = env, None


def prove(node, sign):
    """Return whether children settle a node; `sign` is that of the seat to move there."""
    known = [sign * child.proven for child in node.children.values() if child.proven is not None]
    if 1 in known or len(known) == len(node.priors):
        node.proven = sign * max(known)


def reference(env, simulations):
    """Visits of the root's actions after a plain PUCT search, by the formula of Science 362, with proofs."""
    root = Node(env)

    def bound(node, action, seat):
        """Return the PUCT score of an action for the seat to move."""
        child = node.children.get(action)
        if child is not None and child.proven is not None:
            return child.proven if seat == 0 else -child.proven
        weight = (math.log((1 + node.count + 19652) / 19652) + 1.25) * math.sqrt(node.count)
        mean = node.totals[action] / node.visits[action] if node.visits[action] else node.own / node.count
        return mean + weight * node.priors[action] / (1 + node.visits[action])

    def simulate(node, earned):
        """Results [P] of one simulation from a node on; `earned` is what led there."""
        seat = int(node.env.seats[0])
        if node.env.over[0] or node.proven is not None:
            node.proven = earned[0] if node.proven is None else node.proven
            return np.array([node.proven, -node.proven])
        if not node.priors:
            logits, value = opinions(node.env.observations().obs, node.env.mask)
            legal = np.flatnonzero(node.env.mask[0])
            weights = np.exp(logits[0, legal].astype(float) - logits[0, legal].max())
            for action, prior in zip(legal.tolist(), weights / weights.sum(), strict=True):
                node.priors[action], node.visits[action], node.totals[action] = prior, 0, 0.0
            result = np.zeros(2)
            result[seat], result[1 - seat] = value[0], -value[0]
        else:
            action = max(node.priors, key=lambda action: bound(node, action, seat))
            if action not in node.children:
                node.children[action] = Node(after(node.env, action)[0])
            child = node.children[action]
            result = simulate(child, after(node.env, action)[1])
            node.visits[action] += 1
            node.totals[action] += result[seat]
            prove(node, 1 if seat == 0 else -1)
            if child.proven is not None and node.proven is not None:
                result = np.array([node.proven, -node.proven])
        node.count += 1
        node.own += result[seat]
        return result

    for _ in range(simulations + 1):
        if root.proven is None:
            simulate(root, np.zeros(2))
    return [root.visits.get(action, 0) for action in range(env.game.num_actions)]


@pytest.mark.parametrize(
    ("name", "plies"), [("tic_tac_toe", 1), ("tic_tac_toe", 4), ("connect_four", 3), ("connect_four", 22), ("kalah", 3)]
)
def test_visits_are_those_of_a_plain_search(name, plies):
    game = make_game(name)
    env, rows = open_positions(game, 8, plies)
    found = GuidedSearch(game, 60).search(env.positions(rows), opinions, np.random.default_rng(0))
    for row, visits in zip(rows, found.visits, strict=True):
        assert visits.tolist() == reference(alone(env, row), 60)


@pytest.mark.parametrize("considered", [0, 4])
def test_threads_find_what_one_finds_and_searches_leave_nothing_behind(considered):
    env, rows = open_positions(make_game("connect_four"), 100, 6)
    states, noise = env.positions(rows), RootNoise(1.0, 0.25)
    one, several = (GuidedSearch(env.game, 40, considered) for _ in range(2))
    for searched in (states, states[::-1].copy(), states[:7]):
        found, again = (
            search.search(searched, opinions, np.random.default_rng(3), noise, threads=threads)
            for search, threads in ((one, 1), (several, 3))
        )
        fresh = GuidedSearch(env.game, 40, considered).search(searched, opinions, np.random.default_rng(3), noise)
        for expected in (again, fresh):
            for name in ("visits", "probs", "act", "value", "pv"):
                np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)


@pytest.mark.parametrize("considered", [0, 16])
def test_an_indifferent_network_is_no_obstacle_to_the_best_move(considered):
    env, rows = open_positions(TIC_TAC_TOE, 300, 4)
    states = env.positions(rows)
    seen = Batch(env.observations(rows), state=states)
    perfect = AlphaBetaPolicy(TIC_TAC_TOE, depth=9).forward(Batch(obs=seen, info=Batch()))
    found = GuidedSearch(TIC_TAC_TOE, 300, considered).search(states, indifferent, np.random.default_rng(0))
    assert (perfect.probs[np.arange(len(rows)), found.act] > 0).mean() > 0.98
    assert np.abs(found.value - perfect.value).mean() < 0.15
    np.testing.assert_allclose(found.probs.sum(axis=1), 1)
    assert not (found.probs * ~env.mask[rows]).any()
    assert (found.visits.sum(axis=1) == 300).all() == bool(considered)  # PUCT stops where the result is proven


def test_gumbel_improves_on_the_network_with_few_simulations():
    """The improved policy has a higher value, under perfect play, than the network's own and PUCT's."""
    env, rows = open_positions(TIC_TAC_TOE, 400, 5)
    states = env.positions(rows)
    worth = np.full((len(rows), 9), np.nan)
    for action in range(9):
        legal = np.flatnonzero(env.mask[rows, action])
        after = GameVectorEnv(TIC_TAC_TOE, len(legal))
        after.reset()
        after.load_state_dict(env.state_dict()[rows[legal]])
        seats = after.seats.copy()
        _, rewards, *_ = after.step(np.full(len(legal), action))
        going = np.flatnonzero(~after.over)
        seen = Batch(after.observations(), state=after.positions())[going]
        value = rewards[np.arange(len(legal)), seats].astype(float)
        value[going] -= AlphaBetaPolicy(TIC_TAC_TOE, depth=9).forward(Batch(obs=seen, info=Batch())).value
        worth[legal, action] = value
    found = GuidedSearch(TIC_TAC_TOE, 8, 4).search(
        states, lambda obs, mask: (opinions(obs, mask)[0], indifferent(obs, mask)[1]), np.random.default_rng(0)
    )
    logits, _ = opinions(env.observations(rows).obs, env.mask[rows])
    own = np.where(env.mask[rows], np.exp(logits), 0)
    own /= own.sum(axis=1, keepdims=True)
    assert np.nansum(found.probs * worth) / len(rows) > np.nansum(own * worth) / len(rows) + 0.05


def test_sequential_halving_tries_the_better_half_again():
    assert _visit_sequence(4, 16) == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert _visit_sequence(1, 4) == [0, 1, 2, 3]
    assert _visit_sequence(16, 8) == [0] * 8


@pytest.mark.parametrize("considered", [0, 8])
def test_chance_is_sampled(considered):
    game = make_game("pig")
    env, rows = open_positions(game, 8, 6)
    search = GuidedSearch(game, 40, considered)
    found, again = (search.search(env.positions(rows), indifferent, np.random.default_rng(3)) for _ in range(2))
    assert (found.visits == again.visits).all()
    assert (found.visits.sum(axis=1) == 40).all()
    assert not found.visits[~env.mask[rows]].any()


def test_noise_reaches_every_legal_move_and_positions_that_are_over_are_left_alone():
    env, _ = open_positions(TIC_TAC_TOE, 64, 9)
    found = GuidedSearch(TIC_TAC_TOE, 10).search(
        env.positions(), opinions, np.random.default_rng(0), RootNoise(1, 0.25)
    )
    assert not found.visits[env.over].any()
    assert (found.act[env.over] == 0).all()
    env.reset()
    states = env.positions()
    calm, stirred = (
        GuidedSearch(TIC_TAC_TOE, 30).search(states, opinions, np.random.default_rng(0), noise)
        for noise in (None, RootNoise(1.0, 0.5))
    )
    assert len({tuple(row) for row in calm.visits.tolist()}) == 1
    assert len({tuple(row) for row in stirred.visits.tolist()}) > 32


def trained(folder, **options):
    """A checkpoint of an untrained network."""
    config = AlphaZeroConfig(hidden=16, blocks=1, **options)
    save_policy(folder, build(Spaces.of_game(TIC_TAC_TOE), config, False), "alphazero", TIC_TAC_TOE, config)
    return folder


def test_puct_and_gumbel_play_by_the_network_of_a_checkpoint(tmp_path):
    folder = trained(tmp_path / "az")
    players = [(spec, make_agent(spec, TIC_TAC_TOE)) for spec in (f"puct:{folder}:40", f"gumbel:{folder}:8")]
    records = play_matches(TIC_TAC_TOE, players, [Pairing((0, 1)), Pairing((1, 0))])
    assert all(record.verdict.reason == "finished" for record in records)
    agent = make_agent(f"alphazero:{folder}", TIC_TAC_TOE)
    env, rows = open_positions(TIC_TAC_TOE, 4, 2)
    seen = Batch(env.observations(rows), state=env.positions(rows))
    own = GuidedSearch(TIC_TAC_TOE, 100).search(seen.state, partial(network_of, agent), np.random.default_rng(0))
    assert (agent.forward(Batch(obs=seen, info=Batch())).probs == own.probs).all()


def test_critics_of_actions_guide_no_search(tmp_path):
    """The critic of MMD rates actions: its first column is no value of the state."""
    config = MMDConfig(hidden=16)
    save_policy(tmp_path / "mmd", build_mmd(Spaces.of_game(TIC_TAC_TOE), config, False), "mmd", TIC_TAC_TOE, config)
    with pytest.raises(UsageError, match="'mmd' has no actor and critic of states"):
        make_agent(f"puct:{tmp_path / 'mmd'}:40", TIC_TAC_TOE)


@pytest.mark.parametrize("name", ["connect_four", "backgammon"])
def test_puct_goes_on_from_what_it_found_below_the_moves_played(name, tmp_path):
    game = make_game(name)
    config = AlphaZeroConfig(hidden=16, blocks=0)
    save_policy(tmp_path / "az", build(Spaces.of_game(game), config, False), "alphazero", game, config)
    policy = make_agent(f"puct:{tmp_path / 'az'}:200", game)
    env = GameVectorEnv(game, 3)
    obs, _ = env.reset(seed=4)
    hidden, kept = None, []
    for _ in range(3):
        answer = policy.forward(Batch(obs=Batch(obs, state=env.positions())), hidden)
        kept.append(answer.visits.sum(axis=1) - 200)
        mine, hidden = env.seats.copy(), answer.state
        obs, *_ = env.step(answer.act)
        while (replying := np.flatnonzero(env.seats != mine)).size:
            obs, *_ = env.step(env.mask[replying].argmax(axis=1), replying)
        obs = env.observations()
    assert not kept[0].any()
    assert np.concatenate(kept).max() > 0


@pytest.mark.parametrize("name", ["breakthrough", "tic_tac_toe", "hex"])
def test_few_simulations_late_in_a_game_still_give_a_legal_move(name):
    """All moves that were tried may be proven to lose."""
    game = make_game(name, **{"hex": {"size": 4}, "breakthrough": {"rows": 5, "columns": 4}}.get(name, {}))
    for plies in (4, 6, 8, 14):
        env, rows = open_positions(game, 200, plies, seed=plies)
        for simulations in (1, 2, 4):
            found = GuidedSearch(game, simulations).search(env.positions(rows), opinions, np.random.default_rng(0))
            assert env.mask[rows, found.act].all()
            np.testing.assert_allclose(found.probs.sum(axis=1), 1)
            assert not (found.probs * ~env.mask[rows]).any()


def test_a_time_limits_puct(tmp_path):
    env, rows = open_positions(TIC_TAC_TOE, 2, 1)
    policy = make_agent(f"puct:{trained(tmp_path / 'az')}:30ms", TIC_TAC_TOE)
    seen = Batch(env.observations(rows), state=env.positions(rows))
    answer = policy.forward(Batch(obs=seen))
    assert policy.one_at_a_time
    assert answer.visits.sum(axis=1).min() >= 1
    np.testing.assert_allclose(answer.probs.sum(axis=1), 1)


def test_moves_searched_quickly_teach_the_policy_nothing():
    policy = build(
        Spaces.of_game(TIC_TAC_TOE),
        AlphaZeroConfig(hidden=8, blocks=1, simulations=64, quick_simulations=16, full_share=0.5),
        True,
    )
    policy.reset(0)
    env, rows = open_positions(TIC_TAC_TOE, 4, 2)
    seen = Batch(env.observations(rows), state=env.positions(rows))
    answers = [policy.forward(Batch(obs=seen)) for _ in range(20)]
    full = [bool(answer.policy.target.any()) for answer in answers]
    assert 3 < sum(full) < 17
    for answer, is_full in zip(answers, full, strict=True):
        np.testing.assert_allclose(answer.policy.target.sum(axis=1), float(is_full), rtol=1e-5)
        assert answer.visits.sum(axis=1).max() <= (64 if is_full else 16)


def test_wrong_arguments_are_refused_by_name(tmp_path):
    folder = trained(tmp_path / "az")
    for spec, message in (
        (f"puct:{folder}:0", "the number of simulations is not a whole number of at least 1, nor a time"),
        (f"puct:{folder}:many", "the number of simulations is not"),
        (f"gumbel:{folder}:500ms", "Gumbel's search plans its simulations: give a number of simulations, not a time"),
        ("puct", "give a trained agent and simulations"),
    ):
        with pytest.raises(UsageError, match=message):
            make_agent(spec, TIC_TAC_TOE)
    with pytest.raises(UsageError, match="perfect information"):
        make_agent(f"puct:{folder}:10", make_game("leduc_poker"))
    with pytest.raises(CheckpointError, match="plays tic_tac_toe"):
        make_agent(f"gumbel:{folder}:10", make_game("connect_four"))
    agent = make_agent(f"puct:{folder}:10", TIC_TAC_TOE)
    unseen = Batch(agent_id=np.zeros(1), obs=np.zeros((1, 3, 3, 2)), mask=np.ones((1, 9), bool))
    with pytest.raises(UsageError, match=r"batch\.obs\.state"):
        agent.forward(Batch(obs=unseen))


def test_what_is_learned_from_is_turned_whole():
    """Masks and targets go with what is seen: each row is one of the game's symmetries of what was stored."""
    env, rows = open_positions(TIC_TAC_TOE, 200, 3)
    target = env.mask[rows] * np.random.default_rng(0).random((len(rows), 9)).astype(np.float32)
    before = env.observations(rows)
    batch = Batch(obs=before, policy=Batch(target=target))
    turn(batch, TIC_TAC_TOE, np.random.default_rng(0))
    ways = [(np.arange(18), np.arange(9)), *TIC_TAC_TOE.symmetries]
    taken = set()
    for i in range(len(rows)):
        fits = [
            number
            for number, (entries, actions) in enumerate(ways)
            if (batch.obs.obs[i].ravel() == before.obs[i].ravel()[entries]).all()
            and (batch.policy.target[i] == target[i][actions]).all()
            and (batch.obs.mask[i] == before.mask[i][actions]).all()
        ]
        assert fits
        taken.update(fits)
        assert (batch.obs.mask[i] == ~batch.obs.obs[i].any(axis=-1).ravel()).all()
    assert taken == set(range(len(ways)))
