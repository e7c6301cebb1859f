"""TD(lambda): ends of turns, its targets, what it learns, and search over ends of turns."""

import numpy as np
import pytest
import torch

from agents.algorithms.td import build
from agents.configs.afterstates import TDConfig
from agents.guided.afterstates import CANDIDATES, AfterstateSearch, TurnEnds
from agents.guided.pubeval import FILES, encode, is_race, make
from agents.learning.lambda_targets import Turns, lambda_targets
from agents.networks.accumulator import RENEWED, forward_alike
from agents.networks.common import Net
from agents.search.alphabeta import AlphaBetaPolicy
from arena.base.errors import UsageError
from arena.collector.collector import Collector
from arena.data import Batch
from arena.data.buffer.manager import VectorReplayBuffer
from arena.env.native import GameVectorEnv
from arena.policy.registration import Spaces
from arena.policy.registry import make_agent
from games.engine.game import CHANCE, TERMINAL
from games.engine.registry import make_game
from tests.games.playing import random_actions
from tests.rules_by_hand import rules_of

pytestmark = pytest.mark.full

BACKGAMMON = make_game("backgammon", scoring="full")
RULES = rules_of(BACKGAMMON)


def drawn(n: int, moves: int, seed: int = 0) -> np.ndarray:
    """Return positions [n] of backgammon after so many random moves, none of them finished."""
    env, rng = GameVectorEnv(BACKGAMMON, n), np.random.default_rng(seed)
    env.reset(seed=seed)
    for _ in range(moves):
        env.step(random_actions(env.mask, rng))
        if env.over.any():
            env.reset(np.flatnonzero(env.over))
    return env.positions()


def ends_by_rules(state) -> dict[bytes, set[int]]:
    """Return the checkers in each end of a turn, with the first actions that lead there, by trying everything."""
    found: dict[bytes, set[int]] = {}

    def walk(position, first):
        mask = np.zeros(150, np.bool_)
        RULES.legal_actions(position, mask)
        for action in np.flatnonzero(mask).tolist():
            after = position.copy()
            RULES.apply(after, action)
            chosen = action if first < 0 else first
            if after["current_player"] == state["current_player"]:
                walk(after, chosen)
            else:
                found.setdefault(after["checkers"].tobytes(), set()).add(chosen)

    walk(state, -1)
    return found


def test_the_ends_of_a_turn_are_all_that_can_be_reached_each_once():
    states = drawn(60, 41)
    turns = TurnEnds(BACKGAMMON, "td")
    ends, starts = turns.find(states, states["current_player"])
    for i, state in enumerate(states):
        rows = slice(starts[i], starts[i + 1])
        expected = ends_by_rules(state)
        keys = [row.tobytes() for row in ends.states["checkers"][rows]]
        assert len(set(keys)) == len(keys)
        assert set(keys) == expected.keys()
        for key, action, single in zip(keys, ends.action[rows], ends.single[rows], strict=True):
            assert action in expected[key]
            after = state.copy()
            RULES.apply(after, int(action))
            assert single == (after["current_player"] != state["current_player"])
    assert np.diff(starts).max() > 60


def test_room_is_made_for_more_ends():
    states = drawn(60, 41)
    turns, small = TurnEnds(BACKGAMMON, "td"), TurnEnds(BACKGAMMON, "td")
    small._reserve(3)
    found, again = (one.find(states, states["current_player"]) for one in (turns, small))
    assert np.array_equal(found.ends.features, again.ends.features)
    assert np.array_equal(found.starts, again.starts)


def test_shots_are_the_rolls_that_hit():
    """The feature looks at one checker at a time; the rules also ask for both numbers to be played."""
    states = drawn(60, 41, seed=1)
    turns = TurnEnds(BACKGAMMON, "td")
    ends = turns.find(states, states["current_player"]).ends
    rng = np.random.default_rng(0)
    rows = rng.choice(np.flatnonzero(np.isnan(ends.payoff)), 150, replace=False)
    after, features = ends.states[rows].copy(), ends.features[rows].copy()
    shots = features[:, 25 * 4 + 3] * 36
    for state, expected in zip(after, shots, strict=True):
        mover, count = int(state["turn"]), 0
        rolled, probabilities = turns.spread(state.reshape(1))
        for outcome in np.flatnonzero(probabilities[0]).tolist():
            one = rolled[0, outcome : outcome + 1]
            replies = turns.find(one, np.array([mover], np.int8)).ends
            bar = replies.states["checkers"][:, 1 - mover, 25]
            count += round(36 * probabilities[0, outcome]) * bool((bar > state["checkers"][1 - mover, 25]).any())
        assert abs(count - expected) <= 2, state["checkers"]


