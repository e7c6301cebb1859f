"""Search with rapid action value estimates: the statistics of a plain one, tactics, games, and what it refuses."""

import math

import pytest

import games
from agents.search.mcts import MCTSPolicy
from arena.base.errors import UsageError
from arena.match.batch import Pairing, play_matches
from arena.policy.registry import make_agent, make_game
from tests.agents.positions_by_hand import drawn, random_positions, view
from tests.agents.search.plain_mcts import FirstSeed, assert_same
from tests.agents.search.plain_rave import PlainRave

TIC_TAC_TOE = games.make("tic_tac_toe")


def assert_later(node, plain):
    """The statistics of moves played later are the same."""
    assert node["amaf_visits"] == plain.amaf_visits
    assert node["amaf_mean"] == pytest.approx(plain.amaf_mean, abs=1e-9)
    assert node["mean"] == pytest.approx(plain.mean, abs=1e-9)
    assert (plain.proven is None) == math.isnan(node["proven_value"])


@pytest.mark.full
@pytest.mark.parametrize(
    ("game", "plies"),
    [
        (TIC_TAC_TOE, 0),
        (TIC_TAC_TOE, 3),
        (games.make("othello", size=4), 0),
        (games.make("kalah", houses=3, seeds=2), 0),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_statistics_are_those_of_a_plain_search_with_the_same_random_numbers(game, plies, monkeypatch):
    state = random_positions(game, plies, 1, seed=3)[0] if plies else game.initial
    policy = MCTSPolicy(game, 500, seed=0, rave=True)
    monkeypatch.setattr(policy, "_rng", FirstSeed())
    nodes = policy._search(None, state.reshape(1), policy._budget)
    plain = PlainRave(game, seed=77).search(state, 500)
    assert plain.visits > 100 or plain.proven is not None
    assert_same(nodes, 0, plain, assert_later)


@pytest.mark.full
def test_it_takes_a_win_and_blocks_one():
    def move(text):
        return MCTSPolicy(TIC_TAC_TOE, 500, seed=0, rave=True).forward(view(TIC_TAC_TOE, [drawn(TIC_TAC_TOE, text)]))

    won = move("X X .\nO O .\n. . .")
    assert (won.act[0], won.value[0]) == (6, 1)
    assert move("O O .\nX . .\nX . .").act[0] == 6


@pytest.mark.full
@pytest.mark.slow("plays a match")
def test_it_beats_the_search_that_learns_from_each_move_alone():
    """In go 7x7, with as many simulations."""
    game = make_game("go:size=7,komi=9")
    players = [("rave", make_agent("rave:300", game)), ("mcts", make_agent("mcts:300", game))]
    pairings = [Pairing(seating) for seating in [(0, 1), (1, 0)] for _ in range(5)]
    records = play_matches(game, players, pairings, seed=1)
    won = sum(
        record.verdict.returns[pairing.seating.index(0)] > 0 for pairing, record in zip(pairings, records, strict=True)
    )
    assert won >= 8


def test_it_refuses_chance_more_players_and_what_is_hidden():
    for spec in ("backgammon", "pig:players=3", "leduc_poker"):
        with pytest.raises(UsageError, match="rave"):
            make_agent("rave:100", make_game(spec))
