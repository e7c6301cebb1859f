"""Limit hold'em in buckets: strengths, the betting tree, updates against a plain reference, and play."""

from itertools import combinations

import numpy as np
import pytest

import games
from agents.solvers.holdem.betting import DECISION, FOLDED, SHOWDOWN, betting_tree, find_nodes
from agents.solvers.holdem.buckets import (
    KINDS,
    NUM_HANDS,
    NUMBER,
    percentiles,
    rank_hands,
    write_buckets,
    write_expected_squares,
    write_hand_strengths,
)
from agents.solvers.holdem.endgame import nodes_below, part_of, solve_endgame
from agents.solvers.holdem.public_chance import (
    HoldemGame,
    HoldemTables,
    ascend,
    descend,
    draw_hands,
    new_deal,
    new_vectors,
)
from agents.solvers.holdem.solver import HoldemSolver
from agents.solvers.holdem.strategy import ONE, TREMBLE, BucketPolicy, BucketStrategy, load_strategy, table_sizes
from arena.analysis.holdem_odds import HANDS, conflicts, win_chances
from arena.analysis.local_response import local_best_response
from arena.base.errors import CheckpointError, UsageError
from arena.cli.main import main
from arena.match.match import Match
from arena.policy.registry import make_agent
from arena.policy.snapshots import read_config
from games.engine.holdem import card_bit, card_set, strength_of

pytestmark = pytest.mark.full

GAME = games.make("texas_holdem")
CUTS = {name: np.zeros(2, np.float32) for name in ("flop", "turn")}
BOARD = np.array([3, 17, 40, 22, 50])


@pytest.fixture(scope="module")
def tree():
    return betting_tree(GAME)


@pytest.mark.slow("looks at every hand")
def test_hand_strengths_are_the_chances_against_a_random_hand():
    keys, strengths = np.empty(NUM_HANDS, np.int64), np.zeros(NUM_HANDS)
    count = rank_hands(card_set(BOARD), keys)
    write_hand_strengths(keys, count, strengths)
    assert count == 47 * 46 // 2
    free = ~conflicts(BOARD.astype(np.int8))
    for hand in np.flatnonzero(free)[::97].tolist():
        weights = (free & ~conflicts(HANDS[hand])).astype(float)
        chances = win_chances(HANDS[hand], BOARD.astype(np.int8), HANDS, weights, 1, 0)
        assert strengths[hand] == pytest.approx(weights @ chances / weights.sum(), abs=1e-12)


def test_expected_squares_are_means_over_the_cards_to_come():
    river, turn, flop = (np.empty(NUM_HANDS) for _ in range(3))
    write_expected_squares(BOARD[:4], turn)
    mean, count = np.zeros(NUM_HANDS), np.zeros(NUM_HANDS)
    for last in set(range(52)) - set(BOARD[:4].tolist()):
        write_expected_squares(np.array([*BOARD[:4], last]), river)
        mean += np.maximum(river, 0)
        count += river >= 0
    free = count > 0
    np.testing.assert_allclose(turn[free], mean[free] / count[free], rtol=1e-12)
    assert (turn[~free] == -1).all()
    write_expected_squares(BOARD[:3], flop)
    exact = np.zeros(NUM_HANDS)
    for fourth in set(range(52)) - set(BOARD[:3].tolist()):
        write_expected_squares(np.array([*BOARD[:3], fourth]), turn)
        exact += np.maximum(turn, 0) / 47
    free = flop >= 0
    assert np.abs(flop - exact)[free].mean() < 0.02  # drawn
    again = np.empty(NUM_HANDS)
    write_expected_squares(BOARD[[2, 0, 1]], again)
    np.testing.assert_array_equal(flop, again)  # whatever their order


def test_hands_before_the_flop_are_169_kinds():
    aces = [NUMBER[one, other] for one, other in combinations((0, 13, 26, 39), 2)]
    assert len(set(KINDS.tolist())) == 169
    assert len(set(KINDS[aces].tolist())) == 1
    suited, other, same = NUMBER[0, 12], NUMBER[0, 25], NUMBER[12, 13]  # ace and king, twice of one suit
    assert KINDS[suited] != KINDS[other] == KINDS[same]