def test_targets_mix_what_is_predicted_with_what_follows():
    best = np.array([[0.5, 0.5], [0.2, 0.8], [0.6, 0.4], [0.9, 0.1], [0.3, 0.7], [0.4, 0.6]], np.float32)
    turns = Turns(
        best=best,
        ended=np.array([True, False, True, True, True, True]),
        greedy=np.array([True, True, True, True, False, True]),
        terminated=np.array([False, False, False, True, False, False]),
        result=np.array([0, 0, 0, 1, 0, 0]),
        cut=np.array([False, False, False, False, False, True]),
    )
    target, learned = lambda_targets(turns, 0.75)
    third = 0.25 * best[3] + 0.75 * np.array([0, 1])
    np.testing.assert_allclose(target[3], [0, 1])
    np.testing.assert_allclose(target[2], third)
    np.testing.assert_allclose(target[1], third)  # within the turn that ends with the next action
    np.testing.assert_allclose(target[0], 0.25 * best[1] + 0.75 * third)
    np.testing.assert_allclose(target[4], best[5])  # nothing is known beyond the last
    assert learned.tolist() == [True, False, True, True, False, False]


def test_a_target_ends_before_a_move_at_random():
    best = np.array([[0.5, 0.5], [0.2, 0.8]], np.float32)
    flags = np.array([True, True])
    turns = Turns(best, flags, np.array([True, False]), np.array([False, True]), np.array([0, 0]), ~flags)
    target, learned = lambda_targets(turns, 1.0)
    np.testing.assert_allclose(target[0], best[1])
    assert learned.tolist() == [True, False]


def test_the_layer_that_adds_changes_is_the_layer():
    rng = np.random.default_rng(0)
    inputs = np.repeat(rng.normal(size=(1, 30)), 3 * RENEWED + 5, axis=0).astype(np.float32)
    changed = rng.random(inputs.shape) < 0.1
    inputs[changed] = rng.normal(size=changed.sum())
    network = Net((30,), 4, hidden_sizes=(16, 8))
    with torch.no_grad():
        torch.testing.assert_close(forward_alike(network, inputs), network(inputs)[0], atol=1e-5, rtol=1e-4)


def pips(features: np.ndarray) -> np.ndarray:
    """Return the lead in pips, as a value for the seat whose turn has ended."""
    lead: np.ndarray = (features[:, 108 + 102] - features[:, 102]) / 4
    return lead


def test_one_ply_further_is_the_mean_over_rolls_of_the_best_reply():
    states = drawn(6, 50, seed=3)
    seats = states["current_player"]
    act, value = AfterstateSearch(BACKGAMMON, pips, 1, "test").best(states)
    turns = TurnEnds(BACKGAMMON, "test")
    for i in range(len(states)):
        found = turns.find(states[i : i + 1], seats[i : i + 1]).ends
        order = np.argsort(-pips(found.features), kind="stable")[:CANDIDATES]
        ends, actions = found.states[order].copy(), found.action[order].copy()
        assert (ends["current_player"] == CHANCE).all()
        worth = []
        for end in ends:
            rolled, probabilities = turns.spread(end.reshape(1))
            total = 0.0
            for outcome in np.flatnonzero(probabilities[0]).tolist():
                replies = turns.find(rolled[0, outcome : outcome + 1], (1 - seats[i : i + 1]).astype(np.int8)).ends
                best = np.where(np.isnan(replies.payoff), pips(replies.features), replies.payoff).max()
                total -= probabilities[0, outcome] * best
            worth.append(total)
        assert value[i] == pytest.approx(max(worth), abs=1e-5)
        assert act[i] in actions[np.isclose(worth, max(worth), atol=1e-5)]


def test_finished_games_are_left_alone():
    states = drawn(2, 5)
    states["current_player"][0] = TERMINAL
    act, value = AfterstateSearch(BACKGAMMON, pips, 0, "test").best(states)
    assert (act[0], value[0]) == (0, 0.0)


def test_it_learns_to_hold_a_perfect_player():
    game, boards = make_game("tic_tac_toe"), 256
    torch.manual_seed(0)
    policy = build(Spaces.of_game(game), TDConfig(epsilon=0.5, average_rate=0.01), True)
    policy.reset(0)
    collector = Collector(policy, GameVectorEnv(game, boards), VectorReplayBuffer(2 * boards * 20, 2 * boards))
    collector.reset_env({"seed": 0})
    for _ in range(41):
        collector.collect(n_step=16 * boards)
        policy.update(0, collector.buffer, batch_size=128, repeat=1)
        collector.reset_buffer(keep_statistics=True)
    policy.eval()
    perfect = AlphaBetaPolicy(game, depth=9, seed=0)
    held = sum(
        (scores(game, pair)[:, pair.index(policy)] >= 0).sum() for pair in ([policy, perfect], [perfect, policy])
    )
    assert held >= 25  # of 80; none before it has learned


