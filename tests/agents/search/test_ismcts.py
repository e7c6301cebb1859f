"""Information set search: independent of hidden information, near equilibria with simultaneous moves, and strong."""

import numpy as np
import pytest

import games
from agents.search.ismcts import ISMCTSPolicy
from arena.base.errors import UsageError
from arena.data.batch import Batch
from arena.match.batch import Pairing, play_matches
from arena.policy.registry import make_agent
from games.engine.compiler import instantiate
from games.engine.game import TERMINAL
from tests.games.playing import positions

SMALL_HANABI = "hanabi:colors=2,ranks=2,hand_size=2,max_life_tokens=3"

HIDDEN = ["leduc_poker", "liars_dice", "goofspiel", "tron", SMALL_HANABI]
"""Cards to come, dice, bids at once with and without chance, and players who share their result.

That what is hidden is guessed well in every game is for `tests/games/test_hidden.py`.
"""


def answer_to(game, states, simulations=200):
    n = len(states)
    obs = Batch(agent_id=states["current_player"].astype(np.int64), mask=np.ones((n, game.num_actions), np.bool_))
    return ISMCTSPolicy(game, simulations, seed=0).forward(Batch(obs=Batch(obs, state=states)))


@pytest.mark.full
@pytest.mark.parametrize("spec", HIDDEN)
def test_positions_that_differ_in_what_is_hidden_get_the_same_answer(spec):
    game = games.make(spec)
    played = np.array([state for state, _ in positions(game, 3)])
    states = played[played["current_player"] >= 0][:6]
    altered = states.copy()
    seeds = np.arange(len(states), dtype=np.uint64)
    instantiate("games.engine.knowledge", game).determinize_all(
        altered, states["current_player"].astype(np.int64), seeds
    )
    assert altered.tobytes() != states.tobytes() or not game.has_chance
    one, other = answer_to(game, states), answer_to(game, altered)
    np.testing.assert_array_equal(one.visits, other.visits)
    np.testing.assert_array_equal(one.act, other.act)
    np.testing.assert_array_equal(one.value, other.value)
    # each of the others may choose before, and a simulation ends where its first node is added
    assert (one.visits.sum(axis=1) > 200 - game.num_players).all()


@pytest.mark.full
@pytest.mark.parametrize(
    ("payoffs", "strategy", "value"),
    [
        ("matching_pennies", [0.5, 0.5], 0.0),
        ("2 -1;-1 1", [0.4, 0.6], 0.2),
        ("rock_paper_scissors", [1 / 3, 1 / 3, 1 / 3], 0.0),
        ("0 -1 2;1 0 -1;-2 1 0", [0.25, 0.5, 0.25], 0.0),
        ("1 2;3 4", [0.0, 1.0], 3.0),  # the second action is better whatever the other does
    ],
)
def test_choices_made_at_once_are_mixed_as_in_equilibrium(payoffs, strategy, value):
    game = games.make("matrix_game", payoffs=payoffs)
    answer = answer_to(game, game.initial.reshape(1), simulations=100_000)
    np.testing.assert_allclose(answer.probs[0], strategy, atol=0.05)
    assert answer.value[0] == pytest.approx(value, abs=0.05)


@pytest.mark.full
def test_the_second_of_those_who_choose_at_once_does_not_know_the_first_choice():
    game = games.make("matrix_game", payoffs="matching_pennies")
    chosen = np.repeat(game.initial.reshape(1), 2)
    chosen["chosen"][:, 0], chosen["current_player"] = [0, 1], 1
    answer = answer_to(game, chosen[:1], 20_000), answer_to(game, chosen[1:], 20_000)
    np.testing.assert_array_equal(answer[0].probs, answer[1].probs)
    np.testing.assert_allclose(answer[0].probs[0], [0.5, 0.5], atol=0.05)


@pytest.mark.full
@pytest.mark.parametrize(
    ("spec", "margin"),
    [("leduc_poker", 0.5), ("liars_dice", 0.4), ("goofspiel", 0.3), ("tron", 0.3), ("kuhn_poker", 0.1)],
)
def test_it_earns_more_than_random_players_do(spec, margin):
    game = games.make(spec)
    players = [("ismcts", make_agent("ismcts:300", game)), ("random", make_agent("random", game))]
    pairings = [Pairing(seating, seed) for seed in range(60) for seating in [(0, 1), (1, 0)]]
    records = play_matches(game, players, pairings, seed=2)
    earned = [r.verdict.returns[p.seating.index(0)] for p, r in zip(pairings, records, strict=True)]
    assert np.mean(earned) > margin


@pytest.mark.full
def test_players_who_share_their_result_work_together():
    """In a small hanabi of which random players lose most games early; full games take more than random playouts."""
    game = games.make(SMALL_HANABI)
    totals = {}
    for agent in ("ismcts:1000", "random"):
        seated = [(agent, make_agent(agent, game)) for _ in range(2)]
        records = play_matches(game, seated, [Pairing((0, 1), seed) for seed in range(20)], seed=0)
        totals[agent] = np.mean([record.verdict.returns[0] for record in records])
    assert totals["ismcts:1000"] > totals["random"] + 0.5


def test_a_seed_fixes_every_move():
    game = games.make("leduc_poker")

    def moves(seed):
        players = [(name, make_agent("ismcts:20", game)) for name in "ab"]
        records = play_matches(game, players, [Pairing((0, 1), n) for n in range(20)], seed=seed)
        return [record.actions for record in records]

    assert moves(1) == moves(1)
    assert moves(1) != moves(2)


def test_finished_games_do_no_harm():
    game = games.make("kuhn_poker")
    played = np.array([state for state, _ in positions(game, 0)])
    over = played[played["current_player"] == TERMINAL][:1]
    assert answer_to(game, over).visits.sum() == 0


def test_a_time_will_do():
    game = games.make("kuhn_poker")
    answer = make_agent("ismcts:20ms", game).forward(
        Batch(obs=Batch(state=np.array([s for s, _ in positions(game, 0) if s["current_player"] >= 0][:1])))
    )
    assert answer.visits.sum() > 10


@pytest.mark.parametrize("argument", ["0", "5x", "-3"])
def test_a_budget_that_is_none_is_refused(argument):
    with pytest.raises(UsageError, match=f"ismcts:{argument}: the number of simulations is not a whole number"):
        make_agent(f"ismcts:{argument}", games.make("kuhn_poker"))


def test_a_game_that_shows_all_is_refused():
    with pytest.raises(UsageError, match="tic_tac_toe has neither: use mcts or alphabeta"):
        make_agent("ismcts", games.make("tic_tac_toe"))