def test_buckets_hold_equal_shares_of_hands():
    cuts, counts, buckets = percentiles((10,) * 3, 1, 60), np.zeros((3, 10)), np.empty(NUM_HANDS, np.int64)
    assert all((np.diff(borders) > 0).all() for borders in cuts)
    rng = np.random.default_rng(0)
    for _ in range(60):
        board = rng.choice(52, 5, replace=False)
        free = ~conflicts(board.astype(np.int8))
        for which, shown in enumerate((3, 4, 5)):
            write_buckets(board[:shown], cuts[which], buckets)
            counts[which] += np.bincount(buckets[free], minlength=10)
    shares = counts / counts.sum(axis=1, keepdims=True)
    assert (np.abs(shares - 0.1) < 0.05).all()


def test_the_tree_is_that_of_the_rules(tree):
    rng = np.random.default_rng(2)
    assert np.bincount(tree.kind).tolist() == [8200, 6561, 6561]
    showdowns = 0
    for seed in range(60):
        match, node = Match(GAME, [(name, None) for name in "ab"], seed), 0
        while not match.over:
            state = match.state
            blind = int(state["small_blind"])
            assert find_nodes(tree, state.reshape(1))[0] == node
            assert tree.kind[node] == DECISION
            assert (tree.player[node], tree.round[node]) == (match.seat ^ blind, state["round"])
            call, raises, fold, check = match.legal
            assert (tree.children[node] >= 0).tolist() == [fold and not check, call or check, raises]
            action = int(rng.choice(4, p=(odds := match.legal * [1, 1, 0.1 * (not check), 1]) / odds.sum()))
            node = tree.children[node, {0: 1, 1: 2, 2: 0, 3: 1}[action]]
            match.play(action)
        paid = tree.paid[node]
        np.testing.assert_array_equal(paid, match.state["paid"][[blind, 1 - blind]] / 2)
        won = match.returns[blind]
        if tree.kind[node] == FOLDED:
            assert won == (-paid[0] if tree.player[node] == 0 else paid[1])
        else:
            assert tree.kind[node] == SHOWDOWN
            assert abs(won) in (0, paid[0])
            showdowns += 1
    assert 10 < showdowns < 60


def plain_update(game, deal, regrets, average, player, weight):
    """The update of one player by recursion over the betting, for each of its hands alone."""
    tree, first, buckets = game.tree, game.first, deal.buckets
    before, size = regrets.copy(), buckets.shape[2]

    def strategy(node, hand):
        children = tree.children[node] >= 0
        row = first[node] + buckets[tree.player[node], tree.round[node], hand]
        positive = np.maximum(before[row], 0) * children
        return row, positive / positive.sum() if positive.sum() > 0 else children / children.sum()

    def value(node, hand, own, other):
        if tree.kind[node] == FOLDED:
            won = -tree.paid[node, player] if tree.player[node] == player else tree.paid[node, 1 - player]
            return won * (deal.meets[player, hand] @ other)
        if tree.kind[node] == SHOWDOWN:
            return tree.paid[node, player] * (deal.wins[player, hand] @ other)
        children = [(action, child) for action, child in enumerate(tree.children[node]) if child >= 0]
        if tree.player[node] != player:
            probs = np.array([strategy(node, one)[1] for one in range(size)])
            return sum(value(child, hand, own, other * probs[:, action]) for action, child in children)
        row, probs = strategy(node, hand)
        values = np.zeros(3)
        for action, child in children:
            if other.any():
                average[row, action] += weight * own * probs[action]
                values[action] = value(child, hand, own * probs[action], other)
        for action, _ in children:
            regrets[row, action] += weight * (values[action] - probs @ values)
        return probs @ values

    return [value(0, hand, 1.0, np.ones(size)) for hand in range(size)]


