"""The solver of kalah: brute force on small boards, sowing by the game's own rules, and the first player's win."""

import numpy as np
import pytest

import games
from agents.perfect.kalah import MOST_SEEDS, KalahSolver
from agents.perfect.kalah_book import FEWEST, is_late, make_book, positions_after, read_book, shipped_book, write_book
from agents.perfect.kalah_search import KalahRules, sow
from arena.base.errors import UsageError
from arena.env.native import GameVectorEnv
from arena.match.batch import Pairing, play_matches
from arena.match.match import Match
from arena.policy.registry import make_agent
from tests.agents.perfect import brute_force

pytestmark = pytest.mark.full

SMALL = ["kalah:houses=2,seeds=3", "kalah:houses=3,seeds=2", "kalah:houses=4,seeds=1"]
OPTIONS = ["", ",empty_capture=True", ",sweep=False"]


def reached(game, count, seed):
    """Unfinished positions of random games."""
    rng, env, states = np.random.default_rng(seed), GameVectorEnv(game, 64), []
    env.reset()
    while len(states) < 20 * count:
        states += [state.copy() for state in env.states[~env.over]]
        env.step((rng.random(env.mask.shape) * env.mask).argmax(axis=1))
        if env.over.any():
            env.reset(np.flatnonzero(env.over))
    return [states[row] for row in rng.permutation(len(states))[:count]]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("spec", SMALL)
def test_it_agrees_with_brute_force(spec, options):
    game = games.make(spec + options)
    solver, states = KalahSolver(game, 1 << 12), np.array(reached(game, 60, seed=1))
    score = brute_force.values(game, states)
    score = np.where(score > -2, np.sign(score), score)
    assert {-1, 1} <= set(score.max(axis=1))
    for state, values in zip(states, score, strict=True):
        best, result = solver.best(state)
        assert result == values.max() == solver.value(state)
        assert (best == (values == result)).all()


@pytest.mark.parametrize("spec", ["kalah", "kalah:empty_capture=True,sweep=False", "kalah:houses=7,seeds=12"])
def test_seeds_are_sown_as_by_the_rules(spec):
    game = games.make(spec)
    solver, env = KalahSolver(game, 1 << 4), GameVectorEnv(game, 1)
    rules = solver._space.rules
    places = np.arange(0, 8 * rules.houses, 8, dtype=np.uint64)
    for state in reached(game, 200, seed=2):
        own, other, lead = solver._sides(state)
        seat = int(state["current_player"])
        for house in np.flatnonzero(state["seeds"][seat, :-1]).tolist():
            sown = sow(own, other, house, rules)
            env.reset()
            whole = env.state_dict()
            whole.states[0] = np.frombuffer(state.tobytes(), np.uint8)
            whole.seats[0], whole.mask[0], whole.over[0] = seat, state["seeds"][seat, :-1] > 0, False
            env.load_state_dict(whole)
            env.step([house])
            after = env.states[0]
            if sown.own == 0 or sown.other == 0:
                assert env.over[0]
                continue
            assert not env.over[0]
            assert sown.again == (int(after["current_player"]) == seat)
            for side, word in ((seat, sown.own), (1 - seat, sown.other)):
                assert (after["seeds"][side, :-1] == (word >> places & np.uint64(255))).all()
            assert int(after["seeds"][seat, -1]) - int(after["seeds"][1 - seat, -1]) == lead + sown.gain


def test_the_gain_of_a_small_board_is_the_lead_at_the_end():
    """Known for one house a side (Irving, Donkers and Uiterwijk 2000): it depends on the seeds alone."""
    game = games.make("kalah:houses=1,seeds=1")
    solver = KalahSolver(game, 1 << 4)
    assert solver.gain(np.uint64(1), np.uint64(1)) == 0
    assert solver.gain(np.uint64(2), np.uint64(1)) == -1  # a seed to the store, one to the other, who takes the rest


def test_the_first_player_wins_from_the_start():
    """As has been known since 2000, by the third house from the left."""
    game = games.make("kalah")
    best, value = KalahSolver(game).best(game.initial)
    assert (np.flatnonzero(best).tolist(), value) == ([2], 1.0)
    assert KalahSolver(games.make("kalah:seeds=5")).best(games.make("kalah:seeds=5").initial) is None


def test_the_book_leaves_no_reply_out():
    """After each of its moves and any replies, the next position is in it, or late enough to be solved."""
    book = shipped_book()
    assert min(map(is_late, book)) is False
    for position, house in book.items():
        assert all(one in book or is_late(one) for one in positions_after(position, house))
    assert FEWEST < MOST_SEEDS


def test_moves_of_the_book_win():
    solver, positions = KalahSolver(games.make("kalah"), 1 << 20), sorted(shipped_book().items())
    for (own, other, lead), house in positions[:: len(positions) // 40]:
        solver._book = {}
        assert solver._reaches(np.uint64(own), np.uint64(other), house, 1 - lead)


def test_a_book_is_read_as_it_was_written(tmp_path):
    book = dict(list(shipped_book().items())[:50])
    write_book(tmp_path / "a.npz", book)
    assert read_book(tmp_path / "a.npz") == book


def test_a_book_is_made_from_the_start():
    asked = []

    def winning(position):
        asked.append(position)
        if len(asked) == 3:
            raise LookupError
        return (2, 5)[len(asked) - 1]

    with pytest.raises(LookupError):
        make_book(winning)
    assert asked[0] == (0x040404040404, 0x040404040404, 0)
    assert asked[1] == (0x050505000404, 0x040404040404, 1)  # moves again


@pytest.mark.parametrize("rival", ["random", "mcts:500", "alphabeta:6"])
def test_it_wins_every_game_as_first_player(rival):
    game = games.make("kalah")
    players = [("perfect", make_agent("perfect", game)), (rival, make_agent(rival, game))]
    records = play_matches(game, players, [Pairing((0, 1), seed) for seed in range(4)], seed=3)
    assert [record.verdict.returns for record in records] == [(1.0, -1.0)] * 4


def test_what_is_too_early_or_too_large():
    game = games.make("kalah")
    match = Match(game, [("", None)] * 2, opening=(0, 0))
    solver = KalahSolver(game, 1 << 4)
    assert (solver.best(match.state), solver.value(match.state)) == (None, None)
    assert solver.seconds(match.state) == np.inf
    assert KalahRules(6, False, True) == solver._space.rules
    with pytest.raises(UsageError, match="perfect: kalah is solved with up to 7 houses, not kalah"):
        KalahSolver(games.make("kalah:houses=8"))
