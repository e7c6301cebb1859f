"""Monte Carlo tree search: the same statistics as a plain one, tactics, tree reuse, and what is told to screens."""

import numpy as np
import pytest

import games
from agents.search.budget import Budget
from agents.search.mcts import LINE, MCTSPolicy
from agents.search.nodes import child_by
from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.env.native import GameVectorEnv
from arena.match.batch import Pairing, play_matches
from arena.policy.registry import make_agent
from games.engine.game import TERMINAL
from tests.agents import pile
from tests.agents.positions_by_hand import children, drawn, random_positions, view
from tests.agents.search import three
from tests.agents.search.plain_mcts import FirstSeed, PlainMCTS, assert_same

TIC_TAC_TOE = games.make("tic_tac_toe")
CONNECT_FOUR = games.make("connect_four")
PIG = games.make("pig")


@pytest.mark.full
@pytest.mark.parametrize(
    ("game", "plies"),
    [
        (TIC_TAC_TOE, 0),
        (TIC_TAC_TOE, 4),
        (games.make("connect_four", rows=4, columns=4, k=3), 0),
        (games.make("kalah"), 0),  # moves in a row
        (pile.game(), 0),
        (three.game(), 0),
        (games.make("pig", players=3, target=15), 0),  # chance
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_statistics_are_those_of_a_plain_search_with_the_same_random_numbers(game, plies, monkeypatch):
    state = random_positions(game, plies, 1, seed=3)[0] if plies else game.initial
    policy = MCTSPolicy(game, 700, exploration=1.3, seed=0)
    monkeypatch.setattr(policy, "_rng", FirstSeed())
    nodes = policy._search(None, state.reshape(1), policy._budget)
    plain = PlainMCTS(game, 1.3, seed=77).search(state, 700)
    assert plain.visits > 100 or plain.proven is not None
    assert_same(nodes, 0, plain)


def searched(game, text, simulations=1000, seed=0):
    return MCTSPolicy(game, simulations, seed=seed).forward(view(game, [drawn(game, text)]))


@pytest.mark.full
def test_it_takes_a_win_and_proves_it():
    answer = searched(TIC_TAC_TOE, "X X .\nO O .\n. . .")
    assert answer.act[0] == 6
    assert answer.value[0] == 1
    assert answer.visits.sum() < 1000, "it thinks on about a game that is won"


def test_it_blocks():
    assert searched(TIC_TAC_TOE, "X X .\nO . .\n. . .").act[0] == 6


@pytest.mark.full
def test_of_three_players_each_looks_after_itself():
    """Of five counters the first takes one, and so does the second: the third must leave one or two to the first.

    To take two gains nothing; nor is there anything to gain against two others who play as one.
    """
    answer = MCTSPolicy(three.game(5), 2000, seed=0).forward(view(three.game(5), [three.game(5).initial]))
    assert answer.pv[0, :2].tolist() == [0, 0]
    assert answer.value[0] > 1.5


@pytest.mark.full
@pytest.mark.parametrize(("theirs", "best"), [(0, 1), (99, 0)])
def test_chance_is_weighed(theirs, best):
    """A turn of 60 is worth keeping, unless the other needs but one point more."""
    state = PIG.initial.copy()
    state["turn_total"], state["scores"][1] = 60, theirs
    assert MCTSPolicy(PIG, 5000, seed=0).forward(view_of(PIG, state)).act[0] == best


def view_of(game, state):
    env = GameVectorEnv(game, 1)
    obs, _ = env.reset(seed=0)
    env.states[0] = state
    return Batch(obs=Batch(obs, state=env.positions()))


@pytest.mark.parametrize("opponent", ["random", "one-ply", "alphabeta:9"])
def test_it_never_loses_tic_tac_toe(opponent):
    """With 1,000 simulations, from either seat."""
    players = [("mcts", make_agent("mcts:1000", TIC_TAC_TOE)), (opponent, make_agent(opponent, TIC_TAC_TOE))]
    pairings = [Pairing(seating) for seating in [(0, 1), (1, 0)] for _ in range(84)]
    records = play_matches(TIC_TAC_TOE, players, pairings, seed=1)
    assert len({record.actions for record in records}) > 10
    for pairing, record in zip(pairings, records, strict=True):
        assert record.verdict.returns[pairing.seating.index(0)] >= 0


@pytest.mark.full
def test_a_seed_fixes_every_move_and_another_one_changes_some():
    def game(seed):
        players = [("a", make_agent("mcts:50", CONNECT_FOUR)), ("b", make_agent("mcts:50", CONNECT_FOUR))]
        return [record.actions for record in play_matches(CONNECT_FOUR, players, [Pairing((0, 1))] * 4, seed=seed)]

    assert game(1) == game(1)
    assert game(1) != game(2)
    assert len(set(game(1))) > 1


@pytest.mark.full
@pytest.mark.parametrize("name", ["connect_four", "kalah", "backgammon", "pig"])
def test_what_was_found_below_the_moves_played_is_kept(name):
    game = games.make(name)
    policy = MCTSPolicy(game, 3000, seed=0)
    env = GameVectorEnv(game, 1)
    obs, _ = env.reset(seed=4)
    hidden, mine, kept = None, int(env.seats[0]), []
    while len(kept) < 4:
        if env.seats[0] == mine:
            answer = policy.forward(Batch(obs=Batch(obs, state=env.positions())), hidden)
            kept.append(int(answer.visits.sum()) - 3000)
            hidden, action = answer.state, int(answer.act[0])
        else:
            action = int(np.flatnonzero(env.mask[0])[-1])
        obs, *_ = env.step([action])
    assert kept[0] == 0
    assert max(kept) > 0


def test_a_kept_tree_is_the_part_of_the_old_one():
    policy = MCTSPolicy(CONNECT_FOUR, 2000, seed=0)
    first = view(CONNECT_FOUR, [CONNECT_FOUR.initial])
    answer = policy.forward(first)
    mine, reply = answer.pv[0, :2].tolist()
    state = CONNECT_FOUR.initial
    for action in (mine, reply):
        state = children(CONNECT_FOUR, state)[action][0]
    nodes = policy._trees.pop(int(answer.state.tree[0]), state.reshape(1))
    anew = MCTSPolicy(CONNECT_FOUR, seed=0)
    again = anew._search(None, CONNECT_FOUR.initial.reshape(1), Budget(2000))
    place = 0
    for action in (mine, reply):
        place = child_by(again, place, action)
    assert nodes[0]["visits"] == again[place]["visits"] > 10
    assert len(nodes) < len(again)

    def flat(tree, place):
        node = tree[place]
        below = [flat(tree, node["first_child"] + i) for i in range(node["num_children"])]
        return (int(node["action"]), int(node["visits"]), float(node["mean"]), below)

    assert flat(nodes, 0) == flat(again, place)


def test_rows_are_searched_each_for_itself_and_finished_games_do_no_harm():
    over = next(
        after
        for after, _ in children(TIC_TAC_TOE, drawn(TIC_TAC_TOE, "X X .\nO O .\n. . .")).values()
        if after["current_player"] == TERMINAL
    )
    answer = MCTSPolicy(TIC_TAC_TOE, 100, seed=0).forward(view(TIC_TAC_TOE, [TIC_TAC_TOE.initial, over]))
    assert answer.visits.sum(axis=1).tolist() == [100, 0]
    assert answer.probs[0].sum() == pytest.approx(1)
    assert answer.pv.shape == (2, LINE)
    assert (answer.pv[1] == -1).all()


def test_shares_are_those_of_moves_that_may_still_be_best():
    """O wins at once by the last cell: once that is proven, the visits of other moves count no more."""
    states = [drawn(TIC_TAC_TOE, "O . .\n. O X\nX X ."), TIC_TAC_TOE.initial]
    answer = MCTSPolicy(TIC_TAC_TOE, 300, seed=0).forward(view(TIC_TAC_TOE, states))
    won = int(answer.act[0])
    assert (won, answer.value[0], answer.probs[0, won]) == (8, 1.0, 1.0)
    np.testing.assert_allclose(answer.probs[1], answer.visits[1] / 300)


def test_if_all_that_was_tried_loses_something_else_is_played():
    """O has to block: with a single simulation, the move tried may be proven to lose."""
    state = drawn(TIC_TAC_TOE, "X X .\nO O .\nX . .")
    for seed in range(20):
        answer = MCTSPolicy(TIC_TAC_TOE, 1, seed=seed).forward(view(TIC_TAC_TOE, [state]))
        assert answer.probs[0].sum() == pytest.approx(1)
        assert answer.probs[0, answer.act[0]] > 0


def test_a_time_limit_is_kept_to_on_the_whole():
    answer = make_agent("mcts:50ms", CONNECT_FOUR).forward(view(CONNECT_FOUR, [CONNECT_FOUR.initial]))
    assert answer.visits.sum() > 10


@pytest.mark.parametrize("argument", ["0", "-1", "5x", "1.5", "0ms", "1e3", "ms", "\u00b2"])
@pytest.mark.parametrize("agent", ["mcts", "alphabeta"])
def test_a_budget_that_is_none_is_refused(agent, argument):
    with pytest.raises(UsageError, match=f"{agent}:{argument}: the .* is not a whole number of at least 1, nor a time"):
        make_agent(f"{agent}:{argument}", TIC_TAC_TOE)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"simulations": 0}, "simulations=0 is not at least 1"),
        ({"seconds": 0.0}, "seconds=0.0 is not above 0"),
        ({"simulations": 5, "seconds": 1.0}, "not both"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(arguments, message):
    with pytest.raises(UsageError, match=message):
        MCTSPolicy(TIC_TAC_TOE, **arguments)


@pytest.mark.parametrize("name", ["kuhn_poker", "goofspiel"])
def test_a_game_that_hides_something_is_refused(name):
    with pytest.raises(UsageError, match=f"mcts plays games of perfect information; {name} has .*: use ismcts"):
        make_agent("mcts:10", games.make(name))