@pytest.mark.parametrize("player", [0, 1])
def test_an_update_is_that_of_a_plain_recursion(tree, player):
    rng = np.random.default_rng(3)
    sizes = table_sizes(tree, (4, 5, 6))
    first = np.concatenate([[0], np.cumsum(sizes)])
    game = HoldemGame(tree, first[:-1], percentiles((4, 5, 6), 0, 20))
    regrets = (rng.normal(size=(first[-1], 3)) * np.repeat(tree.children >= 0, sizes, axis=0)).astype(np.float32)
    tables = HoldemTables(regrets.copy(), np.zeros_like(regrets))
    keys = np.empty(NUM_HANDS, np.int64)
    count = rank_hands(card_set(BOARD), keys)
    of_hand = np.array([KINDS, *np.zeros((3, NUM_HANDS), np.int64)])
    for which, shown in enumerate((3, 4, 5)):
        write_buckets(BOARD[:shown], game.cuts[which], of_hand[which + 1])
    deal, vectors = new_deal(3), new_vectors(tree, 3)
    draw_hands(keys, count, of_hand, deal, np.array([5], np.uint64))
    descend(game, player, deal, tables, vectors, np.float32(2))
    ascend(game, player, deal, tables, vectors, np.float32(2))
    plain, average = regrets.astype(np.float64), np.zeros(regrets.shape)
    values = plain_update(game, deal, plain, average, player, 2.0)
    np.testing.assert_allclose(vectors.values[0], values, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(tables.regrets, plain, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(tables.average, average, rtol=1e-4, atol=1e-5)
    assert np.count_nonzero(tables.regrets != regrets) > 1000


def test_drawn_hands_are_compared_as_at_the_showdown():
    keys, deal = np.empty(NUM_HANDS, np.int64), new_deal(64)
    count = rank_hands(card_set(BOARD), keys)
    numbers = np.arange(4 * NUM_HANDS).reshape(4, NUM_HANDS)  # a bucket for each hand, so that it is known
    draw_hands(keys, count, numbers, deal, np.array([1], np.uint64))
    first, second = deal.buckets[:, 0]
    assert len(set(first.tolist())) == len(set(second.tolist())) == 64
    board = card_set(BOARD)
    for i, one in enumerate(first.tolist()):
        strength = strength_of(board | card_bit(HANDS[one, 0]) | card_bit(HANDS[one, 1]))
        for j, other in enumerate(second.tolist()):
            meets = not set(HANDS[one]) & set(HANDS[other])
            against = strength_of(board | card_bit(HANDS[other, 0]) | card_bit(HANDS[other, 1]))
            assert 64 * deal.meets[0, i, j] == 64 * deal.meets[1, j, i] == meets
            assert 64 * deal.wins[0, i, j] == -64 * deal.wins[1, j, i] == meets * np.sign(strength - against)


@pytest.mark.slow("solves a large game twice")
def test_two_runs_are_one():
    once, twice = (HoldemSolver(GAME, 7, (5, 5, 5)) for _ in range(2))
    once.run(3)
    twice.run(1)
    resumed = HoldemSolver(GAME, 7, (5, 5, 5))
    resumed.load_state_dict(1, {name: array.copy() for name, array in twice.state_dict().items()})
    resumed.run(2)
    for name, array in once.state_dict().items():
        np.testing.assert_array_equal(array, resumed.state_dict()[name])
    assert not np.array_equal(HoldemSolver(GAME, 8, (5, 5, 5)).state_dict()["stream"], once.state_dict()["stream"])


@pytest.mark.slow("trains to a score")
@pytest.mark.slow("trains to a score")
def test_it_learns_what_a_local_best_response_wins_less_from():
    solver = HoldemSolver(GAME, 1, (10, 10, 10))
    lost = []
    for until in (1, 80):
        solver.run(until - solver.iterations)
        policy = BucketPolicy(GAME, solver.strategy())
        lost.append(local_best_response(GAME, policy, "solver", 200))
    assert lost[1].mean + lost[1].error < lost[0].mean


def plain_value(tree, node, hands, board, strategies, reach, player):
    """The expected winnings of `player` at a node, over all pairs of hands that can meet."""
    if tree.kind[node] != DECISION:
        total = 0.0
        for one, other in np.argwhere(reach[0][:, None] * reach[1][None, :] > 0):
            if set(HANDS[hands[one]]) & set(HANDS[hands[other]]):
                continue
            first, second = (
                strength_of(board | card_bit(HANDS[hands[i], 0]) | card_bit(HANDS[hands[i], 1])) for i in (one, other)
            )
            if tree.kind[node] == FOLDED:
                won = -tree.paid[node, 0] if tree.player[node] == 0 else tree.paid[node, 1]
            else:
                won = tree.paid[node, 0] * np.sign(first - second)
            total += reach[0][one] * reach[1][other] * (won if player == 0 else -won)
        return total
    total = 0.0
    for action, child in enumerate(tree.children[node]):
        if child >= 0:
            after = [reach[0], reach[1]]
            after[tree.player[node]] = reach[tree.player[node]] * strategies[node, action][hands]
            total += plain_value(tree, child, hands, board, strategies, after, player)
    return total


def test_an_endgame_is_solved_to_an_equilibrium(tree):
    """No change of one player's play at one node gains anything, for ranges of a few hands."""
    root = int(np.flatnonzero((tree.round == 3) & (tree.kind == DECISION))[0])
    part = part_of(tree, nodes_below(tree, root))
    rng, free = np.random.default_rng(4), np.flatnonzero(~conflicts(BOARD.astype(np.int8)))
    hands, ranges = rng.choice(free, 12, replace=False), np.zeros((2, NUM_HANDS))
    ranges[:, hands] = rng.random((2, 12))
    solution = solve_endgame(part, BOARD, ranges, 1000)
    decisions = part.kind == DECISION
    np.testing.assert_allclose(solution[decisions][:, :, hands].sum(axis=1), 1, atol=1e-6)
    assert not solution[:, :, conflicts(BOARD.astype(np.int8))].any()
    reach = [ranges[player, hands] / ranges[player, hands].sum() for player in range(2)]
    board, gains = card_set(BOARD), []
    values = [plain_value(part, 0, hands, board, solution, reach, player) for player in range(2)]
    assert values[0] == pytest.approx(-values[1])
    for node in np.flatnonzero(decisions).tolist():
        for action in np.flatnonzero(part.children[node] >= 0).tolist():
            other = solution.copy()
            other[node] = 0
            other[node, action] = 1
            player = int(part.player[node])
            gains.append(plain_value(part, 0, hands, board, other, reach, player) - values[player])
    assert max(gains) < 0.01
    assert min(gains) < -0.1


def test_ranges_follow_from_the_bets(tree):
    """Who raises aces alone has them after a raise, but for a little; and who then checks has all hands."""
    cuts = percentiles((3, 3, 3), 0, 5)[:2]
    rows = BucketStrategy(cuts, np.zeros((0, 2), np.uint8)).first_rows(tree)
    probs = np.zeros((rows[-1], 2), np.uint8)
    probs[KINDS[NUMBER[0, 13]]] = 0, ONE
    ranges = BucketPolicy(GAME, BucketStrategy(cuts, probs)).ranges(int(tree.children[0, 2]), ())
    aces = (HANDS % 13 == 0).all(axis=1)
    np.testing.assert_allclose(ranges[0], np.where(aces, 1.0, TREMBLE))
    np.testing.assert_allclose(ranges[1], 1.0)


def test_its_agent_draws_by_the_strategy(tree):
    cuts = percentiles((3, 3, 3), 0, 5)[:2]
    probs = np.zeros((BucketStrategy(cuts, np.zeros((0, 2), np.uint8)).first_rows(tree)[-1], 2), np.uint8)
    probs[KINDS[NUMBER[0, 13]]] = 0, ONE  # two aces before the flop, by the first to move: raise
    policy = BucketPolicy(GAME, BucketStrategy(cuts, probs), seed=0)
    raised = 0
    for seed in range(300):
        match = Match(GAME, [("a", policy), ("b", policy)], seed)
        hand = match.state["cards"][2 * match.seat :][:2]
        answer = match.advance()
        assert answer.probs.sum() == 1
        assert answer.action == (1 if set(hand % 13) == {0} else 0)
        raised += answer.action
        if seed < 20:
            match.play_out()
            assert match.verdict.reason == "finished"
    assert raised > 0


def test_the_command_solves_saves_and_goes_on(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("agents.solvers.holdem.solver.GAMES_MEASURED", 4)
    folder = tmp_path / "holdem"
    assert main(["solve", "texas_holdem", "public-chance", "--iterations", "1", "--out", str(folder)]) == 0
    assert f"a game from buckets:{folder}" in capsys.readouterr().out
    assert main(["solve", str(folder), "--iterations", "2", "--out", str(folder), "--resume"]) == 0
    assert "at least" in capsys.readouterr().out
    strategy = load_strategy(folder, GAME)
    assert strategy.probs.shape == (1690 + 90 * 600 + 810 * 300, 2)
    assert (folder / "snapshot-0002" / "weights.safetensors").stat().st_size < 1_000_000
    solver = HoldemSolver(GAME, 0)
    solver.run(2)
    np.testing.assert_array_equal(strategy.probs, solver.strategy().probs)
    assert make_agent(f"buckets:{folder}", GAME).needs_state
    assert read_config(folder / "snapshot-0002")["config"].keys() == {
        "solver",
        "seed",
        "iterations",
        "exploitability_at_least",
    }


def test_what_it_cannot_play_is_refused(tmp_path, capsys):
    with pytest.raises(UsageError, match=r"public-chance solves texas_holdem for two, not leduc_poker\("):
        HoldemSolver(games.make("leduc_poker"))
    with pytest.raises(UsageError, match="buckets plays texas_holdem for two"):
        make_agent("buckets:x", games.make("texas_holdem", num_players=3))
    with pytest.raises(UsageError, match="'buckets' needs a folder"):
        make_agent("buckets", GAME)
    with pytest.raises(CheckpointError, match="no checkpoint at"):
        make_agent(f"buckets:{tmp_path}", GAME)
    assert main(["solve", "leduc_poker", "public-chance", "--out", str(tmp_path / "r")]) == 2
    assert "public-chance solves texas_holdem for two" in capsys.readouterr().err
    assert main(["solve", "texas_holdem", "--out", str(tmp_path / "r")]) == 2
    assert "too many for an exact computation; public-chance solves it otherwise" in capsys.readouterr().err
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({}, "is no strategy for buckets of texas_holdem"),
        ({"flop": np.zeros(2, np.float32)}, "is no strategy for buckets of texas_holdem"),
        (CUTS | {"probs": np.zeros((9, 2), np.uint8)}, "is no strategy for buckets"),
        (CUTS | {"probs": np.zeros((4_390, 2), np.uint8), "more": np.zeros(1)}, "is no strategy for buckets"),
        (
            CUTS | {"turn": np.full(2, np.nan, np.float32), "probs": np.zeros((4_390, 2), np.uint8)},
            "the borders of its buckets are not in order",
        ),
        (
            CUTS | {"probs": np.ones((4_390, 2), np.uint8)},
            "it folds where checking is free, or raises beyond the limit",
        ),
    ],
)
def test_a_damaged_strategy_is_refused(arrays, message, tmp_path):
    from arena.analysis.solution import save_solution

    save_solution(tmp_path / "s" / "weights.safetensors", GAME, "buckets", arrays, {})
    with pytest.raises(CheckpointError, match=message):
        make_agent(f"buckets:{tmp_path / 's'}", GAME)