def scores(game, players) -> np.ndarray:
    """Return what the seats earned in 40 games."""
    env = GameVectorEnv(game, 40)
    env.reset(seed=0)
    total = np.zeros((40, 2))
    while not env.over.all():
        rows = np.flatnonzero(~env.over)
        seat = int(env.seats[rows[0]])
        seen = Batch(obs=Batch(agent_id=env.seats[rows], mask=env.mask[rows], state=env.positions()[rows]))
        _, rewards, *_ = env.step(players[seat].forward(seen).act, rows)
        total[rows] += rewards
    return total


def test_the_same_seed_learns_the_same():
    learned = []
    for _ in range(2):
        torch.manual_seed(1)
        policy = build(Spaces.of_game(BACKGAMMON), TDConfig(hidden=8), True)
        policy.reset(5)
        collector = Collector(policy, GameVectorEnv(BACKGAMMON, 8), VectorReplayBuffer(2 * 8 * 80, 16))
        collector.reset_env({"seed": 3})
        collector.collect(n_step=8 * 60)
        policy.update(0, collector.buffer, batch_size=64, repeat=1)
        learned.append(policy.average.state_dict())
    first, second = learned
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_games_without_gammons_pay_one_for_them():
    policy = build(Spaces.of_game(make_game("backgammon")), TDConfig(hidden=8), False)
    with torch.no_grad():
        for parameter in policy.average.parameters():
            parameter.zero_()
        policy.average.model.model[-1].bias[-1] = 50.0  # sure to win a backgammon
    features = np.zeros((1, TurnEnds(BACKGAMMON, "td").num_features), np.float32)
    assert policy.expected(features) == pytest.approx([1.0])


@pytest.mark.parametrize("scoring", ["winloss", "full"])
def test_the_champion_plays_with_and_without_gammons(scoring):
    game = make_game("backgammon", scoring=scoring)
    state = drawn(1, 0)
    act = make_agent("champion", game).forward(Batch(obs=Batch(state=state))).act
    assert act[0] in set().union(*ends_by_rules(state[0]).values())


@pytest.mark.parametrize(("name", "words"), [("kuhn_poker", "perfect information"), ("tron", "perfect information")])
def test_other_games_are_refused(name, words):
    with pytest.raises(UsageError, match=words):
        build(Spaces.of_game(make_game(name)), TDConfig(), False)


def test_pubeval_reads_a_board_as_published():
    own, other = np.zeros((2, 1, 26), np.int8)
    own[0, [6, 8, 13, 24, 0]] = 5, 3, 4, 1, 2
    other[0, [25, 24, 10]] = 2, 1, 12
    inputs = encode(own, other)[0]
    expected = np.zeros(122)
    expected[5 * 0 + 1] = 1  # one checker on the point 24
    expected[5 * 11 + 2], expected[5 * 11 + 4] = 1, 0.5  # four on 13
    expected[5 * 16 + 2] = expected[5 * 16 + 3] = 1  # three on 8
    expected[5 * 18 + 2], expected[5 * 18 + 4] = 1, 1.0  # five on 6
    expected[5 * 23] = 1  # the other's single checker on its point 24, our point 1
    expected[120], expected[121] = 1.0, 2 / 15
    np.testing.assert_allclose(inputs, expected)


def test_pubeval_plays_by_the_weights_of_its_folder(tmp_path):
    for name in FILES:
        (tmp_path / name).write_text(" ".join(["0"] * 121 + ["1"]))  # bears off
    policy = make(BACKGAMMON, str(tmp_path))
    states = drawn(400, 120, seed=2)
    ends, starts = TurnEnds(BACKGAMMON, "test").find(states, states["current_player"])
    act = policy.forward(Batch(obs=Batch(state=states))).act
    chosen = 0
    for i, state in enumerate(states):
        seat, rows = int(state["current_player"]), slice(starts[i], starts[i + 1])
        off = ends.states["checkers"][rows, seat, 0]
        assert act[i] in ends.action[rows][off == off.max()]
        chosen += off.max() > off.min()
    assert chosen > 10
    assert is_race(drawn(1, 0)).tolist() == [False]


@pytest.mark.parametrize("content", ["1 2 3", "x " * 122, "nan " * 122])
def test_pubeval_refuses_files_that_hold_something_else(tmp_path, content):
    for name in FILES:
        (tmp_path / name).write_text(content)
    with pytest.raises(UsageError, match="does not hold the 122 weights"):
        make(BACKGAMMON, str(tmp_path))
    with pytest.raises(UsageError, match="cannot be read"):
        make(BACKGAMMON, str(tmp_path / "elsewhere"))
